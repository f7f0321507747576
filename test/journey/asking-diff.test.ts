import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { Observation } from "../../src/contract/observation.ts";
import { defineTool, type Tool } from "../../src/contract/tool.ts";
import type { Asker, PermissionRequest } from "../../src/contract/verdict.ts";
import type { Gauntlet } from "../../src/index.ts";
import { ended, linesOf, startCommand } from "../support/command.ts";
import { agreeable, eventsOf, heldQuestion, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const read = (path: string) => ({ tool: "read", input: { path } });
const edit = (path: string, before: string, after: string) => ({
  tool: "edit",
  input: { path, old_string: before, new_string: after },
});

/** Says no to everything and remembers what it was asked. */
function unwilling(): Asker & { readonly asked: PermissionRequest[] } {
  const asked: PermissionRequest[] = [];
  const asker: Asker = async (request) => {
    asked.push(request);
    return { request: request.id, answer: "deny" };
  };
  return Object.assign(asker, { asked });
}

describe("whoever is asked about a change sees the diff", () => {
  test("of exactly this call, before anything happens, and the record keeps it", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\ntwo\nthree\n" });
    const onAsk = unwilling();
    const gauntlet = await openGauntlet(workspace, { onAsk });
    await gauntlet.call(read("a.txt"));
    await gauntlet.call(edit("a.txt", "two", "2 \u001b[2K"));
    await gauntlet.call({ tool: "write", input: { path: "new.txt", content: "made\n" } });
    await gauntlet.call({ tool: "delete", input: { path: "a.txt" } });
    await gauntlet.call({ tool: "move", input: { from: "a.txt", to: "b.txt" } });
    const diffs = onAsk.asked.map(({ prompt }) => prompt.diff);
    expect(diffs).toEqual([
      "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2 \\u{1b}[2K\n three",
      "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+made",
      `Deletes the file ${workspace.path("a.txt")} (14 bytes)`,
      `Moves the file ${workspace.path("a.txt")} (14 bytes) → ${workspace.path("b.txt")}`,
    ]);
    const recorded = eventsOf(gauntlet).flatMap((event) =>
      event.type === "permission.requested" ? [event.data.prompt.diff] : [],
    );
    expect(recorded).toEqual(diffs);
    expect(workspace.read("a.txt")).toBe("one\ntwo\nthree\n");
  });

  test("with its secrets only in front of the person", async () => {
    const workspace = makeWorkspace({ "config.ini": "DB_PASSWORD=s3cr3tPa55\nname = a\n" });
    const onAsk = unwilling();
    const gauntlet = await openGauntlet(workspace, { onAsk });
    await gauntlet.call(read("config.ini"));
    await gauntlet.call(edit("config.ini", "name = a", "name = b"));
    expect(onAsk.asked[0]?.prompt.diff).toContain(" DB_PASSWORD=s3cr3tPa55\n");
    expect(JSON.stringify(eventsOf(gauntlet))).not.toContain("s3cr3tPa55");
  });

  test("and where nobody can be asked the observation does not carry it", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\ntwo\n" });
    const gauntlet = await openGauntlet(workspace);
    await gauntlet.call(read("a.txt"));
    const { code, permission } = await gauntlet.call(edit("a.txt", "two", "2"));
    expect([code, permission?.prompt?.action, permission?.prompt?.diff]).toEqual([
      "approval_unavailable",
      "edit\npath: a.txt\nold_string: two\nnew_string: 2",
      undefined,
    ]);
  });
});

test("a yes covers the diff that was shown, and no other", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\ntwo\n" });
  const question = heldQuestion();
  const allow: Asker = async ({ id }) => ({ request: id, answer: "allow" });
  const onAsk: Asker = (request, signal) =>
    request.prompt.action.includes("old_string: one") ? question.onAsk(request) : allow(request, signal);
  const gauntlet = await openGauntlet(workspace, { onAsk });
  await gauntlet.call(read("a.txt"));
  const first = gauntlet.call(edit("a.txt", "one", "1"));
  const { id } = await question.asked;
  // Another spelling of the path, so another lane.
  expect(await gauntlet.call(edit(workspace.path("a.txt"), "two", "2"))).toMatchObject({ code: "ok" });
  question.reply({ request: id, answer: "allow" });
  expect(await first).toMatchObject({
    code: "approval_expired",
    effects: { happened: "nothing" },
  });
  expect(workspace.read("a.txt")).toBe("one\n2\n");
});

describe("a question that outlives its process", () => {
  const config = "DB_PASSWORD=s3cr3tPa55\nname = a\n";

  async function leaveQuestion(workspace: Workspace): Promise<{ session: string; request: PermissionRequest }> {
    const child = startCommand(workspace, ["pipe", "--on-ask", "wait"]);
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await ended(child);
    });
    const lines = linesOf(child)[Symbol.asyncIterator]();
    child.stdin.write(`${JSON.stringify(read("config.ini"))}\n`);
    await lines.next();
    child.stdin.write(`${JSON.stringify(edit("config.ini", "name = a", "name = b"))}\n`);
    const { request } = JSON.parse((await lines.next()).value);
    child.kill("SIGKILL");
    await ended(child);
    const [file = ""] = readdirSync(`${workspace.state}/sessions`).filter((name) => name.endsWith(".db"));
    return { session: file.slice(0, -".db".length), request };
  }

  async function sayYes(gauntlet: Gauntlet, request: PermissionRequest): Promise<Observation | undefined> {
    const answered = gauntlet.session.answer({ request: request.id, answer: "allow" });
    if (!answered.ok) throw new Error(answered.failure.message);
    return answered.value.resumed;
  }

  test("covers what was shown, secrets that the record leaves out included", async () => {
    const workspace = makeWorkspace({ "config.ini": config });
    const { session, request } = await leaveQuestion(workspace);
    expect(request.prompt.diff).toBe(
      "--- a/config.ini\n+++ b/config.ini\n@@ -1,2 +1,2 @@\n DB_PASSWORD=s3cr3tPa55\n-name = a\n+name = b",
    );
    const gauntlet = await openGauntlet(workspace, { session });
    expect(gauntlet.session.state.pending.get(request.id)?.prompt.diff).toMatch(
      /^--- a\/config.ini\n\+\+\+ b\/config.ini\n@@ -1,2 \+1,2 @@\n DB_PASSWORD=\[redacted:assigned:[0-9a-f]{8}\]\n/,
    );
    expect(await sayYes(gauntlet, request)).toMatchObject({ code: "ok" });
    expect(workspace.read("config.ini")).toBe("DB_PASSWORD=s3cr3tPa55\nname = b\n");
  });

  test.each(["DB_PASSWORD=an0therPa55\nname = a\n", `${config}new = line\n`])(
    "does not cover the file as it was read later: %j",
    async (changed) => {
      const workspace = makeWorkspace({ "config.ini": config });
      const { session, request } = await leaveQuestion(workspace);
      const gauntlet = await openGauntlet(workspace, { session });
      workspace.write("config.ini", changed);
      expect(await gauntlet.call(read("config.ini"))).toMatchObject({ ok: true });
      expect(await sayYes(gauntlet, request)).toMatchObject({ code: "approval_expired" });
      expect(workspace.read("config.ini")).toBe(changed);
    },
  );
});

describe("a preview that fails neither blocks nor allows", () => {
  const draw = (preview: Tool<object>["preview"] | (() => unknown)) =>
    defineTool<object>({
      name: "draw",
      version: "1",
      description: "Draws.",
      family: "other",
      risks: ["write"],
      input: z.object({}),
      run: async () => ({ ok: true, data: {} }),
      // What a package in plain JavaScript may hand us, whatever the types say.
      preview: preview as NonNullable<Tool<object>["preview"]>,
    }) as Tool;

  test.each<[string, () => unknown, string | undefined]>([
    [
      "throws at once",
      () => {
        throw new Error("no\n@@ -1 +1 @@");
      },
      "No diff: draw could not show its change: no @@ -1 +1 @@",
    ],
    ["rejects", () => Promise.reject(new Error("broken")), "No diff: draw could not show its change: broken"],
    ["gives no text", async () => 5, "No diff: draw could not show its change: it returned no text"],
    ["has nothing to say", async () => undefined, undefined],
    ["says something", async () => "@@ -1 +1 @@\n+harmless", "Reported by draw:\n@@ -1 +1 @@\n+harmless"],
    [
      "says something else each time",
      async () => `@@ ${process.hrtime.bigint()}`,
      expect.stringMatching(/^Reported by draw:\n@@ \d+$/),
    ],
  ])("when it %s", async (_what, preview, diff) => {
    const onAsk = agreeable();
    const gauntlet = await openGauntlet(makeWorkspace(), { onAsk, tools: [draw(preview)] });
    expect(await gauntlet.call({ tool: "draw", input: {} })).toMatchObject({ code: "ok" });
    expect(onAsk.asked.map(({ prompt }) => prompt.diff)).toEqual([diff]);
  });

  test("when it never ends", async () => {
    const onAsk = agreeable();
    const started = Promise.withResolvers<void>();
    const endless = () => {
      started.resolve();
      return new Promise(() => {});
    };
    const gauntlet = await openGauntlet(makeWorkspace(), { onAsk, tools: [draw(endless)] });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const call = gauntlet.call({ tool: "draw", input: {} });
    await started.promise;
    vi.advanceTimersByTime(5_000);
    expect(await call).toMatchObject({ code: "ok" });
    expect(onAsk.asked.map(({ prompt }) => prompt.diff)).toEqual([
      "No diff: draw could not show its change: it took longer than 5000 ms",
    ]);
  });
});

describe("a name that is a link to an agent's configuration", () => {
  const settings = '{"permissions":{}}\n';

  function linked() {
    const workspace = makeWorkspace({ ".claude/settings.json": settings, "video.mp4": '{"hooks":{}}\n' });
    mkdirSync(workspace.path("docs"));
    symlinkSync("../.claude/settings.json", workspace.path("docs/intro.mp4"));
    symlinkSync("../.claude/new.json", workspace.path("docs/new.mp4"));
    return workspace;
  }

  test("is written only after a question that shows the target", async () => {
    const workspace = linked();
    const onAsk = unwilling();
    const gauntlet = await openGauntlet(workspace, { mode: "auto", onAsk });
    const write = { tool: "write", input: { path: "docs/intro.mp4", content: "{}\n" } };
    expect(await gauntlet.call(write)).toMatchObject({
      code: "runtime_precondition_failed",
      summary: ".claude/settings.json must be read before it can be changed.",
    });
    await gauntlet.call(read("docs/intro.mp4"));
    await gauntlet.call(write);
    await gauntlet.call({ tool: "write", input: { path: "docs/new.mp4", content: "{}\n" } });
    const target = workspace.path(".claude/settings.json");
    expect(onAsk.asked.map(({ prompt: { effects, diff } }) => ({ effects, diff }))).toEqual([
      {
        effects: [`reads ${target} (written as docs/intro.mp4)`, `writes ${target} (written as docs/intro.mp4)`],
        diff: '--- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@ -1,1 +1,1 @@\n-{"permissions":{}}\n+{}',
      },
      {
        effects: [`writes ${workspace.path(".claude/new.json")} (written as docs/new.mp4)`],
        diff: "--- /dev/null\n+++ b/.claude/new.json\n@@ -0,0 +1,1 @@\n+{}",
      },
    ]);
    expect([workspace.read(".claude/settings.json"), existsSync(workspace.path(".claude/new.json"))]).toEqual([
      settings,
      false,
    ]);
  });

  test.each(["cp video.mp4 docs/intro.mp4", "cat video.mp4 > docs/intro.mp4", "cp video.mp4 docs/new.mp4"])(
    "is named by its target when the command is %s",
    async (command) => {
      const workspace = linked();
      const onAsk = unwilling();
      const gauntlet = await openGauntlet(workspace, {
        mode: "auto",
        onAsk,
        settings: { transactions: { use: "off" } },
      });
      const name = command.split("/").at(-1) ?? "";
      const target = workspace.path(name === "new.mp4" ? ".claude/new.json" : ".claude/settings.json");
      expect(await gauntlet.call({ tool: "bash", input: { command } })).toMatchObject({ code: "user_denied" });
      expect(onAsk.asked.map(({ prompt }) => [prompt.action, prompt.effects])).toEqual([
        [
          command,
          expect.arrayContaining([
            `reads ${workspace.path("video.mp4")}`,
            `writes ${target} (written as docs/${name})`,
          ]),
        ],
      ]);
      expect(workspace.read(".claude/settings.json")).toBe(settings);
    },
  );
});

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Failure } from "../../src/contract/codes.ts";
import { recoverTransactions } from "../../src/sandbox/transaction/probe.ts";
import { ownerName, type Views } from "../../src/sandbox/transaction/view.ts";
import { openAgent } from "../journey/agent/open-agent.ts";
import { scripted } from "../journey/agent/scripted-model.ts";
import { ended, linesOf, runCommand, startCommand } from "../support/command.ts";
import { eventsOf, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { type Interruption, interrupting, Killed, noSpace } from "./failing-calls.ts";
import { imageOf } from "./tree-image.ts";
import { applyAll, captureAll, makeViewWorld, memory, noArtifact, runScript, type ViewWorld } from "./view-world.ts";

const setUp = `
mkdir -p tree/deep nested/empty replaced dir-to-file swapped-directory closed nested/lower
for name in modified deleted file-to-dir mode swapped tree/a tree/deep/b replaced/old dir-to-file/old nested/lower/c; do
  echo "$name" >"$name"
done
chmod 755 closed
`;

/** One of each kind of step. */
const script = `
echo more >>modified; rm -r tree; mkdir -p fresh; echo 1 >fresh/f; ln fresh/f fresh/g
rm file-to-dir; mkdir file-to-dir; echo x >file-to-dir/x
rm -r replaced; mkdir replaced; echo z >replaced/z
echo in >closed/new; chmod 500 closed; mkdir sealed; echo s >sealed/s; chmod 555 sealed
`;

const longScript = `${script}
rm deleted; echo new >created; rm -r dir-to-file; echo y >dir-to-file; chmod +x mode; ln -s modified link
rm swapped; ln -s elsewhere swapped; echo more >>nested/lower/c; ln -sfn nested swapped-directory/link
touch -d 2001-02-03T04:05:06.789 mode; mkdir -p a/b/c; touch a/b/c/d; chmod 1777 a; rmdir nested/empty
`;

const places = [
  { title: "on one file system", world: { setUp } },
  { title: "from another file system", world: { around: memory, storeAround: "/tmp", setUp } },
] as const;

describe.each(places)("apply $title", ({ world: options }) => {
  test("gives what the command itself would have made, and leaves no files of its own", async () => {
    const world = await makeViewWorld(options);
    const expected = expectedImage(world, longScript);
    const applied = await applyAll(world.run(longScript).transaction);
    expect(applied.ok).toBe(true);
    expect(imageOf(world.root)).toEqual(expected);
    expect(transactionsIn(world)).toEqual([]);
  });

  test("is finished or never began, whichever call the process died before", async () => {
    const world = await makeViewWorld(options);
    const [before, expected] = [imageOf(world.root), expectedImage(world)];
    const outcomes = new Set<string>();
    for (let at = 1, last = false; !last; at++) {
      world.reset();
      const { transaction, views } = world.run(script);
      const changes = await captureAll(transaction);
      const count = await interrupting(dieAt(at), () => transaction.apply(changes, noArtifact));
      last = count < at;
      abandon(views);
      const isFinished = existsSync(path.join(views.directory, "journal.json")) || last;
      await recoverTransactions(world.store);
      expect({ at, after: imageOf(world.root) }).toEqual({ at, after: isFinished ? expected : before });
      expect(transactionsIn(world)).toEqual([]);
      outcomes.add(isFinished ? "finished" : "discarded");
    }
    expect(outcomes).toEqual(new Set(["finished", "discarded"]));
  });

  test("takes back what was done when a call fails, whichever it is", async () => {
    const world = await makeViewWorld(options);
    const [before, expected] = [imageOf(world.root), expectedImage(world)];
    for (let at = 1, last = false; !last; at++) {
      world.reset();
      const { transaction } = world.run(script);
      const changes = await captureAll(transaction);
      let failure: Failure | undefined;
      const fails: Interruption = (count) => (count === at ? noSpace() : undefined);
      const count = await interrupting(fails, async () => {
        const applied = await transaction.apply(changes, noArtifact);
        failure = applied.ok ? undefined : applied.failure;
      });
      last = count < at;
      const found = { at, happened: failure?.happened, after: imageOf(world.root) };
      const isApplied = failure === undefined;
      expect(found).toEqual({ at, happened: isApplied ? undefined : "nothing", after: isApplied ? expected : before });
    }
  });

  test("names the file of the workspace that could not be written", async () => {
    const world = await makeViewWorld(options);
    const { transaction } = world.run(script);
    const changes = await captureAll(transaction);
    const readOnly = () => Object.assign(new Error("EROFS"), { code: "EROFS", errno: -30 });
    let failed = 0;
    const fails: Interruption = (_count, name, words) => {
      const isFirst = name === "renameSync" && String(words[1]).startsWith("/proc/self/fd/") && ++failed === 1;
      return isFirst ? readOnly() : undefined;
    };
    await interrupting(fails, async () => {
      const applied = await transaction.apply(changes, noArtifact);
      if (applied.ok) throw new Error("It was applied");
      expect(applied.failure).toMatchObject({ code: "tool_failed", happened: "nothing" });
      expect(applied.failure.message.startsWith(`${world.root}/`)).toBe(true);
    });
  });

  test("is taken back when the process died while it took changes back", async () => {
    const world = await makeViewWorld(options);
    const [before, expected] = [imageOf(world.root), expectedImage(world)];
    for (let later = 1, last = false; !last; later++) {
      world.reset();
      const { transaction, views } = world.run(script);
      const changes = await captureAll(transaction);
      let failedAt = Number.POSITIVE_INFINITY;
      const interrupt: Interruption = (count, _name, words) => {
        // The last one of all.
        if (String(words[0]).endsWith("applied.draft")) {
          failedAt = Math.min(failedAt, count);
          return noSpace();
        }
        return count >= failedAt + later ? new Killed() : undefined;
      };
      const count = await interrupting(interrupt, () => transaction.apply(changes, noArtifact));
      last = count < failedAt + later;
      abandon(views);
      const isFinished = existsSync(path.join(views.directory, "journal.json"));
      await recoverTransactions(world.store);
      expect({ later, after: imageOf(world.root) }).toEqual({ later, after: isFinished ? expected : before });
    }
  });
});

/** The session of a runtime that was killed so many steps into applying what the command changed. */
function runKilled(workspace: Workspace, command: string, steps: number): string {
  const script = fileURLToPath(new URL("killed-session.ts", import.meta.url));
  const places = [workspace.root, workspace.state, workspace.home];
  const killed = spawnSync(process.execPath, [script, ...places, command, `${steps}`], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: workspace.home },
  });
  expect(killed.signal).toBe("SIGKILL");
  return killed.stdout;
}

test.each([0, 2, 4])(
  "a runtime that was killed %i steps into an apply: the next one finishes it and says so",
  async (steps) => {
    const workspace = makeWorkspace({ "a.txt": "a\n", "gone/x": "x\n" });
    const session = runKilled(workspace, "echo more >>a.txt; rm -r gone; echo n >new", steps);
    const gauntlet = await openGauntlet(workspace, { session, mode: "auto" });
    expect(await gauntlet.call({ tool: "bash", input: { command: "touch later" } })).toMatchObject({ code: "ok" });
    expect(Object.keys(imageOf(workspace.root))).toEqual(["a.txt", "later", "new"]);
    expect(workspace.read("a.txt")).toBe("a\nmore\n");
    const codes = eventsOf(gauntlet).flatMap((event) =>
      event.type === "tool.observed" ? [event.data.observation.code] : [],
    );
    expect(codes).toEqual(["interrupted", "ok"]);
    const undone = await gauntlet.undo({ dryRun: true, force: false, last: 2 });
    expect(undone.ok && undone.value.never.join()).toContain("was interrupted: ");
  },
);

test("a question about changes that outlives its process: a yes is refused, and nothing is applied or run again", async () => {
  const workspace = makeWorkspace({ "a.txt": "a\n" });
  const child = startCommand(workspace, ["pipe", "--on-ask", "wait"]);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended(child);
  });
  child.stdin.write(`${JSON.stringify({ tool: "bash", input: { command: "echo more >>a.txt" } })}\n`);
  const { value = "" } = await linesOf(child)[Symbol.asyncIterator]().next();
  const { request } = JSON.parse(value);
  child.kill("SIGKILL");
  await ended(child);
  const [file = ""] = readdirSync(path.join(workspace.state, "sessions")).filter((name) => name.endsWith(".db"));
  const gauntlet = await openGauntlet(workspace, { session: path.basename(file, ".db"), mode: "auto" });
  expect(gauntlet.session.answer({ request: request.id, answer: "allow" })).toMatchObject({ ok: false });
  expect(await gauntlet.call({ tool: "bash", input: { command: "touch later" } })).toMatchObject({ code: "ok" });
  expect([workspace.read("a.txt"), Object.keys(imageOf(workspace.root))]).toEqual(["a\n", ["a.txt", "later"]]);
});

test("an apply that meets another change after a crash is taken back and kept", async () => {
  const world = await makeViewWorld({ setUp });
  const { transaction, views } = world.run("echo command >>modified; echo new >created; rm deleted");
  const changes = await captureAll(transaction);
  // After the journal, before the first step.
  let journal = false;
  await interrupting(
    (_count, name, words) => {
      if (journal) return new Killed();
      journal = name === "renameSync" && String(words[1]).endsWith("journal.json");
      return undefined;
    },
    () => transaction.apply(changes, noArtifact),
  );
  abandon(views);
  world.write("created", "of the user\n");
  world.write("modified", "of the user\n");
  const before = imageOf(world.root);
  for (let starts = 0; starts < 2; starts++) {
    await recoverTransactions(world.store);
    expect(imageOf(world.root)).toEqual(before);
    expect(transactionsIn(world)).toEqual([views.id]);
  }
});

test("changes that were taken back after a crash are told of, and stay until the user discards them", async () => {
  const workspace = makeWorkspace({ "a.txt": "a\n", "gone/x": "x\n" });
  runKilled(workspace, "echo more >>a.txt; rm -r gone; echo n >new", 1);
  workspace.write("a.txt", "of the user\n");
  const before = ["a.txt", "gone", "gone/x"];
  const { code, stdout } = await runCommand(workspace, ["doctor", "--json"]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/gauntlet try diff txn_/)]);
  const { id } = JSON.parse((await runCommand(workspace, ["try", "list", "--json"])).stdout)[0];
  expect([Object.keys(imageOf(workspace.root)), workspace.read("a.txt")]).toEqual([before, "of the user\n"]);
  const { notices } = await openAgent(workspace, scripted([]));
  expect(notices.filter((notice) => notice.includes(id))).toHaveLength(1);
  const { stdout: diff } = await runCommand(workspace, ["try", "diff", id]);
  expect(diff).toMatch(/-of the user\n\+a\n\+more\n/);
  expect((await runCommand(workspace, ["try", "apply", id])).code).not.toBe(0);
  expect((await runCommand(workspace, ["try", "discard", id])).code).toBe(0);
  expect(JSON.parse((await runCommand(workspace, ["try", "list", "--json"])).stdout)).toEqual([]);
  expect([Object.keys(imageOf(workspace.root)), workspace.read("a.txt")]).toEqual([before, "of the user\n"]);
});

test("a transaction without a journal is discarded", async () => {
  const world = await makeViewWorld({ setUp });
  const before = imageOf(world.root);
  const { views } = world.run(script);
  abandon(views);
  await recoverTransactions(world.store);
  expect(imageOf(world.root)).toEqual(before);
  expect(transactionsIn(world)).toEqual([]);
});

test("a transaction whose process lives is left alone", async () => {
  const world = await makeViewWorld({ setUp });
  const { views } = world.run(script);
  await recoverTransactions(world.store);
  expect(transactionsIn(world)).toEqual([views.id]);
});

test("a file that was edited just before the command is not a conflict, and one edited just after it began is", async () => {
  const world = await makeViewWorld({ setUp });
  for (let times = 0; times < 50; times++) {
    world.write("modified", `edit ${times}\n`);
    const changes = await captureAll(world.run("echo more >>modified").transaction);
    expect(changes.map(({ conflict }) => conflict)).toEqual([undefined]);
  }
  const late = await captureAll(world.run("echo more >>modified", "echo late >>modified").transaction);
  expect(late.map(({ conflict }) => conflict !== undefined)).toEqual([true]);
});

test("names of one file stay names of one file on another file system", async () => {
  const world = await makeViewWorld({ around: memory, storeAround: "/tmp" });
  const applied = await applyAll(world.run("mkdir d e; echo 1 >a; ln a b; ln a d/c; ln a e/c").transaction);
  expect(applied.ok).toBe(true);
  const { a, ...others } = imageOf(world.root);
  const same = `${a} = a`;
  expect(others).toEqual({ b: same, d: "directory 755", "d/c": same, e: "directory 755", "e/c": same });
});

test("a part of a new directory can be chosen", async () => {
  const world = await makeViewWorld();
  const { transaction } = world.run("mkdir -p new/sub other; touch new/sub/yes new/sub/no new/no other/no");
  const changes = await captureAll(transaction);
  const chosen = changes.filter(({ path: changed }) => changed.endsWith("/yes"));
  expect((await transaction.apply(chosen, noArtifact)).ok).toBe(true);
  expect(Object.keys(imageOf(world.root))).toEqual(["new", "new/sub", "new/sub/yes"]);
});

function dieAt(at: number): Interruption {
  return (count) => (count >= at ? new Killed() : undefined);
}

/** Its process is gone. */
function abandon({ directory }: Views): void {
  if (existsSync(directory)) writeFileSync(path.join(directory, ownerName), "0 0");
}

function transactionsIn({ store }: ViewWorld): readonly string[] {
  return readdirSync(store).filter((name) => name.startsWith("txn_"));
}

/** The same script without a view. */
function expectedImage(world: ViewWorld, text = script): Readonly<Record<string, string>> {
  runScript(text, world.root);
  const image = imageOf(world.root);
  world.reset();
  return image;
}

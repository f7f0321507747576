import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { makeWorkspace } from "../support/workspace.ts";
import { eras, type Person, type Served, serveWorkspace } from "./served.ts";
import { npmServer, oddServer } from "./server-session.ts";

const write = { name: "bash", arguments: { command: "echo hi > made.txt" } };

function saying(decision: string, action: "accept" | "decline" | "cancel" = "accept") {
  const asked: string[] = [];
  const person: Person = (message, fields) => {
    if (!("decision" in fields)) return { action: "cancel" };
    asked.push(message);
    return { action, ...(action === "accept" ? { content: { decision } } : {}) };
  };
  return { asked, person };
}

describe.each(eras)("a client of the era %s over HTTP", (era) => {
  test("lists tools in a stable order and calls one through the whole pipeline", async () => {
    const served = await serveWorkspace(makeWorkspace({ "a.txt": "one\n" }));
    const client = await served.client(era);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["bash", "edit", "read"]));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names);
    expect(tools.find(({ name }) => name === "read")).toMatchObject({
      inputSchema: { type: "object", required: ["path"] },
      annotations: { readOnlyHint: true },
    });
    const result = await client.callTool({ name: "read", arguments: { path: "a.txt" } });
    expect(result).toMatchObject({
      content: [{ type: "text", text: "1\tone" }],
      _meta: {
        "gauntlet/trust": "tool_output_untrusted",
        "gauntlet/observation": {
          ok: true,
          code: "ok",
          summary: "Lines 1-1 of 1 of a.txt.",
          happened: "done",
          retryable: false,
          truncated: false,
          artifacts: [],
        },
      },
    });
    // A client that has a structured result may show its model nothing else.
    expect(result.structuredContent).toBeUndefined();
    const proposed = served.events().find(({ type }) => type === "tool_intent.proposed");
    expect(proposed?.data).toMatchObject({ tool: "read", origin: { source: "mcp", client: "test-client" } });
    const { auditId } = facts(result);
    expect(served.events().find(({ id }) => id === auditId)?.type).toBe("tool.observed");
  });

  test("is told with a code and a way on what was refused", async () => {
    const served = await serveWorkspace(makeWorkspace({ ".env": "TOKEN=hush-hush\n" }));
    const client = await served.client(era);
    const secret = await client.callTool({ name: "read", arguments: { path: ".env" } });
    expect(secret).toMatchObject({
      isError: true,
      _meta: { "gauntlet/observation": { ok: false, code: "policy_denied" } },
    });
    expect(JSON.stringify(secret)).not.toContain("hush-hush");
    const unknown = await client.callTool({ name: "raed", arguments: {} });
    expect(unknown).toMatchObject({
      isError: true,
      _meta: { "gauntlet/observation": { code: "unknown_tool", happened: "nothing" } },
    });
    const bad = await client.callTool({ name: "read", arguments: { path: 7 } });
    expect(bad).toMatchObject({
      isError: true,
      _meta: { "gauntlet/observation": { code: "schema_invalid", field: "input.path" } },
    });
    const gone = await client.callTool({ name: "read", arguments: { path: "gone.txt" } });
    for (const refused of [secret, unknown, bad, gone]) {
      const { content } = refused;
      const { code, summary, recovery } = facts(refused);
      expect(content).toEqual([{ type: "text", text: `${code}: ${summary}\n${recovery}` }]);
    }
    const failed = await client.callTool({ name: "bash", arguments: { command: "ls nothing-here" } });
    const { code, summary, recovery } = facts(failed);
    expect(failed.content.slice(0, 2)).toEqual([
      { type: "text", text: `${code}: ${summary}\n${recovery}` },
      { type: "text", text: expect.stringMatching(/^stderr\n.*No such file/) },
    ]);
  });

  test("puts the question to its person: exactly this call, once", async () => {
    const workspace = makeWorkspace();
    const served = await serveWorkspace(workspace);
    const { asked, person } = saying("once");
    const client = await served.client(era, person);
    expect(await client.callTool(write)).toMatchObject({ _meta: { "gauntlet/observation": { ok: true, code: "ok" } } });
    expect(workspace.read("made.txt")).toBe("hi\n");
    expect(asked).toHaveLength(1);
    for (const part of ["echo hi > made.txt", "risk R2", "A  made.txt", "Edit(/made.txt)"])
      expect(asked[0]).toContain(part);
    rmSync(workspace.path("made.txt"));
    await client.callTool(write);
    expect(asked).toHaveLength(2);
    const answered = served.events().find(({ type }) => type === "permission.answered");
    expect(answered?.data).toMatchObject({ answer: "allow", by: "person at the MCP client test-client" });
  });

  test("may be allowed for the session", async () => {
    const served = await serveWorkspace(makeWorkspace());
    const { asked, person } = saying("session");
    const client = await served.client(era, person);
    await client.callTool(write);
    expect(await client.callTool(write)).toMatchObject({ _meta: { "gauntlet/observation": { ok: true } } });
    expect(asked).toHaveLength(1);
  });

  test.each([
    ["deny", "accept", "user_denied"],
    ["", "decline", "user_denied"],
    ["", "cancel", "approval_unavailable"],
    ["perhaps", "accept", "approval_unavailable"],
  ] as const)("does nothing after %j and %s: %s", async (decision, action, code) => {
    const workspace = makeWorkspace();
    const served = await serveWorkspace(workspace);
    const client = await served.client(era, saying(decision, action).person);
    expect(await client.callTool(write)).toMatchObject({
      isError: true,
      _meta: { "gauntlet/observation": { code, happened: "nothing" } },
    });
    expect(existsSync(workspace.path("made.txt"))).toBe(false);
  });

  test("is shown the choices alone, Deny first, and is asked for a reason only after Deny", async () => {
    const served = await serveWorkspace(makeWorkspace());
    const forms: string[][] = [];
    // Submits each form as it opens: the first choice, and a text only where there is nothing else.
    const client = await served.client(era, (_message, fields) => {
      forms.push(
        Object.entries(fields).map(([name, { oneOf = [] }]) => [name, ...oneOf.map((c) => c.const)].join(" ")),
      );
      const filled = Object.entries(fields).map(([name, { oneOf }]) => [name, oneOf?.[0]?.const ?? "use the API"]);
      return { action: "accept", content: Object.fromEntries(filled) };
    });
    expect(await client.callTool(write)).toMatchObject({ _meta: { "gauntlet/observation": { code: "user_denied" } } });
    expect(forms).toEqual([["decision deny once session"], ["reason"]]);
    const answered = served.events().find(({ type }) => type === "permission.answered");
    expect(answered?.data).toMatchObject({ answer: "deny", message: "use the API" });
  });

  test("that closes the form for a reason has still denied", async () => {
    const served = await serveWorkspace(makeWorkspace());
    const client = await served.client(era, (_message, fields) =>
      "decision" in fields ? { action: "accept", content: { decision: "deny" } } : { action: "cancel" },
    );
    expect(await client.callTool(write)).toMatchObject({ _meta: { "gauntlet/observation": { code: "user_denied" } } });
  });

  test("that cannot ask is refused, and a person agrees from elsewhere to the next such call", async () => {
    const workspace = makeWorkspace();
    const served = await serveWorkspace(workspace);
    const client = await served.client(era);
    const refused = await client.callTool(write);
    const { request } = facts(refused);
    expect(refused).toMatchObject({
      isError: true,
      _meta: { "gauntlet/observation": { code: "approval_unavailable" } },
    });
    const advice = `A user can allow it in a terminal with: gauntlet mcp answer ${request} allow. Then call it again with the same arguments.`;
    expect(facts(refused).recovery).toBe(advice);
    expect(refused.content[0]).toEqual({
      type: "text",
      text: `approval_unavailable: ${facts(refused).summary}\n${advice}`,
    });
    const { contents } = await client.readResource({ uri: "gauntlet://pending" });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject([
      { id: request, tool: "bash", action: "echo hi > made.txt", risk: "R2" },
    ]);
    // Nothing waits: the call is over, and asking again is the same question.
    expect(facts(await client.callTool(write)).request).toBe(request);

    expect(served.app.unanswered.answer({ request: String(request), answer: "allow", by: "test" })).toMatchObject({
      ok: true,
    });
    const other = { name: "bash", arguments: { command: "echo hi > other.txt" } };
    expect(await client.callTool(other)).toMatchObject({
      _meta: { "gauntlet/observation": { code: "approval_unavailable" } },
    });
    expect(await client.callTool(write)).toMatchObject({ _meta: { "gauntlet/observation": { ok: true } } });
    expect(workspace.read("made.txt")).toBe("hi\n");
    rmSync(workspace.path("made.txt"));
    expect(await client.callTool(write)).toMatchObject({
      _meta: { "gauntlet/observation": { code: "approval_unavailable" } },
    });
  });

  test("sees of a call that waits for a person no secret, and neither does the file that it waits in", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const workspace = makeWorkspace();
    const served = await serveWorkspace(workspace);
    const client = await served.client(era);
    const call = { name: "bash", arguments: { command: `echo ${secret} > made.txt` } };
    const { request } = facts(await client.callTool(call));
    const { contents } = await client.readResource({ uri: "gauntlet://pending" });
    const [waiting] = JSON.parse((contents[0] as { text: string }).text);
    expect(waiting).toMatchObject({
      id: request,
      action: expect.stringMatching(/^echo \[redacted:github-token:.*\] > made\.txt$/),
    });
    const kept = readFileSync(path.join(path.dirname(served.app.rulesFile), "questions.json"), "utf8");
    expect([JSON.stringify(contents), kept].filter((text) => text.includes(secret))).toEqual([]);
    served.app.unanswered.answer({ request: String(request), answer: "allow", by: "test" });
    expect(facts(await client.callTool(call))).toMatchObject({ ok: true });
    expect(workspace.read("made.txt")).toBe(`${secret}\n`);
  });

  test("is told at once that arguments have too many keys", async () => {
    const served = await serveWorkspace(makeWorkspace({ "a.txt": "one\n" }));
    const client = await served.client(era);
    const keys = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`key${at}`, 1]));
    for (const input of [keys, { path: "a.txt", deep: [{ keys }] }]) {
      await expect(client.callTool({ name: "read", arguments: input })).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining("An object of the arguments has more than 10000 keys."),
      });
    }
  });

  test("takes back one call, and only that one ends", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const served = await serveWorkspace(workspace, { allow: ["Bash(sleep 60)"] });
    const client = await served.client(era);
    const taken = new AbortController();
    const sleeping = client.callTool({ name: "bash", arguments: { command: "sleep 60" } }, { signal: taken.signal });
    await until(() => served.events().some(({ type }) => type === "tool_invocation.started"));
    taken.abort();
    await expect(sleeping).rejects.toThrow();
    await until(() => served.events().some(({ type }) => type === "tool_invocation.ended"));
    const ended = served.events().find(({ type }) => type === "tool_invocation.ended");
    expect(ended?.data).toMatchObject({ exit: "cancelled", code: "cancelled" });
    expect(await client.callTool({ name: "read", arguments: { path: "a.txt" } })).toMatchObject({
      _meta: { "gauntlet/observation": { ok: true } },
    });
  });

  test("reads what a call left redacted, and each reading is on record", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const workspace = makeWorkspace({ "log.txt": `${"line\n".repeat(30_000)}${token}\n${"line\n".repeat(30_000)}` });
    const served = await serveWorkspace(workspace, { allow: ["Bash(cat log.txt)", "Bash(head -c 9 /bin/sh)"] });
    const client = await served.client(era);
    const artifactOf = async (command: string) => {
      const result = await client.callTool({ name: "bash", arguments: { command } });
      return (result.content.find(({ type }) => type === "resource_link") as { uri: string } | undefined)?.uri ?? "";
    };
    let text = "";
    let pages = 0;
    for (let uri: unknown = await artifactOf("cat log.txt"); typeof uri === "string"; pages += 1) {
      const [page] = (await client.readResource({ uri })).contents as {
        text: string;
        _meta: Record<string, unknown>;
      }[];
      text += page?.text ?? "";
      uri = page?._meta["gauntlet/next"];
    }
    expect([text.includes("ghp_"), text.includes("[redacted:github-token")]).toEqual([false, true]);
    const reads = () =>
      served
        .events()
        .filter(({ type, data }) => type === "tool_intent.proposed" && "tool" in data && data.tool === "read_artifact");
    expect(reads()).toHaveLength(pages);
    const bytes = await client.readResource({ uri: await artifactOf("head -c 9 /bin/sh") });
    expect(bytes.contents).toMatchObject([{ mimeType: "application/octet-stream", blob: expect.any(String) }]);
    expect(reads()).toHaveLength(pages + 1);
  });

  test("is given no secret that stands between bytes", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const workspace = makeWorkspace({ "fields.bin": `one\0${token}\0two\n` });
    writeFileSync(workspace.path("bytes.bin"), Buffer.from(`\x01\0\0\0${token}\xff`, "latin1"));
    writeFileSync(workspace.path("wide.bin"), Buffer.from(token, "utf16le"));
    const served = await serveWorkspace(workspace, { allow: ["Bash(cat *)"] });
    const client = await served.client(era);
    const artifactOf = async (file: string) => {
      const result = await client.callTool({ name: "bash", arguments: { command: `cat ${file}` } });
      return (result.content.find(({ type }) => type === "resource_link") as { uri: string } | undefined)?.uri ?? "";
    };
    const fields = await client.readResource({ uri: await artifactOf("fields.bin") });
    expect(fields.contents).toMatchObject([
      { text: expect.stringMatching(/^one␀\[redacted:github-token:.*\]␀two\n?$/) },
    ]);
    for (const file of ["bytes.bin", "wide.bin"]) {
      await expect(client.readResource({ uri: await artifactOf(file) })).rejects.toThrow("policy_denied");
    }
  });

  test("reads what a call left, a page at a time, and not the log, which is of all clients", async () => {
    const served = await serveWorkspace(makeWorkspace(), { allow: ["Bash(seq 1 100000)"] });
    const client = await served.client(era);
    const result = await client.callTool({ name: "bash", arguments: { command: "seq 1 100000" } });
    const link = result.content.find(({ type }) => type === "resource_link") as { uri: string } | undefined;
    expect(link).toBeDefined();
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["gauntlet://pending", link?.uri]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ name }) => name)).toEqual(["artifact"]);
    let text = "";
    for (let uri: unknown = link?.uri; typeof uri === "string"; ) {
      const { contents } = await client.readResource({ uri });
      const page = contents[0] as { text: string; _meta: Record<string, unknown> };
      expect(page._meta).toMatchObject({ "gauntlet/trust": "tool_output_untrusted" });
      text += page.text;
      uri = page._meta["gauntlet/next"];
    }
    expect(text.trimEnd().split("\n")).toHaveLength(100_000);
    for (const uri of ["gauntlet://artifacts/nothing", "gauntlet://session/events", "file:///etc/passwd"]) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602, data: { uri } });
    }
  });
});

describe("two servers for one project", () => {
  async function both() {
    const workspace = makeWorkspace();
    const [one, other] = [await serveWorkspace(workspace), await serveWorkspace(workspace)];
    const [here, there] = [await one.client("auto"), await other.client("auto")];
    const call = async (client: typeof here, command: string) =>
      facts(await client.callTool({ name: "bash", arguments: { command } })).code;
    const asked = async (command: string) =>
      String(facts(await here.callTool({ name: "bash", arguments: { command } })).request);
    return { workspace, app: one.app, here, there, call, asked };
  }

  test("a plain yes is for the next call of either, once", async () => {
    const { workspace, app, here, there, call, asked } = await both();
    const command = "echo hi >> made.txt";
    app.unanswered.answer({ request: await asked(command), answer: "allow", by: "test" });
    const codes = await Promise.all([
      call(there, command),
      call(here, command),
      call(there, command),
      call(here, command),
    ]);
    expect(codes.sort()).toEqual(["approval_unavailable", "approval_unavailable", "approval_unavailable", "ok"]);
    expect(workspace.read("made.txt")).toBe("hi\n");
  });

  test("a yes for the session is for the one that asked", async () => {
    const { app, here, there, call, asked } = await both();
    const command = "echo hi >> made.txt";
    app.unanswered.answer({ request: await asked(command), answer: "allow", remember: "session", by: "test" });
    const codes = [
      await call(there, command),
      await call(here, command),
      await call(here, command),
      await call(there, command),
    ];
    expect(codes).toEqual(["approval_unavailable", "ok", "ok", "approval_unavailable"]);
  });

  test("a list of questions that cannot be read is put aside, and a person is told", async () => {
    const { app, asked } = await both();
    const file = path.join(path.dirname(app.rulesFile), "questions.json");
    await asked("touch made.txt");
    writeFileSync(file, "x".repeat(2_000_000));
    expect(app.unanswered.list()).toEqual({ ok: true, value: [] });
    expect(app.notices()).toEqual([expect.stringContaining(`${file}.unreadable`)]);
    expect(app.unanswered.answer({ request: await asked("touch made.txt"), answer: "deny" })).toMatchObject({
      ok: true,
    });
  });
});

test("one server serves clients of both eras, and a round cannot stand for another call", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const served = await serveWorkspace(workspace);
  await served.client("legacy");
  await served.client("auto");
  const first = await rpc(served, "tools/call", write);
  expect(first).toMatchObject({ result: { resultType: "input_required" } });
  const { inputRequests, requestState } = first.result as {
    inputRequests: Record<string, unknown>;
    requestState: string;
  };
  const [question = ""] = Object.keys(inputRequests);
  const inputResponses = { [question]: { action: "accept", content: { decision: "once" } } };
  const changed = { ...write, arguments: { command: "echo hi > other.txt" }, inputResponses, requestState };
  expect(await rpc(served, "tools/call", changed)).toMatchObject({
    result: { isError: true, _meta: { "gauntlet/observation": { code: "approval_expired" } } },
  });
  const forged = { ...write, inputResponses, requestState: `${requestState}x` };
  expect(await rpc(served, "tools/call", forged)).toMatchObject({ error: { code: -32_602 } });
  expect([existsSync(workspace.path("other.txt")), existsSync(workspace.path("made.txt"))]).toEqual([false, false]);
  expect(await rpc(served, "tools/call", { ...write, inputResponses, requestState })).toMatchObject({
    result: { _meta: { "gauntlet/observation": { ok: true } } },
  });
  // The call is over: its answer is not handed out twice, and nothing runs again.
  expect(await rpc(served, "tools/call", { ...write, inputResponses, requestState })).toMatchObject({
    result: { isError: true, _meta: { "gauntlet/observation": { code: "approval_expired" } } },
  });
});

test.each(eras)("a question that nobody answers at a client of the era %s holds up no other call", async (era) => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const served = await serveWorkspace(workspace);
  const asked = Promise.withResolvers<void>();
  const { promise: decided, resolve: decide } = Promise.withResolvers<string>();
  const thinking = await served.client(era, async () => {
    asked.resolve();
    return { action: "accept", content: { decision: await decided } };
  });
  const other = await served.client(era);
  const writing = thinking.callTool(write);
  await asked.promise;
  const done = { _meta: { "gauntlet/observation": { ok: true } } };
  for (const client of [other, thinking]) {
    expect(await client.callTool({ name: "bash", arguments: { command: "cat a.txt" } })).toMatchObject(done);
    expect(await client.callTool({ name: "read", arguments: { path: "a.txt" } })).toMatchObject(done);
  }
  expect(existsSync(workspace.path("made.txt"))).toBe(false);
  decide("once");
  expect(await writing).toMatchObject(done);
  expect(existsSync(workspace.path("made.txt"))).toBe(true);
});

describe("what a person at a client has for an answer", () => {
  function servedFor(approvalMs: number) {
    const workspace = makeWorkspace();
    writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ limits: { approvalMs } }));
    return serveWorkspace(workspace);
  }

  test("is no longer than the settings say", async () => {
    const served = await servedFor(200);
    const client = await served.client("legacy", () => new Promise(() => {}));
    const ended = await client.callTool(write);
    expect(ended).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("timed out") }] });
    await vi.waitFor(() => expect(codes(served)).toEqual(["approval_expired"]));
  });

  test("is as long as the settings say", async () => {
    const served = await servedFor(2 * 60 * 60_000);
    const { result } = await rpc(served, "tools/call", write);
    const { inputRequests, requestState } = result as { inputRequests: object; requestState: string };
    const [question = ""] = Object.keys(inputRequests);
    const inputResponses = { [question]: { action: "accept", content: { decision: "once" } } };
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60 * 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await rpc(served, "tools/call", { ...write, inputResponses, requestState })).toMatchObject({
      result: { _meta: { "gauntlet/observation": { ok: true } } },
    });
    expect(codes(served)).toEqual(["ok"]);
  });

  function codes(served: Served): readonly string[] {
    return served.events().flatMap((event) => (event.type === "tool.observed" ? [event.data.observation.code] : []));
  }
});

test.each(eras)("questions about several calls of a client of the era %s are answered in any order", async (era) => {
  const workspace = makeWorkspace();
  const served = await serveWorkspace(workspace);
  const asked = new Map<string, (decision: string) => void>();
  const all = Promise.withResolvers<void>();
  const client = await served.client(era, async (message) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    asked.set(/(\w+)\.txt/.exec(message)?.[1] ?? "", resolve);
    if (asked.size === 2) all.resolve();
    return { action: "accept", content: { decision: await promise } };
  });
  const make = (name: string) => client.callTool({ name: "bash", arguments: { command: `echo hi > ${name}.txt` } });
  const [first, second] = [make("first"), make("second")];
  await all.promise;
  asked.get("second")?.("once");
  expect(await second).toMatchObject({ _meta: { "gauntlet/observation": { ok: true } } });
  asked.get("first")?.("once");
  expect(await first).toMatchObject({ _meta: { "gauntlet/observation": { ok: true } } });
  expect([existsSync(workspace.path("first.txt")), existsSync(workspace.path("second.txt"))]).toEqual([true, true]);
});

test.each(eras)("a yes to changes is none any more where somebody else changed the same file: %s", async (era) => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const served = await serveWorkspace(workspace);
  const client = await served.client(era, async (_message, fields) => {
    if (!("decision" in fields)) return { action: "cancel" };
    workspace.write("a.txt", "mine\n");
    return { action: "accept", content: { decision: "once" } };
  });
  const ended = await client.callTool({ name: "bash", arguments: { command: "echo theirs >> a.txt" } });
  expect([ended.isError, workspace.read("a.txt")]).toEqual([true, "mine\n"]);
});

test.each(eras)("a yes is none any more where another call may have changed what it was about: %s", async (era) => {
  const workspace = makeWorkspace({ "build.sh": "echo harmless > built.txt\n" });
  writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ transactions: { use: "off" } }));
  const served = await serveWorkspace(workspace, { mode: "acceptEdits" });
  const asked = Promise.withResolvers<void>();
  const { promise: decided, resolve: decide } = Promise.withResolvers<string>();
  let questions = 0;
  const thinking = await served.client(era, async (_message, fields) => {
    if (!("decision" in fields)) return { action: "cancel" };
    questions += 1;
    asked.resolve();
    return { action: "accept", content: { decision: questions === 1 ? await decided : "deny" } };
  });
  const building = thinking.callTool({ name: "bash", arguments: { command: "sh build.sh" } });
  await asked.promise;
  const other = await served.client(era);
  await other.callTool({ name: "read", arguments: { path: "build.sh" } });
  const change = { path: "build.sh", content: "echo evil > built.txt\n" };
  expect(await other.callTool({ name: "write", arguments: change })).toMatchObject({
    _meta: { "gauntlet/observation": { ok: true } },
  });
  decide("once");
  expect(await building).toMatchObject({ isError: true, _meta: { "gauntlet/observation": { code: "user_denied" } } });
  expect([questions, existsSync(workspace.path("built.txt"))]).toEqual([2, false]);
  const archive = served.app.archive();
  expect(archive.ok && archive.value.verify(served.session)).toMatchObject({ ok: true, value: [{ ok: true }] });
});

test.each(eras)("a client of the era %s hears of other tools without asking", async (era) => {
  const workspace = makeWorkspace();
  const config = path.join(workspace.home, "mcp.json");
  const server = oddServer("changing.ts", [workspace.path("words.txt")]);
  writeFileSync(config, JSON.stringify({ mcpServers: { server } }));
  const served = await serveWorkspace(workspace, { sources: ["mcp"], allow: ["mcp__server__announce"] }, config);
  const heard = Promise.withResolvers<void>();
  const client = await served.client(era, undefined, (tools) => {
    if (JSON.stringify(tools).includes("Adds. And more.")) heard.resolve();
  });
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("mcp__server__stable");
  workspace.write("words.txt", "Adds. And more.");
  await client.callTool({ name: "mcp__server__announce", arguments: {} });
  await heard.promise;
});

test("the gateway puts other servers behind the gate", async () => {
  const workspace = makeWorkspace();
  const config = path.join(workspace.home, "mcp.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { everything: npmServer("everything", ["stdio"]) } }));
  const served = await serveWorkspace(workspace, { sources: ["mcp"], allow: ["mcp__everything__echo"] }, config);
  const { asked, person } = saying("deny");
  const client = await served.client("auto", person);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["mcp__everything__echo", "mcp__everything__get-sum"]));
  expect(names.filter((name) => !name.startsWith("mcp__everything__"))).toEqual([]);
  const echoed = await client.callTool({ name: "mcp__everything__echo", arguments: { message: "hello" } });
  expect(echoed).toMatchObject({ _meta: { "gauntlet/observation": { ok: true } } });
  expect(JSON.stringify(echoed.content)).toContain("Echo: hello");
  expect(asked).toEqual([]);
  const denied = await client.callTool({ name: "mcp__everything__get-sum", arguments: { a: 1, b: 2 } });
  expect(denied).toMatchObject({ isError: true, _meta: { "gauntlet/observation": { code: "user_denied" } } });
  expect(asked).toHaveLength(1);
  expect(await client.callTool({ name: "read", arguments: { path: "a.txt" } })).toMatchObject({
    _meta: { "gauntlet/observation": { code: "unknown_tool" } },
  });
});

test.each(eras)(
  "a question of a server behind the gateway reaches the client of the era %s that called it",
  async (era) => {
    const workspace = makeWorkspace();
    const config = path.join(workspace.home, "mcp.json");
    writeFileSync(config, JSON.stringify({ mcpServers: { everything: npmServer("everything", ["stdio"]) } }));
    const served = await serveWorkspace(workspace, { sources: ["mcp"], allow: ["mcp__everything"] }, config);
    const asked: string[] = [];
    const client = await served.client(era, (message) => {
      asked.push(message);
      return { action: "accept", content: { name: "Ada" } };
    });
    const result = await client.callTool({ name: "mcp__everything__trigger-elicitation-request", arguments: {} });
    expect(asked).toEqual([expect.stringMatching(/^The server everything asks:\n/)]);
    expect(JSON.stringify(result.content)).toContain("Ada");
  },
);

test.each(eras)(
  "how far a server behind the gateway is reaches the client of the era %s that called it",
  async (era) => {
    const workspace = makeWorkspace();
    const config = path.join(workspace.home, "mcp.json");
    writeFileSync(config, JSON.stringify({ mcpServers: { everything: npmServer("everything", ["stdio"]) } }));
    const served = await serveWorkspace(workspace, { sources: ["mcp"], allow: ["mcp__everything"] }, config);
    const client = await served.client(era);
    const heard: { readonly progress: number; readonly message?: string | undefined }[] = [];
    const onprogress = ({ progress, message }: (typeof heard)[number]) => void heard.push({ progress, message });
    const long = { name: "mcp__everything__trigger-long-running-operation", arguments: { duration: 1, steps: 4 } };
    expect(await client.callTool(long, { onprogress })).toMatchObject({
      _meta: { "gauntlet/observation": { ok: true } },
    });
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.map(({ progress }) => progress)).toEqual(heard.map((_, index) => index + 1));
    for (const { message } of heard) expect(message).toMatch(/\b[1-4]\b.*\b4\b/);
    const recorded = served.events().filter(({ type }) => type === "tool_invocation.progressed");
    expect(recorded.length).toBeGreaterThan(0);
  },
);

function facts({ _meta }: CallToolResult): Readonly<Record<string, unknown>> {
  return _meta?.["gauntlet/observation"] as Readonly<Record<string, unknown>>;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function rpc(
  { url, token }: { readonly url: string; readonly token: string },
  method: string,
  params: { readonly name: string } & Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": version,
      "mcp-method": method,
      "mcp-name": params.name,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
  return (await response.json()) as Record<string, unknown>;
}

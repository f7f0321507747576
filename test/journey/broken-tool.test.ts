import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Code } from "../../src/contract/codes.ts";
import { observation as observationSchema } from "../../src/contract/observation.ts";
import type { ToolContext } from "../../src/contract/ports.ts";
import { defineTool, type InputSchema, type ToolDefinition } from "../../src/contract/tool.ts";
import { agreeable, eventsOf, openGauntlet, plain, typesOf } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

type Definition = ToolDefinition<Record<string, unknown>>;

function bug(): never {
  throw new Error("a bug of the tool");
}

const throwingSchema: InputSchema<Record<string, unknown>> = {
  "~standard": { version: 1, vendor: "test", validate: bug },
};

function broken(more: Partial<Definition>) {
  return defineTool<Record<string, unknown>>({
    name: "broken",
    version: "1",
    description: "Breaks somewhere.",
    family: "other",
    risks: ["read"],
    input: z.record(z.string(), z.unknown()),
    jsonSchema: { type: "object" },
    effects: () => ({ effects: [{ op: "session", what: "break" }] }),
    run: async () => ({ ok: true, data: {} }),
    ...more,
  });
}

const notAResult = (value: unknown) => async () => JSON.parse(JSON.stringify({ value })).value;

const summary = { title: "t", summary: "s", model: [], user: "u" };

const bugs: readonly { readonly where: string; readonly code: Code; readonly more: Partial<Definition> }[] = [
  { where: "its input schema", code: "tool_failed", more: { input: throwingSchema } },
  { where: "visible", code: "tool_not_visible", more: { visible: bug } },
  { where: "describe", code: "ok", more: { describe: bug } },
  { where: "preconditions", code: "tool_failed", more: { preconditions: bug } },
  { where: "effects", code: "ok", more: { effects: bug } },
  { where: "concurrency", code: "ok", more: { concurrency: bug } },
  { where: "timeoutMs", code: "tool_failed", more: { timeoutMs: bug } },
  { where: "run, before it returns a promise", code: "tool_failed", more: { run: bug } },
  { where: "run, later", code: "tool_failed", more: { run: async () => bug() } },
  { where: "a result that is none", code: "output_invalid", more: { run: notAResult(null) } },
  { where: "a failure without a code", code: "output_invalid", more: { run: notAResult({ ok: false }) } },
  {
    where: "a failure with a code of its own",
    code: "output_invalid",
    more: { run: notAResult({ ok: false, failure: { code: "granted", message: "x" } }) },
  },
  { where: "its output schema", code: "output_invalid", more: { output: throwingSchema } },
  { where: "summarize", code: "output_invalid", more: { summarize: bug } },
  {
    where: "a next step that cannot be written down",
    code: "output_invalid",
    more: { summarize: () => ({ ...summary, next: { tool: "read", input: { big: 1n } } }) },
  },
  {
    where: "a summary that is none",
    code: "output_invalid",
    more: { summarize: () => JSON.parse('{"title": "t", "summary": "s", "user": "u", "model": 3}') },
  },
  {
    where: "an artifact of a kind that there is not",
    code: "output_invalid",
    more: { summarize: () => ({ ...summary, artifacts: JSON.parse('[{"kind": "permit", "id": "x", "bytes": 1}]') }) },
  },
  {
    where: "a failure that only the gate may give",
    code: "output_invalid",
    more: { run: async () => ({ ok: false, failure: { code: "user_denied", message: "the user said no" } }) },
  },
];

describe("a tool with a bug ends as a fact, and the session goes on", () => {
  test.each(bugs)("in $where", async ({ code, more }) => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const gauntlet = await openGauntlet(workspace, { tools: [broken(more)], onAsk: agreeable() });
    const [failed, read] = await gauntlet.batch([
      { id: "broken", tool: "broken", input: {} },
      { id: "read", tool: "read", input: { path: "a.txt" } },
    ]);
    expect(failed?.code).toBe(code);
    expect(observationSchema().parse(failed)).toEqual(failed);
    expect(read).toMatchObject({ intentId: "read", ok: true });
    const { state } = gauntlet.session;
    expect({ intents: state.openIntents.size, invocations: state.openInvocations.size }).toEqual({
      intents: 0,
      invocations: 0,
    });
    expect(typesOf(eventsOf(gauntlet), "broken").filter((type) => type === "tool.observed")).toHaveLength(1);
    expect(await gauntlet.explain({ tool: "broken", input: {} })).toMatchObject({ decision: expect.any(String) });
  });

  test("an input that is no JSON is refused, not thrown", async () => {
    const gauntlet = await openGauntlet(makeWorkspace());
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    for (const input of [loop, { big: 1n }]) {
      expect(await gauntlet.call({ tool: "read", input })).toMatchObject({
        ok: false,
        code: "bad_request",
        effects: { happened: "nothing" },
      });
    }
    expect(await gauntlet.call({ tool: "list", input: {} })).toMatchObject({ ok: true });
  });

  test("a listener that throws changes nothing", async () => {
    const gauntlet = await openGauntlet(makeWorkspace({ "a.txt": "one\n" }), { onNotice: bug });
    expect(await gauntlet.call({ tool: "read", input: { path: "a.txt" } })).toMatchObject({ ok: true });
    expect(gauntlet.session.state.openInvocations.size).toBe(0);
  });
});

describe("a permit ends with its call", () => {
  const attempts: readonly [string, (workspace: Workspace, context: ToolContext) => Promise<unknown>][] = [
    [
      "write",
      (workspace, { files }) =>
        files.write([{ path: workspace.path("sub/late.txt"), content: Buffer.from("x"), expect: "absent" }]),
    ],
    ["read", (workspace, { files }) => files.read(workspace.path("sub/a.txt"))],
    ["delete", (workspace, { files }) => files.trash(workspace.path("sub/a.txt"))],
    [
      "ripgrep",
      (workspace, { processes }) => processes.ripgrep(["one"], { tree: workspace.path("sub"), maxBytes: 1_000 }),
    ],
  ];

  test.each(attempts)("%s by a context that was kept is refused", async (_what, act) => {
    const workspace = makeWorkspace({ "sub/a.txt": "one\n" });
    let kept: ToolContext | undefined;
    const tool = broken({
      effects: (_input, view) => {
        const tree = view.resolve("sub");
        if (!tree.ok) throw new Error(tree.failure.message);
        return {
          effects: (["read", "write", "delete"] as const).map((op) => ({ op, path: tree.value, scope: "tree" })),
        };
      },
      run: async (_input, context) => {
        kept = context;
        return { ok: true, data: {} };
      },
    });
    const gauntlet = await openGauntlet(workspace, { tools: [tool], onAsk: agreeable() });
    await gauntlet.call({ tool: "broken", input: {} });
    if (kept === undefined) throw new Error("The tool did not run");
    const before = plain(eventsOf(gauntlet));
    kept.progress({ message: "still here" });
    expect(await act(workspace, kept)).toMatchObject({ ok: false, failure: { code: "effect_not_permitted" } });
    expect({ late: existsSync(workspace.path("sub/late.txt")), a: workspace.read("sub/a.txt") }).toEqual({
      late: false,
      a: "one\n",
    });
    expect(plain(eventsOf(gauntlet))).toEqual(before);
  });
});

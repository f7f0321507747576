import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type Circumstances,
  enforcing,
  gateFor,
  type Layered,
  missing,
  questionOf,
} from "../../test/gate-matrix/asking.ts";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { ClassifierPort, HookPort } from "../contract/gate.ts";
import { defineTool, type Tool, type ToolDefinition } from "../contract/tool.ts";
import type { HookAnswer } from "../contract/verdict.ts";
import type { GatePolicy } from "./policy.ts";

async function decide(call: string, layers: Layered, extra: Partial<GatePolicy>, circumstances: Circumstances = {}) {
  const fixture = makeFixture({ "a.txt": "x", "package-lock.json": "{}", ".env": "x" });
  const verdict = await gateFor(fixture, layers, extra).judge(await questionOf(fixture, call, circumstances));
  const { decision, source, code, firm } = verdict;
  return [decision, source, ...(code === undefined ? [] : [code]), ...(firm ? ["firm"] : [])].join(" ");
}

function hook(answer: HookAnswer | Error, request?: HookAnswer | Error): HookPort {
  const reply = async (value: HookAnswer | Error) => {
    if (value instanceof Error) throw value;
    return value;
  };
  return {
    preToolUse: () => reply(answer),
    ...(request === undefined ? {} : { permissionRequest: () => reply(request) }),
  };
}

function classifier(decision: "allow" | "ask" | "deny" | Error): ClassifierPort {
  return {
    classify: async () => {
      if (decision instanceof Error) throw decision;
      return { decision, reason: "classified" };
    },
  };
}

const says = (decision: "allow" | "ask" | "deny"): HookAnswer => ({ decision, reason: `hook says ${decision}` });
const none: HookAnswer = { decision: "none" };
const broken = new Error("crashed");
const garbage = JSON.parse('{"decision":"maybe"}') as HookAnswer;
const nothing = JSON.parse("null") as HookAnswer;

describe("the order of decisions", () => {
  const denyEdit: Layered = { user: { deny: ["Edit(a.txt)"] } };
  const askEdit: Layered = { user: { ask: ["Edit(a.txt)"] } };
  const allowEdit: Layered = { user: { allow: ["Edit(a.txt)"] } };
  const allowAll = { hooks: hook(says("allow"), says("allow")), classifier: classifier("allow") };

  test.each<[string, string, Layered, Partial<GatePolicy>, Circumstances, string]>([
    [
      "1 a deny rule beats hooks, classifier and bypass",
      "edit a.txt",
      denyEdit,
      allowAll,
      { mode: "bypass" },
      "deny user policy_denied",
    ],
    [
      "1 a deny rule beats an allow rule",
      "edit a.txt",
      { ...denyEdit, managed: { allow: ["Edit(a.txt)"] } },
      {},
      {},
      "deny user policy_denied",
    ],
    [
      "1 a secret stays closed whoever allows",
      "read .env",
      { managed: { allow: ["Read(.env)"] } },
      allowAll,
      { mode: "bypass" },
      "deny path_boundary policy_denied",
    ],
    [
      "2 a hook's deny beats an allow rule",
      "edit a.txt",
      allowEdit,
      { hooks: hook(says("deny")) },
      {},
      "deny hook hook_denied",
    ],
    [
      "2 a hook is asked about reading too",
      "read a.txt",
      {},
      { hooks: hook(says("deny")) },
      {},
      "deny hook hook_denied",
    ],
    ["2 a hook that crashes denies", "read a.txt", {}, { hooks: hook(broken) }, {}, "deny hook hook_denied"],
    ["2 a hook that answers nonsense denies", "read a.txt", {}, { hooks: hook(garbage) }, {}, "deny hook hook_denied"],
    ["2 a hook that answers nothing denies", "read a.txt", {}, { hooks: hook(nothing) }, {}, "deny hook hook_denied"],
    ["2 explaining runs no hook", "read a.txt", {}, { hooks: hook(says("deny")) }, { explainOnly: true }, "allow mode"],
    ["3 plan beats an allow rule", "edit a.txt", allowEdit, {}, { mode: "plan" }, "deny mode policy_denied"],
    ["3 plan reads", "read a.txt", {}, {}, { mode: "plan" }, "allow mode"],
    [
      "4 an ask rule beats an allow rule",
      "edit a.txt",
      { ...askEdit, managed: { allow: ["Edit(a.txt)"] } },
      {},
      {},
      "ask user firm",
    ],
    ["4 an ask rule is not lifted by anything", "edit a.txt", askEdit, allowAll, { mode: "bypass" }, "ask user firm"],
    [
      "4 a protected path is not lifted by anything",
      "edit package-lock.json",
      { user: { allow: ["Edit(package-lock.json)"] } },
      allowAll,
      { mode: "bypass" },
      "ask path_boundary firm",
    ],
    [
      "4 a hook's ask stays",
      "read a.txt",
      {},
      { hooks: hook(says("ask")), classifier: classifier("allow") },
      { mode: "bypass" },
      "ask hook firm",
    ],
    ["4 dontAsk asks nobody", "edit a.txt", askEdit, {}, { mode: "dontAsk" }, "deny mode approval_unavailable firm"],
    ["5 an allow rule beats the mode", "edit a.txt", allowEdit, {}, { mode: "dontAsk" }, "allow user"],
    [
      "5 an allow rule spares the classifier",
      "edit a.txt",
      allowEdit,
      { classifier: classifier("deny") },
      {},
      "allow user",
    ],
    ["6 the mode decides", "edit a.txt", {}, {}, { mode: "acceptEdits" }, "allow mode"],
    ["7 a hook's allow settles an ask", "edit a.txt", {}, { hooks: hook(says("allow")) }, {}, "allow hook"],
    [
      "7 a hook's allow comes before the classifier",
      "edit a.txt",
      {},
      { hooks: hook(says("allow")), classifier: classifier("deny") },
      {},
      "allow hook",
    ],
    [
      "7 the classifier settles an ask",
      "edit a.txt",
      {},
      { hooks: hook(none), classifier: classifier("allow") },
      {},
      "allow classifier",
    ],
    [
      "7 the classifier may deny",
      "edit a.txt",
      {},
      { classifier: classifier("deny") },
      { mode: "bypass" },
      "deny classifier policy_denied",
    ],
    [
      "7 a classifier that crashes leaves the ask",
      "edit a.txt",
      {},
      { classifier: classifier(broken) },
      {},
      "ask mode",
    ],
    [
      "7 a classifier that is not sure leaves the ask",
      "edit a.txt",
      {},
      { classifier: classifier("ask") },
      {},
      "ask mode",
    ],
    [
      "7 no classifier opens what nothing confines",
      "bash npm test",
      {},
      { classifier: classifier("allow") },
      { sandbox: missing },
      "ask mode",
    ],
    ["8 bypass allows what is left", "edit a.txt", {}, {}, { mode: "bypass" }, "allow mode"],
    ["8 dontAsk denies what is left", "edit a.txt", {}, {}, { mode: "dontAsk" }, "deny mode approval_unavailable"],
    ["8 the request hook may allow", "edit a.txt", {}, { hooks: hook(none, says("allow")) }, {}, "allow hook"],
    ["8 the request hook may deny", "edit a.txt", {}, { hooks: hook(none, says("deny")) }, {}, "deny hook hook_denied"],
    [
      "8 a request hook that crashes denies",
      "edit a.txt",
      {},
      { hooks: hook(none, broken) },
      {},
      "deny hook hook_denied",
    ],
    [
      "8 a request hook without an opinion leaves the person",
      "edit a.txt",
      {},
      { hooks: hook(none, none) },
      {},
      "ask mode",
    ],
    [
      "8 the request hook may refuse what is firm",
      "edit a.txt",
      askEdit,
      { hooks: hook(none, says("deny")) },
      {},
      "deny hook hook_denied",
    ],
    [
      "8 the request hook does not speak for what nobody is asked",
      "edit a.txt",
      askEdit,
      { hooks: hook(none, says("allow")) },
      { mode: "dontAsk" },
      "deny mode approval_unavailable firm",
    ],
    [
      "8 nothing stands in for a person who has answered",
      "edit a.txt",
      {},
      { hooks: hook(none, says("deny")) },
      { answered: true },
      "ask mode",
    ],
    [
      "8 explaining runs no request hook",
      "edit a.txt",
      {},
      { hooks: hook(none, says("deny")) },
      { explainOnly: true },
      "ask mode",
    ],
  ])("%s", async (_name, call, layers, extra, circumstances, expected) => {
    expect(await decide(call, layers, extra, circumstances)).toBe(expected);
  });

  test("the request hook is shown what a person would be shown", async () => {
    const fixture = makeFixture({ "a.txt": "x" });
    const shown: unknown[] = [];
    const hooks: HookPort = {
      preToolUse: async () => none,
      permissionRequest: async (_question, prompt) => {
        shown.push(prompt);
        return none;
      },
    };
    const gate = gateFor(fixture, {}, { hooks });
    const question = await questionOf(fixture, "edit a.txt");
    expect(shown).toEqual([]);
    const verdict = await gate.judge(question);
    expect(shown).toEqual([gate.prompt(question, verdict)]);
  });
});

describe("a hook that wants another input", () => {
  const revision = { hook: "./guard", input: { path: "b.txt" } };
  const wants = (decision: "allow" | "ask" | "deny"): HookAnswer => ({ ...says(decision), revision });

  test.each<["none" | "allow" | "ask"]>([["none"], ["allow"], ["ask"]])("%s: nothing is allowed yet", async (said) => {
    const fixture = makeFixture({ "a.txt": "x" });
    const answer: HookAnswer = said === "none" ? { decision: "none", revision } : wants(said);
    const gate = gateFor(fixture, { user: { allow: ["Edit"] } }, { hooks: hook(answer) });
    const question = await questionOf(fixture, "edit a.txt", { mode: "bypass" });
    const verdict = await gate.judge(question);
    expect(verdict).toMatchObject({ decision: "deny", source: "hook", code: "hook_denied", revision, hooked: answer });
    expect(() => gate.permit(question, verdict)).toThrow();
  });

  test("its no is a no", async () => {
    const fixture = makeFixture({ "a.txt": "x" });
    const verdict = await gateFor(fixture, {}, { hooks: hook(wants("deny")) }).judge(
      await questionOf(fixture, "edit a.txt"),
    );
    expect(verdict).toMatchObject({ decision: "deny", reason: "hook says deny", source: "hook" });
  });

  const second: readonly [string, string, Layered, HookAnswer, Circumstances, string][] = [
    ["its yes settles the ask", "edit a.txt", {}, wants("allow"), {}, "allow hook"],
    [
      "its yes does not beat a rule",
      "edit a.txt",
      { user: { deny: ["Edit"] } },
      wants("allow"),
      {},
      "deny user policy_denied",
    ],
    [
      "its yes does not open a protected path",
      "edit package-lock.json",
      {},
      wants("allow"),
      {},
      "ask path_boundary firm",
    ],
    ["its yes does not open a secret", "read .env", {}, wants("allow"), {}, "deny path_boundary policy_denied"],
    ["plan mode still only reads", "edit a.txt", {}, wants("allow"), { mode: "plan" }, "deny mode policy_denied"],
    ["its ask stays", "read a.txt", {}, wants("ask"), { mode: "bypass" }, "ask hook firm"],
  ];
  test.each(second)("the new input is judged: %s", async (_name, call, layers, hooked, circumstances, expected) => {
    const asked: unknown[] = [];
    const hooks: HookPort = {
      preToolUse: async (question) => {
        asked.push(question);
        return says("deny");
      },
    };
    expect(await decide(call, layers, { hooks }, { ...circumstances, hooked })).toBe(expected);
    expect(asked).toEqual([]);
  });

  test("whoever is asked learns of it", async () => {
    const fixture = makeFixture({ "a.txt": "x" });
    const gate = gateFor(fixture);
    const question = await questionOf(fixture, "edit a.txt", { hooked: { decision: "none", revision } });
    const verdict = await gate.judge(question);
    expect(gate.prompt(question, verdict).reason).toMatch(/; the hook .\/guard changed the input$/);
  });
});

describe("a classifier", () => {
  const answers: readonly [string, ClassifierPort["classify"]][] = [
    ["rejects", () => Promise.reject(broken)],
    [
      "throws at once",
      () => {
        throw broken;
      },
    ],
    ["never answers", () => new Promise(() => {})],
    ["answers nothing", () => Promise.resolve(JSON.parse("null"))],
    ["answers nonsense", () => Promise.resolve(JSON.parse('{"decision":"perhaps"}'))],
  ];
  test.each(answers)("that %s leaves the ask", async (_name, classify) => {
    let over: AbortSignal | undefined;
    const extra: Partial<GatePolicy> = {
      classifier: {
        classify: (question, signal) => {
          over = signal;
          return classify(question, signal);
        },
      },
      classifierMs: 20,
    };
    expect(await decide("edit a.txt", {}, extra)).toBe("ask mode");
    expect(over?.aborted).toBe(true);
  });
});

describe("a tool can tighten, never loosen", () => {
  const base: ToolDefinition<unknown> = {
    name: "frob",
    version: "1",
    description: "frobs",
    family: "other",
    risks: ["read"],
    input: z.unknown(),
    run: async () => ({ ok: true, data: 1 }),
  };
  const tools: Record<string, Tool<unknown>> = {
    silent: defineTool<unknown>({ ...base }),
    reads: defineTool<unknown>({ ...base, effects: () => ({ effects: [] }) }),
    asks: defineTool<unknown>({ ...base, alwaysAsk: true, effects: () => ({ effects: [] }) }),
    raises: defineTool<unknown>({ ...base, effects: () => ({ effects: [], raiseTo: "R4", raisedBecause: "careful" }) }),
    forbids: defineTool<unknown>({ ...base, effects: () => ({ effects: [], raiseTo: "R5", raisedBecause: "never" }) }),
    lowers: defineTool<unknown>({
      ...base,
      effects: () => ({ effects: [{ op: "unknown", why: "x" }], raiseTo: "R0" }),
    }),
    calls: defineTool<unknown>({
      ...base,
      effects: () => ({ effects: [{ op: "call", server: "gh", tool: "issue" }] }),
    }),
    sandboxed: defineTool<unknown>({ ...base, requiresSandbox: true, effects: () => ({ effects: [] }) }),
  };
  test.each<[string, Layered, Circumstances, string]>([
    ["silent", {}, {}, "ask mode"],
    ["silent", { user: { allow: ["frob"] } }, {}, "allow user"],
    ["reads", {}, {}, "allow mode"],
    ["reads", { project: { ask: ["frob"] } }, { mode: "bypass" }, "ask project firm"],
    ["asks", {}, { mode: "bypass" }, "ask tool_limit firm"],
    ["asks", { user: { allow: ["frob"] } }, {}, "ask tool_limit firm"],
    ["raises", {}, {}, "ask mode"],
    ["raises", { user: { allow: ["frob"] } }, {}, "allow user"],
    ["forbids", { user: { allow: ["frob"] } }, { mode: "bypass" }, "deny tool_limit policy_denied"],
    ["lowers", {}, {}, "ask mode"],
    ["calls", {}, {}, "ask mode"],
    ["calls", { user: { allow: ["mcp__gh__issue"] } }, {}, "allow user"],
    ["calls", { user: { allow: ["mcp__gh__other"] } }, {}, "ask mode"],
    ["calls", { user: { deny: ["mcp__gh"] } }, {}, "deny user policy_denied"],
    ["sandboxed", {}, { sandbox: enforcing }, "allow mode"],
    ["sandboxed", {}, { sandbox: missing }, "ask mode"],
  ])("%s %j %j", async (name, layers, circumstances, expected) => {
    const tool = tools[name];
    if (tool === undefined) throw new Error(name);
    expect(await decide("frob x", layers, {}, { ...circumstances, tool: tool as Tool })).toBe(expected);
  });
});

test("a gate that breaks says no", async () => {
  const fail = () => {
    throw new Error("disk on fire");
  };
  expect(await decide("bash grep -rn x .", {}, { findSecrets: fail })).toBe("deny tool_limit policy_denied firm");
  expect(await decide("edit a.txt", {}, { classify: fail })).toBe("deny tool_limit policy_denied firm");
});

test("every source of a decision can be reached", async () => {
  const found = new Set<string>();
  const collect = async (...args: Parameters<typeof decide>) => found.add((await decide(...args)).split(" ")[1] ?? "");
  for (const layer of ["managed", "command_line", "user", "project", "session"] as const) {
    await collect("bash npm test", { [layer]: { ask: ["Bash"] } }, {});
  }
  await collect("read a.txt", {}, {});
  await collect("read a.txt", {}, { hooks: hook(says("deny")) });
  await collect("edit a.txt", {}, { classifier: classifier("allow") });
  await collect("read .env", {}, {});
  await collect("edit a.txt", {}, { classify: () => JSON.parse("{") });
  expect([...found].sort()).toEqual([
    "classifier",
    "command_line",
    "hook",
    "managed",
    "mode",
    "path_boundary",
    "project",
    "session",
    "tool_limit",
    "user",
  ]);
});

test("a command of as many parts as fit is judged in time that grows with them", { timeout: 60_000 }, async () => {
  const layers: Layered = { user: { deny: ["Bash(rm:*)", "Bash(git push * --force)"] } };
  expect(await decide(`bash ${"ls;".repeat(40_000)}`, layers, {})).toBe("deny mode policy_denied");
  expect(await decide(`bash git log -L ${":".repeat(120_000)}x`, layers, {})).toBe("ask mode");
});

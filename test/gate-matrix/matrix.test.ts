import { describe, expect, test } from "vitest";
import type { Risk } from "../../src/contract/effect.ts";
import type { CheckedQuestion, Gate } from "../../src/contract/gate.ts";
import type { HookAnswer, Verdict } from "../../src/contract/verdict.ts";
import { fileTools } from "../../src/tools/index.ts";
import { enforcing, gateFor, type Layered, missing, questionOf } from "./asking.ts";
import type { Fixture } from "./fixture.ts";
import { actions } from "./tables/actions.ts";
import { bindings, confined, readAround } from "./tables/bindings.ts";
import { layerLines } from "./tables/layers.ts";
import { columns, type Expected, expectedOf, found, type SpeakingRule } from "./tables/legend.ts";
import { callIn, makeMatrixProject } from "./tables/matrix-project.ts";
import { order, type Voices, voiceSymbols } from "./tables/order.ts";

const sandboxes = { enforced: enforcing, external: { ...enforcing, backend: "external" as const }, none: missing };

/** A row of a table and what the gate says, mode by mode. */
async function inEveryMode(gate: Gate, question: CheckedQuestion): Promise<Record<string, Expected>> {
  const verdicts: Record<string, Expected> = {};
  for (const mode of columns) verdicts[mode] = found(await gate.judge({ ...question, mode }));
  return verdicts;
}

function row(symbols: string, speaking?: SpeakingRule): Record<string, Expected> {
  return Object.fromEntries(columns.map((mode, index) => [mode, expectedOf(symbols[index] ?? "", speaking)]));
}

describe.each(actions)("%s", (_group, lines) => {
  test.each(lines)("%s", async (call, enforced, external, none) => {
    const fixture = makeMatrixProject();
    const gate = gateFor(fixture);
    const question = await questionOf(fixture, callIn(fixture, call));
    const rows = { enforced, external, none };
    for (const name of ["enforced", "external", "none"] as const) {
      const verdicts = await inEveryMode(gate, { ...question, sandbox: sandboxes[name] });
      expect({ sandbox: name, ...verdicts }).toEqual({ sandbox: name, ...row(rows[name]) });
    }
  });
});

describe("one rule in each layer, under each action, in each mode", () => {
  const layers = {
    managed: "managed",
    command_line: "command_line",
    user_project: "user",
    project: "project",
    user: "user",
    session: "session",
  } as const;

  test.each(layerLines)("$call with $rule", async ({ call, rule, deny, ask, allow, grant, silent }) => {
    const fixture = makeMatrixProject();
    const question = await questionOf(fixture, call);
    expect({ silent: await inEveryMode(gateFor(fixture), question) }).toEqual({ silent: row(silent) });

    for (const [layer, source] of Object.entries(layers)) {
      const speaking = { rule, source };
      for (const [action, symbols] of [["deny", deny] as const, ["ask", ask] as const]) {
        const verdicts = await inEveryMode(gateFor(fixture, { [layer]: { [action]: [rule] } }), question);
        const narrowed = layer === "project" && action === "ask" ? stricter(symbols, silent) : symbols;
        expect({ layer, action, ...verdicts }).toEqual({ layer, action, ...row(narrowed, speaking) });
      }
    }
    for (const layer of ["managed", "command_line", "user_project", "user", "project"] as const) {
      const verdicts = await inEveryMode(gateFor(fixture, { [layer]: { allow: [rule] } }), question);
      // A project only narrows until somebody trusts it.
      const expected = layer === "project" ? row(silent) : row(allow, { rule, source: layers[layer] });
      expect({ layer, action: "allow", ...verdicts }).toEqual({ layer, action: "allow", ...expected });
    }
    const granted = { ...question, grants: [{ rule, cwd: fixture.root, request: "req_1" }] };
    const expected = row(grant, { rule, source: "session" });
    expect({ granted: await inEveryMode(gateFor(fixture), granted) }).toEqual({ granted: expected });
  });
});

/** A question that a project wants asked is no way around what is denied without it. */
function stricter(asked: string, silent: string): string {
  return asked.replace(/./g, (symbol, at) => (silent[at] === "d" ? "d" : symbol));
}

describe.each(bindings)("a denial of $rule", ({ rule, denied }) => {
  test.each(denied)("reaches %s", async (call) => {
    const fixture = makeMatrixProject();
    const gate = gateFor(fixture, { user: { deny: [rule], allow: ["Bash", "edit", "read"] } });
    const verdicts = await inEveryMode(gate, await questionOf(fixture, callIn(fixture, call)));
    expect(verdicts).toEqual(row("DDDDDD", { rule, source: "user" }));
  });
});

test.each(readAround)("%s reads around what is denied inside", async (call) => {
  const fixture = makeMatrixProject();
  const gate = gateFor(fixture, { user: { deny: ["Read(./docs/private.md)"] } });
  const verdict = await gate.judge(await questionOf(fixture, call));
  expect(verdict.decision).toBe("allow");
  expect(verdict.exceptions).toContainEqual({
    path: fixture.path("docs/private.md"),
    scope: "tree",
    reason: "denied by Read(./docs/private.md)",
    rule: "Read(./docs/private.md)",
  });
});

test.each(confined)("%s is confined to what is not denied", async (call) => {
  const fixture = makeMatrixProject();
  const deny = ["Read(./docs/private.md)", "Edit(/src/**)"];
  const gate = gateFor(fixture, { user: { deny } });
  const question = await questionOf(fixture, call);
  const verdict = await gate.judge(question);
  expect(verdict.decision).toBe("ask");
  const { sandbox } = gate.permitAnswered(question, verdict, { request: "req_1", answer: "allow" });
  expect(sandbox.masked.map(({ path }) => path)).toContain(fixture.path("docs/private.md"));
  expect(sandbox.protected).toContain(fixture.path("src"));
});

describe("a denial holds however long the command is", () => {
  const longest = 100 * 1024;
  const filler = "cat package.json; ";
  const shapes = {
    "100 KiB": (last: string) => filler.repeat(Math.ceil((longest - last.length) / filler.length)) + last,
    "5,000 commands": (last: string) => `${"ls;".repeat(5_000)}${last}`,
    "60 levels": (last: string) => `${"( ".repeat(60)}${last}${" )".repeat(60)}`,
    "one long word": (last: string) => `echo '${"x".repeat(longest)}' && ${last}`,
  };
  const layers: Layered = {
    user: { deny: ["Bash(npm publish:*)", "Read(./docs/private.md)", "Edit(/src/**)"], allow: ["Bash"] },
  };

  // In the widest mode: what is denied there is denied in all of them by the steps below.
  describe.each(Object.entries(shapes))("%s", (_name, around) => {
    test.each(["npm publish --access public", "cat docs/private.md", "echo x > src/sum.ts", "cat .env"])(
      "%s",
      async (last) => {
        const fixture = makeMatrixProject();
        const question = await questionOf(fixture, `bash ${around(last)}`, { mode: "bypass" });
        expect((await gateFor(fixture, layers).judge(question)).decision).toBe("deny");
      },
    );
  });
});

describe("the eight steps", () => {
  test.each(order)("$step", async ({ voices, verdicts, heard }) => {
    const fixture = makeMatrixProject();
    const call = voices.reads ? "cat package.json" : "rm -rf node_modules";
    const rule = `Bash(${call})`;
    const listening: string[] = [];
    const gate = gateFor(fixture, rulesOf(voices, rule), speakers(voices, listening));
    const sandbox = voices.unconfined ? missing : enforcing;
    const question = await questionOf(fixture, `bash ${call}`, { sandbox });
    for (const [index, mode] of columns.entries()) {
      listening.length = 0;
      const verdict = found(await gate.judge({ ...question, mode }));
      const symbol = verdicts[index] ?? "";
      const expected = voiceSymbols[symbol] ?? expectedOf(symbol, { rule, source: "user" });
      expect({ mode, heard: listening.join(""), ...verdict }).toEqual({ mode, heard: heard[index], ...expected });
    }
  });

  test("an explanation asks no hook, and nobody who stands in for a person", async () => {
    const fixture = makeMatrixProject();
    const listening: string[] = [];
    const gate = gateFor(fixture, {}, speakers({ hook: "deny", classifier: "ask", standIn: "deny" }, listening));
    const question = await questionOf(fixture, "bash rm -rf node_modules", { explainOnly: true });
    expect(found(await gate.judge(question))).toEqual(expectedOf("?"));
    expect(listening).toEqual(["c"]);
  });

  function rulesOf({ rule: actionsOfRule = [] }: Voices, rule: string): Layered {
    return { user: Object.fromEntries(actionsOfRule.map((action) => [action, [rule]])) };
  }

  function speakers({ hook, classifier, standIn }: Voices, listening: string[]) {
    const answer = (decision: Verdict["decision"] | undefined): HookAnswer =>
      decision === undefined ? { decision: "none" } : { decision, reason: "it says so" };
    return {
      hooks: {
        preToolUse: async () => {
          listening.push("h");
          return answer(hook);
        },
        permissionRequest: async () => {
          listening.push("s");
          return answer(standIn);
        },
      },
      classifier: {
        classify: async () => {
          listening.push("c");
          return { decision: classifier ?? "ask", reason: "it says so" } as const;
        },
      },
    };
  }
});

describe("a tool may be stricter than the table, never looser", () => {
  const [read] = fileTools;
  const stricter = { decision: "ask", source: "tool_limit", firm: true } as const;
  const unanswered = { decision: "deny", source: "mode", code: "approval_unavailable", firm: true } as const;

  test.each(["alwaysAsk", "requiresUser"] as const)("%s asks although the mode and a rule allow it", async (flag) => {
    const fixture = makeMatrixProject();
    if (read === undefined) throw new Error("There is no tool");
    const question = await questionOf(fixture, "read src/sum.ts", { tool: { ...read, [flag]: true } });
    const gate = gateFor(fixture, { user: { allow: ["Read(/src/**)"] } });
    const expected = columns.map((mode) => [mode, mode === "dontAsk" ? unanswered : stricter]);
    expect(await inEveryMode(gate, question)).toEqual(Object.fromEntries(expected));
  });

  test.each([
    ["R4", "???n+?"],
    ["R2", "?+?n++"],
  ] as const)("raised to %s", async (raiseTo, symbols) => {
    const fixture = makeMatrixProject();
    expect(await inEveryMode(gateFor(fixture), await raised(fixture, raiseTo))).toEqual(row(symbols));
  });

  test("raised to R5 it is forbidden, and lowered it is what it is", async () => {
    const fixture = makeMatrixProject();
    const forbidden = { decision: "deny", source: "tool_limit", code: "policy_denied", firm: false };
    const everywhere = Object.fromEntries(columns.map((mode) => [mode, forbidden]));
    expect(await inEveryMode(gateFor(fixture), await raised(fixture, "R5"))).toEqual(everywhere);
    const lowered = await questionOf(fixture, "bash rm -rf node_modules");
    const report = { ...lowered.report, raiseTo: "R0" as const };
    const question = { ...lowered, report, assessment: fixture.assess(report) };
    expect(await inEveryMode(gateFor(fixture), question)).toEqual(row("??pn+?"));
  });

  async function raised(fixture: Fixture, raiseTo: Risk): Promise<CheckedQuestion> {
    const question = await questionOf(fixture, "read src/sum.ts");
    const report = { ...question.report, raiseTo };
    return { ...question, report, assessment: fixture.assess(report) };
  }
});

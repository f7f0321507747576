import { describe, expect, test } from "vitest";
import { check, runReport } from "../../../test/support/run-report.ts";
import type { CheckedClaim, ClaimKind } from "../../contract/verification.ts";
import { viewOn } from "../render/wrap.ts";
import { renderReport } from "./report.ts";

const view = viewOn({ colour: false });
const shown = (facts: Parameters<typeof runReport>[0], columns?: number) =>
  renderReport(
    runReport(facts),
    columns === undefined ? view : viewOn({ colour: false, columns }),
    "/home/ada/.gauntlet/rules.json",
  ).text;
const tail = `used          2 turns, 3 calls, 100 tokens in (20 cached), 10 out, $0.0123, 1.5 s
session       ses_1
`;

describe("the report at the end of a run", () => {
  test("says what happened and nothing that was only said", () => {
    expect(shown({ answer: "I rewrote everything and all is well." })).toBe(tail);
  });

  test("a model that says nothing is told of, where it was the model that ended", () => {
    expect(shown({ answer: " \n" })).toBe(`answer        the model ended without an answer\n${tail}`);
    expect(shown({ answer: "", stop: "max_turns", detail: "The limit of 2 turns is reached." })).not.toContain(
      "answer",
    );
  });

  test("a check that passed before the last change is not shown as passed", () => {
    const marks = (verifications: readonly ReturnType<typeof check>[]) =>
      [...shown({ lastChange: 9, verifications: [...verifications] }).matchAll(/([✓✗!]) (\w+): run/g)].map(
        ([, mark, kind]) => `${mark} ${kind}`,
      );
    expect(marks([check("tests", true, 7), check("lint", false, 7), check("build", true, 9)])).toEqual([
      "! tests",
      "✗ lint",
      "✓ build",
    ]);
  });

  test("a claim that the last check contradicts stands beside that check", () => {
    expect(
      shown({
        changed: [{ path: "src/sum.ts", change: "modified" }],
        verifications: [check("tests", false, 7)],
        claims: [
          {
            kind: "tests",
            phrase: "All tests pass.",
            verdict: "contradicted",
            reason: "`run tests` failed with exit code 1.",
            evidence: ["ver_tests_7"],
          },
        ],
      }),
    ).toBe(`changed       modified src/sum.ts
checked       ✗ tests: run tests
claims        contradicted: “All tests pass.”. \`run tests\` failed with exit code 1.
${tail}`);
  });

  test("what one sentence claims twice is told once, and every other claim by itself", () => {
    const claim = (kind: ClaimKind): CheckedClaim => ({
      kind,
      phrase: "Fixed, all tests pass.",
      verdict: "supported",
      reason: "It passed.",
      evidence: [],
    });
    expect(
      shown({
        claims: [
          claim("tests"),
          claim("fixed"),
          { kind: "build", phrase: "It builds.", verdict: "unsupported", reason: "Nothing was built.", evidence: [] },
        ],
      }),
    ).toBe(`claims        supported: “Fixed, all tests pass.”. It passed.
              unsupported: “It builds.”. Nothing was built.
${tail}`);
  });

  test("what nobody could agree to, each once, with the flag and the settings that would", () => {
    const rules = ["Bash(npm test)"];
    const recovery = "`gauntlet mcp accept ops deploy` agrees to it.";
    expect(
      shown({
        stop: "max_turns",
        detail: "It had 2 turns.",
        unanswered: [
          { intentId: "a", tool: "bash", title: "npm test", rules },
          { intentId: "b", tool: "bash", title: "npm test", rules, recovery: "Allow it beforehand with a rule." },
          { intentId: "c", tool: "edit", title: "Edit src/sum.js", rules: [] },
          { intentId: "d", tool: "mcp__ops__deploy", title: "deploy of ops", rules: [], recovery },
          { intentId: "e", tool: "mcp__ops__deploy", title: "deploy of ops", rules: [], recovery },
        ],
      }),
    ).toBe(`stopped       max_turns: It had 2 turns.
to continue   gauntlet run --continue 'continue'
not asked     needs approval: npm test
              needs approval: Edit src/sum.js
              needs approval: deploy of ops
              \`gauntlet mcp accept ops deploy\` agrees to it.
to allow it   --allow 'Bash(npm test)'
or settings   {"permissions":{"allow":["Bash(npm test)"]}}
              in /home/ada/.gauntlet/rules.json
${tail}`);
  });

  test("many files are counted, and nothing of them drives the terminal", () => {
    const changed = Array.from(
      { length: 25 },
      (_, file) => ({ path: `f${file}\u001b[2J`, change: "created" }) as const,
    );
    const text = shown({ changed });
    expect(text).not.toContain("\u001b");
    expect(text).toContain("              and 5 more\n");
  });

  test("marks what only changed while a command ran, and counts what nobody reads", () => {
    const changed = [
      { path: "a.ts", change: "modified" },
      { path: "mine.txt", change: "modified", whileRunning: true },
    ] as const;
    expect(shown({ changed, unlisted: 12 }).split("\n").slice(0, 3)).toEqual([
      "changed       modified a.ts",
      "              modified mine.txt (while a command ran)",
      "              12 paths in dependencies, caches or git's own files",
    ]);
  });

  test("rows go on below their value where the terminal is narrow", () => {
    const rows = shown({ changed: [{ path: "a/rather/long/path/of/a/file.ts", change: "modified" }] }, 40).split("\n");
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(46);
    expect(rows.filter((row) => row.startsWith("              ")).length).toBeGreaterThan(0);
  });
});

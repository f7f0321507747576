import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CheckKind, checkKinds, type Verification } from "../../contract/verification.ts";
import { checkClaims, readClaims } from "./check-claims.ts";

const kindsIn = (answer: string) => readClaims(answer).map(({ kind }) => kind);

describe("what an answer claims", () => {
  test.each([
    ["All tests pass.", ["tests"]],
    ["The test suite is now green.", ["tests"]],
    ["All 12 tests are passing now.", ["tests"]],
    ["Tests: ✅", ["tests"]],
    ["I ran the full test suite and everything passed.", ["tests"]],
    ["**Tests pass** and the build succeeds.", ["tests", "build"]],
    ["The project compiles cleanly.", ["build"]],
    ["There are no type errors.", ["build"]],
    ["ESLint is clean.", ["lint"]],
    ["No lint errors.", ["lint"]],
    ["I fixed the off-by-one in sum.ts.", ["fixed"]],
    ["The bug is now fixed, and all tests pass.", ["tests", "fixed"]],
    ["Fixed.", ["fixed"]],
    ["The failing tests are now passing.", ["tests"]],
    ["- I've resolved the issue\n- The tests passed", ["tests", "fixed"]],
  ])("%s", (answer, kinds) => {
    expect(kindsIn(answer).toSorted()).toEqual(kinds.toSorted());
  });

  test.each([
    "The tests do not pass.",
    "I could not fix the bug.",
    "Once the tests pass, merge it.",
    "The tests should pass now.",
    "Make sure that all tests pass.",
    "Two tests still fail.",
    "Do all tests pass?",
    "I would expect that the build succeeds.",
    "The issue is not fixed.",
    "```\nAll tests pass.\n```",
    "> All tests pass.",
    "Run `npm test` to see that all is well.",
    "I looked at the tests.",
    "The file has 3 tests.",
    "Please fix the tests.",
  ])("nothing: %s", (answer) => {
    expect(kindsIn(answer)).toEqual([]);
  });

  test("reading never takes long and never throws, whatever is written", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2_000, unit: "grapheme" }), (answer) => {
        expect(Array.isArray(readClaims(answer))).toBe(true);
      }),
    );
    expect(readClaims("all the ".repeat(50_000))).toEqual([]);
    expect(readClaims("`".repeat(100_000))).toEqual([]);
  });
});

describe("a claim against the record", () => {
  const check = (kind: CheckKind, passed: boolean, afterChange: number): Verification => ({
    id: `ver_${kind}`,
    kinds: [kind],
    command: `run ${kind}`,
    cwd: ".",
    passed,
    exitCode: passed ? 0 : 1,
    intentId: "a",
    auditId: "evt_1",
    afterChange,
    at: "2026-01-01T00:00:00.000Z",
  });
  const against = (answer: string, lastChange: number, ...verifications: readonly Verification[]) =>
    checkClaims(answer, {
      lastChange,
      changedFiles: new Map(),
      verifications: new Map(verifications.flatMap((one) => one.kinds.map((kind) => [kind, one]))),
    }).map(({ kind, verdict, reason, evidence }) => ({ kind, verdict, reason, evidence }));

  test("supported by a check that passed after the last change, and by nothing else", () => {
    expect(against("All tests pass.", 7, check("tests", true, 7))).toEqual([
      {
        kind: "tests",
        verdict: "supported",
        reason: "`run tests` passed after the last change.",
        evidence: ["ver_tests"],
      },
    ]);
    expect(against("All tests pass.", 9, check("tests", true, 7))).toEqual([
      {
        kind: "tests",
        verdict: "unsupported",
        reason: "Files changed after `run tests` passed.",
        evidence: ["ver_tests"],
      },
    ]);
    expect(against("All tests pass.", 7, check("tests", false, 7))).toEqual([
      {
        kind: "tests",
        verdict: "contradicted",
        reason: "`run tests` failed with exit code 1.",
        evidence: ["ver_tests"],
      },
    ]);
    expect(against("All tests pass.", 7)).toEqual([
      { kind: "tests", verdict: "unsupported", reason: "No test run was recorded.", evidence: [] },
    ]);
  });

  test("says which checks were changed, and not what running them leaves behind", () => {
    const changed = [
      "src/sum.py",
      "tests/test_sum.py",
      "tests/__pycache__",
      "tests/__pycache__/test_sum.cpython-313.pyc",
    ];
    const [claim] = checkClaims("All tests pass.", {
      lastChange: 7,
      changedFiles: new Map(changed.map((file) => [file, {}])),
      verifications: new Map([["tests", check("tests", true, 7)]]),
    });
    expect(claim?.reason).toBe(
      "`run tests` passed after the last change. The session changed its own checks: test_sum.py.",
    );
  });

  test("a passed build says nothing about tests, and tests decide before a build whether something is fixed", () => {
    expect(against("All tests pass.", 7, check("build", true, 7))).toMatchObject([{ verdict: "unsupported" }]);
    expect(against("I fixed it.", 7, check("build", true, 7))).toMatchObject([{ verdict: "supported" }]);
    expect(against("I fixed it.", 7, check("build", true, 7), check("tests", false, 7))).toMatchObject([
      { kind: "fixed", verdict: "contradicted" },
    ]);
  });

  test("what passed without any change is in order, and was not fixed", () => {
    expect(against("I fixed it, and all tests pass.", 0, check("tests", true, 0))).toEqual([
      {
        kind: "tests",
        verdict: "supported",
        reason: "`run tests` passed, and nothing was changed.",
        evidence: ["ver_tests"],
      },
      {
        kind: "fixed",
        verdict: "unsupported",
        reason: "`run tests` passed, and nothing was changed.",
        evidence: ["ver_tests"],
      },
    ]);
  });

  test("no words make a claim supported without a check that passed", () => {
    const failed = checkKinds.map((kind) => check(kind, false, 3));
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            "All tests pass.",
            "Fixed.",
            "The build succeeds.",
            "Lint is clean.",
            "and",
            "✅",
            "I verified it.",
          ),
        ),
        fc.boolean(),
        (words, ran) => {
          const checked = against(words.join(" "), 3, ...(ran ? failed : []));
          expect(checked.filter(({ verdict }) => verdict === "supported")).toEqual([]);
        },
      ),
    );
  });
});

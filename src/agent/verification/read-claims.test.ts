import { describe, expect, test } from "vitest";
import { readClaims } from "./check-claims.ts";

const kinds = (answer: string) => readClaims(answer).map(({ kind }) => kind);

describe("how models say that the work is in order", () => {
  test.each<[string, readonly string[]]>([
    ["All 42 tests now pass.", ["tests"]],
    ["The tests are all passing now ✅", ["tests"]],
    ["Every test passes.", ["tests"]],
    ["3 of 3 tests passed.", ["tests"]],
    ["The unit tests and integration tests pass.", ["tests"]],
    ["The whole test suite passes.", ["tests"]],
    ["Everything passes.", ["tests"]],
    ["I verified by running the tests and they pass.", ["tests"]],
    ["The production build succeeds.", ["build"]],
    ["TypeScript compiles without errors.", ["build"]],
    ["Type checking passes.", ["build"]],
    ["There are no linting errors.", ["lint"]],
    ["Ruff is happy.", ["lint"]],
    ["I've now fixed the off-by-one error.", ["fixed"]],
    ["The crash has been fixed.", ["fixed"]],
    ["The login form now works correctly.", ["fixed"]],
    ["I have resolved the problem; the build passes and lint is clean.", ["build", "fixed", "lint"]],
  ])("%s", (answer, expected) => {
    expect(kinds(answer).toSorted()).toEqual(expected);
  });
});

describe("what is no claim about the work", () => {
  test.each([
    "The tests would pass with Node 24.",
    "I was unable to make the tests pass.",
    "If the build succeeds, deploy it.",
    "You may want to check that all tests pass.",
    "None of the tests pass.",
    "Not all tests pass.",
    "The tests didn't pass.",
    "I have not fixed it.",
    "It isn't fixed yet.",
    "Ensure the linter is clean before you merge.",
    "I will fix the bug next.",
    "The tests passed before, and fail now.",
    "`All tests pass.` is what the output should say.",
  ])("%s", (answer) => {
    expect(kinds(answer)).toEqual([]);
  });
});

test("the words of the sentence are kept, each kind once, the first time that it is said", () => {
  expect(
    readClaims("First I looked.\n\n1. **I fixed** the sum.\n2. All tests pass.\n3. Really, all tests pass."),
  ).toEqual([
    { kind: "fixed", phrase: "I fixed the sum." },
    { kind: "tests", phrase: "All tests pass." },
  ]);
});

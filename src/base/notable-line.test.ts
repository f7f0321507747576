import { describe, expect, it } from "vitest";
import { notability, notableHint } from "./notable-line.ts";

const failures = [
  " FAIL  tests/sum.test.ts > sum > adds",
  "FAIL tests/sum.test.ts ... Expected 4, received 5",
  "     × adds 6ms",
  "      Tests  1 failed | 11 passed (12)",
  "AssertionError: expected 5 to be 4",
  "TypeError: x is not a function",
  "AssertionError [ERR_ASSERTION]: 3 == 2",
  "    Expected: 4",
  "    Received: 5",
  "  ● sum › adds",
  "not ok 1 - adds",
  "✖ adds (0.98ms)",
  "E       assert 5 == 4",
  "FAILED test_sum.py::test_adds - assert 5 == 4",
  "Traceback (most recent call last):",
  "--- FAIL: TestSum (0.00s)",
  "panic: runtime error: index out of range",
  "thread 'tests::it_works' panicked at src/lib.rs:4:26:",
  "test tests::it_works ... FAILED",
  "src/a.c:1:2: error: expected ';'",
  "src/a.ts(1,2): error TS2322: Type 'string' is not assignable",
  "error[E0308]: mismatched types",
  "bash: foo: command not found",
  "npm ERR! code ELIFECYCLE",
  "npm error code 1",
  "Segmentation fault (core dumped)",
  "\u001b[41m\u001b[1m FAIL \u001b[22m\u001b[49m tests/sum.test.ts",
  "\u001b[31m\u001b[1mAssertionError\u001b[22m: expected 5 to be 4\u001b[39m",
];
const mentions = ["[warn] error rate is high", "retrying after failure", "cannot connect yet", "worker killed"];
const ordinary = [
  "all good",
  "  ✓ handles errors 2ms",
  "ok 3 - reports failures",
  "PASS tests/error.test.ts",
  "test error_paths ... ok",
  "found 0 errors, 2 warnings",
  "failed: 0",
  "no failures",
];

describe("notability", () => {
  it.each(failures)("%j reports a failure, and the hint finds it", (line) => {
    expect(notability(line)).toBe("failure");
    expect(notableHint("failure").test(Buffer.from(line).toString("latin1"))).toBe(true);
  });

  it.each(mentions)("%j mentions one, and the hint finds it", (line) => {
    expect(notability(line)).toBe("mention");
    expect(notableHint("mention").test(Buffer.from(line).toString("latin1"))).toBe(true);
  });

  it.each(ordinary)("%j is ordinary", (line) => {
    expect(notability(line)).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { runnerOutput } from "../../../test/support/test-reports.ts";
import { recognizeTests } from "./test-report.ts";

describe("recognizeTests", () => {
  it.each([
    [
      "vitest",
      { runner: "vitest", failed: 1, passed: 2, failures: [{ name: "sum > adds", file: "tests/sum.test.ts" }] },
    ],
    ["jest", { runner: "jest", failed: 1, passed: 2, failures: [{ name: "sum › adds", file: "tests/sum.test.ts" }] }],
    [
      "pytest",
      {
        runner: "pytest",
        failed: 2,
        passed: 1,
        failures: [
          { name: "test_adds", file: "test_sum.py" },
          { name: "TestMore::test_fail", file: "test_sum.py" },
        ],
      },
    ],
    ["nodeSpec", { runner: "node", failed: 1, passed: 2, failures: [{ name: "adds", file: "a.test.mjs" }] }],
    ["nodeTap", { runner: "node", failed: 1, passed: 2, failures: [{ name: "adds", file: "/project/a.test.mjs" }] }],
    [
      "go",
      {
        runner: "go",
        failed: 2,
        passed: 2,
        failures: [{ name: "TestSum" }, { name: "TestTable/big", file: "table_test.go" }],
      },
    ],
    ["cargo", { runner: "cargo", failed: 1, passed: 1, failures: [{ name: "tests::it_works", file: "src/lib.rs" }] }],
    ["mocha", { runner: "mocha", failed: 1, passed: 1, failures: [{ name: "sum adds" }] }],
  ] as const)("reads %s", (name, report) => {
    expect(recognizeTests(runnerOutput[name])).toEqual(report);
  });

  it.each([
    ["vitest", " Test Files  2 passed (2)\n      Tests  12 passed (12)\n   Duration  300ms\n", 12],
    ["jest", "Test Suites: 1 passed, 1 total\nTests:       4 passed, 4 total\n", 4],
    ["pytest", "....\n4 passed in 0.02s\n", 4],
    ["pytest", "============ 3 passed, 1 warning in 61.20s (0:01:01) ============\n", 3],
    ["node", "ℹ tests 3\nℹ suites 0\nℹ pass 3\nℹ fail 0\n", 3],
    ["go", "--- PASS: TestA (0.00s)\nPASS\nok  \texample.com/a\t0.002s\n", 1],
    ["cargo", "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n", 2],
  ])("knows a pass of %s", (runner, output, passed) => {
    expect(recognizeTests(output)).toEqual({ runner, failed: 0, passed, failures: [] });
  });

  it.each([
    ["a build", "vite v8 building for production\n✓ 34 modules transformed.\ndone in 1.2s\n"],
    ["a listing", "total 8\n-rw-r--r-- 1 user user 12 ok\n"],
    ["prose about tests", "Tests: we failed to write them. 3 passed away.\n"],
    ["nothing", ""],
  ])("says nothing about %s", (_, output) => {
    expect(recognizeTests(output)).toBeUndefined();
  });
});

/**
 * What test runners print for one small project. vitest, pytest, node and cargo as they ran, with the path
 * shortened; jest, go and mocha written after the form of theirs.
 */
export const runnerOutput = {
  vitest: `
\u001b[1m\u001b[30m\u001b[46m RUN \u001b[49m\u001b[39m\u001b[22m \u001b[36mv5.1.0 \u001b[39m\u001b[90m/project\u001b[39m

 \u001b[31m❯\u001b[39m tests/sum.test.ts \u001b[2m(\u001b[22m\u001b[2m3 tests\u001b[22m\u001b[2m | \u001b[22m\u001b[31m1 failed\u001b[39m\u001b[2m | \u001b[22m\u001b[33m1 skipped\u001b[39m\u001b[2m)\u001b[22m\u001b[32m 8\u001b[2mms\u001b[22m\u001b[39m
   \u001b[31m❯\u001b[39m sum \u001b[2m(3)\u001b[22m
\u001b[31m     \u001b[31m×\u001b[31m adds\u001b[39m\u001b[32m 6\u001b[2mms\u001b[22m\u001b[39m
     \u001b[32m✓\u001b[39m is a number\u001b[32m 0\u001b[2mms\u001b[22m\u001b[39m
     \u001b[2m\u001b[90m↓\u001b[39m\u001b[22m later
 \u001b[32m✓\u001b[39m tests/other.test.ts \u001b[2m(\u001b[22m\u001b[2m1 test\u001b[22m\u001b[2m)\u001b[22m\u001b[32m 2\u001b[2mms\u001b[22m\u001b[39m

\u001b[2m Test Files \u001b[22m \u001b[1m\u001b[31m1 failed\u001b[39m\u001b[22m\u001b[2m | \u001b[22m\u001b[1m\u001b[32m1 passed\u001b[39m\u001b[22m\u001b[90m (2)\u001b[39m
\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[31m1 failed\u001b[39m\u001b[22m\u001b[2m | \u001b[22m\u001b[1m\u001b[32m2 passed\u001b[39m\u001b[22m\u001b[2m | \u001b[22m\u001b[33m1 skipped\u001b[39m\u001b[90m (4)\u001b[39m
\u001b[2m   Start at \u001b[22m 09:16:15
\u001b[2m   Duration \u001b[22m 278ms\u001b[2m (transform 40%, import 35%, tests 14%, worker 10%)\u001b[22m

\u001b[31m⎯⎯⎯⎯⎯⎯⎯\u001b[39m\u001b[1m\u001b[41m Failed Tests 1 \u001b[49m\u001b[22m\u001b[31m⎯⎯⎯⎯⎯⎯⎯\u001b[39m

\u001b[41m\u001b[1m FAIL \u001b[22m\u001b[49m tests/sum.test.ts\u001b[2m > \u001b[22msum\u001b[2m > \u001b[22madds
\u001b[31m\u001b[1mAssertionError\u001b[22m: expected 5 to be 4 // Object.is equality\u001b[39m

\u001b[32m- Expected\u001b[39m
\u001b[31m+ Received\u001b[39m

\u001b[32m- 4\u001b[39m
\u001b[31m+ 5\u001b[39m

\u001b[36m \u001b[2m❯\u001b[22m tests/sum.test.ts:\u001b[2m3:61\u001b[22m\u001b[39m
    \u001b[90m  1|\u001b[39m \u001b[35mimport\u001b[39m { describe\u001b[33m,\u001b[39m expect\u001b[33m,\u001b[39m it } \u001b[35mfrom\u001b[39m \u001b[32m"vitest"\u001b[39m\u001b[33m;\u001b[39m
    \u001b[90m  2|\u001b[39m \u001b[35mconst\u001b[39m sum\u001b[33m=\u001b[39m(a\u001b[33m:\u001b[39mnumber\u001b[33m,\u001b[39mb\u001b[33m:\u001b[39mnumber)\u001b[33m=>\u001b[39ma\u001b[33m+\u001b[39mb\u001b[33m+\u001b[39m\u001b[34m1\u001b[39m\u001b[33m;\u001b[39m
    \u001b[90m  3|\u001b[39m describe("sum", () => { it("adds", () => { expect(sum(1,3)).toBe(4); }…
    \u001b[90m   |\u001b[39m                                                             \u001b[31m^\u001b[39m
    \u001b[90m  4|\u001b[39m

\u001b[31m\u001b[2m⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯\u001b[22m\u001b[39m

`,
  jest: `FAIL tests/sum.test.ts
  sum
    ✕ adds (3 ms)
    ✓ is a number (1 ms)

  ● sum › adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 5

      3 | test("adds", () => {
    > 4 |   expect(sum(1, 3)).toBe(4);
        |                     ^
      5 | });

      at Object.<anonymous> (tests/sum.test.ts:4:21)

PASS tests/other.test.ts

Summary of all failing tests
FAIL tests/sum.test.ts
  ● sum › adds

    expect(received).toBe(expected) // Object.is equality

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 2 passed, 3 total
Snapshots:   0 total
Time:        0.512 s, estimated 1 s
Ran all test suites.
`,
  pytest: `============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.0.3, pluggy-1.6.0
benchmark: 5.2.3 (defaults: timer=time.perf_counter disable_gc=False min_rounds=5 min_time=0.000005 max_time=1.0 calibration_precision=10 warmup=False warmup_iterations=100000)
rootdir: /project
plugins: hypothesis-6.155.2, benchmark-5.2.3
collected 3 items

test_sum.py F.F                                                          [100%]

=================================== FAILURES ===================================
__________________________________ test_adds ___________________________________

    def test_adds():
>       assert sum2(1,3) == 4
E       assert 5 == 4
E        +  where 5 = sum2(1, 3)

test_sum.py:3: AssertionError
______________________________ TestMore.test_fail ______________________________

self = <test_sum.TestMore object at 0x7f57fbf8e650>

    def test_fail(self):
>       raise ValueError("boom")
E       ValueError: boom

test_sum.py:8: ValueError
=========================== short test summary info ============================
FAILED test_sum.py::test_adds - assert 5 == 4
FAILED test_sum.py::TestMore::test_fail - ValueError: boom
========================= 2 failed, 1 passed in 0.62s ==========================
`,
  nodeSpec: `▶ sum
  ✖ adds (0.98209ms)
  ✔ ok (0.129472ms)
✖ sum (2.013943ms)
✔ plain (0.12785ms)
ℹ tests 3
ℹ suites 1
ℹ pass 2
ℹ fail 1
ℹ cancelled 0
ℹ skipped 0
ℹ todo 0
ℹ duration_ms 58.579073

✖ failing tests:

test at a.test.mjs:2:22
✖ adds (0.98209ms)
  AssertionError [ERR_ASSERTION]: 3 == 2
      at TestContext.<anonymous> (file:///project/a.test.mjs:2:45)
      at Test.runInAsyncScope (node:async_hooks:227:14)
      at Test.run (node:internal/test_runner/test:1402:25)
      at Test.start (node:internal/test_runner/test:1262:17)
      at node:internal/test_runner/test:1903:71
      at node:internal/per_context/primordials:504:82
      at new Promise (<anonymous>)
      at new SafePromise (node:internal/per_context/primordials:478:3)
      at node:internal/per_context/primordials:504:9
      at Array.map (<anonymous>) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
    actual: 3,
    expected: 2,
    operator: '==',
    diff: 'simple'
  }
`,
  nodeTap: `TAP version 13
# Subtest: sum
    # Subtest: adds
    not ok 1 - adds
      ---
      duration_ms: 0.970492
      type: 'test'
      location: '/project/a.test.mjs:2:22'
      failureType: 'testCodeFailure'
      error: '3 == 2'
      code: 'ERR_ASSERTION'
      name: 'AssertionError'
      expected: 2
      actual: 3
      operator: '=='
      stack: |-
        TestContext.<anonymous> (file:///project/a.test.mjs:2:45)
        Test.runInAsyncScope (node:async_hooks:227:14)
        Test.run (node:internal/test_runner/test:1402:25)
        Test.start (node:internal/test_runner/test:1262:17)
        node:internal/test_runner/test:1903:71
        node:internal/per_context/primordials:504:82
        new Promise (<anonymous>)
        new SafePromise (node:internal/per_context/primordials:478:3)
        node:internal/per_context/primordials:504:9
        Array.map (<anonymous>)
      ...
    # Subtest: ok
    ok 2 - ok
      ---
      duration_ms: 0.140709
      type: 'test'
      ...
    1..2
not ok 1 - sum
  ---
  duration_ms: 2.165739
  type: 'suite'
  location: '/project/a.test.mjs:2:1'
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  code: 'ERR_TEST_FAILURE'
  ...
# Subtest: plain
ok 2 - plain
  ---
  duration_ms: 0.12777
  type: 'test'
  ...
1..2
# tests 3
# suites 1
# pass 2
# fail 1
# cancelled 0
# skipped 0
# todo 0
# duration_ms 59.04812
`,
  go: `=== RUN   TestSum
    sum_test.go:12: got 5, want 4
--- FAIL: TestSum (0.00s)
=== RUN   TestTable
=== RUN   TestTable/small
=== RUN   TestTable/big
    table_test.go:30: overflow
--- FAIL: TestTable (0.00s)
    --- PASS: TestTable/small (0.00s)
    --- FAIL: TestTable/big (0.00s)
        table_test.go:30: overflow
=== RUN   TestOther
--- PASS: TestOther (0.00s)
FAIL
FAIL	example.com/project/sum	0.003s
ok  	example.com/project/other	0.002s
FAIL
`,
  cargo: `   Compiling crt v0.1.0 (/project)
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 0.66s
     Running unittests src/lib.rs (target/debug/deps/crt-bd4320a1ed4935a6)

running 2 tests
test tests::other ... ok
test tests::it_works ... FAILED

failures:

---- tests::it_works stdout ----

thread 'tests::it_works' (18255) panicked at src/lib.rs:4:26:
assertion \`left == right\` failed
  left: 5
 right: 4
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/panicking.rs:689:5
   1: core::panicking::panic_fmt
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/panicking.rs:80:14
   2: core::panicking::assert_failed_inner
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/panicking.rs:439:17
   3: core::panicking::assert_failed::<u64, u64>
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/panicking.rs:394:5
   4: crt::tests::it_works
             at ./src/lib.rs:4:26
   5: crt::tests::it_works::{{closure}}
             at ./src/lib.rs:4:23
   6: core::ops::function::FnOnce::call_once
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/ops/function.rs:250:5
   7: <fn() -> core::result::Result<(), alloc::string::String> as core::ops::function::FnOnce<()>>::call_once
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/ops/function.rs:250:5
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.

failures:
    tests::it_works

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.15s

error: test failed, to rerun pass \`--lib\`
`,
  mocha: `

  sum
    1) adds
    ✔ is a number

  1 passing (5ms)
  1 failing

  1) sum
       adds:

      AssertionError [ERR_ASSERTION]: 5 == 4
      + expected - actual

      -5
      +4

      at Context.<anonymous> (test/sum.spec.js:6:12)

`,
};

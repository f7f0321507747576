import { plainText } from "../../base/text.ts";

export interface FailingTest {
  readonly name: string;
  readonly file?: string;
}

/** The report of a test runner. Facts only: which tests failed, not why. */
export interface TestReport {
  readonly runner: "vitest" | "jest" | "pytest" | "node" | "go" | "cargo" | "mocha";
  readonly failed: number;
  readonly passed: number;
  /** Without duplicates; may be fewer than `failed` if the output was cut. */
  readonly failures: readonly FailingTest[];
}

export function recognizeTests(output: string): TestReport | undefined {
  const text = plainText(output);
  for (const recognize of runners) {
    const report = recognize(text);
    if (report !== undefined) return { ...report, failures: once(report.failures).slice(0, mostFailures) };
  }
  return undefined;
}

/** The output is untrusted: no expression here may backtrack over more than a line. */
type Recognizer = (text: string) => TestReport | undefined;

const mostFailures = 1_000;

const runners: readonly Recognizer[] = [vitest, jest, cargo, nodeTest, pytest, goTest, mocha];

function vitest(text: string): TestReport | undefined {
  const tests = /^ {0,10}Tests {2,}(.+)$/m.exec(text)?.[1];
  if (tests === undefined || !/^ {0,10}Test Files {2,}/m.test(text)) return undefined;
  const failures = [...text.matchAll(/^ *FAIL +(?:\|[^|\n]+\| )?(\S+)(?: > (.+)| \[.*\])?$/gm)];
  return {
    runner: "vitest",
    failed: countBefore(tests, "failed"),
    passed: countBefore(tests, "passed"),
    failures: failures.map(([, file = "", name]) => ({ name: name ?? file, file })),
  };
}

function jest(text: string): TestReport | undefined {
  const tests = /^Tests: +(.+) total$/m.exec(text)?.[1];
  if (tests === undefined) return undefined;
  const failures: FailingTest[] = [];
  let file: string | undefined;
  for (const line of text.split("\n")) {
    file = /^(?:FAIL|PASS) +(?:\S+ )?(\S+\.\w+)/.exec(line)?.[1] ?? file;
    const name = /^ {2}● (?!Console)(.+)$/.exec(line)?.[1]?.trim();
    if (name !== undefined) failures.push(withFile(name, file));
  }
  return { runner: "jest", failed: countBefore(tests, "failed"), passed: countBefore(tests, "passed"), failures };
}

function cargo(text: string): TestReport | undefined {
  const results = [...text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm)];
  if (results.length === 0) return undefined;
  const places = new Map(
    [...text.matchAll(/^thread '([^'\n]+)'.* panicked at ([^\s:]+):\d+/gm)].map(([, name, file]) => [name, file]),
  );
  return {
    runner: "cargo",
    passed: sum(results.map(([, passed]) => Number(passed))),
    failed: sum(results.map(([, , failed]) => Number(failed))),
    failures: [...text.matchAll(/^test (\S+)(?: - should panic)? \.\.\. FAILED$/gm)].map(([, name = ""]) =>
      withFile(name, places.get(name)),
    ),
  };
}

function nodeTest(text: string): TestReport | undefined {
  const passed = /^[ℹ#] pass (\d+)$/m.exec(text)?.[1];
  const failed = /^[ℹ#] fail (\d+)$/m.exec(text)?.[1];
  if (passed === undefined || failed === undefined) return undefined;
  const spec = text.matchAll(/^test at (\S+?):\d+:\d+\n✖ (.+?) \([\d.]+ms\)$/gm);
  const tap = text.matchAll(
    /^ *not ok \d+ - (.+)\n *---\n *duration_ms: .*\n *type: 'test'\n *location: '([^']+?):\d+:\d+'/gm,
  );
  return {
    runner: "node",
    passed: Number(passed),
    failed: Number(failed),
    failures: [
      ...[...spec].map(([, file, name = ""]) => withFile(name, file)),
      ...[...tap].map(([, name = "", file]) => withFile(name, file)),
    ],
  };
}

function pytest(text: string): TestReport | undefined {
  const last = /^(?:=+ )?(\d+ [a-z]+(?:, \d+ [a-z]+)*) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$/m.exec(text)?.[1];
  if (last === undefined) return undefined;
  const failures = [...text.matchAll(/^(?:FAILED|ERROR) ([^\s:]+\.py)(?:::(\S+))?/gm)];
  return {
    runner: "pytest",
    failed: countBefore(last, "failed") + countBefore(last, "errors?"),
    passed: countBefore(last, "passed"),
    failures: failures.map(([, file = "", name]) => ({ name: name ?? file, file })),
  };
}

function goTest(text: string): TestReport | undefined {
  if (!/^(?:ok|FAIL|---)[ \t]+\S+[ \t]+(?:[\d.]+s|\([\w ]+\)|\[build failed\])/m.test(text)) return undefined;
  if (!/^(?:ok {2}|FAIL|PASS|=== RUN)/m.test(text)) return undefined;
  const found = text.matchAll(/^ *--- FAIL: (\S+) \([\d.]+s\)(?:\n {4,}([\w./-]+_test\.go):\d+)?/gm);
  const failures = [...found].slice(0, mostFailures);
  const names = failures.map(([, name = ""]) => name);
  // A failing subtest fails its parents; only the innermost one counts.
  const leaves = failures.filter(([, name = ""]) => !names.some((other) => other.startsWith(`${name}/`)));
  return {
    runner: "go",
    failed: leaves.length,
    passed: [...text.matchAll(/^ *--- PASS: /gm)].length,
    failures: leaves.map(([, name = "", file]) => withFile(name, file)),
  };
}

function mocha(text: string): TestReport | undefined {
  const passed = /^ +(\d+) passing \(/m.exec(text)?.[1];
  if (passed === undefined) return undefined;
  const list = text.slice(text.search(/^ +\d+ failing$/m));
  return {
    runner: "mocha",
    passed: Number(passed),
    failed: Number(/^ +(\d+) failing$/m.exec(text)?.[1] ?? 0),
    failures: [...list.matchAll(/^ {2}\d+\) (.+(?:\n {7}\S.*)*):$/gm)].map(([, name = ""]) => ({
      name: name
        .split("\n")
        .map((part) => part.trim())
        .join(" "),
    })),
  };
}

function countBefore(text: string, word: string): number {
  return Number(new RegExp(`(\\d+) ${word}\\b`).exec(text)?.[1] ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function withFile(name: string, file: string | undefined): FailingTest {
  return file === undefined ? { name } : { name, file };
}

function once(failures: readonly FailingTest[]): readonly FailingTest[] {
  return [...new Map(failures.map((failure) => [`${failure.file}\0${failure.name}`, failure])).values()];
}

/**
 * What a test file gets for `vitest` while mutants are tried: the real `expect`, and a `describe` and a `test` that
 * only take down what there is to run, so that it can be run thousands of times without loading anything again.
 */
export { expect } from "vitest";

export interface TestCase {
  /** File and full name, and a number where a name is not the only one of its kind. */
  readonly id: string;
  readonly name: string;
  run(): Promise<void>;
}

type Body = (...values: never[]) => unknown;
/** Or only how long it may take, which counts for nothing here. */
type TestOptions = Readonly<Record<string, unknown>> | number;

const cases = new Map<string, TestCase>();
const place: string[] = [];
const preparations: (() => unknown)[] = [];
const endings: (() => unknown)[] = [];
let finishers: (() => unknown)[] = [];

/** Everything that importing `file` declares. */
export async function collectTests(file: string, load: () => Promise<unknown>): Promise<readonly TestCase[]> {
  cases.clear();
  place.splice(0, place.length, file);
  await load();
  for (const prepare of preparations.splice(0)) await prepare();
  return [...cases.values()];
}

/** Takes away what `beforeAll` made. */
export async function endTests(): Promise<void> {
  for (const end of endings.splice(0).toReversed()) await end();
}

export function describe(name: string, body: () => void): void {
  place.push(name);
  body();
  place.pop();
}

export function test(name: string, ...given: readonly (TestOptions | (() => unknown))[]): void {
  const body = bodyOf(given);
  const [file = "", ...suites] = place;
  const full = [...suites, name].join(" > ");
  const id = unusedId(`${file}#${full}`);
  cases.set(id, { id, name: full, run: () => runToTheEnd(body) });
}

export const it = test;

describe.each = (rows: readonly unknown[]) => (name: string, body: Body) => {
  for (const row of rows) describe(name, () => body(...valuesOf(row)));
};

test.each =
  (rows: readonly unknown[]) =>
  (name: string, ...given: readonly (TestOptions | Body)[]) => {
    const body = bodyOf(given);
    for (const row of rows) test(name, () => body(...valuesOf(row)));
  };

/** Once for all mutants: it makes what tests only look at. */
export function beforeAll(prepare: () => unknown): void {
  preparations.push(prepare);
}

export function afterAll(end: () => unknown): void {
  endings.push(end);
}

export function onTestFinished(finish: () => unknown): void {
  finishers.push(finish);
}

async function runToTheEnd(body: () => unknown): Promise<void> {
  finishers = [];
  try {
    await body();
  } finally {
    for (const finish of finishers.toReversed()) await finish();
  }
}

function bodyOf(given: readonly (TestOptions | Body)[]): Body {
  const body = given.find((one) => typeof one === "function");
  if (body === undefined) throw new Error("a test without a body");
  return body;
}

function valuesOf(row: unknown): never[] {
  return (Array.isArray(row) ? row : [row]) as never[];
}

function unusedId(wanted: string): string {
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? wanted : `${wanted} (${number})`;
    if (!cases.has(id)) return id;
  }
}

import { expect, test } from "vitest";
import { withExamples } from "./entry-examples.ts";
import { programs, versions } from "./examples.ts";

const entries = [{ name: "a" }, { name: "b" }];
const [first, second] = ["a", "b"].map((entry) => ({ entry, examples: { match: [entry], noMatch: [] } }));
const join = (...examples: (typeof first)[]) =>
  withExamples(
    entries,
    examples.filter((row) => row !== undefined),
    ({ name }) => name,
  );

test("examples are joined to their entries", () => {
  expect(join(first, second).map(({ name, examples }) => [name, examples.match])).toEqual([
    ["a", ["a"]],
    ["b", ["b"]],
  ]);
});

test("an entry without examples and examples without an entry are errors", () => {
  expect(() => join(first)).toThrow('Expected the examples of "b", found none.');
  expect(() => join(second)).toThrow('Expected the examples of "a", found those of "b".');
  expect(() => join(first, second, first)).toThrow('No entry for the examples of "a".');
});

test("every program with a word for its version has an entry", () => {
  const names = programs.map((entry) => entry.names[0]);
  expect(Object.keys(versions).filter((name) => !names.includes(name))).toEqual([]);
});

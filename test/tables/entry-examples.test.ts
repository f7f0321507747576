import { expect, test } from "vitest";
import { withExamples } from "./entry-examples.ts";
import { programs, versions } from "./examples.ts";

const entries = [{ name: "a" }, { name: "b" }];
const [first, second] = ["a", "b"].map((entry) => ({ entry, examples: { match: [entry], noMatch: [] } }));
const join = (...examples: (typeof first)[]) =>
  withExamples(
    entries,
    examples.filter((row) => row !== undefined),
    ({ name }) => [name],
  );

test("examples are joined to their entries", () => {
  expect(join(first, second).map(({ name, examples }) => [name, examples.match])).toEqual([
    ["a", ["a"]],
    ["b", ["b"]],
  ]);
});

test("an entry without examples and examples without an entry are errors", () => {
  expect(() => join(first)).toThrow('No examples of "b".');
  const third = { entry: "c", examples: { match: [], noMatch: [] } };
  expect(() => join(first, second, third)).toThrow('No entry for the examples of "c".');
});

test("every program with a word for its version has an entry", () => {
  const names = programs.map((entry) => entry.names[0]);
  expect(Object.keys(versions).filter((name) => !names.includes(name))).toEqual([]);
});

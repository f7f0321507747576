import { describe, expect, test } from "vitest";
import { makeFixture } from "../../../test/gate-matrix/fixture.ts";
import { coreutils } from "./tables/coreutils.ts";
import { gitReads } from "./tables/git-reads.ts";
import { gitLosses } from "./tables/git-writes.ts";
import { runners } from "./tables/runners.ts";
import { search } from "./tables/search.ts";
import { writers } from "./tables/writers.ts";

function makeProject() {
  const files = [
    "a",
    "b",
    "a.txt",
    "b.txt",
    "a.ts",
    "a.md",
    "x",
    "src/a.ts",
    "tests/b.ts",
    "dst/z",
    "dir/z",
    "script.js",
  ];
  const fixture = makeFixture(Object.fromEntries(files.map((name) => [name, "one\n"])));
  fixture.mkdir(".git");
  return fixture;
}

const programs = [...coreutils, ...search, ...writers, ...gitReads].map(
  (entry) => [entry.names[0] ?? "", entry] as const,
);

describe("program tables", () => {
  test.each(programs)("%s: what it matches and what it does not", (_name, entry) => {
    const { shell } = makeProject();
    for (const example of entry.examples.match) {
      const { effects, parts } = shell(example);
      expect({ example, unknown: effects.filter((effect) => effect.op === "unknown") }).toEqual({
        example,
        unknown: [],
      });
      expect({ example, parts: parts.length }).toEqual({ example, parts: 1 });
    }
    for (const example of entry.examples.noMatch) {
      const { effects } = shell(example);
      const reads = effects.every((effect) => effect.op === "read" || effect.op === "list");
      expect({ example, readsOnly: reads && effects.length > 0 }).toEqual({ example, readsOnly: false });
      expect({ example, silent: effects.length === 0 }).toEqual({ example, silent: false });
    }
  });

  test("every example starts with a name of its entry, and every name is unique", () => {
    const names = programs.flatMap(([, entry]) => entry.names);
    expect(new Set(names).size).toBe(names.length);
    for (const [, entry] of programs) {
      for (const example of entry.examples.match) {
        const plain = example.replace("git --no-pager ", "git ");
        expect(
          entry.names.some((name) => `${plain} `.startsWith(`${name} `)),
          example,
        ).toBe(true);
      }
    }
  });

  test.each(runners.map((entry) => [entry.names[0] ?? "", entry] as const))("%s runs or connects", (_name, entry) => {
    const { shell } = makeProject();
    const ops = (text: string) => shell(text).effects.map((effect) => effect.op);
    for (const example of entry.examples.run)
      expect({ example, ops: ops(example) }).toEqual({ example, ops: ["exec"] });
    for (const example of entry.examples.connect) {
      expect({ example, ops: ops(example) }).toEqual({ example, ops: ["exec", "connect"] });
    }
  });

  test.each(gitLosses.map((entry) => [entry.command, entry] as const))("git %s loses work", (_name, entry) => {
    const { shell } = makeProject();
    const flagged = (text: string) => shell(text).parts.some((part) => part.needsSavedRule === true);
    for (const example of entry.examples.match)
      expect({ example, flagged: flagged(example) }).toEqual({ example, flagged: true });
    for (const example of entry.examples.noMatch) {
      expect({ example, flagged: flagged(example) }).toEqual({ example, flagged: false });
    }
  });
});

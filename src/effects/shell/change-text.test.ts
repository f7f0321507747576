import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { changeText } from "./change-text.ts";

const texts = fc.stringMatching(/^[a-cA-C./ _-]{0,8}$/);
const words = fc.stringMatching(/^[a-c./_-]{1,3}$/);
const changes = fc.oneof(
  fc.tuple(
    fc.constantFrom("#", "##", "%", "%%"),
    words.chain((word) => fc.constantFrom(word, `*${word}`, `${word}*`)),
  ),
  fc.tuple(
    fc.constantFrom("/", "//"),
    fc.tuple(words, words).map((pair) => pair.join("/")),
  ),
  fc.tuple(fc.constantFrom("/", "//"), words),
  fc.tuple(fc.constantFrom(":-", ":+", "-", "+"), words),
  fc.tuple(fc.constantFrom("^", "^^", ",", ",,"), fc.constant("")),
  fc.tuple(fc.constant(":"), fc.constantFrom("0", "1", " 2", "9", "0:2", "1:3", "3:0")),
);

test("what is made of a text is what bash makes of it", () => {
  const samples = fc.sample(fc.tuple(texts, changes), { numRuns: 4_000, seed: 4_711 });
  const understood = samples.flatMap(([text, [operator, argument]]) => {
    const made = changeText(text, operator, argument);
    return made === undefined ? [] : [{ text, operator, argument, made }];
  });
  expect(understood.length).toBeGreaterThan(2_000);
  const script = understood
    .map(({ text, operator, argument }) => `x='${text}'; printf '%s\\0' "\${x${operator}${argument}}"`)
    .join("\n");
  const run = spawnSync("/bin/bash", ["--noprofile", "--norc", "--restricted"], {
    input: script,
    env: { PATH: "", LC_ALL: "C.UTF-8" },
    encoding: "utf8",
  });
  const theirs = run.stdout.split("\0").slice(0, -1);
  expect(theirs).toHaveLength(understood.length);
  expect(understood.filter(({ made }, index) => made !== theirs[index]).slice(0, 5)).toEqual([]);
});

test.each([
  ["é", "^^", ""],
  ["abc", "-", "~/x"],
  ["abc", "%", "*"],
  ["abc", "#", "a*b"],
  ["abc", "/", "%c/d"],
  ["abc", ":", " -2"],
])("a change of %j by %s%s is left alone", (text, operator, argument) => {
  expect(changeText(text, operator, argument)).toBeUndefined();
});

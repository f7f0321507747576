import path from "node:path";
import { expect, test } from "vitest";
import { allowed, allowedText, checkPrograms, findPrograms, ordinaryWords } from "../../scripts/check-programs.ts";

const found = (text: string, file = "src/gate/planted.ts") => findPrograms({ [file]: text }).map(({ what }) => what);

test("a program that is named outside the catalogue is found", () => {
  expect(found('export const isPackageManager = (name: string) => name === "npm";')).toEqual(["npm"]);
  expect(found("const names = `curl wget rsync scp`.split(' ');")).toEqual(["curl wget rsync scp"]);
});

test("ordinary words, names of modules and types are not", () => {
  expect(
    found('import x from "npm"; type A = "npm"; const kind = "file"; const line = "use npm to install it";'),
  ).toEqual([]);
});

test("a short list of programs or of sub-commands is, also in an array or a regular expression", () => {
  expect(found('const interpreters = ["ruby", "perl"];')).toContain("ruby perl");
  expect(found("const interpreter = /^(?:python|node|ruby)$/;")).toEqual(["python node ruby"]);
  expect(found('const makes = ["add", "worktree", "clone"];')).toEqual(["add worktree clone"]);
  expect(found('const runs = program === "timeout";')).toEqual(["timeout"]);
});

/** It only shrinks: whatever needs to know a program asks the catalogue. */
test("few places may name programs or match the text of a command", () => {
  expect(Object.keys(allowed)).toEqual([
    "src/host/",
    "src/sandbox/",
    "src/provider/known-providers.ts",
    "src/agent/context/notes.ts",
    "src/agent/verification/check-claims.ts",
    "src/gate/generated-paths.ts",
    "src/tools/terminal/test-report.ts",
  ]);
  expect(Object.keys(allowedText)).toEqual(["src/shell/", "src/tools/terminal/command-text.ts"]);
  expect(ordinaryWords.size).toBeLessThanOrEqual(62);
});

test("a regular expression on the text of a command is found, except where shell text is read", () => {
  const texts = [
    "/rm/.test(command)",
    "report.command.text.match(/rm/)",
    "commandText.split(/;/)",
    "/a/.exec(x.command?.text)",
    'forkBomb.test(report.command?.text ?? "")',
    'part.text.trim().split(" ")',
    "const program = ({ text, words }: EffectPart) => words ?? text.split(/ /)",
  ];
  for (const text of texts) {
    expect({ text, what: found(text) }).toEqual({ text, what: ["regular expression on a command"] });
    expect(found(text, "src/shell/planted.ts")).toEqual([]);
  }
  expect(found("/rm/.test(path); text.split(/;/)")).toEqual([]);
});

test("the sources name programs in the catalogue only", () => {
  expect(checkPrograms(path.resolve(import.meta.dirname, "../.."))).toEqual([]);
});

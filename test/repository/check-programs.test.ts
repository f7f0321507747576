import path from "node:path";
import { expect, test } from "vitest";
import { checkPrograms, findPrograms } from "../../scripts/check-programs.ts";

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

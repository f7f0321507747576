import { expect, test } from "vitest";
import type { PlainForm } from "../contract/effect.ts";
import { plainForms, plainRaw } from "./plain-forms.ts";

const many = { many: true };
const one = { many: false };

function forms(words: PlainForm | string, understood = true) {
  return plainForms(typeof words === "string" ? words.split(" ") : words, understood);
}

test.each<[PlainForm | string, readonly PlainForm[] | undefined]>([
  ["ls -la", undefined],
  ["rm $x", undefined],
  ["git status", [["git", "status"]]],
  ["/usr/bin/git -C . --no-pager log x", [["git", "log", "x"]]],
  [
    "git --odd a b",
    [
      ["git", "a", "b"],
      ["git", "b"],
    ],
  ],
  [["git", "-C", one, "push"], [["git", "push"]]],
  [["git", one, "push"], [["git", one, "push"], ["git", "push"], []].filter((form) => form.length > 0)],
  ["git -c alias.x=push x", [["git", many]]],
  [
    "npm -s rum --x deploy",
    [
      ["npm", "rum", "--x", "deploy"],
      ["npm", "run", "--x", "deploy"],
      ["npm", "deploy"],
    ],
  ],
  ["cargo +nightly -q build", [["cargo", "build"]]],
  [
    "make -C x a b",
    [
      ["make", "a", "b"],
      ["make", "b"],
    ],
  ],
  [
    [one, "rum", "x"],
    [
      [one, "rum", "x"],
      [one, "run", "x"],
    ],
  ],
  [[many], [[many]]],
])("%j", (words, expected) => {
  expect(forms(words)).toEqual(expected);
});

test("in what was not understood a command may begin anywhere", () => {
  expect(forms("sudo git -C . push", false)).toEqual([["git", "push"]]);
  expect(forms(["sudo", "-u", "root", many, "push"], false)).toEqual([[many, "push"]]);
  expect(forms(["sh", "-c", one], false)).toEqual([[many]]);
  expect(forms(["eval", one], false)).toEqual([[many]]);
  expect(forms(["sh", one], false)).toBeUndefined();
  expect(forms(["sudo", "cat", many], false)).toBeUndefined();
});

test("a word that was not looked into", () => {
  expect(plainRaw(["$HOME/bin/x", "$y", "*.ts"], true)).toEqual(["~/bin/x", many, "*.ts"]);
  expect(plainRaw(["$HOME/bin/x"], false)).toEqual([many]);
  expect(plainRaw(["gi?"], true)).toEqual([many]);
  expect(plainRaw(["[", "-f", "x"], true)).toEqual(["[", "-f", "x"]);
});

test.each(["git --a x ", "npx -a ", "git git ", "npm exec ", "make a ", "yarn workspace x "])(
  "%s however often: few forms, and rather anything than one left out",
  (text) => {
    const words = text.repeat(20_000).trim().split(" ");
    for (const understood of [true, false]) {
      const found = plainForms(words, understood) ?? [];
      expect(found.length).toBeLessThan(40_000);
    }
  },
);

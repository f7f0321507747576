import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gitIdentity } from "./identity.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "identity-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

test.each([
  ["[user]\n\tname = Ada L\n\temail = ada@example.com\n", '[user]\n\tname = "Ada L"\n\temail = "ada@example.com"\n'],
  ['[core]\n\tpager = x\n[user]\nname="Ada"\n[alias]\n\tname = !evil\n', '[user]\n\tname = "Ada"\n'],
  ['[user]\n\tname = "a\\"\\n[alias]"\n', ""],
  ["[user]\n\tsigningkey = x\n", ""],
  ["", ""],
])("of %j only who commits is taken", (text, expected) => {
  writeFileSync(join(home, ".gitconfig"), text);
  expect(gitIdentity(home)).toBe(expected);
});

test("is found in the other place as well", () => {
  mkdirSync(join(home, ".config/git"), { recursive: true });
  writeFileSync(join(home, ".config/git/config"), "[user]\n\temail = a@b\n");
  expect(gitIdentity(home)).toBe('[user]\n\temail = "a@b"\n');
});

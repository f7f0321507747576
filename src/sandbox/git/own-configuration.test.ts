import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownGitConfiguration } from "./own-configuration.ts";

let home: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "own-configuration-")));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(file: string, text: string): void {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), text);
}

/** What git makes of the text that commands are given. */
function configured(workspace = "/srv/app"): readonly string[] {
  const { text } = ownGitConfiguration(home, { git: "/usr/bin/git", workspace });
  put("given", text);
  const listed = execFileSync("git", ["config", "--file", join(home, "given"), "--list"], { encoding: "utf8" });
  return listed.split("\n").filter((line) => line !== "");
}

test.each([
  ["[user]\n\tname = Ada L\n\temail = ada@example.com\n", ["user.name=Ada L", "user.email=ada@example.com"]],
  ['[alias]\n\tco = checkout\n\tevil = !sh -c x\n\tworse = " !sh"\n', ["alias.co=checkout"]],
  [
    "[pull]\n\trebase = true\n[push]\n\tdefault = current\n[rebase]\n\tautosquash\n",
    ["pull.rebase=true", "push.default=current", "rebase.autosquash"],
  ],
  [
    '[color "diff"]\n\tmeta = "blue"\n[alias]\n\tlg = log --format=\\"%h\\"\n',
    ["color.diff.meta=blue", 'alias.lg=log --format="%h"'],
  ],
  ['[user]\n\tname = "a\\"\\n[alias]\\n\\tx = !evil"\n', ['user.name=a"', "[alias]", "\tx = !evil"]],
  [
    [
      "[user]\n\tsigningkey = x\n[commit]\n\tgpgsign = true\n\ttemplate = /x\n[core]\n\tpager = x\n\teditor = x",
      "\tsshCommand = x\n\thooksPath = x\n\tfsmonitor = x\n[credential]\n\thelper = store",
      '[diff]\n\texternal = x\n[diff "d"]\n\ttextconv = x\n[merge "m"]\n\tdriver = x\n[filter "f"]\n\tclean = x',
      '[url "https://token@example.com/"]\n\tinsteadOf = x\n[http]\n\textraHeader = x\n[gpg]\n\tprogram = x\n',
    ].join("\n"),
    [],
  ],
  ["", []],
  ["[broken", []],
])("of %j only what is harmless is taken", (text, expected) => {
  put(".gitconfig", text);
  expect(configured()).toEqual(expected);
});

test("is read with what it includes, and in the other place as well", () => {
  put(".config/git/config", "[user]\n\temail = a@b\n\tname = Ada\n");
  put(".gitconfig", '[include]\n\tpath = more\n[includeIf "gitdir:~/work/"]\n\tpath = ~/work.config\n');
  put("more", "[fetch]\n\tprune = true\n");
  put("work.config", "[user]\n\temail = a@work\n");
  expect(configured()).toEqual(["user.email=a@b", "user.name=Ada", "fetch.prune=true"]);
  expect(configured(join(home, "work/app"))).toContain("user.email=a@work");
});

test("what it ignores everywhere is taken along", () => {
  put(".config/git/ignore", "*.swp\n");
  const excludes = () => ownGitConfiguration(home, { git: "/usr/bin/git", workspace: "/srv/app" }).excludes;
  expect(excludes()).toBe("*.swp\n");
  put(".gitconfig", "[core]\n\texcludesFile = ~/ignored\n");
  put("ignored", "*.bak\n");
  expect(excludes()).toBe("*.bak\n");
});

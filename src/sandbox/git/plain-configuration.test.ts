import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plainConfiguration } from "./plain-configuration.ts";

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "configuration-"));
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The names of the settings as git itself reads them; nothing when it refuses the file. */
function settingsIn(text: string): readonly string[] {
  const file = join(directory, "config");
  writeFileSync(file, text);
  try {
    const out = execFileSync("git", ["config", "--file", file, "--name-only", "--list", "-z"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return out.split("\0").filter(Boolean);
  } catch {
    return [];
  }
}

const cloned = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
	worktree = ../../../lib
# a comment
[remote "origin"]
	url = https://example.com/a.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "feature/x"]
	remote = origin
	merge = refs/heads/feature/x
[submodule "inner"]
	active = true
	url = ../inner.git
`;

test("what git writes for a clone and its submodules is kept as it is", () => {
  expect(plainConfiguration(cloned)).toEqual({ kept: cloned.replace("# a comment\n", ""), whole: true });
  expect(plainConfiguration("")).toEqual({ kept: "", whole: true });
});

test.each([
  ["a program for differences", "[diff]\n\texternal = x\n", ""],
  [
    "a filter; that it is required stays",
    '[filter "x"]\n\tclean = y\n\trequired = true\n',
    '[filter "x"]\n\trequired = true\n',
  ],
  ["a program of a remote", '[remote "o"]\n\turl = z\n\tuploadpack = y\n', '[remote "o"]\n\turl = z\n'],
  ["an update by command", '[submodule "s"]\n\tupdate = !y\n', '[submodule "s"]\n'],
  ["a merge driver", '[merge "x"]\n\tdriver = y\n', ""],
  ["an alias", "[alias]\n\tst = !y\n", ""],
  ["an included file", "[include]\n\tpath = y\n", ""],
  ["a setting behind its header", "[core] fsmonitor = y\n", ""],
  ["a value that goes on", "[core]\n\tworktree = a\\\n[diff]\n\texternal = y\n", "[core]\n"],
  ["a value in quotes", '[user]\n\tname = "a\\\n"\n', "[user]\n"],
  ["a dotted header", "[diff.x]\n\tcommand = y\n", ""],
  ["a name without a value", "[core]\n\tbare\n", "[core]\n"],
  ["settings below a header that is not understood", '[remote\t"o"]\n\turl = y\n', ""],
])("%s goes", (_name, text, kept) => {
  expect(plainConfiguration(text)).toEqual({ kept, whole: false });
});

const pieces = [
  ...'[core] [diff] [filter "x"] [remote "x"] [Core] [diff.x] worktree external clean url = y \\ " # ;'.split(" "),
  ...["\n", "\r\n", "\r", "\t", " ", "\v", "\ufeff", "bare", "[core]\n", "[diff]\n", "url = y\n", "external = y\n"],
];
const allowed = /^(?:core\.(?:worktree|bare)|remote\..*\.url)$/;

test("git reads nothing else in what is kept, or in what is said to be harmless as a whole", () => {
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, (text) => {
      const { kept, whole } = plainConfiguration(text);
      expect(settingsIn(whole ? text : kept).filter((name) => !allowed.test(name))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { quoted } from "../../src/base/text.ts";
import { type GitCommand, gitCommands } from "../../src/programs/git/commands.ts";
import { readGit } from "../../src/programs/git/read-git.ts";
import { notUnderstood } from "../../src/programs/program-entry.ts";
import { makeFixture } from "../gate-matrix/fixture.ts";

const readers = gitCommands.filter(({ does }) => does === "reads");

/** `--output` must not hide as the value of a flag or behind `--` where git takes it for a flag. */
test("no flag or bundle that is taken for reading hides --output from the tables", { timeout: 600_000 }, () => {
  const { root, write, view, assess } = makeFixture({ "a.txt": "one\n" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root, stdio: "ignore" });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "one");
  write("a.txt", "two\n");
  git("stash", "--quiet");
  const place = { view, cwd: root, inner: () => notUnderstood("not here") };
  const reads = (words: readonly string[]) => {
    const { effects } = readGit(
      words.map((word) => ({ text: word, value: word, glob: false, tilde: false })),
      place,
    );
    return assess({ effects }).risk <= "R1";
  };
  const lines = readers.flatMap((entry) =>
    entry.names.flatMap((name) => hiding(entry).map((words) => [...name.split(" ").slice(1), ...words])),
  );
  const rows = lines.filter(reads);
  expect(writing(rows, root)).toEqual([]);
  expect(writing([["log", "--output=written"]], root)).toEqual(["log --output=written"]);
  expect(rows.length).toBeGreaterThan(2_000);
});

/** One shell runs them all: starting each from here takes two to three times as long. */
function writing(rows: readonly string[][], root: string): readonly string[] {
  const run = (words: readonly string[]) =>
    `git ${words.map(quoted).join(" ")} </dev/null; [ -e written ] && echo ${quoted(words.join(" "))} >&3 && rm written`;
  const script = `exec 3>&1 >/dev/null 2>&1\n${rows.map(run).join("\n")}\necho end >&3\n`;
  const { stdout } = spawnSync("sh", { cwd: root, input: script, encoding: "utf8" });
  const wrong = stdout.trimEnd().split("\n");
  expect(wrong.pop()).toBe("end");
  return wrong;
}

/** Each flag alone and each bundle of two letters, before words that write unless something takes them. */
function hiding({ flags }: GitCommand): readonly string[][] {
  const known = [...flags.keys()];
  const letters = known.filter((flag) => /^-\w$/.test(flag)).map((flag) => flag.slice(1));
  const bundles = letters.flatMap((first) => letters.map((second) => `-${first}${second}`));
  return [
    ...[...known, ...bundles].map((flag) => [flag, "--output=written", "HEAD"]),
    ...[...known, ...bundles].map((flag) => [flag, "--", "--output=written"]),
  ];
}

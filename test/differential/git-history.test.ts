import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { closedToReading } from "../../src/effects/classify-path.ts";
import { type GitCommand, gitCommands } from "../../src/programs/git/commands.ts";
import { readGit } from "../../src/programs/git/read-git.ts";
import { notUnderstood } from "../../src/programs/readings.ts";
import { closedLines } from "../../src/sandbox/git/attributes.ts";
import { neutralGit } from "../../src/sandbox/git/configuration.ts";
import { makeFixture } from "../gate-matrix/fixture.ts";

const marker = "tuna-fish-4711";
const secrets = [".env", "key.pem", "deep/.env.local", "config/.docker/config.json"];

function makeRepository() {
  const fixture = makeFixture({ "a.ts": "one\n", ".gitattributes": "* diff\n" });
  const author = ["-c", "user.name=a", "-c", "user.email=a@b"];
  const git = (...args: string[]) =>
    execFileSync("git", [...author, ...args], { cwd: fixture.root, encoding: "utf8" }).trim();
  const commit = (version: string) => {
    for (const name of secrets) fixture.write(name, `first\nTOKEN=${marker}-${version}\n`);
    fixture.write("a.ts", `one\n${version}\n`);
    git("add", "--all", "--force");
    git("commit", "--quiet", "--message", version);
  };
  git("init", "--quiet", "--initial-branch", "main");
  commit("one");
  git("branch", "topic");
  commit("two");
  git("tag", "v1");
  fixture.write(".env", `${marker}-stashed\n`);
  git("stash", "--quiet");
  writeFileSync(`${fixture.root}/.git/info/attributes`, closedLines(closedToReading));
  return { ...fixture, git };
}

/**
 * Words that the tables know, in any order, behind any sub-command that reads. Masks and sandbox are left out: what
 * passes must print nothing closed by the attributes alone, and write nothing.
 */
test("whatever is taken for reading prints no closed file of any version", () => {
  const { root, view, git, assess } = makeRepository();
  const blob = git("rev-parse", "HEAD:.env");
  const tree = git("rev-parse", "HEAD:config/.docker");
  const operands = fc.constantFrom(
    ...["HEAD", "HEAD~1", "topic..main", "v1", "stash@{0}", "@", "HEAD^!", "HEAD^{tree}", "HEAD^{blob}"],
    ...["HEAD:a.ts", "HEAD:.env", ":.env", ":0:key.pem", "HEAD:", "HEAD:config", "HEAD:config/.docker", "1,2:.env"],
    ...["--", ".", "a.ts", ".env", "deep", "*", "deep/*", "*.pem", ":!a.ts", ":/", ":(icase).ENV", "TOKEN", "blob"],
    ...[blob, blob.slice(0, 7), `x-g${blob.slice(0, 8)}`, tree, git("rev-parse", "HEAD")],
  );
  const value = fc.constantFrom("1", "TOKEN", "HEAD", ".env", "HEAD:.env", "%H %B", "all");
  const environment = { PATH: process.env.PATH, HOME: "/nonexistent", ...neutralGit([root], { readOnly: true }) };
  let passed = 0;
  fc.assert(
    fc.property(
      fc
        .constantFrom(...gitCommands.filter(({ does }) => does === "reads"))
        .chain((entry) => wordsFor(entry, operands, value)),
      (words) => {
        const place = { view, cwd: root, inner: () => notUnderstood("not here") };
        const { effects } = readGit(
          words.map((word) => ({ text: word, value: word, glob: false, tilde: false })),
          place,
        );
        if (assess({ effects }).risk > "R1") return;
        passed++;
        const options = { cwd: root, env: environment, input: "HEAD:.env\n", encoding: "utf8" } as const;
        const { stdout, stderr } = spawnSync("git", words, options);
        expect({ words, leaks: `${stdout}${stderr}`.includes(marker) }).toEqual({ words, leaks: false });
      },
    ),
    { numRuns: 1_000 },
  );
  expect(passed).toBeGreaterThan(50);
  expect(git("status", "--porcelain")).toBe("");
});

function wordsFor({ names, flags }: GitCommand, operand: fc.Arbitrary<string>, value: fc.Arbitrary<string>) {
  const choices = [...flags].flatMap(([flag, kind]) => [
    fc.constant([flag]),
    ...(flag.startsWith("--") ? [value.map((one) => [`${flag}=${one}`])] : []),
    ...(kind === "plain" ? [] : [value.map((one) => [`${flag}${one}`]), value.map((one) => [flag, one])]),
  ]);
  const given = choices.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...choices), { maxLength: 4 });
  return fc
    .tuple(fc.constantFrom(...names), given, fc.array(operand, { maxLength: 3 }))
    .map(([name, before, after]) => [...name.split(" ").slice(1), ...before.flat(), ...after]);
}

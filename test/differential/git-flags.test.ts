import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { gitReads } from "../../src/effects/shell/tables/git-reads.ts";
import { makeWorkspace } from "../support/workspace.ts";

/**
 * A flag that the tables give the next word for its value must take it in git as well: otherwise a flag that writes
 * could stand there and be read as text.
 */
test("git takes the next word for the value of a flag wherever the tables say so", () => {
  const { root, path } = makeWorkspace({ "a.txt": "one\n" });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "ignore" });
  git("init", "--quiet");
  git("add", "--all");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "one");
  const target = path("written");
  const wrong: string[] = [];
  for (const { names, values = {} } of gitReads) {
    for (const [name, flag] of names.flatMap((one) => Object.keys(values).map((each) => [one, each] as const))) {
      try {
        git(...name.split(" ").slice(1), flag, `--output=${target}`, "HEAD");
      } catch {
        // Not every flag likes such a value.
      }
      if (existsSync(target)) wrong.push(`${name} ${flag}`);
      rmSync(target, { force: true });
    }
  }
  expect(wrong).toEqual([]);
});

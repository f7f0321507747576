import { expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { runsGit, runsGitAlone } from "./git-commands.ts";

test.each([
  ["git commit -am x", true, true],
  ["git add -A && git commit -m x", true, true],
  ["cd src && git stash && git stash pop | tail -3", true, true],
  ["git status && git diff", true, true],
  ["git commit -am x > log.txt", true, false],
  ["git add a.ts && npm test", true, false],
  ["git add a.ts; cat a.ts", true, false],
  ["git add a.ts; grep -r x .", true, false],
  ["git mv a.ts b.ts", true, false],
  ["git rebase --exec ls main", true, false],
  ["git -c alias.x=!ls x", true, false],
  ["git evil", true, false],
  ["git push", true, false],
  ["npm test", false, false],
])("%s: git %s, alone %s", (text, git, alone) => {
  const fixture = makeFixture({ "a.ts": "x", "src/b.ts": "x" });
  fixture.mkdir(".git");
  const report = fixture.shell(text);
  const question = { report } as GateQuestion;
  expect({ git: runsGit(question), alone: runsGitAlone(question) }).toEqual({ git, alone });
});

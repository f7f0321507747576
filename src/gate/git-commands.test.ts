import { expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { gitVerbs, opensRepositories, readsBeside, runsGit, runsGitAlone } from "./git-commands.ts";

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

test.each([
  ["git commit -am x", true],
  ["git add -A && git commit -m x 2>&1 | tail -3", true],
  ["echo now; ls; cat a.ts; git commit -am x", true],
  ["cd src && timeout 9 git commit -am x", true],
  ["git init", true],
  ["git mv a.ts b.ts && git commit -m x", true],
  ["git --version; bash p.sh", false],
  ["git status && npm test", false],
  ["git add a.ts && echo x > b.ts", true],
  ["npm test && git commit -am x", true],
  ["git log | tee out.txt", false],
  ["git log | xargs touch", false],
  ["npm test", false],
  ["ls", false],
])("%s opens repositories: %s", (text, expected) => {
  const fixture = makeFixture({ "a.ts": "x", "src/b.ts": "x", "p.sh": "" });
  fixture.mkdir(".git");
  expect(opensRepositories({ report: fixture.shell(text) } as GateQuestion)).toBe(expected);
});

test.each([
  ["git status && grep -rn x .", false],
  ["git log -p | grep x", false],
  ["git status; rg -n --type ts x .", false],
  ["git commit -am x", true],
  ["echo now; cat a.ts; git commit -am x", true],
  ["npm test && git commit -am x", false],
  ["git tag zz; python3 wreck.py", false],
  ["git add src; python3 -c 'x'", false],
  ["git tag zz; frobnicate", false],
])("without a transaction %s opens repositories: %s", (text, expected) => {
  const fixture = makeFixture({ "a.ts": "x" });
  fixture.mkdir(".git");
  expect(opensRepositories({ report: fixture.shell(text), view: false } as GateQuestion)).toBe(expected);
});

test.each([
  ["git status && grep -rn x .", true],
  ["git status && grep -rn x src", false],
  ["git log -p | grep x", false],
  ["git log -1; rg --hidden -I -N -E utf-16le '' .git | base64 -w0", true],
  ["git status; cat a.ts", false],
  ["git --version; grep -ra . .", true],
  ["git --version; grep -rn --text . .", true],
  ["git --version; rg -uuuna . .git", true],
  ["git --version; cat .git/objects/*/*", true],
])("%s would print objects beside git: %s", (text, expected) => {
  const fixture = makeFixture({ "a.ts": "x", ".git/objects/ab/cd": "x" });
  const question = { report: fixture.shell(text) } as GateQuestion;
  expect(readsBeside(question, [fixture.path(".git/objects")])).toBe(expected);
});

test.each([
  ["git commit -am x", ["commit"]],
  ["git switch -c topic", ["switch"]],
  ["git add . && git commit -m run", ["add", "commit"]],
  ["git -C src commit -am x", ["commit"]],
  ["git -c alias.x='!ls' x", []],
  ["git -C rebase -c core.fsmonitor=./x rebase main", []],
  ["git rebase --exec ls main", []],
  ["git bisect run sh p.sh", []],
  ["git init --template=t sub", []],
  ["git add . && npm test", []],
])("%s: git alone does %j", (text, expected) => {
  const fixture = makeFixture({ "a.ts": "x", "src/b.ts": "x", "p.sh": "" });
  fixture.mkdir(".git");
  expect([...gitVerbs({ report: fixture.shell(text), view: true } as GateQuestion)]).toEqual(expected);
});

test("npx starts what is installed in the project and fetches nothing", () => {
  const fixture = makeFixture({ "node_modules/.bin/tool": "" });
  const hosts = (text: string) => fixture.shell(text).effects.flatMap((one) => (one.op === "connect" ? one.host : []));
  expect([hosts("npx tool x"), hosts("npx other x")]).toEqual([[], ["registry.npmjs.org"]]);
  expect([hosts("npm ci --offline"), hosts("npm ci --prefer-offline")]).toEqual([[], ["registry.npmjs.org"]]);
});

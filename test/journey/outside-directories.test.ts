import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Asker, PermissionRequest, Remember } from "../../src/contract/verdict.ts";
import { agreeable, openGauntlet, unwilling } from "../support/gauntlet.ts";
import { bash, privately } from "../support/network.ts";
import { serve } from "../support/registry.ts";
import { asRepository } from "../support/repository.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const ran = { code: "ok" };

/** A directory beside the workspace. */
function makeBeside({ root }: Workspace, name = "out"): string {
  const directory = path.join(path.dirname(root), name);
  mkdirSync(directory);
  return directory;
}

function makeRepository() {
  const repository = asRepository(makeWorkspace({ "a.txt": "one\n" }));
  repository.git("init", "--quiet");
  repository.git("add", "--all");
  repository.git("commit", "--quiet", "--message", "first");
  return repository;
}

function rulesOf({ asked }: { readonly asked: readonly PermissionRequest[] }) {
  return asked.map(({ prompt }) => [prompt.opens, prompt.suggestedRules]);
}

test("a yes opens the directory for the session, and nothing around it", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const out = makeBeside(workspace);
  const onAsk = agreeable();
  const gauntlet = await openGauntlet(workspace, { onAsk });
  const first = await gauntlet.call(bash("cp a.txt ../out/b"));
  expect(first).toMatchObject({ ...ran, permission: { remembered: { scope: "session", rules: [`Edit(/${out})`] } } });
  for (const command of ["cp a.txt ../out/c", `mkdir ${out}/sub && cp a.txt ${out}/sub/d`])
    expect(await gauntlet.call(bash(command))).toMatchObject(ran);
  expect(rulesOf(onAsk)).toEqual([[true, [`Edit(/${out})`]]]);
  expect(readdirSync(out)).toEqual(["b", "c", "sub"]);

  expect(await gauntlet.call(bash("cp a.txt ../b"))).toMatchObject(ran);
  expect(await gauntlet.call(bash("cp a.txt ../b && cp a.txt ../out/b"))).toMatchObject(ran);
  expect(await gauntlet.call(bash("cp a.txt ../c"))).toMatchObject(ran);
  const beside = path.dirname(workspace.root);
  // Around the workspace only the file itself: the rest of that directory is other projects.
  expect(rulesOf(onAsk).slice(1)).toEqual(["b", "c"].map((name) => [true, [`Edit(/${beside}/${name})`]]));
  const later = await openGauntlet(workspace);
  expect(await later.call(bash("cp a.txt ../out/e"))).toMatchObject({ code: "approval_unavailable" });
});

test("an open directory keeps its secrets, configuration and files that would be deleted", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "kit/.vscode/tasks.json": "{}\n", "kit/a.ts": "" });
  const out = makeBeside(workspace);
  const yes = agreeable();
  const no = unwilling();
  let asker: Asker = yes;
  const gauntlet = await openGauntlet(workspace, { onAsk: (request, signal) => asker(request, signal) });
  expect(await gauntlet.call(bash("cp a.txt ../out/b"))).toMatchObject(ran);
  asker = no;
  for (const command of ["cp a.txt ../out/.env", "cp a.txt ../out/.git/config", "rm ../out/b", "rm -rf ../out"])
    expect([command, (await gauntlet.call(bash(command))).code]).toEqual([command, "policy_denied"]);
  expect(no.asked).toEqual([]);
  await gauntlet.call(bash("cp -r kit ../out/kit"));
  expect(no.asked.map(({ prompt }) => prompt.reason)).toEqual([
    `${out}/kit/.vscode/tasks.json: protected configuration`,
  ]);
  expect(existsSync(path.join(out, "kit/.vscode"))).toBe(false);
});

test.each<[Remember, number]>([
  ["once", 2],
  ["session", 1],
])("an answer that says %s is taken at its word", async (remember, times) => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  makeBeside(workspace);
  let asked = 0;
  const onAsk: Asker = async ({ id }) => {
    asked += 1;
    return { request: id, answer: "allow", remember };
  };
  const gauntlet = await openGauntlet(workspace, { onAsk });
  for (const name of ["b", "c"]) expect(await gauntlet.call(bash(`cp a.txt ../out/${name}`))).toMatchObject(ran);
  expect(asked).toBe(times);
});

test("a new worktree can be written to as long as the session is open", async () => {
  const repository = makeRepository();
  const onAsk = agreeable();
  const gauntlet = await openGauntlet(repository, { onAsk });
  expect(await gauntlet.call(bash("git worktree add --quiet ../tree -b topic"))).toMatchObject(ran);
  expect(await gauntlet.call(bash("echo two >> ../tree/a.txt"))).toMatchObject(ran);
  expect(onAsk.asked).toHaveLength(1);
  expect(readFileSync(path.join(repository.root, "../tree/a.txt"), "utf8")).toBe("one\ntwo\n");
});

test("where nobody answers, the refusal names a rule that does it instead", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const out = makeBeside(workspace);
  const gauntlet = await openGauntlet(workspace);
  const refused = await gauntlet.call(bash("cp a.txt ../out/b"));
  const rule = `Edit(/${out})`;
  expect(refused).toMatchObject({
    code: "approval_unavailable",
    recovery: expect.stringContaining(rule),
    permission: { suggestedRules: [rule] },
  });
  const ruled = await openGauntlet(workspace, { settings: { permissions: { allow: [rule] } } });
  expect(await ruled.call(bash("cp a.txt ../out/b"))).toMatchObject(ran);
});

test("a repository is cloned into the workspace and beside it after one question", async () => {
  const repository = makeRepository();
  const bare = path.join(repository.home, "r.git");
  execFileSync("git", ["clone", "--quiet", "--bare", repository.root, bare]);
  execFileSync("git", ["update-server-info"], { cwd: bare });
  const files = readdirSync(bare, { recursive: true, encoding: "utf8" });
  const pages = files
    .filter((name) => statSync(path.join(bare, name)).isFile())
    .map((name) => [`/r.git/${name}`, readFileSync(path.join(bare, name))] as const);
  const references = readFileSync(path.join(bare, "info/refs"));
  const { port } = await serve(() =>
    Object.fromEntries([...pages, ["/r.git/info/refs?service=git-upload-pack", references]]),
  );
  const onAsk = agreeable();
  const gauntlet = await openGauntlet(repository, { onAsk, settings: privately(port) });
  const url = `http://localhost:${port}/r.git`;
  for (const target of ["inside", "../outside"]) {
    const cloned = await gauntlet.call(bash(`git clone --quiet ${url} ${target}`));
    expect(cloned, JSON.stringify(cloned.model)).toMatchObject(ran);
    // The proxy is asked with the credential at once, so no refusal is told.
    expect(cloned.model.content.filter(({ label }) => label === "network")).toEqual([]);
    expect(readFileSync(path.join(repository.root, target, "a.txt"), "utf8")).toBe("one\n");
  }
  expect(onAsk.asked).toHaveLength(2);
});

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { agreeable, heldQuestion, openGauntlet } from "../support/gauntlet.ts";
import { asRepository } from "../support/repository.ts";
import { makeWorkspace } from "../support/workspace.ts";

const bash = (command: string) => ({ tool: "bash", input: { command } });

function makeRepository(files: Readonly<Record<string, string>> = {}) {
  const repository = asRepository(makeWorkspace({ "a.txt": "a\n", ".vscode/settings.json": "{}\n", ...files }));
  repository.git("init", "--quiet");
  repository.git("config", "user.name", "a");
  repository.git("config", "user.email", "a@b");
  repository.git("add", "--all");
  repository.git("commit", "--quiet", "--message", "first");
  return repository;
}

describe.each(["auto", "acceptEdits"] as const)("in %s, what the session itself puts into git's store", (mode) => {
  const evil = '{"evil":1}\n';
  test.each([
    ["git add evil.json", "echo x >> a.txt; git add a.txt && cp evil.json .vscode/settings.json"],
    ["git hash-object -w evil.json", "echo x >> a.txt; git add a.txt && cp evil.json .vscode/settings.json"],
    [
      "git add evil.json",
      "git update-index --add --cacheinfo 100644,$(git hash-object evil.json),.vscode/settings.json",
      "git checkout-index -f .vscode/settings.json",
    ],
    [
      "git add evil.json",
      "git update-index --add --cacheinfo 100644,$(git hash-object evil.json),.vscode/settings.json",
      "git commit -qm evil",
      "git reset -q --mixed HEAD",
      "git stash",
    ],
  ])("declassifies nothing: %s", async (...commands) => {
    const repository = makeRepository();
    repository.write("evil.json", evil);
    const gauntlet = await openGauntlet(repository, { mode });
    for (const command of commands) await gauntlet.call(bash(command));
    expect(readFileSync(repository.path(".vscode/settings.json"), "utf8")).toBe("{}\n");
  });
});

test("content that the user committed comes without a question, also on another branch", async () => {
  const repository = makeRepository();
  repository.git("checkout", "--quiet", "-b", "other");
  repository.write(".vscode/settings.json", '{"other":1}\n');
  repository.git("commit", "--quiet", "--all", "--message", "other");
  repository.git("checkout", "--quiet", "-");
  const gauntlet = await openGauntlet(repository, { mode: "auto" });
  expect(await gauntlet.call(bash("git checkout other"))).toMatchObject({ ok: true });
  expect(readFileSync(repository.path(".vscode/settings.json"), "utf8")).toBe('{"other":1}\n');
});

test("a patch does not copy a committed secret to another name unasked", async () => {
  const repository = makeRepository({ ".env": "API_TOKEN=sk-live-0123456789abcdef0123456789abcdef\n" });
  repository.write(
    "copy.patch",
    "diff --git a/.env b/open.txt\nsimilarity index 100%\ncopy from .env\ncopy to open.txt\n",
  );
  const gauntlet = await openGauntlet(repository, { mode: "auto" });
  expect(await gauntlet.call(bash("git apply copy.patch"))).toMatchObject({ ok: false });
  expect(existsSync(repository.path("open.txt"))).toBe(false);
});

test("a command that moved to the background and was stopped leaves nothing", async () => {
  const repository = makeRepository();
  const gauntlet = await openGauntlet(repository, { mode: "auto", settings: { limits: { foregroundMs: 200 } } });
  const { data } = await gauntlet.call(bash("touch made.txt; sleep 60"));
  expect(data?.job).toBeTypeOf("string");
  await gauntlet.call({ tool: "task_stop", input: { id: data?.job } });
  await gauntlet.close();
  expect(existsSync(repository.path("made.txt"))).toBe(false);
});

const show = (object: string) =>
  `node -e "console.log(require('child_process').execSync('git show ${object}').toString())"`;

test("a program does not print a denied file out of git's store", async () => {
  const repository = makeRepository({ "private/notes.txt": "the walrus sleeps\n" });
  const settings = { permissions: { deny: ["Read(./private/**)"] } };
  const gauntlet = await openGauntlet(repository, { settings, onAsk: agreeable() });
  const observation = await gauntlet.call(bash(show("HEAD:private/notes.txt")));
  expect(JSON.stringify(observation)).not.toContain("the walrus sleeps");
});

test("a program does not print a secret that is only staged", async () => {
  const repository = makeRepository();
  repository.write(".env", "WALRUS=the walrus sleeps\n");
  repository.git("add", "--force", ".env");
  const gauntlet = await openGauntlet(repository, { onAsk: agreeable() });
  const observation = await gauntlet.call(bash(show(":.env")));
  expect(JSON.stringify(observation)).not.toContain("the walrus sleeps");
});

test.each(["plan", "dontAsk"] as const)("a yes that comes after the mode became %s keeps nothing", async (mode) => {
  const repository = makeRepository();
  const question = heldQuestion();
  const gauntlet = await openGauntlet(repository, { onAsk: question.onAsk });
  const call = gauntlet.call(bash("touch new.txt"));
  const request = await question.asked;
  gauntlet.session.setMode(mode);
  question.reply({ request: request.id, answer: "allow" });
  expect(await call).toMatchObject({ code: "policy_denied" });
  expect(existsSync(repository.path("new.txt"))).toBe(false);
});

test.each([
  ["git mv lib library", "library/x.txt"],
  ["git clone -q . copy", "copy/lib/x.txt"],
])("git that an overlay refuses runs directly where git runs alone: %s", async (command, made) => {
  const repository = makeRepository({ "lib/x.txt": "x\n" });
  const gauntlet = await openGauntlet(repository, { onAsk: agreeable() });
  expect(await gauntlet.call(bash(command))).toMatchObject({ ok: true, data: { transaction: false } });
  expect(existsSync(repository.path(made))).toBe(true);
});

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { agreeable, direct, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const names = [".agents", ".claude", ".cursor", ".envrc", ".gauntlet", ".git", ".husky", ".mcp.json", ".vscode"];
/** Says that it runs, and goes on when it is told to. */
const waits = 'touch "$1-runs"; while [ ! -e "$1-may" ]; do sleep 0.02; done';
const plants = `for name in ${names.join(" ")}; do mkdir "$name" || echo x > "$name"; echo x > "$name/config"; done`;

/** A command that runs in a session of its own. */
async function begin(workspace: Workspace, script: string, name: string) {
  const { session } = await openGauntlet(workspace, { mode: "bypass", settings: direct, onAsk: agreeable() });
  const ended = session.call({ tool: "bash", input: { command: `bash ${script} ${name}` } });
  const runs = expect.poll(() => existsSync(workspace.path(`${name}-runs`)), { timeout: 20_000 }).toBe(true);
  // A refusal is told here, and not by the time that runs out.
  await Promise.race([runs, ended.then(({ model }) => expect(model.content).toEqual("still running"))]);
  return { ended };
}

test("names stay free for a command that found stand-ins of another runtime, also when that one ends first", async () => {
  const workspace = makeWorkspace({ "wait.sh": waits, "plant.sh": `${waits}\n${plants}\n` });
  const first = await begin(workspace, "wait.sh", "first");
  expect(readdirSync(workspace.root)).toEqual(expect.arrayContaining(names));
  const second = await begin(workspace, "plant.sh", "second");
  workspace.write("first-may", "");
  expect(await first.ended).toMatchObject({ ok: true });
  workspace.write("second-may", "");
  await second.ended;
  expect(readdirSync(workspace.root).filter((name) => names.includes(name))).toEqual([]);
});

test("git passes over those of directories, so that nobody commits them while a command runs", async () => {
  const workspace = makeWorkspace({ "wait.sh": waits });
  const git = (...words: string[]) => execFileSync("git", words, { cwd: workspace.root, encoding: "utf8" });
  git("init", "--quiet");
  const { ended } = await begin(workspace, "wait.sh", "it");
  git("add", "--all");
  expect(git("ls-files").trim().split("\n")).toEqual([".envrc", ".mcp.json", "it-runs", "wait.sh"]);
  workspace.write("it-may", "");
  expect(await ended).toMatchObject({ ok: true });
});

/** A process of its own, perhaps of another user, in which the battery runs. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { createGauntlet, type Gauntlet } from "../../src/index.ts";
import { battery, template, type Work } from "./battery.ts";
import { imageOf } from "./tree-image.ts";

export interface BatteryRequest {
  readonly uid?: number;
}

export type BatteryAnswer =
  | { readonly title: string; readonly code: string; readonly differences: readonly string[] }
  | { readonly done: true; readonly left: readonly string[] };

interface Ground {
  readonly root: string;
  readonly copy: string;
  readonly env: NodeJS.ProcessEnv;
  readonly gauntlet: Gauntlet;
}

async function runBattery({ uid }: BatteryRequest): Promise<void> {
  if (uid !== undefined) {
    process.setgroups?.([]);
    process.setgid?.(uid);
    process.setuid?.(uid);
  }
  process.umask(0o022);
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-battery-")));
  const [root, copy, home, state] = ["project", "template", "home", "state"].map((name) => path.join(base, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const directory of [root, copy, home]) mkdirSync(directory);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C.UTF-8" };
  execFileSync("/bin/bash", ["-e", "-c", template], { cwd: copy, env, stdio: ["ignore", "ignore", "inherit"] });
  process.env.PATH = env.PATH;
  const gauntlet = await createGauntlet({
    workspace: root,
    store: state,
    home,
    mode: "auto",
    settings: { permissions: { allow: ["Bash(git reset:*)", "Bash(git gc:*)"] } },
    onAsk: async ({ id }) => ({ request: id, answer: "allow", by: "user" }),
  });
  try {
    for (const work of battery) process.send?.(await compare(work, { root, copy, env, gauntlet }));
  } finally {
    await gauntlet.close();
  }
  const left = readdirSync(path.join(state, "transactions")).filter((name) => name.startsWith("txn_"));
  execFileSync("chmod", ["-R", "u+w", base]);
  rmSync(base, { recursive: true });
  process.send?.({ done: true, left } satisfies BatteryAnswer);
}

async function compare(work: Work, ground: Ground): Promise<BatteryAnswer> {
  const { root, env, gauntlet } = ground;
  reset(ground);
  const { status } = spawnSync("/bin/bash", ["-c", work.script], { cwd: root, env, stdio: "ignore" });
  if (status !== 0) throw new Error(`${work.title} fails without a view`);
  const plain = resultIn(work, ground);
  reset(ground);
  const [observation] = await gauntlet.session.batch([{ tool: "bash", input: { command: work.script, cwd: root } }]);
  const viewed = resultIn(work, ground);
  const differences = [...new Set([...Object.keys(plain), ...Object.keys(viewed)])].filter(
    (name) => plain[name] !== viewed[name],
  );
  return { title: work.title, code: observation?.code ?? "", differences: differences.sort() };
}

function reset({ root, copy, env }: Ground): void {
  const script = 'shopt -s dotglob nullglob; chmod -R u+w "$1"; rm -rf "$1"/*; cp -a "$2"/. "$1"';
  execFileSync("/bin/bash", ["-c", script, "bash", root, copy], { env, stdio: "ignore" });
}

/** Git's index holds inode numbers, and its files of objects depend on the order of work. */
const without = /^(?:.*\/)?\.git\/(?:.*\/)?(?:index|objects\/.*|ORIG_HEAD.lock|gc\.pid)$/;

function resultIn({ timed }: Work, { root, env }: Ground): Readonly<Record<string, string>> {
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", root, ...words], { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return {
    ...imageOf(root, { without, ...(timed === undefined ? {} : { timed }) }),
    "git status": git("status", "--porcelain=v2", "--branch"),
    "git objects": git("cat-file", "--batch-all-objects", "--batch-check"),
  };
}

process.once("message", (request: BatteryRequest) => {
  runBattery(request).then(() => process.disconnect());
});

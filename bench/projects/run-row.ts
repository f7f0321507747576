import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createGauntlet, type Mode } from "../../src/index.ts";
import { type Row, temporary } from "./find-projects.ts";
import { absent, type Entries, hashOf, type WorkTree } from "./tree.ts";

/** How a command ended, and what it left. */
export interface Ending {
  /** Exit code or signal; for a call that did not run, the runtime's code and reason. */
  readonly exit: string;
  readonly ran: boolean;
  readonly ms: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly entries: Entries;
  readonly git: Readonly<Record<string, string>>;
  readonly questions: { readonly before: number; readonly after: number };
  /** Why each question was asked. */
  readonly reasons: readonly string[];
}

const bareDeadlineMs = 600_000;
const noQuestions = { before: 0, after: 0 };

/** Variables that the runtime is told to pass on: what this machine needs to reach a registry. */
export const passed = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];

export async function runBare(row: Row, tree: WorkTree): Promise<Ending> {
  return runFrom(row, tree, async () => ({
    ...(await bash(row.command, row.cwd)),
    questions: noQuestions,
    reasons: [],
  }));
}

export async function runGauntlet(
  row: Row,
  tree: WorkTree,
  {
    mode,
    deadlineMs,
    privateHosts,
    untimed,
  }: { mode: Mode; deadlineMs: number; privateHosts: readonly string[]; untimed: boolean },
): Promise<Ending> {
  const store = mkdtempSync(path.join(os.tmpdir(), "gauntlet-projects-"));
  const questions = { before: 0, after: 0 };
  const reasons: string[] = [];
  let started = false;
  const gauntlet = await createGauntlet({
    workspace: row.cwd,
    store,
    mode,
    settings: { sandbox: { passEnvironment: passed }, network: { privateHosts: [...privateHosts] } },
    onNotice: ({ kind }) => {
      if (kind === "started") started = true;
    },
    onAsk: async ({ id, prompt }) => {
      reasons.push(prompt.reason);
      questions[started ? "after" : "before"]++;
      return { request: id, answer: "allow" };
    },
  });
  try {
    return await runFrom(row, tree, async () => {
      // As in a session that has run something before, on a view, while a model thinks: shells are started ahead.
      if (!untimed) {
        await gauntlet.call({ tool: "bash", input: { command: "sh -c true" } });
        await new Promise((resolve) => setTimeout(resolve, 500));
        started = false;
      }
      const from = performance.now();
      const { data, code, summary } = await gauntlet.call({
        tool: "bash",
        input: { command: row.command, timeout_ms: Math.round(deadlineMs) },
      });
      const ms = performance.now() - from;
      const exit = data?.exitCode ?? data?.signal;
      const ran = typeof exit === "number" || typeof exit === "string";
      const [stdout, stderr] = [String(data?.stdoutPreview ?? ""), String(data?.stderrPreview ?? "")];
      return { exit: ran ? String(exit) : `${code}: ${summary}`, ran, ms, stdout, stderr, questions, reasons };
    });
  } finally {
    await gauntlet.close();
    rmSync(store, { recursive: true, force: true });
  }
}

type Run = Pick<Ending, "exit" | "ran" | "ms" | "stdout" | "stderr" | "questions" | "reasons">;

async function runFrom({ setup, cwd }: Row, tree: WorkTree, run: () => Promise<Run>): Promise<Ending> {
  const known = git(cwd, "for-each-ref", "--format=%(objectname)").split("\n");
  try {
    if (setup !== undefined) {
      const made = await bash(setup, cwd);
      if (made.exit !== "0") throw new Error(`The setup failed: ${setup}\n${made.stderr}`);
    }
    const ran = await run();
    const rename = commitNames(cwd, known);
    const entries = new Map([...tree.changes(rename)].filter(([name]) => !isGitOwn(name)));
    return { ...ran, entries, git: gitState(cwd, rename) };
  } finally {
    for (const name of readdirSync("/tmp")) {
      if (`/tmp/${name}`.startsWith(temporary)) rmSync(`/tmp/${name}`, { recursive: true, force: true });
    }
    tree.reset();
    refreshIndex(cwd, tree);
  }
}

/** What git state tells better, or what no one notices: object names, the index with its inodes, logs. */
function isGitOwn(name: string): boolean {
  return /(?:^|\/)\.git\/(?:.*\/)?(?:objects|logs|index|packed-refs|refs|COMMIT_EDITMSG|ORIG_HEAD|gc\.log)(?:\/|$)/.test(
    name,
  );
}

async function bash(command: string, cwd: string): Promise<Omit<Run, "questions" | "reasons">> {
  const from = performance.now();
  const child = spawn("bash", ["--noprofile", "--norc", "-c", command], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on("data", (some: Buffer) => stdout.push(some));
  child.stderr.on("data", (some: Buffer) => stderr.push(some));
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), bareDeadlineMs);
  const exit = await new Promise<string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(String(code ?? signal)));
  });
  clearTimeout(timer);
  return {
    exit,
    ran: true,
    ms: performance.now() - from,
    stdout: String(Buffer.concat(stdout)),
    stderr: String(Buffer.concat(stderr)),
  };
}

/** Files that were put back have new inodes: without this, the next command would pay for a look into each of them. */
function refreshIndex(cwd: string, tree: WorkTree): void {
  git(cwd, "update-index", "-q", "--refresh");
  const index = git(cwd, "rev-parse", "--path-format=absolute", "--git-path", "index").trim();
  if (index !== "") tree.keep(index);
}

/**
 * Names new commits by what they hold. The runtime sets the environment of git itself, so dates, and with them the
 * hashes, are not the ones of the bare run.
 */
function commitNames(cwd: string, known: readonly string[]): (text: string) => string {
  const names = new Map<string, string>();
  const rename = (text: string) => text.replace(/\b[0-9a-f]{40}\b/g, (hash) => names.get(hash) ?? hash);
  const format = "--format=%H%x00%T %P %an %ae %cn %ce%n%B%x01";
  const order = ["--topo-order", "--reverse", "--all", "--reflog"];
  const listed = git(cwd, "log", ...order, format, "--not", ...known.filter((one) => one !== ""));
  for (const commit of listed.split("\x01")) {
    const [hash, content] = commit.trim().split("\0");
    if (hash !== undefined && content !== undefined) names.set(hash, `commit ${hashOf(rename(content))}`);
  }
  return rename;
}

function gitState(cwd: string, rename: (text: string) => string): Record<string, string> {
  const target = "%(if:equals=tag)%(objecttype)%(then)tag of %(*objectname) %(contents)%(else)%(objectname)%(end)";
  const state = {
    status: git(cwd, "status", "--porcelain", "--branch"),
    head: git(cwd, "rev-parse", "HEAD") + git(cwd, "symbolic-ref", "-q", "HEAD"),
    refs: git(cwd, "for-each-ref", `--format=%(refname) ${target}`),
    stash: git(cwd, "stash", "list", "--format=%gd %H %gs"),
    index: hashOf(git(cwd, "ls-files", "-s")),
    worktrees: git(cwd, "worktree", "list", "--porcelain"),
  };
  return Object.fromEntries(Object.entries(state).map(([part, text]) => [part, rename(text)]));
}

/** Empty where git fails: then both runs must fail alike. */
function git(cwd: string, ...args: string[]): string {
  try {
    const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0" };
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync("git", args, { cwd, env, stdio: [...stdio], encoding: "utf8", maxBuffer: 2 ** 28 });
  } catch {
    return "";
  }
}

export interface Difference {
  readonly what: "exit" | "files" | "left behind" | "git" | "caches" | "output";
  readonly detail: string;
}

/** What of `ours` is not as in `bare`, without what differs between two bare runs. */
export function compare(bare: Ending, ours: Ending, tree: WorkTree, noise?: Noise): readonly Difference[] {
  const differences: Difference[] = [];
  if (bare.exit !== ours.exit && !noise?.exit) {
    differences.push({ what: "exit", detail: `${ours.exit} instead of ${bare.exit}` });
  }
  for (const name of new Set([...bare.entries.keys(), ...ours.entries.keys()])) {
    const [expected, found] = [bare, ours].map(({ entries }) => entries.get(name) ?? tree.original(name));
    if (expected === found || noise?.isNoise(name)) continue;
    const isOurs = expected === absent && ours.ran && !name.includes(".git/");
    const what = isCache(name) ? "caches" : isOurs ? "left behind" : "files";
    differences.push({ what, detail: `${name}: ${found} instead of ${expected}` });
  }
  for (const [part, expected] of Object.entries(bare.git)) {
    if (ours.git[part] !== expected && !noise?.git.has(part)) differences.push({ what: "git", detail: part });
  }
  // Not counted: a hint where everything else agrees. The runtime shows only the beginning of a long output.
  if (!noise?.output && bare.stdout.length < 2_000 && bare.stdout.trim() !== ours.stdout.trim()) {
    differences.push({ what: "output", detail: `${ours.stdout.trim()} instead of ${bare.stdout.trim()}` });
  }
  return differences;
}

/** Only where the project does not track them: a policy may drop them, and nothing but time is lost. */
function isCache(name: string): boolean {
  const cache =
    /(?:^|\/)(?:__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.cache|\.vite|\.vite-temp|\.vitest|\.nyc_output|coverage)(?:\/|$)/;
  return cache.test(name) || /\.tsbuildinfo$|\.eslintcache$/.test(name);
}

interface Noise {
  readonly exit: boolean;
  readonly output: boolean;
  readonly git: ReadonlySet<string>;
  isNoise(name: string): boolean;
}

/** What two bare runs disagree about. Where one has a file that the other has not, its name is random. */
export function noiseOf(one: Ending, other: Ending, tree: WorkTree): Noise & { readonly any: boolean } {
  const names = new Set<string>();
  const directories: string[] = [];
  for (const name of new Set([...one.entries.keys(), ...other.entries.keys()])) {
    const found = [one, other].map(({ entries }) => entries.get(name) ?? tree.original(name));
    if (found[0] === found[1]) continue;
    names.add(name);
    if (found.includes(absent)) directories.push(`${path.dirname(name)}/`);
  }
  const differing = Object.keys(one.git).filter((part) => one.git[part] !== other.git[part]);
  const exit = one.exit !== other.exit;
  return {
    any: exit || names.size > 0 || differing.length > 0,
    exit,
    output: one.stdout !== other.stdout,
    git: new Set(differing),
    isNoise: (name) =>
      names.has(name) || directories.some((directory) => directory !== "./" && name.startsWith(directory)),
  };
}

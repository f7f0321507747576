import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type MutantReport, outcomesOf, survivorsOf } from "./mutant-report.ts";
import { type FileOutcome, mutationSection, readScore, scoreOf, withSection, writeScore } from "./score.ts";

/**
 * Mutation testing of the gate and what it judges by. Files are taken a few at a time, in an order that mixes the
 * folders, and whatever was finished counts: stopping it early leaves a score over a fair sample. What has not
 * changed since it was measured is not measured again.
 */
const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    /** Only files whose path contains this. */
    only: { type: "string", default: "" },
    /** Try one change in so many, picked by chance. */
    every: { type: "string", default: "1" },
    /** Measure again what is measured already. */
    again: { type: "boolean", default: false },
  },
});

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const page = path.join(root, "docs/benchmarks.md");
/** Reports. Nothing in it is needed again. */
const workshop = path.join(root, "node_modules/.cache/mutation");
/** Where the copies of the project and what the tests write are kept. */
const scratch = mkdtempSync(path.join(os.tmpdir(), "gauntlet-mutation-"));
process.once("exit", () => rmSync(scratch, { recursive: true, force: true }));
/** Each test makes its files anew, for each mutant: on a disk that takes most of the time. */
const inMemory =
  process.platform === "linux" ? ["bwrap", "--dev-bind", "/", "/", "--tmpfs", scratch, "--die-with-parent"] : [];
const linesAtOnce = 2_000;

process.chdir(root);
mkdirSync(workshop, { recursive: true });
const base = JSON.parse(readFileSync("bench/mutation/stryker.config.json", "utf8")) as {
  readonly mutate: readonly string[];
  readonly plugins: readonly string[];
};
const files = filesToMutate(base.mutate);
const outcomes = stillTrue(readScore().outcomes);
const every = Number(flags.every);
const deadline = Date.now() + Number(flags.minutes) * 60_000;
const waiting = files.filter((file) => file.includes(flags.only) && (flags.again || outcomes[file] === undefined));
const chunks = chunksOf(waiting.toSorted(byHash));
say(`${files.length} files, ${waiting.length} to measure in ${chunks.length} steps, at most ${flags.minutes} minutes`);

for (const [index, chunk] of chunks.entries()) {
  const left = deadline - Date.now();
  if (left <= 0) break;
  const report = await measure(chunk, left);
  if (report === undefined) {
    say(`step ${index + 1} did not come to an end, so it does not count: ${chunk.join(" ")}`);
    continue;
  }
  Object.assign(outcomes, outcomesOf(report, chunk, { every, hashOf }));
  writeScore({ files: files.length, outcomes });
  writeFileSync(path.join(workshop, `survivors-${hashOf(chunk[0] ?? "")}.txt`), survivorsOf(report));
  say(`step ${index + 1} of ${chunks.length}: ${(scoreOf(Object.values(outcomes)) * 100).toFixed(1)} % so far`);
}
writeScore({ files: files.length, outcomes });
const section = mutationSection({ files: files.length, outcomes });
writeFileSync(page, withSection(readFileSync(page, "utf8"), section));
process.stdout.write(`${section.join("\n")}\n`);
say(`what survived is listed in ${path.relative(root, workshop)}/survivors-*.txt`);

/** The report, or nothing when the time was over before it was written. */
async function measure(chunk: readonly string[], leftMs: number): Promise<MutantReport | undefined> {
  const name = hashOf(chunk[0] ?? "");
  const [config, report] = [path.join(workshop, `${name}.config.json`), path.join(workshop, `${name}.report.json`)];
  rmSync(report, { force: true });
  const own = {
    ...base,
    mutate: chunk,
    every,
    jsonReporter: { fileName: report },
    plugins: base.plugins.map((plugin) => path.resolve(plugin)),
    tempDirName: path.join(scratch, "stryker"),
  };
  writeFileSync(config, JSON.stringify(own));
  await runStryker(config, leftMs);
  return existsSync(report) ? (JSON.parse(readFileSync(report, "utf8")) as MutantReport) : undefined;
}

/** In a process group of its own, so that its workers end with it. */
function runStryker(config: string, leftMs: number): Promise<void> {
  const [program = "", ...args] = [...inMemory, "stryker", "run", config];
  const child = spawn(program, args, {
    env: { ...process.env, PATH: `${root}/node_modules/.bin:${process.env.PATH}`, TMPDIR: scratch },
    stdio: ["ignore", process.stderr, process.stderr],
    detached: true,
  });
  const end = () => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  };
  const timer = setTimeout(end, leftMs);
  const stopped = () => {
    end();
    process.exit(130);
  };
  process.once("SIGINT", stopped).once("SIGTERM", stopped);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => {
      clearTimeout(timer);
      process.off("SIGINT", stopped).off("SIGTERM", stopped);
      resolve();
    });
  });
}

function filesToMutate(patterns: readonly string[]): readonly string[] {
  const without = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  const wanted = globSync(patterns.filter((pattern) => !pattern.startsWith("!")));
  return wanted.filter((file) => !without.some((pattern) => path.matchesGlob(file, pattern))).toSorted();
}

function stillTrue(known: Readonly<Record<string, FileOutcome>>): Record<string, FileOutcome> {
  return Object.fromEntries(
    Object.entries(known).filter(([file, one]) => files.includes(file) && one.hash === hashOf(file)),
  );
}

/** Of a file's text. */
function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 16);
}

function chunksOf(list: readonly string[]): readonly (readonly string[])[] {
  const all: string[][] = [];
  let lines = Number.POSITIVE_INFINITY;
  for (const file of list) {
    const own = readFileSync(file, "utf8").split("\n").length;
    if (lines + own > linesAtOnce) {
      all.push([]);
      lines = 0;
    }
    all.at(-1)?.push(file);
    lines += own;
  }
  return all;
}

/** The same order every time, and no folder before another. */
function byHash(a: string, b: string): number {
  return digest(a) < digest(b) ? -1 : 1;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function say(what: string): void {
  process.stderr.write(`mutation: ${what}\n`);
}

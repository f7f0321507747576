/**
 * `npm run bench:projects -- --dir DIR`: do everyday commands end as in bare bash when a user says yes to every question?
 * Every subdirectory of DIR is a checkout. Each row runs in bare bash and through the runtime, at the same path, and
 * where they differ once more in bare bash; after each run the checkout is reset from a copy in `DIR/.pristine`. Delete
 * that copy after changing a checkout.
 * Only one run at a time may use a DIR: whatever appears beside a checkout is taken for the command's and removed.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { Mode } from "../../src/index.ts";
import { describeMachine } from "../agent/page.ts";
import { writeSection } from "../section.ts";
import { findProjects, type Project, type Row } from "./find-projects.ts";
import { generateProjects } from "./generated.ts";
import { details, isSame, isSlow, oneLine, type Result, tables } from "./report.ts";
import { compare, type Ending, noiseOf, passed, runBare, runGauntlet } from "./run-row.ts";
import { WorkTree } from "./tree.ts";

const { values: flags } = parseArgs({
  options: {
    dir: { type: "string" },
    /** Names of projects, separated by commas. */
    only: { type: "string" },
    /** Only commands that contain this text. */
    match: { type: "string" },
    mode: { type: "string", default: "default" },
    json: { type: "string" },
    user: { type: "string" },
    home: { type: "string" },
    /** `host:port` of a registry that this machine reaches at a private address. */
    "private-host": { type: "string", multiple: true, default: [] },
    /** Each project takes one of so many of the usual commands; 1 for all of them. */
    share: { type: "string", default: "4" },
    /** Runs nothing: reports what `--json` wrote. Of rows in several files, the last one counts. */
    from: { type: "string", multiple: true, default: [] },
    /** Makes small projects in a temporary directory, in the place of `--dir`. */
    generated: { type: "boolean", default: false },
    /** Only the commands of a project's own list. */
    listed: { type: "boolean", default: false },
    /** Only how commands end: nothing is started ahead, so the times say nothing. */
    untimed: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});
if (flags.user !== undefined && process.getuid?.() !== Number(flags.user)) process.exit(runAs(flags.user));

cleanEnvironment();
const modes: readonly Mode[] =
  flags.mode === "both" ? ["default", "auto"] : flags.mode === "auto" ? ["auto"] : ["default"];
const generated = flags.generated ? await generateProjects() : undefined;
Object.assign(process.env, generated?.environment);
const privateHosts = [...flags["private-host"], ...(generated === undefined ? [] : [generated.registry])];
const directory = path.resolve(generated?.directory ?? flags.dir ?? "");
const results: Result[] = flags.from.length > 0 ? readResults(flags.from) : [];
if (flags.from.length === 0) await measureAll();

const report = [...tables(results), ...details(results)];
process.stdout.write(`\n${report.join("\n")}\n`);
if (flags.write) {
  const user = results[0]?.user ?? "root";
  writeSection(`projects as ${user}`, [
    `## Real projects, as ${user}`,
    "",
    `Written by \`npm run bench:projects\`: everyday commands in prepared checkouts, each in bare bash and through the runtime with a user who says yes to every question. A row is the same if exit code, files and git state are. Slow: more than 1.5 times bare and 0.2 s. On ${describeMachine()}.`,
    "",
    ...tables(results),
  ]);
}

async function measureAll(): Promise<void> {
  if (generated === undefined && (flags.dir === undefined || !existsSync(directory))) {
    throw new Error("--dir must name a directory with checkouts; --generated makes some.");
  }
  const wanted = flags.only?.split(",");
  try {
    for (const project of findProjects(directory, flags.listed ? 0 : Number(flags.share))) {
      if (wanted !== undefined && !wanted.includes(project.name)) continue;
      await measure(project);
    }
  } finally {
    generated?.remove();
  }
}

function readResults(files: readonly string[]): Result[] {
  const read = files.flatMap((file): Result[] => JSON.parse(readFileSync(file, "utf8")));
  const keyed = new Map(
    read.map((one) => [
      [one.user, one.project, one.mode, one.setup, one.command.replace(/row-\d+-/g, "")].join(" "),
      one,
    ]),
  );
  return [...keyed.values()];
}

async function measure({ name, root, cwd, kinds, rows }: Project): Promise<void> {
  const chosen = rows.filter(({ command }) => command.includes(flags.match ?? ""));
  if (flags.list) {
    for (const { command, setup } of chosen)
      console.log(`${name}: ${setup === undefined ? "" : `[${oneLine(setup, 60)}] `}${oneLine(command, 150)}`);
    return;
  }
  const tree = new WorkTree(root, path.join(directory, ".pristine", name));
  await runBare({ command: "true", cwd }, tree);
  for (const row of chosen) {
    try {
      await measureRow(row, tree);
      if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(results, null, 2)}\n`);
    } catch (error) {
      console.log(`SKIPPED ${name} ${oneLine(row.command, 90)}: ${error}`);
      process.exitCode = 1;
    }
  }

  async function measureRow(row: Row, tree: WorkTree): Promise<void> {
    const bare = await runBare(row, tree);
    for (const mode of modes) {
      const deadlineMs = Math.max(30_000, 5 * bare.ms);
      const ours = await runGauntlet(row, tree, { mode, deadlineMs, privateHosts, untimed: flags.untimed });
      const isEqual = compare(bare, ours, tree).length === 0;
      const noise = isEqual ? undefined : noiseOf(bare, await runBare(row, tree), tree);
      const differences = compare(bare, ours, tree, noise);
      const result: Result = {
        user: process.getuid?.() === 0 ? "root" : "a user",
        project: name,
        kinds,
        command: row.command,
        ...(row.setup === undefined ? {} : { setup: row.setup }),
        mode,
        bareExit: bare.exit,
        exit: ours.exit,
        differences,
        nondeterministic: noise?.any === true,
        ...(differences.length === 0 ? {} : { outputs: [lastOf(bare), lastOf(ours)] }),
        questions: ours.questions,
        reasons: ours.reasons,
        bareMs: bare.ms,
        ms: ours.ms,
      };
      results.push(result);
      const mark = isSame(result) ? "same" : "DIFF";
      const times = `${Math.round(result.bareMs)} → ${Math.round(result.ms)} ms${isSlow(result) ? " slow" : ""}`;
      const asked = `${ours.questions.before}+${ours.questions.after} asked`;
      console.log(
        `${mark} ${name} [${mode}] ${oneLine(row.command, 90)}  (${times}, ${asked}${noise?.any ? ", nondeterministic" : ""})`,
      );
    }
  }
}

function lastOf({ stdout, stderr }: Ending): string {
  return `${stdout.slice(-800)}\n${stderr.slice(-800)}`;
}

/** The same environment for bare bash and for the runtime: what a login gives, and fixed dates for commits. */
function cleanEnvironment(): void {
  const home = flags.home ?? process.env.HOME ?? "/";
  const directories = (process.env.PATH ?? "").split(":").filter((one) => !/node_modules|node-gyp-bin/.test(one));
  const environment: Record<string, string | undefined> = {
    ...Object.fromEntries(["USER", "LOGNAME", "SHELL", "LANG", ...passed].map((name) => [name, process.env[name]])),
    HOME: home,
    PATH: directories.join(":"),
    TERM: "dumb",
    GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
    GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
    GIT_EDITOR: "true",
  };
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) process.env[name] = value;
}

/** Starts this program again as that user, with the user's own home directory. */
function runAs(user: string): number {
  const entry = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((line) => line.split(":")[2] === user)
    ?.split(":");
  if (entry === undefined) throw new Error(`There is no user with the id ${user}.`);
  const [name = "", , , group = user, , home = "/"] = entry;
  const PATH = (process.env.PATH ?? "")
    .split(":")
    .filter((one) => !one.startsWith("/root"))
    .join(":");
  const args = ["--reuid", user, "--regid", group, "--init-groups", process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, HOME: home, USER: name, LOGNAME: name, PATH };
  return spawnSync("setpriv", args, { stdio: "inherit", env }).status ?? 1;
}

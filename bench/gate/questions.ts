/**
 * `npm run bench:questions`: how many questions does a user get in default mode, before and after the run? Really runs
 * the harmless commands in the project of the gate benchmark, the scripted tasks of the agent benchmark and the commands
 * of the generated projects, with a user who says yes. `--checkout DIR` measures another version of this repository with the same commands.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { Gauntlet, IntentInput, Observation } from "../../src/index.ts";
import { gauntlet as contestant } from "../agent/contestants.ts";
import { describeMachine } from "../agent/page.ts";
import { makeProject } from "../agent/sample-project.ts";
import { type Scenario, scenarios } from "../agent/scenarios.ts";
import { findProjects } from "../projects/find-projects.ts";
import { generateProjects } from "../projects/generated.ts";
import { WorkTree } from "../projects/tree.ts";
import { writeSection } from "../section.ts";
import { commandIn, readCorpora } from "./corpus.ts";
import { makeGateProject } from "./gate-project.ts";

const { values: flags } = parseArgs({
  options: {
    checkout: { type: "string", default: path.resolve(import.meta.dirname, "../..") },
    /** Each question on a line. */
    verbose: { type: "boolean", default: false },
    /** One of `harmless`, `tasks`, `everyday`. */
    only: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const { createGauntlet }: typeof import("../../src/index.ts") = await import(
  path.resolve(flags.checkout, "src/index.ts")
);

/** Long enough for every row: a command that is stopped could still have asked. */
const timeoutMs = 60_000;

interface Count {
  commands: number;
  before: number;
  after: number;
  /** Not asked but refused. */
  refused: number;
}

const top = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-questions-")));
try {
  const rows = [];
  for (const [name, count] of Object.entries({
    harmless: countHarmless,
    tasks: countTasks,
    everyday: countEveryday,
  })) {
    if (flags.only === undefined || flags.only === name) rows.push({ name, count: await count() });
  }
  const lines = table(rows);
  if (flags.write) {
    const about = `Written by \`npm run bench:questions\`: the harmless commands of the gate benchmark, the scripted tasks of the agent benchmark and the commands of the generated projects, really run in \`default\` mode with a user who says yes. On ${describeMachine()}.`;
    writeSection("questions", ["## Questions", "", about, "", ...lines]);
  } else process.stdout.write(`${lines.join("\n")}\n`);
} finally {
  rmSync(top, { recursive: true, force: true });
}

async function countHarmless(): Promise<Count> {
  const project = makeGateProject();
  const count = { commands: 0, before: 0, after: 0, refused: 0 };
  const home = path.join(path.dirname(project.root), "home");
  try {
    const tree = new WorkTree(project.root, path.join(top, "pristine"));
    for (const entry of readCorpora().harmless) {
      // Neither a change, an answer nor the directory of the shell may be there for the next command.
      const session = await open(project.root, home, count);
      const command = commandIn(project.root, entry);
      await session.run({ tool: "bash", input: { command, timeout_ms: timeoutMs } }, command);
      await session.close();
      tree.reset();
    }
  } finally {
    project.remove();
  }
  return count;
}

async function countTasks(): Promise<Count> {
  const [root, home] = [path.join(top, "sample/project"), path.join(top, "sample/home")];
  for (const directory of [root, home]) mkdirSync(directory, { recursive: true });
  makeProject(root);
  const count = { commands: 0, before: 0, after: 0, refused: 0 };
  for (const scenario of Object.values<Scenario>(scenarios)) {
    const session = await open(root, home, count);
    let last = "";
    for (const operation of scenario.turns.flat()) {
      const said = contestant.call(operation, last);
      if (typeof said !== "object" || !("call" in said)) continue;
      last = JSON.stringify(await session.run({ tool: said.call, input: said.input }, said.call));
    }
    await session.close();
  }
  return count;
}

/** Most of these change something. */
async function countEveryday(): Promise<Count> {
  const count = { commands: 0, before: 0, after: 0, refused: 0 };
  const generated = await generateProjects();
  Object.assign(process.env, generated.environment);
  try {
    for (const { name, root, rows } of findProjects(generated.directory, 0)) {
      const tree = new WorkTree(root, path.join(top, "everyday", name));
      for (const { command, setup = "true", cwd } of rows) {
        execFileSync("bash", ["-c", setup], { cwd, stdio: "ignore" });
        const session = await open(root, generated.environment.HOME, count, [generated.registry]);
        await session.run({ tool: "bash", input: { command, timeout_ms: timeoutMs } }, command);
        await session.close();
        tree.reset();
      }
    }
  } finally {
    generated.remove();
  }
  return count;
}

interface Counted {
  run(intent: IntentInput, name: string): Promise<Observation>;
  close(): Promise<void>;
}

async function open(
  workspace: string,
  home: string,
  count: Count,
  privateHosts: readonly string[] = [],
): Promise<Counted> {
  const store = mkdtempSync(path.join(top, "store-"));
  let started = false;
  let name = "";
  const gauntlet: Gauntlet = await createGauntlet({
    workspace,
    store,
    home,
    mode: "default",
    settings: { network: { privateHosts: [...privateHosts] } },
    onNotice: ({ kind }) => {
      if (kind === "started") started = true;
    },
    onAsk: async ({ id, prompt }) => {
      count[started ? "after" : "before"]++;
      if (flags.verbose) console.log(`${JSON.stringify(name)}: ${prompt.reason}`);
      return { request: id, answer: "allow" };
    },
  });
  return {
    async run(intent, called) {
      [started, name] = [false, called];
      count.commands++;
      const observation = await gauntlet.call(intent);
      if (observation.code === "policy_denied") count.refused++;
      return observation;
    },
    async close() {
      await gauntlet.close();
      rmSync(store, { recursive: true, force: true });
    },
  };
}

function table(rows: readonly { readonly name: string; readonly count: Count }[]): string[] {
  const sum = (part: keyof Count) => rows.reduce((total, { count }) => total + count[part], 0);
  const all = { commands: sum("commands"), before: sum("before"), after: sum("after"), refused: sum("refused") };
  return [
    "| | commands | questions before the run | after | questions a command | refused |",
    "|---|---:|---:|---:|---:|---:|",
    ...[...rows, { name: "**all**", count: all }].map(
      ({ name, count: { commands, before, after, refused } }) =>
        `| ${name} | ${commands} | ${before} | ${after} | ${((before + after) / commands).toFixed(3)} | ${refused} |`,
    ),
  ];
}

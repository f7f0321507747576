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
import { gauntlet as contestant } from "../agent/contestants.ts";
import { describeMachine } from "../agent/page.ts";
import { makeProject } from "../agent/sample-project.ts";
import { type Scenario, scenarios } from "../agent/scenarios.ts";
import { findProjects } from "../projects/find-projects.ts";
import { generateProjects } from "../projects/generated.ts";
import { WorkTree } from "../projects/tree.ts";
import { writeSection } from "../section.ts";
import {
  type CountOptions,
  countHarmless,
  noQuestions,
  openCounted,
  type Questions,
  timeoutMs,
} from "./count-questions.ts";

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

const options: CountOptions = {
  createGauntlet,
  ...(flags.verbose && { onQuestion: (command, reason) => console.log(`${JSON.stringify(command)}: ${reason}`) }),
};
const top = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-questions-")));
try {
  const rows = [];
  for (const [name, count] of Object.entries({
    harmless: () => countHarmless(options),
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

async function countTasks(): Promise<Questions> {
  const [root, home] = [path.join(top, "sample/project"), path.join(top, "sample/home")];
  for (const directory of [root, home]) mkdirSync(directory, { recursive: true });
  makeProject(root);
  const count = noQuestions();
  for (const scenario of Object.values<Scenario>(scenarios)) {
    const session = await openCounted({ ...options, workspace: root, home, count });
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
async function countEveryday(): Promise<Questions> {
  const count = noQuestions();
  const generated = await generateProjects();
  Object.assign(process.env, generated.environment);
  try {
    for (const { name, root, rows } of findProjects(generated.directory, 0)) {
      const tree = new WorkTree(root, path.join(top, "everyday", name));
      for (const { command, setup = "true", cwd } of rows) {
        execFileSync("bash", ["-c", setup], { cwd, stdio: "ignore" });
        const session = await openCounted({
          ...options,
          workspace: root,
          home: generated.environment.HOME,
          count,
          privateHosts: [generated.registry],
        });
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

function table(rows: readonly { readonly name: string; readonly count: Questions }[]): string[] {
  const sum = (part: keyof Questions) => rows.reduce((total, { count }) => total + count[part], 0);
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

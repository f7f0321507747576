// The whole story without a model: a scripted list of intents on a small broken project, through the real
// pipeline, tools and sandbox, and the audit chain that it leaves.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { styleText } from "node:util";

const place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-demo-"));
const workspace = path.join(place, "greeting");
process.env.GAUNTLET_HOME = path.join(place, "state");

const project = {
  "greet.sh": '#!/bin/sh\n# Greets whoever is named.\necho "Hello, $2!"\n',
  "test.sh":
    '#!/bin/sh\nout=$(sh greet.sh World)\n[ "$out" = "Hello, World!" ] && echo "1 passed" || { echo "FAIL: got $out"; exit 1; }\n',
  "README.md": "# greeting\n\nRun the tests with `sh test.sh`.\n",
  ".env": "TOKEN=a-secret-that-nobody-should-read\n",
};

const script = [
  {
    says: "Look around, three reads side by side.",
    batch: [
      { tool: "list", input: { path: "." } },
      { tool: "read", input: { path: "test.sh" } },
      { tool: "read", input: { path: "greet.sh" } },
    ],
  },
  {
    says: "Run the tests. That executes project code, so somebody is asked.",
    tool: "bash",
    input: { command: "sh test.sh" },
  },
  {
    says: "The argument is the first one, not the second.",
    tool: "edit",
    input: { path: "greet.sh", old_string: "$2", new_string: "$1" },
  },
  { says: "Run them again.", tool: "bash", input: { command: "sh test.sh" } },
  { says: "Try to read a secret with the file tool …", tool: "read", input: { path: ".env" } },
  { says: "… and with the shell: the same policy, whatever the tool.", tool: "bash", input: { command: "cat .env" } },
  { says: "Try something destructive outside.", tool: "bash", input: { command: "rm -rf ~/" } },
  { says: "Call a tool that does not exist.", tool: "raed", input: {} },
];

const title = (text) => console.log(`\n${styleText("bold", text)}`);
const quiet = (text) => styleText("dim", text);

const { createGauntlet } = await import("../dist/index.js").catch((error) => {
  console.error(`demo: ${error.message}\nRun \`npm start\`, which builds first.`);
  process.exit(1);
});

let failed = false;
try {
  mkdirSync(workspace, { recursive: true });
  for (const [name, content] of Object.entries(project)) writeFileSync(path.join(workspace, name), content);
  console.log(quiet(`A small broken project in ${workspace}`));

  const asked = [];
  const gauntlet = await createGauntlet({
    workspace,
    onAsk: async (request) => {
      asked.push(request);
      console.log(`  ${styleText("yellow", "?")} ${request.prompt.title}  ${quiet(request.prompt.reason)}`);
      console.log(`    ${styleText("cyan", request.prompt.action.split("\n").join("\n    "))}`);
      console.log(`    ${styleText("green", "allowed once by the demo")}`);
      return { request: request.id, answer: "allow", remember: "once", by: "the demo" };
    },
  });
  const observations = [];
  try {
    for (const step of script) {
      title(step.says);
      const results = step.batch === undefined ? [await gauntlet.call(step)] : await gauntlet.batch(step.batch);
      for (const observation of results) {
        observations.push(observation);
        const mark = observation.ok
          ? styleText("green", "✓")
          : styleText("red", observation.status === "denied" ? "⊘" : "✗");
        console.log(
          `  ${mark} ${observation.title}  ${quiet(observation.ok ? observation.summary : `${observation.code}: ${observation.summary}`)}`,
        );
      }
    }
  } finally {
    await gauntlet.close();
  }

  const edit = observations.find((observation) => observation.tool === "edit");
  title("Every step left a fact. Why did the edit happen?");
  run("audit", "why", edit.auditId);
  title("And the chain holds.");
  run("audit", "verify");

  const runs = observations.filter((observation) => observation.tool === "bash").map((observation) => observation.ok);
  const leaked = JSON.stringify(observations).includes("a-secret-that-nobody-should-read");
  failed = leaked || runs[0] !== false || runs[1] !== true || asked.length === 0;
} finally {
  rmSync(place, { recursive: true, force: true });
}
if (failed) {
  console.error("\ndemo: this is not the story that should have been told.");
  process.exit(1);
}

function run(...args) {
  const bin = path.join(import.meta.dirname, "..", "bin", "gauntlet.mjs");
  const { status } = spawnSync(process.execPath, [bin, ...args], { stdio: "inherit" });
  if (status !== 0) throw new Error(`gauntlet ${args.join(" ")} ended with ${status}`);
}

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { version } from "../../src/version.ts";
import { floor, gauntlet } from "./contestants.ts";
import { readFigures } from "./figures.ts";
import { installPeers, installTokenizer } from "./install-peers.ts";
import { measureAgents } from "./measure-agents.ts";
import { describeMachine, publish } from "./page.ts";
import { makeProject } from "./sample-project.ts";

const { values } = parseArgs({
  options: {
    /** From npm on first use, for example `pi,codex`. */
    peers: { type: "string", default: "" },
    rounds: { type: "string", default: "3" },
    /** Prints what was measured, and keeps what is on the page. */
    "dry-run": { type: "boolean", default: false },
  },
});
const asked = values.peers.split(",").filter((name) => name !== "");
const names = asked.includes("codex") ? [...asked, "codex-sandboxed"] : asked;
const peers = installPeers(names);
const countTokens = names.length === 0 ? undefined : installTokenizer();

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-agent-bench-")));
try {
  const [project, homes] = [path.join(base, "project"), path.join(base, "homes")];
  mkdirSync(project);
  makeProject(project);
  const entrants = [
    { contestant: gauntlet, label: `gauntlet ${version}` },
    { contestant: floor, label: "floor" },
    ...peers,
  ];
  const rounds = Number(values.rounds);
  const agents = await measureAgents(entrants, { rounds, project, homes, countTokens, say });
  if (values["dry-run"]) process.stdout.write(`${JSON.stringify(agents, null, 2)}\n`);
  else {
    const soak = readFigures()?.soak;
    publish({
      machine: describeMachine(),
      rounds,
      agents: [...agents],
      ...(soak === undefined ? {} : { soak }),
    });
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}

function say(what: string): void {
  process.stderr.write(`bench: ${what}\n`);
}

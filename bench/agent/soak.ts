import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { median } from "../measure.ts";
import { gauntlet } from "./contestants.ts";
import { readFigures, type SoakFigures } from "./figures.ts";
import { describeMachine, publish } from "./page.ts";
import { type AgentRun, runAgent } from "./run-agent.ts";
import { makeProject } from "./sample-project.ts";
import { soakScenario } from "./scenarios.ts";

const turns = 2_000;
const early = 200;
/** Turns that the cost is taken over. */
const span = 100;

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-soak-")));
try {
  const project = path.join(base, "project");
  mkdirSync(project);
  makeProject(project);
  const soak = soakOf(await runAgent(gauntlet, soakScenario(turns), { project, home: path.join(base, "home") }));
  const { machine = describeMachine(), rounds = 0, agents = [] } = readFigures() ?? {};
  publish({ machine, rounds, agents, soak });
  const kept =
    soak.residentMbLate <= 1.15 * soak.residentMbEarly && soak.processorMsLate <= 1.1 * soak.processorMsEarly;
  process.exitCode = kept ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}

/** Memory as the most of some turns around: it goes up and down with what is collected. */
function soakOf({ figures, overheadMs }: AgentRun): SoakFigures {
  const resident = (turn: number) =>
    Math.max(...figures.slice(turn - span, turn + 1).map(({ residentBytes }) => residentBytes)) / 2 ** 20;
  const processor = (turn: number) =>
    ((figures[turn]?.processorMs ?? 0) - (figures[turn - span]?.processorMs ?? 0)) / span;
  const overhead = (turn: number) => median(overheadMs.slice(turn - span, turn));
  return {
    turns,
    residentMbEarly: resident(early),
    residentMbLate: resident(turns),
    processorMsEarly: processor(early),
    processorMsLate: processor(turns),
    overheadMsEarly: overhead(early),
    overheadMsLate: overhead(turns),
  };
}

import path from "node:path";
import { median } from "../measure.ts";
import type { Contestant } from "./contestants.ts";
import type { AgentFigures } from "./figures.ts";
import { type AgentRun, runAgent } from "./run-agent.ts";
import { bigBytes, bigLine, rereadLines, type ScenarioName, scenarios } from "./scenarios.ts";

export interface Entrant {
  readonly contestant: Contestant;
  readonly label: string;
}

type Runs = Readonly<Record<ScenarioName, AgentRun[]>>;

/** Rounds outside, agents inside: a slow moment of the machine hits all of them. */
export async function measureAgents(
  entrants: readonly Entrant[],
  options: {
    readonly rounds: number;
    readonly project: string;
    readonly homes: string;
    readonly countTokens?: ((text: string) => number) | undefined;
    readonly say: (what: string) => void;
  },
): Promise<readonly AgentFigures[]> {
  const names = Object.keys(scenarios) as ScenarioName[];
  const all = new Map(entrants.map(({ label }) => [label, emptyRuns()]));
  const place = (contestant: Contestant) => ({
    project: options.project,
    home: path.join(options.homes, contestant.name),
  });
  // The first start fills what an agent caches for later ones. The second may still write it.
  for (const { contestant } of entrants) {
    for (let start = 0; start < 2; start++) await runAgent(contestant, scenarios.read, place(contestant));
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const name of names) {
      options.say(`round ${round + 1} of ${options.rounds}, ${scenarios[name].name}`);
      for (const { contestant, label } of entrants) {
        const run = await runAgent(contestant, scenarios[name], {
          ...place(contestant),
          keepBodies: name === "big",
        });
        all.get(label)?.[name].push(run);
      }
    }
  }
  return [...all].map(([label, runs]) => summarizeRuns(label, runs, options.countTokens));
}

function emptyRuns(): Runs {
  return { text: [], read: [], tenReads: [], shell: [], search: [], big: [], long: [] };
}

function summarizeRuns(label: string, runs: Runs, countTokens?: (text: string) => number): AgentFigures {
  const overhead = (name: ScenarioName) => median(runs[name].map(({ overheadMs }) => median(overheadMs)));
  const firstBody = runs.text[0]?.firstBody ?? "";
  return {
    label,
    startMs: median(runs.text.map(({ startMs }) => startMs)),
    startProcessorMs: median(runs.text.map(({ figures }) => figures[0]?.processorMs ?? Number.NaN)),
    readMs: overhead("read"),
    readProcessorMs: median(runs.long.map(({ figures }) => processorPerTurn(figures))),
    shellMs: overhead("shell"),
    searchMs: overhead("search"),
    tenReadsMs: overhead("tenReads"),
    firstBytes: Buffer.byteLength(firstBody),
    ...(countTokens === undefined ? {} : { firstTokens: countTokens(firstBody) }),
    growth: median(runs.long.map(({ overheadMs }) => median(overheadMs.slice(-21)) / median(overheadMs.slice(9, 30)))),
    longResidentMb: median(runs.long.map(({ figures }) => (figures.at(-1)?.residentBytes ?? 0) / 2 ** 20)),
    longWrittenMb: median(runs.long.map(({ writtenBytes }) => writtenBytes / 1e6)),
    ...bigFigures(runs.big),
  };
}

function processorPerTurn(figures: AgentRun["figures"]): number {
  const [first, last] = [figures[0], figures.at(-1)];
  return ((last?.processorMs ?? 0) - (first?.processorMs ?? 0)) / (figures.length - 1);
}

/** What of 5.1 MB a model got to see, was told, and could still read. */
function bigFigures(runs: readonly AgentRun[]) {
  const [run] = runs;
  const [, shown = "", ...reread] = run?.bodies ?? [];
  const told = [bigBytes.toLocaleString("en-US"), String(bigBytes)];
  // Not the line that was asked for: that stands in the question as well.
  const found = rereadLines.map((line, index) => reread[index]?.includes(bigLine(line + 1)) === true);
  return {
    bigBytesShown: (run?.requestBytes[1] ?? 0) - (run?.requestBytes[0] ?? 0),
    bigSizeTold: told.some((size) => shown.includes(size)),
    bigReadable: found.every(Boolean),
  };
}

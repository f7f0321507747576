import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import type { SaidPart } from "../../test/support/model-server/server-turn.ts";
import type { Contestant } from "./contestants.ts";
import { bytesBelow, type ProcessFigures, treeFigures } from "./process-figures.ts";
import type { Operation, Scenario } from "./scenarios.ts";
import { startTimedModel } from "./timed-model.ts";

export interface AgentRun {
  readonly startMs: number;
  /** Between an answer and the next request, one entry a turn. */
  readonly overheadMs: readonly number[];
  /** Of the whole tree of processes, at each request. */
  readonly figures: readonly ProcessFigures[];
  readonly requestBytes: readonly number[];
  readonly firstBody: string;
  /** What a request holds that the one before it did not. */
  readonly bodies: readonly string[];
  readonly writtenBytes: number;
}

const done = "The bench is done.";
const longestMs = 600_000;

/** One task from start to end. Throws when the agent did not do all of it. */
export async function runAgent(
  contestant: Contestant,
  scenario: Scenario,
  { project, home, keepBodies = false }: { readonly project: string; readonly home: string; keepBodies?: boolean },
): Promise<AgentRun> {
  mkdirSync(home, { recursive: true });
  const figures: ProcessFigures[] = [];
  const bodies: string[] = [];
  let pid: number | undefined;
  const turns = scenario.turns.map((operations) => (body: string) => callsFor(contestant, operations, body));
  const possible = turns.filter((turn) => turn("").length > 0);
  const model = await startTimedModel({
    format: contestant.format,
    say: (turn, body) => {
      if (keepBodies) bodies.push(body);
      return possible[turn]?.(body) ?? [{ text: done }];
    },
    arrived: () => void figures.push(pid === undefined ? { residentBytes: 0, processorMs: 0 } : treeFigures(pid)),
  });
  contestant.prepare?.(home, model.url);
  const before = bytesBelow(home);
  const [program, ...args] = contestant.command("Do what the script says.", model.url, home);
  const started = performance.now();
  const child = spawn(program, args, {
    cwd: project,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: longestMs,
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      HOME: home,
      LANG: "C.UTF-8",
      TERM: "dumb",
      NO_COLOR: "1",
      OPENAI_API_KEY: "unused",
      ...contestant.environment,
    },
  });
  pid = child.pid;
  let said = "";
  let complaint = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  child.stderr.on("data", (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-2_000);
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  await model.close();
  const { exchanges, firstBody } = model;
  if (code !== 0 || exchanges.length !== possible.length + 1 || !said.includes(done)) {
    throw new Error(
      `${contestant.name}, ${scenario.name}: exit code ${code}, ${exchanges.length} requests.\n${complaint}`,
    );
  }
  return {
    startMs: (exchanges[0]?.arrivedAt ?? Number.NaN) - started,
    overheadMs: exchanges.slice(1).map(({ arrivedAt }, turn) => arrivedAt - (exchanges[turn]?.answeredAt ?? 0)),
    figures,
    requestBytes: exchanges.map(({ bytes }) => bytes),
    firstBody,
    bodies,
    writtenBytes: bytesBelow(home) - before,
  };
}

function callsFor(contestant: Contestant, operations: readonly Operation[], body: string): readonly SaidPart[] {
  return operations.flatMap((operation) => contestant.call(operation, body) ?? []);
}

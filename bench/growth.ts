import { performance } from "node:perf_hooks";
import type { Gauntlet } from "../src/index.ts";
import type { BenchWorkspace } from "./bench-workspace.ts";
import { type Sample, summarize } from "./measure.ts";

export interface Growth {
  readonly early: Sample;
  readonly late: Sample;
  readonly lateEvents: number;
  readonly eventsPerSecond: number;
}

const earlyEvents = 100;
const blocks = 60;
const callsPerBlock = 20;

/** The cost of a call at event 100 and after 100,000 events, in turns within one process. */
export async function measureGrowth(workspace: BenchWorkspace, lateEvents = 100_000): Promise<Growth> {
  const long = await workspace.open();
  const started = performance.now();
  await grow(long, lateEvents);
  const eventsPerSecond = lateEvents / ((performance.now() - started) / 1_000);

  const early: number[] = [];
  const late: number[] = [];
  for (let block = 0; block < blocks; block++) {
    const short = await workspace.open();
    await grow(short, earlyEvents);
    for (let call = 0; call < callsPerBlock; call++) {
      early.push(await timeCall(short));
      late.push(await timeCall(long));
    }
    await short.close();
  }
  await long.close();
  return { early: summarize(early), late: summarize(late), lateEvents, eventsPerSecond };
}

async function grow(gauntlet: Gauntlet, events: number): Promise<void> {
  while (gauntlet.session.state.seq < events) await gauntlet.call({ tool: "noop", input: {} });
}

async function timeCall(gauntlet: Gauntlet): Promise<number> {
  const start = performance.now();
  await gauntlet.call({ tool: "noop", input: {} });
  return performance.now() - start;
}

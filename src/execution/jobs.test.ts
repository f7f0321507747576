import { describe, expect, test } from "vitest";
import { must } from "../../test/replay/must.ts";
import { temporaryStore } from "../../test/replay/temporary-store.ts";
import { ok } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { ProcessExit, RunningProcess } from "../contract/ports.ts";
import { type AdoptedProcess, createJobTable } from "./jobs.ts";
import { createSpool } from "./spool.ts";

/** A process that ends when the test, or a kill, says so. */
function heldProcess() {
  let end: (exit: ProcessExit) => void = () => {};
  const exited = new Promise<ProcessExit>((resolve) => (end = resolve));
  const kill = async () => end({ exitCode: null, signal: "SIGKILL" });
  const process: RunningProcess = { pid: 1, exited, kill };
  return { process, end: (exitCode: number) => end({ exitCode, signal: null }) };
}

function tableOfJobs() {
  const { artifacts } = temporaryStore();
  const recorded: EventDraft[] = [];
  let count = 0;
  const table = createJobTable({
    ids: { next: (prefix) => `${prefix}_${++count}` },
    clock: { now: () => 0 },
    record: (drafts) => ok(recorded.push(...drafts)),
  });
  const adopt = (process: RunningProcess, more: Partial<AdoptedProcess> = {}) =>
    must(
      table.adopt({
        invocationId: "inv_1",
        command: "true",
        process,
        stdout: createSpool({ artifacts }),
        stderr: createSpool({ artifacts }),
        factsAtEnd: async () => [],
        ...more,
      }),
    );
  return { table, recorded, adopt };
}

describe("background jobs", () => {
  test("however many have ended, only the latest are kept, and every running one", async () => {
    const { table, adopt } = tableOfJobs();
    const running = adopt(heldProcess().process);
    const ended: string[] = [];
    for (let count = 0; count < 40; count++) {
      const held = heldProcess();
      const id = adopt(held.process);
      held.end(0);
      await table.wait(id, 1_000);
      ended.push(id);
    }
    expect(table.list().map(({ id }) => id)).toEqual([running, ...ended.slice(-32)]);
    expect(table.get(running)?.state).toBe("running");
    await table.stopAll();
  });

  test("an end is recorded once, with how it came", async () => {
    const { table, recorded, adopt } = tableOfJobs();
    const held = heldProcess();
    const ended = adopt(held.process);
    held.end(3);
    await table.wait(ended, 1_000);
    const stopped = adopt(heldProcess().process);
    await table.stop(stopped);
    await table.stop(stopped);
    const late = adopt(heldProcess().process, { deadlineMs: 1 });
    await table.wait(late, 1_000);
    expect(recorded.filter(({ type }) => type === "job.ended").map(({ data }) => data)).toEqual([
      { jobId: ended, state: "ended", exitCode: 3, signal: null },
      { jobId: stopped, state: "stopped", exitCode: null, signal: "SIGKILL" },
      { jobId: late, state: "stopped", exitCode: null, signal: "SIGKILL" },
    ]);
  });

  test("a time that is longer than any timer's is no short one", async () => {
    const { table, adopt } = tableOfJobs();
    const held = heldProcess();
    const id = adopt(held.process, { deadlineMs: 2 ** 40 });
    const waited = table.wait(id, 2 ** 40);
    // One timer after those that would have fired at once.
    await new Promise((resolve) => setTimeout(resolve, 2));
    held.end(0);
    expect(await waited).toMatchObject({ state: "ended", exitCode: 0 });
  });

  test("one whose changes cannot be told has ended all the same, and says that they are missing", async () => {
    const { table, recorded, adopt } = tableOfJobs();
    const held = heldProcess();
    const id = adopt(held.process, {
      factsAtEnd: async () => {
        throw new Error("nobody can tell");
      },
    });
    held.end(0);
    expect(await table.wait(id, 1_000)).toMatchObject({ state: "ended", exitCode: 0, unrecorded: "nobody can tell" });
    expect(recorded.at(-1)).toEqual({
      type: "job.ended",
      data: { jobId: id, state: "ended", exitCode: 0, signal: null, unrecorded: "nobody can tell" },
    });
  });
});

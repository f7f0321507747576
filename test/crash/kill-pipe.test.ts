import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Event } from "../../src/contract/events/index.ts";
import { createGauntlet } from "../../src/index.ts";
import { ended, linesOf, startCommand } from "../support/command.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

/** A write and a command, and the same again twice: the last of them are done by a program that has done others. */
const callsPerLife = 6;
/** As often after each number of answers, none among them. */
const kills = 16 * callsPerLife;
const killsPerSession = 8;
const fileBytes = 200_000;

interface Acknowledged {
  readonly intentId: string;
  readonly auditId: string;
  readonly ok: boolean;
}

/** Writes whole files of one letter, and runs commands that leave a trace of themselves. */
function intents(run: number): readonly object[] {
  const letter = String.fromCharCode(97 + (run % 26));
  return Array.from({ length: callsPerLife / 2 }, (_, index) => [
    {
      id: `w${run}-${index}`,
      tool: "write",
      input: { path: `file-${run}-${index}.txt`, content: letter.repeat(fileBytes) },
    },
    { id: `b${run}-${index}`, tool: "bash", input: { command: `echo b${run}-${index} >> runs.txt` } },
  ]).flat();
}

/** The same moments in every run of the test, spread evenly from 0 to 1. */
function spread(index: number): number {
  return (index * 0.618034) % 1;
}

/** One life of the command: fed with intents, then killed. */
async function oneLife(workspace: Workspace, run: number, session: string | undefined): Promise<Acknowledged[]> {
  const resume = session === undefined ? [] : ["--session", session];
  const child = startCommand(workspace, ["pipe", "--mode", "acceptEdits", ...resume]);
  child.stdin.on("error", () => {});
  child.stdin.write(
    `${intents(run)
      .map((intent) => JSON.stringify(intent))
      .join("\n")}\n`,
  );
  const acknowledged: Acknowledged[] = [];
  const killAfter = run % callsPerLife;
  let armed = killAfter === 0;
  const longest = killAfter === 0 ? 200 : 15;
  const kill = () => setTimeout(() => child.kill("SIGKILL"), spread(Math.floor(run / callsPerLife)) * longest);
  if (armed) kill();
  for await (const line of linesOf(child)) {
    const observation = JSON.parse(line) as Acknowledged;
    acknowledged.push(observation);
    if (!armed && acknowledged.length >= killAfter) {
      armed = true;
      kill();
    }
  }
  await ended(child);
  return acknowledged;
}

test("kill -9 at any moment loses nothing that was acknowledged, leaves nothing half-done, runs nothing twice", async () => {
  const workspace = makeWorkspace();
  const acknowledged: Acknowledged[] = [];
  let session: string | undefined;
  for (let run = 0; run < kills; run++) {
    if (run % killsPerSession === 0) session = undefined;
    const life = await oneLife(workspace, run, session);
    acknowledged.push(...life);
    // A life that was too short to answer anything may have no session to go on with.
    if (life.length > 0) session ??= newestSession(workspace);
  }

  const gauntlet = await createGauntlet({ workspace: workspace.root, store: workspace.state, home: workspace.home });
  try {
    const verified = gauntlet.archive.verify();
    if (!verified.ok) throw new Error(verified.failure.message);
    expect(verified.value.flatMap((report) => report.problems)).toEqual([]);

    const events = gauntlet.archive.list().flatMap(({ id }) => {
      const found = gauntlet.archive.events(id);
      return found.ok ? [...found.value] : [];
    });
    expect(missing(acknowledged, events)).toEqual([]);
    expect(observationsPerIntent(events)).toEqual(new Set([1]));
    expect(leftovers(workspace)).toEqual([]);
    expect(torn(workspace)).toEqual([]);
    const runs = traces(workspace);
    expect(new Set(runs).size).toBe(runs.length);
    expect(acknowledged.length).toBeGreaterThan(kills);
  } finally {
    await gauntlet.close();
  }
}, 600_000);

function newestSession(workspace: Workspace): string | undefined {
  const sessions = path.join(workspace.state, "sessions");
  const files = readdirSync(sessions, { withFileTypes: true }).filter((entry) => entry.name.endsWith(".db"));
  return files
    .map((entry) => entry.name.slice(0, -3))
    .sort()
    .at(-1);
}

function missing(acknowledged: readonly Acknowledged[], events: readonly Event[]): readonly Acknowledged[] {
  const recorded = new Map(events.map((event) => [event.id, event]));
  return acknowledged.filter(({ auditId, intentId }) => {
    const event = recorded.get(auditId);
    return event?.type !== "tool.observed" || event.data.intentId !== intentId;
  });
}

function observationsPerIntent(events: readonly Event[]): ReadonlySet<number> {
  const counts = new Map<string, number>();
  for (const event of events) {
    if (event.type === "tool_intent.proposed") counts.set(event.data.intentId, counts.get(event.data.intentId) ?? 0);
    if (event.type === "tool.observed") counts.set(event.data.intentId, (counts.get(event.data.intentId) ?? 0) + 1);
  }
  return new Set(counts.values());
}

function leftovers(workspace: Workspace): readonly string[] {
  return readdirSync(workspace.root).filter((name) => !/^(file-\d+-\d+\.txt|runs\.txt)$/.test(name));
}

/** Every file that exists is complete: one letter, full length. */
function torn(workspace: Workspace): readonly string[] {
  return readdirSync(workspace.root).filter((name) => {
    if (!name.startsWith("file-")) return false;
    const content = readFileSync(workspace.path(name), "utf8");
    return content.length !== fileBytes || content !== (content[0] ?? "").repeat(fileBytes);
  });
}

function traces(workspace: Workspace): readonly string[] {
  return workspace
    .read("runs.txt")
    .split("\n")
    .filter((line) => line !== "");
}

import type { App } from "../../src/contract/app/app.ts";
import type { Archive } from "../../src/contract/app/archive.ts";
import { fail, ok } from "../../src/contract/codes.ts";
import type { Event, EventDraft } from "../../src/contract/events/index.ts";
import type { SessionState } from "../../src/contract/state.ts";
import type { SessionSummary } from "../../src/contract/store.ts";
import { idleState, observationOf, requestOf } from "./surface.ts";

export const summary: SessionSummary = {
  id: "ses_1",
  workspace: "/here",
  task: "Fix the tests",
  createdAt: "2026-01-01T08:00:00.000Z",
  updatedAt: "2026-01-01T09:00:00.000Z",
  status: "idle",
  imported: false,
  events: 3,
  intents: 1,
  changed: 2,
  bytes: 2048,
  head: "abc",
};

const state: SessionState = {
  ...idleState,
  cwd: "/here/sub",
  grants: [{ rule: "Bash(npm test)", request: "req_1" }],
  openJobs: new Map([
    ["job_1", { jobId: "job_1", invocationId: "inv_1", command: "sleep 9", startedAt: "2026-01-01T08:00:00.000Z" }],
  ]),
  pending: new Map([["req_2", requestOf("req_2")]]),
  changedFiles: new Map([
    ["/here/a", "h"],
    ["/here/b", null],
  ]),
  counts: { intents: 1, observations: 1, refused: 0, failed: 0 },
  seq: 3,
};

const observation = observationOf({ id: "a", tool: "bash", input: {} }, { permission: permission() });

export const events: readonly Event[] = [
  event(1, {
    type: "session.created",
    data: {
      workspace: "/here",
      roots: ["/here"],
      mode: "default",
      sandbox: { backend: "none", enforces: false },
      settings: { hash: "h", layers: [] },
      runtime: { gauntlet: "1.2.3", node: "24", platform: "linux" },
    },
  }),
  event(2, {
    type: "tool_intent.proposed",
    data: {
      intentId: "a",
      tool: "bash",
      input: { command: "printf '\u001b[2J'\n" },
      origin: { source: "program" },
      createdAt: "2026-01-01T08:00:02.000Z",
      menuHash: "m",
    },
  }),
  event(3, { type: "tool.observed", data: { intentId: "a", invocationId: "inv_1", observation } }),
];

/** An App with this one session in its archive. */
export function appWithArchive(change: Partial<Archive> = {}): Partial<App> {
  const unknown = fail("bad_request", "There is no such session.");
  const archive: Archive = {
    modelInput: () => unknown,
    artifacts: () => unknown,
    artifact: () => unknown,
    fork: () => unknown,
    list: () => [summary],
    events: (id, range) =>
      id === "ses_1"
        ? ok(events.filter((entry) => entry.seq >= (range?.from ?? 1) && (range?.types?.includes(entry.type) ?? true)))
        : unknown,
    replay: (id) =>
      id === "ses_1"
        ? ok({
            state,
            observations: [observation],
            events: 3,
            messages: [
              { role: "intent", intentId: "a", tool: "bash", input: { command: "ls" } },
              {
                role: "observation",
                intentId: "a",
                tool: "bash",
                ok: true,
                summary: "It was done.",
                content: [{ trust: "tool_output_untrusted", format: "text", text: "one\ntwo" }],
              },
            ],
          })
        : unknown,
    export: (id) => (id === "ses_1" ? ok(['{"header":1}', '{"event":1}\n']) : unknown),
    import: () => ok("ses_2"),
    prune: ({ dryRun }) =>
      ok({
        removed: dryRun ? [] : ["ses_1"],
        freedBytes: 2048,
        keptBytes: 0,
        spared: { live: 0, unreadable: 0, workspaceDataBytes: 0, recentBytes: 0 },
      }),
    verify: () => ok([{ session: "ses_1", imported: false, ok: true, events: 3, head: "abc", problems: [] }]),
    why: (reference) =>
      reference === "evt_3"
        ? ok({
            session: "ses_1",
            imported: false,
            alsoIn: [],
            intentId: "a",
            observation,
            chain: events.map(({ seq, id, type, at }) => ({ seq, id, type, at })),
            questions: [
              { question: "Who proposed it?", answer: "A program.", events: ["evt_2"] },
              { question: "What changed?", answer: "Nothing.", events: [] },
              { question: "What was on the menu?", answer: "1 tool, menu m: read@1.", brief: "1 tool.", events: [] },
            ],
          })
        : unknown,
    ...change,
  };
  return { archive: () => ok(archive) };
}

function event(seq: number, draft: EventDraft): Event {
  return {
    ...draft,
    seq,
    id: `evt_${seq}`,
    session: "ses_1",
    at: `2026-01-01T08:00:0${seq}.000Z`,
    v: 1,
    prev: "",
    hash: "",
  };
}

function permission() {
  return { decision: "allow", reason: "it is safe", source: "mode", risk: "R1" } as const;
}

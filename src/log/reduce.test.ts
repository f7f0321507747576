import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { appends } from "../../test/replay/arbitrary-events.ts";
import {
  answered,
  checked,
  draft,
  ended,
  fileChanged,
  fileRead,
  menuProjected,
  observed,
  proposed,
  requested,
  sessionCreated,
  started,
} from "../../test/replay/event-drafts.ts";
import { must } from "../../test/replay/must.ts";
import { countingIds, temporaryDirectory, temporaryStore } from "../../test/replay/temporary-store.ts";
import { type EventDraft, eventSchemas } from "../contract/events/index.ts";
import type { SessionState } from "../contract/state.ts";
import { initialState, reduce } from "./reduce.ts";
import { currentState, decodeState, encodeState } from "./store/checkpoint.ts";
import { openForReading } from "./store/database.ts";
import { createUpcaster } from "./upcast.ts";

const upcaster = createUpcaster({});

describe("the fold", () => {
  it("starts where the session was created", () => {
    expect(folded([sessionCreated])).toEqual({
      ...initialState("ses_1"),
      workspace: "/srv/app",
      roots: ["/srv/app"],
      cwd: "/srv/app",
      seq: 1,
      head: "h1",
    });
  });

  const cases: readonly [string, readonly EventDraft[], Partial<SessionState>][] = [
    [
      "mode, status and working directory",
      [
        draft("session.mode_changed", { from: "default", to: "plan", by: "ada" }),
        draft("session.status_changed", { from: "idle", to: "running", reason: "r" }),
        draft("session.cwd_changed", { from: "/srv/app", to: "/srv/app/src" }),
      ],
      { mode: "plan", status: "running", cwd: "/srv/app/src" },
    ],
    [
      "a resumed session takes the mode it was resumed with",
      [draft("session.resumed", { by: "cli", mode: "acceptEdits", sandbox: { backend: "none", enforces: false } })],
      { mode: "acceptEdits" },
    ],
    [
      "definitions freeze at first sight and change only when that is recorded",
      [
        menuProjected,
        draft("context.projected", {
          menu: [{ name: "read", version: "9", schemaHash: "z", source: "mcp" }],
          menuHash: "m2",
        }),
        draft("session.definition_changed", {
          tool: "bash",
          from: { version: "1", schemaHash: "b".repeat(64) },
          to: { version: "2", schemaHash: "c" },
        }),
      ],
      {
        menuHash: "m2",
        definitions: new Map([
          ["read", { version: "1", schemaHash: "a".repeat(64) }],
          ["bash", { version: "2", schemaHash: "c" }],
        ]),
      },
    ],
    [
      "an intent is open until it is observed, under the tool's canonical name",
      [proposed("a", {}, "Read"), checked("a", "read"), started("inv_1", "a")],
      {
        openIntents: new Map([["a", { intentId: "a", tool: "read", proposedAt: "t2", invocationId: "inv_1" }]]),
        counts: { intents: 1, observations: 0, refused: 0, failed: 0 },
      },
    ],
    [
      "changes that are to happen together stay known while the call is open",
      [
        started("inv_1", "a"),
        draft("file.change_planned", { invocationId: "inv_1", changes: [{ path: "/a", after: "h2" }] }),
        draft("file.change_planned", { invocationId: "inv_2", changes: [{ path: "/b", after: "h2" }] }),
      ],
      {
        openInvocations: new Map([
          [
            "inv_1",
            {
              invocationId: "inv_1",
              intentId: "a",
              tool: "read",
              startedAt: "t2",
              effects: started("inv_1", "a").data.effects,
              planned: [{ path: "/a", after: "h2" }],
            },
          ],
        ]),
      },
    ],
    [
      "what ended is closed",
      [
        proposed("a"),
        started("inv_1", "a"),
        ended("inv_1", "a", false),
        observed("a", { ok: false, invocationId: "inv_1" }),
      ],
      {
        openIntents: new Map(),
        openInvocations: new Map(),
        counts: { intents: 1, observations: 1, refused: 0, failed: 1 },
      },
    ],
    [
      "a refusal is not a failure of a tool",
      [
        proposed("a"),
        draft("tool_intent.refused", { intentId: "a", phase: "lookup", code: "unknown_tool", message: "no" }),
        observed("a", { ok: false, status: "error", code: "unknown_tool", phase: "lookup" }),
      ],
      { openIntents: new Map(), counts: { intents: 1, observations: 1, refused: 1, failed: 0 } },
    ],
    [
      "an open invocation and a job of a dead process end as interrupted",
      [
        proposed("a"),
        started("inv_1", "a"),
        draft("job.started", { jobId: "job_1", invocationId: "inv_1", command: "x", startedAt: "t" }),
        draft("job.ended", { jobId: "job_1", state: "interrupted" }),
        draft("tool_invocation.ended", {
          invocationId: "inv_1",
          intentId: "a",
          exit: "interrupted",
          code: "interrupted",
          durationMs: 0,
        }),
        observed("a", { ok: false, code: "interrupted", invocationId: "inv_1" }),
      ],
      { openIntents: new Map(), openInvocations: new Map(), openJobs: new Map() },
    ],
    [
      "an answer settles its request; only a remembered one becomes a grant, once",
      [
        requested("req_1", "a"),
        answered("req_1", "a", "Bash(npm test)"),
        requested("req_2", "b"),
        answered("req_2", "b", "Bash(npm test)"),
        requested("req_3", "c"),
        answered("req_3", "c"),
      ],
      { pending: new Map(), grants: [{ rule: "Bash(npm test)", request: "req_1" }] },
    ],
    [
      "an interrupt clears pending requests",
      [requested("req_1", "a"), draft("user.interrupt", {})],
      { pending: new Map() },
    ],
    [
      "baselines follow reads, changes keep the latest hash",
      [
        fileRead("/a", "h1"),
        fileRead("/a", "h2"),
        fileRead("/b"),
        fileRead("/c"),
        draft("file.forgotten", { path: "/b" }),
        fileChanged("/a"),
        draft("file.changed", { invocationId: "i", path: "/c", change: "deleted", seenBy: "scan" }),
        draft("file.changed", {
          invocationId: "i",
          path: "/d",
          change: "moved",
          seenBy: "tool",
          before: "x",
          to: "/e",
        }),
        draft("file.changed", { invocationId: "i", path: "/f", change: "created", seenBy: "scan" }),
      ],
      {
        baselines: new Map([
          ["/a", { path: "/a", hash: "h2", size: 10, mtimeMs: 1, lines: { from: 1, to: 3, total: 3 } }],
        ]),
        changedFiles: new Map([
          ["/a", "h2"],
          ["/c", null],
          ["/d", null],
          ["/e", "x"],
          ["/f", ""],
        ]),
      },
    ],
  ];
  it.each(cases)("%s", (_name, drafts, expected) => {
    const state = new Map<string, unknown>(Object.entries(folded([sessionCreated, ...drafts])));
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, state.get(key)]))).toEqual(expected);
  });

  it("is the same live, from the start, from a checkpoint and after export and import", () => {
    fc.assert(
      fc.property(appends, fc.nat(), (batches, cut) => {
        const directory = temporaryDirectory();
        const at = batches.length === 0 ? 0 : cut % batches.length;
        const first = temporaryStore({ directory });
        const begun = must(first.create(sessionCreated));
        for (const drafts of batches.slice(0, at)) must(begun.append(drafts));
        first.close();

        const store = temporaryStore({ directory, ids: countingIds("later") });
        const log = must(store.open(begun.id));
        const appended = batches.slice(at).flatMap((drafts) => must(log.append(drafts)));
        for (const event of appended) eventSchemas()[event.type].parse(event.data);

        const live = log.state;
        expect(live.seq).toBe(1 + batches.flat().length);
        expect(must(store.archive.replay(log.id)).state).toEqual(live);
        const database = openForReading(join(directory, "sessions", `${log.id}.db`));
        expect(must(currentState(database, log.id, upcaster))).toEqual(live);
        database.close();
        expect(decodeState(encodeState(live, upcaster), upcaster)).toEqual(live);
        expect(must(store.archive.verify(log.id))).toMatchObject([{ ok: true, problems: [] }]);

        const elsewhere = temporaryStore();
        must(elsewhere.archive.import(must(store.archive.export(log.id))));
        expect(must(elsewhere.archive.replay(log.id)).state).toEqual(live);
        expect([...must(elsewhere.archive.events(log.id))]).toEqual([...log.events()]);
        expect([...must(elsewhere.archive.export(log.id))]).toEqual([...must(store.archive.export(log.id))]);
        elsewhere.close();
        store.close();
      }),
      { numRuns: 60 },
    );
  });
});

describe("a stored state", () => {
  it("that other code folded is not read", () => {
    const text = encodeState(initialState("ses_1"), upcaster);
    const changed = createUpcaster({ "file.read": { 1: (data) => ({ ...data }) } });
    expect(decodeState(text, upcaster)).toEqual(initialState("ses_1"));
    expect(decodeState(text, changed)).toBeUndefined();
    expect(decodeState(text.replace(/reducer@\d+/, "reducer@0"), upcaster)).toBeUndefined();
    expect(decodeState("half a che", upcaster)).toBeUndefined();
  });
});

function folded(drafts: readonly EventDraft[]): SessionState {
  const state = initialState("ses_1");
  for (const [index, one] of drafts.entries()) {
    const seq = index + 1;
    const facts = { seq, id: `e${seq}`, session: "ses_1", at: `t${seq}`, v: 1, prev: `h${index}`, hash: `h${seq}` };
    reduce(state, { ...one, ...facts });
  }
  return state;
}

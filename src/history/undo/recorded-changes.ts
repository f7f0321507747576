import type { UndoneCall } from "../../contract/app/undo.ts";
import type { EntryFacts } from "../../contract/changes.ts";
import { isInside } from "../../contract/effect.ts";
import type { Event, EventData } from "../../contract/events/index.ts";

/** What is at a path; `content` is a hash. */
export interface RecordedEntry extends EntryFacts {
  readonly content?: string;
}

export type RecordedPlace = RecordedEntry | "absent" | "unknown";

export interface RecordedChange {
  readonly seq: number;
  /** When it was recorded. */
  readonly at: number;
  readonly invocationId: string;
  readonly path: string;
  readonly change: EventData<"file.changed">["change"];
  readonly was: RecordedPlace;
  readonly is: RecordedPlace;
  /** Everything at `path` was moved there: another name, or the trash. */
  readonly carriedTo?: string;
  /** Where the replaced file is kept. */
  readonly kept?: string;
  /** A scan found it: nothing was kept, and the author is unknown. */
  readonly direct?: true;
}

export interface UndoableCall extends UndoneCall {
  readonly auditId?: string;
  readonly mayChange: boolean;
  /** An undo included it: its remaining changes cannot be undone. */
  readonly visited?: true;
  /** It ended in the background, and its changes could not be recorded. */
  readonly unrecorded?: true;
  readonly connections: number;
  readonly outsideUnseen?: true;
}

/** What a session changed, and what was undone. */
export interface SessionChanges {
  readonly calls: ReadonlyMap<string, UndoableCall>;
  /** Not undone, in order, and without the changes of undos. */
  readonly standing: readonly RecordedChange[];
  readonly byUndo: ReadonlyMap<string, readonly RecordedChange[]>;
  /** An undo that began and did not come to its end. */
  readonly unfinished: readonly { readonly undoId: string; readonly paths: readonly string[] }[];
}

interface UndoRecord {
  readonly calls: readonly string[];
  readonly paths: ReadonlySet<string>;
  /** What went to the trash as a whole. */
  readonly trees: readonly string[];
}

export function readChanges(events: Iterable<Event>): SessionChanges {
  const calls = new Map<string, UndoableCall>();
  const turns = new Map<string, string>();
  const jobs = new Map<string, string>();
  let changes: RecordedChange[] = [];
  const planned = new Map<string, readonly string[]>();
  const finished = new Map<string, UndoRecord>();
  /** Of each call, by which undos. */
  const undone = new Map<string, ReadonlySet<string>>();
  const change = (id: string, more: Partial<UndoableCall>) => {
    const call = calls.get(id);
    if (call !== undefined) calls.set(id, { ...call, ...more });
  };
  for (const event of events) {
    switch (event.type) {
      case "tool_intent.proposed": {
        const { turnId } = event.data.origin;
        if (turnId !== undefined) turns.set(event.data.intentId, turnId);
        break;
      }
      case "tool_invocation.started":
        calls.set(event.data.invocationId, startedCall(event.data, turns.get(event.data.intentId)));
        break;
      case "tool_invocation.ended":
        if (event.data.exit !== "interrupted") break;
        change(event.data.invocationId, { interrupted: true });
        // Recovery has restored what was recorded of it until here.
        changes = changes.filter(({ invocationId }) => invocationId !== event.data.invocationId);
        break;
      case "job.started":
        jobs.set(event.data.jobId, event.data.invocationId);
        break;
      case "job.ended": {
        const { jobId, state, unrecorded } = event.data;
        const call = jobs.get(jobId) ?? "";
        if (state === "interrupted") change(call, { interrupted: true });
        if (unrecorded !== undefined) change(call, { unrecorded: true });
        break;
      }
      case "tool.observed":
        if (event.data.invocationId !== undefined) {
          // For an interrupted call only its name is known.
          const isTold = calls.get(event.data.invocationId)?.interrupted === undefined;
          const title = isTold ? { title: event.data.observation.title } : {};
          change(event.data.invocationId, { auditId: event.id, ...title });
        }
        break;
      case "connection.made": {
        const { invocationId, outcome } = event.data;
        if (invocationId === undefined) break;
        const connections = (calls.get(invocationId)?.connections ?? 0) + (outcome === "connected" ? 1 : 0);
        change(invocationId, { connections });
        break;
      }
      case "transaction.decided":
        if (event.data.decision === "apply") change(event.data.invocationId, { mayChange: true });
        break;
      case "file.changed":
        changes.push(recordedChange(event));
        break;
      case "undo.planned":
        planned.set(
          event.data.undoId,
          event.data.steps.map(({ path }) => path),
        );
        break;
      case "undo.done": {
        const { undoId, outcome } = event.data;
        if (outcome !== "done") break;
        planned.clear();
        const own = changes.filter((one) => one.invocationId === undoId);
        const trees = own.flatMap((one) => (one.change === "deleted" && one.carriedTo ? [one.path] : []));
        finished.set(undoId, { calls: event.data.calls, paths: new Set(own.flatMap(pathsOf)), trees });
        for (const call of event.data.calls) {
          const earlier = finished.get(call);
          // Undoing an undo restores its calls.
          if (earlier === undefined) undone.set(call, new Set([...(undone.get(call) ?? []), undoId]));
          else
            for (const again of earlier.calls)
              undone.set(again, new Set([...(undone.get(again) ?? [])].filter((by) => by !== call)));
        }
        break;
      }
    }
  }
  const takenBack = (one: RecordedChange) =>
    [...(undone.get(one.invocationId) ?? [])].some((by) => {
      const { paths, trees = [] } = finished.get(by) ?? {};
      return pathsOf(one).some((path) => paths?.has(path)) || trees.some((tree) => isInside(one.path, tree));
    });
  for (const [call, by] of undone) if (by.size > 0) change(call, { visited: true });
  const byUndo = Map.groupBy(
    changes.filter(({ invocationId }) => !calls.has(invocationId)),
    ({ invocationId }) => invocationId,
  );
  return {
    calls,
    standing: changes.filter((one) => calls.has(one.invocationId) && !takenBack(one)),
    byUndo,
    unfinished: [...planned].map(([undoId, paths]) => ({ undoId, paths })),
  };
}

export function pathsOf({ path, carriedTo }: Pick<RecordedChange, "path" | "carriedTo">): readonly string[] {
  return carriedTo === undefined ? [path] : [path, carriedTo];
}

function startedCall(data: EventData<"tool_invocation.started">, turnId: string | undefined): UndoableCall {
  const { invocationId, intentId, tool, command, sandbox, effects } = data;
  const changes = effects.some(({ op }) => op === "write" || op === "delete");
  return {
    invocationId,
    intentId,
    turnId,
    tool,
    title: command?.text ?? tool,
    // Nothing of a view is in the workspace before it is applied.
    mayChange: command === undefined ? changes : sandbox?.view === undefined && (sandbox?.writable.length ?? 1) > 0,
    connections: 0,
    ...(command !== undefined && sandbox?.enforces !== true ? { outsideUnseen: true } : {}),
  };
}

function recordedChange({ data, seq, at }: Extract<Event, { type: "file.changed" }>): RecordedChange {
  const { invocationId, path, change, seenBy, to, kept } = data;
  const common = {
    seq,
    at: Date.parse(at),
    invocationId,
    path,
    change,
    carriedTo: to,
  };
  if (seenBy === "scan") return { ...common, was: "unknown", is: "unknown", direct: true };
  const was = change === "created" ? "absent" : placeOf(data.was, data.before);
  const is = change === "deleted" || to !== undefined ? "absent" : placeOf(data.is, data.after);
  return { ...common, was, is, kept };
}

/** File tools keep the mode of a file. */
function placeOf(facts: EntryFacts | undefined, hash: string | undefined): RecordedPlace {
  const content = hash === undefined ? {} : { content: hash };
  if (facts !== undefined) return { ...facts, ...content };
  return hash === undefined ? "unknown" : { kind: "file", ...content };
}

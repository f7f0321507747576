import type { EntryFacts, Unkept } from "../../contract/content.ts";
import type { Event, EventData } from "../../contract/events/index.ts";
import type { UndoneCall } from "../../contract/undo.ts";

/** What stands at a path. Two of the same kind and `content` are the same; `content` is a hash or stands for one. */
export interface Entry {
  readonly kind: EntryFacts["kind"];
  readonly mode?: number;
  readonly content?: string;
  readonly unkept?: Unkept;
}

export type Place = Entry | "absent" | "unknown";

/** One path went from one state to another. */
export interface PlaceChange {
  readonly path: string;
  readonly was: Place;
  readonly is: Place;
  /** Its content lives on there. */
  readonly movedTo?: string;
}

/** All that lay at `path` was carried to `to`, a trash or another name. */
export interface Carried {
  readonly path: string;
  readonly carriedTo: string;
  /** Of a file: what it held then. */
  readonly content?: string;
}

export type RecordedChange = (PlaceChange | Carried) & { readonly seq: number; readonly invocationId: string };

export interface RecordedCall extends UndoneCall {
  readonly auditId?: string;
  /** Its process died while it ran: what it had changed until then is not on record. */
  readonly interrupted?: true;
  readonly connections: number;
  readonly outsideUnseen?: true;
}

/** Everything that a session did to files, and what was taken back of it. */
export interface SessionChanges {
  readonly calls: ReadonlyMap<string, RecordedCall>;
  /** Those that still stand, in order: without what was taken back, and without the undo that did it. */
  readonly standing: readonly RecordedChange[];
  /** By an earlier undo, under its id. */
  readonly byUndo: ReadonlyMap<string, readonly RecordedChange[]>;
  /** An undo that began and did not come to its end. */
  readonly unfinished: readonly { readonly undoId: string; readonly paths: readonly string[] }[];
}

interface UndoRecord {
  readonly calls: readonly string[];
  readonly paths: ReadonlySet<string>;
}

export function readChanges(events: Iterable<Event>): SessionChanges {
  const calls = new Map<string, RecordedCall>();
  const turns = new Map<string, string>();
  let changes: RecordedChange[] = [];
  const planned = new Map<string, readonly string[]>();
  const finished = new Map<string, UndoRecord>();
  const undone = new Map<string, string>();
  const change = (id: string, more: Partial<RecordedCall>) => {
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
        // All that is on record of it until here is what the recovery put back.
        changes = changes.filter(({ invocationId }) => invocationId !== event.data.invocationId);
        break;
      case "tool.observed":
        if (event.data.invocationId !== undefined)
          change(event.data.invocationId, { auditId: event.id, title: event.data.observation.title });
        break;
      case "connection.made": {
        const { invocationId, outcome } = event.data;
        if (invocationId === undefined) break;
        const connections = (calls.get(invocationId)?.connections ?? 0) + (outcome === "connected" ? 1 : 0);
        change(invocationId, { connections });
        break;
      }
      case "file.changed":
        for (const one of changesOf(event.data, event.seq))
          changes.push({ ...one, seq: event.seq, invocationId: event.data.invocationId });
        break;
      case "undo.planned":
        planned.set(
          event.data.undoId,
          event.data.steps.map(({ path }) => path),
        );
        break;
      case "undo.done": {
        const { undoId, outcome } = event.data;
        planned.delete(undoId);
        if (outcome !== "done") break;
        const paths = new Set(changes.filter((one) => one.invocationId === undoId).flatMap(pathsOf));
        finished.set(undoId, { calls: event.data.calls, paths });
        for (const call of event.data.calls) {
          const earlier = finished.get(call);
          // An undo that is taken back gives its calls back.
          if (earlier === undefined) undone.set(call, undoId);
          else for (const again of earlier.calls) undone.delete(again);
        }
        break;
      }
    }
  }
  const isUndo = (id: string) => finished.has(id) || planned.has(id) || !calls.has(id);
  const takenBack = (one: RecordedChange) => {
    const by = undone.get(one.invocationId);
    const record = by === undefined ? undefined : finished.get(by);
    return record !== undefined && pathsOf(one).some((path) => record.paths.has(path));
  };
  const byUndo = Map.groupBy(
    changes.filter(({ invocationId }) => finished.has(invocationId)),
    ({ invocationId }) => invocationId,
  );
  return {
    calls,
    standing: changes.filter((one) => !isUndo(one.invocationId) && !takenBack(one)),
    byUndo,
    unfinished: [...planned].map(([undoId, paths]) => ({ undoId, paths })),
  };
}

export function pathsOf(change: PlaceChange | Carried): readonly string[] {
  return "carriedTo" in change ? [change.path, change.carriedTo] : [change.path];
}

function startedCall(data: EventData<"tool_invocation.started">, turnId: string | undefined): RecordedCall {
  const { invocationId, intentId, tool, command, sandbox } = data;
  return {
    invocationId,
    intentId,
    ...(turnId === undefined ? {} : { turnId }),
    tool,
    title: command?.text ?? tool,
    connections: 0,
    ...(command !== undefined && sandbox?.enforces !== true ? { outsideUnseen: true } : {}),
  };
}

function changesOf(data: EventData<"file.changed">, seq: number): readonly (PlaceChange | Carried)[] {
  const { path, change, seenBy, to } = data;
  if (to !== undefined && seenBy === "tool")
    return [{ path, carriedTo: to, ...(data.before === undefined ? {} : { content: data.before }) }];
  const before = placeOf(data.was, data.before, seenBy);
  const after = placeOf(data.is, data.after, seenBy);
  const was = data.unkept === undefined || before === "unknown" ? before : { ...before, unkept: data.unkept };
  switch (change) {
    case "created":
      return [{ path, was: "absent", is: after }];
    case "modified":
      return [{ path, was, is: after }];
    case "deleted":
      return [{ path, was, is: "absent" }];
    case "moved": {
      if (to === undefined) return [{ path, was, is: "absent" }];
      // The content is what it was, whatever it is: without a hash the move itself stands for it.
      const content = data.before ?? data.after ?? `moved-${seq}`;
      const carried = (place: Entry | "unknown"): Place => (place === "unknown" ? place : { ...place, content });
      return [
        { path, was: carried(before), is: "absent", movedTo: to },
        { path: to, was: "absent", is: carried(after) },
      ];
    }
  }
}

/** What a file tool wrote is a file, and its mode was left alone. */
function placeOf(facts: EntryFacts | undefined, hash: string | undefined, seenBy: "tool" | "scan"): Entry | "unknown" {
  const content = hash === undefined ? {} : { content: hash };
  if (facts !== undefined) return { ...facts, ...content };
  return seenBy === "tool" && hash !== undefined ? { kind: "file", ...content } : "unknown";
}

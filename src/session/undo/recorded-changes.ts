import type { EntryFacts, Unkept } from "../../contract/content.ts";
import type { Event, EventData } from "../../contract/events/index.ts";
import type { UndoneCall } from "../../contract/undo.ts";
import { type Declares, declaredChanges } from "../../effects/declared-changes.ts";

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

export type RecordedChange = (PlaceChange | Carried) & {
  readonly seq: number;
  readonly invocationId: string;
  readonly change: EventData<"file.changed">["change"];
  /** It changed while the call ran, and nothing says that the call did it. */
  readonly doubtful?: true;
  /** In dependencies, caches and git's objects: nobody can put it back. */
  readonly leftOut?: true;
};

export interface RecordedCall extends UndoneCall {
  readonly auditId?: string;
  /** Whether it could change a file at all. */
  readonly mayChange: boolean;
  /** An undo went through it: what stands of it was left or cannot be put back. */
  readonly visited?: true;
  /** It ended in the background, and what it had changed could not be told. */
  readonly unrecorded?: true;
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
  const jobs = new Map<string, string>();
  let changes: RecordedChange[] = [];
  const planned = new Map<string, readonly string[]>();
  const finished = new Map<string, UndoRecord>();
  /** Of each call, by which undos. */
  const undone = new Map<string, ReadonlySet<string>>();
  const declares = new Map<string, Declares>();
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
        declares.set(event.data.invocationId, declaredThen(event.data));
        break;
      case "tool_invocation.ended":
        if (event.data.exit !== "interrupted") break;
        change(event.data.invocationId, { interrupted: true });
        // All that is on record of it until here is what the recovery put back.
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
          // Of one that was cut off nobody could say more than what it is called.
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
      case "file.changed":
        for (const one of changesOf(event.data, event.seq))
          changes.push({ ...one, ...standingOf(event, declares.get(event.data.invocationId)) });
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
          if (earlier === undefined) undone.set(call, new Set([...(undone.get(call) ?? []), undoId]));
          else
            for (const again of earlier.calls)
              undone.set(again, new Set([...(undone.get(again) ?? [])].filter((by) => by !== call)));
        }
        break;
      }
    }
  }
  const isUndo = (id: string) => finished.has(id) || planned.has(id) || !calls.has(id);
  const takenBack = (one: RecordedChange) =>
    [...(undone.get(one.invocationId) ?? [])].some((by) =>
      pathsOf(one).some((path) => finished.get(by)?.paths.has(path)),
    );
  for (const [call, by] of undone) if (by.size > 0) change(call, { visited: true });
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

function standingOf({ data, seq }: Extract<Event, { type: "file.changed" }>, declares: Declares | undefined) {
  const { invocationId, change, unkept, seenBy } = data;
  const attribution = data.attribution ?? (declares?.(data, () => false) === true ? "call" : "while_running");
  const doubtful = seenBy === "scan" && attribution === "while_running";
  return {
    ...{ seq, invocationId, change },
    ...(doubtful ? { doubtful: true as const } : {}),
    ...(unkept === "left_out" ? { leftOut: true as const } : {}),
  };
}

/** For records that do not say whose a change is. */
function declaredThen({ effects, command, sandbox }: EventData<"tool_invocation.started">): Declares {
  return declaredChanges({ effects, roots: sandbox?.writable ?? [], ...command });
}

function startedCall(data: EventData<"tool_invocation.started">, turnId: string | undefined): RecordedCall {
  const { invocationId, intentId, tool, command, sandbox, effects } = data;
  const changes = effects.some(({ op }) => op === "write" || op === "delete");
  return {
    invocationId,
    intentId,
    ...(turnId === undefined ? {} : { turnId }),
    tool,
    title: command?.text ?? tool,
    mayChange: command === undefined ? changes : (sandbox?.writable.length ?? 1) > 0,
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

import type { UndoneCall } from "../../contract/app/undo.ts";
import type { EntryFacts } from "../../contract/changes.ts";
import { isInside } from "../../contract/effect.ts";
import type { Event, EventData } from "../../contract/events/index.ts";

export interface RecordedEntry extends EntryFacts {
  readonly content?: string;
}

export type RecordedPlace = RecordedEntry | "absent" | "unknown";

export interface RecordedChange {
  readonly seq: number;
  readonly at: number;
  readonly invocationId: string;
  readonly path: string;
  readonly change: EventData<"file.changed">["change"];
  readonly was: RecordedPlace;
  readonly is: RecordedPlace;
  /** Where everything at `path` was moved: another name, or the trash. */
  readonly carriedTo?: string;
  readonly kept?: string;
  /** Found by a scan: no content was stored, and the author is unknown. */
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

export interface SessionChanges {
  readonly calls: ReadonlyMap<string, UndoableCall>;
  /** Not undone, in order, and without the changes of undos. */
  readonly standing: readonly RecordedChange[];
  readonly byUndo: ReadonlyMap<string, readonly RecordedChange[]>;
  readonly unfinished: readonly { readonly undoId: string; readonly paths: readonly string[] }[];
}

export function readChanges(events: Iterable<Event>): SessionChanges {
  const reading = new ChangeReading();
  for (const event of events) reading.read(event);
  return reading.result();
}

/** The changes that an undo reverted; `trees` were moved to the trash as a whole. */
interface UndoRecord {
  readonly calls: readonly string[];
  readonly paths: ReadonlySet<string>;
  readonly trees: readonly string[];
}

class ChangeReading {
  readonly #calls = new Map<string, UndoableCall>();
  readonly #turns = new Map<string, string | undefined>();
  readonly #jobs = new Map<string, string>();
  #changes: RecordedChange[] = [];
  readonly #planned = new Map<string, readonly string[]>();
  readonly #finished = new Map<string, UndoRecord>();
  readonly #undone = new Map<string, ReadonlySet<string>>();

  read(event: Event): void {
    switch (event.type) {
      case "tool_intent.proposed":
        this.#turns.set(event.data.intentId, event.data.origin.turnId);
        return;
      case "tool_invocation.started":
        this.#calls.set(event.data.invocationId, startedCall(event.data, this.#turns.get(event.data.intentId)));
        return;
      case "tool_invocation.ended":
        if (event.data.exit !== "interrupted") return;
        this.#learn(event.data.invocationId, { interrupted: true });
        // Recovery has restored everything that was recorded of it so far.
        this.#changes = this.#changes.filter(({ invocationId }) => invocationId !== event.data.invocationId);
        return;
      case "job.started":
        this.#jobs.set(event.data.jobId, event.data.invocationId);
        return;
      case "job.ended": {
        const { jobId, state, unrecorded } = event.data;
        const call = this.#jobs.get(jobId) ?? "";
        if (state === "interrupted") this.#learn(call, { interrupted: true });
        if (unrecorded !== undefined) this.#learn(call, { unrecorded: true });
        return;
      }
      case "tool.observed": {
        const { invocationId = "", observation } = event.data;
        // Of an interrupted call only the name is known.
        const isTold = this.#calls.get(invocationId)?.interrupted === undefined;
        this.#learn(invocationId, { auditId: event.id, ...(isTold && { title: observation.title }) });
        return;
      }
      case "connection.made": {
        const { invocationId = "", outcome } = event.data;
        const before = this.#calls.get(invocationId)?.connections ?? 0;
        this.#learn(invocationId, { connections: before + (outcome === "connected" ? 1 : 0) });
        return;
      }
      case "transaction.decided":
        if (event.data.decision === "apply") this.#learn(event.data.invocationId, { mayChange: true });
        return;
      case "file.changed":
        this.#changes.push(recordedChange(event));
        return;
      case "undo.planned": {
        const paths = event.data.steps.map(({ path }) => path);
        this.#planned.set(event.data.undoId, paths);
        return;
      }
      case "undo.done":
        if (event.data.outcome === "done") this.#finish(event.data.undoId, event.data.calls);
        return;
    }
  }

  result(): SessionChanges {
    const calls = this.#calls;
    for (const [call, by] of this.#undone) if (by.size > 0) this.#learn(call, { visited: true });
    return {
      calls,
      standing: this.#changes.filter((one) => calls.has(one.invocationId) && !this.#isTakenBack(one)),
      byUndo: Map.groupBy(
        this.#changes.filter(({ invocationId }) => !calls.has(invocationId)),
        ({ invocationId }) => invocationId,
      ),
      unfinished: [...this.#planned].map(([undoId, paths]) => ({ undoId, paths })),
    };
  }

  #learn(invocationId: string, more: Partial<UndoableCall>): void {
    const call = this.#calls.get(invocationId);
    if (call !== undefined) this.#calls.set(invocationId, { ...call, ...more });
  }

  #finish(undoId: string, calls: readonly string[]): void {
    this.#planned.clear();
    const own = this.#changes.filter((one) => one.invocationId === undoId);
    const trees = own.flatMap((one) => (one.change === "deleted" && one.carriedTo ? [one.path] : []));
    this.#finished.set(undoId, { calls, paths: new Set(own.flatMap(pathsOf)), trees });
    for (const call of calls) {
      const earlier = this.#finished.get(call);
      if (earlier === undefined) this.#undone.set(call, new Set([...(this.#undone.get(call) ?? []), undoId]));
      // Undoing an undo restores its calls.
      for (const again of earlier?.calls ?? [])
        this.#undone.set(again, new Set([...(this.#undone.get(again) ?? [])].filter((by) => by !== call)));
    }
  }

  #isTakenBack(one: RecordedChange): boolean {
    return [...(this.#undone.get(one.invocationId) ?? [])].some((by) => {
      const { paths, trees = [] } = this.#finished.get(by) ?? {};
      return pathsOf(one).some((path) => paths?.has(path)) || trees.some((tree) => isInside(one.path, tree));
    });
  }
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
    // Changes in a view are not in the workspace before they are applied.
    mayChange: command === undefined ? changes : sandbox?.view === undefined && (sandbox?.writable.length ?? 1) > 0,
    connections: 0,
    ...(command !== undefined && sandbox?.enforces !== true ? { outsideUnseen: true } : {}),
  };
}

function recordedChange({ data, seq, at }: Extract<Event, { type: "file.changed" }>): RecordedChange {
  const { invocationId, path, change, seenBy, to, kept } = data;
  const common = { seq, at: Date.parse(at), invocationId, path, change, carriedTo: to };
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

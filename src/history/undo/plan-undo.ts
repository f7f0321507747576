import { dirname } from "node:path";
import type { UndoConflict, UndoOptions } from "../../contract/app/undo.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { isInside } from "../../contract/effect.ts";
import { isCache } from "../../gate/generated-paths.ts";
import {
  pathsOf,
  type RecordedChange,
  type RecordedPlace,
  type SessionChanges,
  type UndoableCall,
} from "./recorded-changes.ts";

/** One path: its expected state now, and its state before the first of the chosen calls. */
export interface PlaceBack {
  readonly path: string;
  readonly expect: RecordedPlace;
  readonly at: number;
  target: RecordedPlace;
  /** The file that contained `target`, and when it was stored. */
  image?: { readonly path: string; readonly at: number } | undefined;
  /** A new directory whose content was not recorded. */
  whole?: boolean;
}

export interface CarryBack {
  readonly kind: "carry";
  readonly from: string;
  readonly to: string;
  readonly was: RecordedPlace;
  readonly at: number;
}

export type Stage = { readonly kind: "places"; readonly places: ReadonlyMap<string, PlaceBack> } | CarryBack;

export interface UndoPlan {
  readonly stages: readonly Stage[];
  readonly conflicts: readonly UndoConflict[];
}

interface PlanParts {
  readonly titleOf: (invocationId: string) => string;
  /** New objects in git's store stay: another commit may need them. */
  readonly isObject: (path: string) => boolean;
}

/** From the newest change to the oldest; only the oldest state of a path matters. */
export function planUndo({ changes, others }: ChosenCalls, { titleOf, isObject }: PlanParts): UndoPlan {
  const stages: Stage[] = [];
  const conflicts = laterConflicts(changes, others, titleOf);
  const filled = new Set(changes.map(({ invocationId, path }) => `${invocationId} ${dirname(path)}`));
  let places: Map<string, PlaceBack> | undefined;
  for (const { invocationId, path, was, is, at, carriedTo, kept } of changes.toReversed()) {
    if (was === "absent" && isObject(path)) continue;
    if (carriedTo !== undefined) {
      stages.push({ kind: "carry", from: carriedTo, to: path, was, at });
      places = undefined;
      continue;
    }
    if (places === undefined) {
      places = new Map();
      stages.push({ kind: "places", places });
    }
    const back: PlaceBack = places.get(path) ?? { path, expect: is, at, target: is };
    if (isAnother(back.target, is))
      conflicts.push({ path, kind: "changed_since", detail: "it was changed between these calls" });
    back.target = was;
    back.whole = !filled.has(`${invocationId} ${path}`);
    back.image = kept === undefined ? undefined : { path: kept, at };
    places.set(path, back);
  }
  return { stages, conflicts };
}

function isAnother(one: RecordedPlace, other: RecordedPlace): boolean {
  const [content, also] = [one, other].map((place) => (typeof place === "object" ? place.content : undefined));
  return content !== undefined && also !== undefined && content !== also;
}

/** Later calls that changed the same paths and are not undone. */
function laterConflicts(
  changes: readonly RecordedChange[],
  others: readonly RecordedChange[],
  titleOf: (invocationId: string) => string,
): UndoConflict[] {
  const first = new Map(changes.toReversed().flatMap((change) => pathsOf(change).map((path) => [path, change.seq])));
  const trees = changes.filter(({ carriedTo }) => carriedTo !== undefined);
  const conflicts = new Map<string, UndoConflict>();
  for (const other of others) {
    const whole = other.carriedTo !== undefined;
    for (const path of pathsOf(other)) {
      const touched =
        (first.get(path) ?? Number.POSITIVE_INFINITY) < other.seq ||
        trees.some((tree) => tree.seq < other.seq && pathsOf(tree).some((one) => isInside(path, one))) ||
        (whole && changes.some((one) => one.seq < other.seq && pathsOf(one).some((inner) => isInside(inner, path))));
      if (!touched) continue;
      const who = other.direct ? "changed again while a later call ran" : "changed again by a later call";
      const detail = `${who}: ${titleOf(other.invocationId)} (${other.invocationId})`;
      conflicts.set(path, { path, kind: "later_call", detail });
    }
  }
  return [...conflicts.values()];
}

/** The calls to undo, oldest first, and their changes that were not undone yet. */
export interface ChosenCalls {
  readonly calls: readonly UndoableCall[];
  readonly changes: readonly RecordedChange[];
  readonly left: readonly RecordedChange[];
  /** Changes that stay: those of other calls, and direct ones of these. */
  readonly others: readonly RecordedChange[];
}

type Wanted = Pick<UndoOptions, "call" | "turn" | "last">;

export function chooseCalls(session: SessionChanges, wanted: Wanted): Outcome<ChosenCalls> {
  const { standing, byUndo, calls } = session;
  if ([wanted.call, wanted.turn, wanted.last].filter((one) => one !== undefined).length > 1)
    return fail("bad_request", "Give only one of a call, a turn and a number of calls.");
  const redone = wanted.call === undefined ? undefined : byUndo.get(wanted.call);
  if (redone !== undefined && wanted.call !== undefined)
    return ok({ calls: [undoAsCall(wanted.call)], changes: redone, left: [], others: standing });

  const chosen = named(session, wanted);
  if (!chosen.ok) return chosen;
  const ids = new Set(chosen.value);
  const ofChosen = standing.filter(({ invocationId }) => ids.has(invocationId));
  const changes = ofChosen.filter(({ direct }) => direct === undefined);
  const meant = new Set(changes);
  return ok({
    calls: [...calls.values()].filter(({ invocationId }) => ids.has(invocationId)),
    changes,
    left: ofChosen.filter(({ direct }) => direct),
    others: standing.filter((one) => !meant.has(one)),
  });
}

function named(
  { calls, standing, byUndo }: SessionChanges,
  { call, turn, last = 1 }: Wanted,
): Outcome<readonly string[]> {
  const all = [...calls.values()];
  if (call !== undefined) {
    const found = all.find(
      ({ invocationId, intentId, auditId }) => invocationId === call || intentId === call || auditId === call,
    );
    if (found !== undefined) return ok([found.invocationId]);
    return fail("bad_request", `No call of this session that ran has the id ${JSON.stringify(call)}.`, {
      recovery: "`gauntlet sessions show` lists the calls with their ids.",
    });
  }
  if (turn !== undefined) {
    const found = all.filter(({ turnId }) => turnId === turn);
    if (found.length > 0) return ok(found.map(({ invocationId }) => invocationId));
    return fail("bad_request", `No call of this session that ran belongs to the turn ${JSON.stringify(turn)}.`, {
      recovery: "`gauntlet sessions replay` shows the turns with their ids.",
    });
  }
  // Not a call that only changed caches.
  const changing = new Set(standing.flatMap(({ path, invocationId }) => (isCache(path, true) ? [] : [invocationId])));
  const counts = ({ invocationId, interrupted, mayChange, visited }: UndoableCall) =>
    !visited && (changing.has(invocationId) || (interrupted === true && mayChange));
  const found = all.filter(counts).slice(-last);
  if (found.length > 0) return ok(found.map(({ invocationId }) => invocationId));
  const lastUndo = [...byUndo.keys()].at(-1);
  if (lastUndo === undefined) return fail("bad_request", "No call of this session changed a file.");
  const but = hasDirect({ standing }) ? `, ${butDirect}` : "";
  return fail("bad_request", `All changes of this session are already undone, last by ${lastUndo}${but}.`);
}

export const butDirect = "except changes of direct commands, which cannot be undone";

export function hasDirect({ standing }: Pick<SessionChanges, "standing">): boolean {
  return standing.some(({ direct }) => direct);
}

function undoAsCall(undoId: string): UndoableCall {
  return { invocationId: undoId, tool: "undo", title: `undo ${undoId}`, mayChange: true, connections: 0 };
}

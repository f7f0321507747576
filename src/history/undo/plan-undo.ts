import { dirname } from "node:path";
import type { UndoConflict } from "../../contract/app/undo.ts";
import { isInside } from "../../contract/effect.ts";
import type { ChosenCalls } from "./choose-calls.ts";
import { type Place, pathsOf, type RecordedChange } from "./recorded-changes.ts";

/** One path on its way back: what it should be now, and what it was before the first of the chosen calls. */
export interface PlaceBack {
  readonly path: string;
  readonly expect: Place;
  /** When `expect` was recorded. */
  readonly at: number;
  target: Place;
  /** The file that held `target`, and when it was put there. */
  image?: { readonly path: string; readonly at: number } | undefined;
  /** A new directory: what is in it is not on record. */
  whole?: boolean;
}

/** Everything at `from` goes back to `to`. */
export interface CarryBack {
  readonly kind: "carry";
  readonly from: string;
  readonly to: string;
  /** What it should still be. */
  readonly was: Place;
  readonly at: number;
}

/** What happens together; between two of them whole entries are carried back. */
export type Stage = { readonly kind: "places"; readonly places: ReadonlyMap<string, PlaceBack> } | CarryBack;

export interface UndoPlan {
  readonly stages: readonly Stage[];
  readonly conflicts: readonly UndoConflict[];
}

interface PlanParts {
  readonly titleOf: (invocationId: string) => string;
  /** In git's object store. A new one stays: it does no harm, and another commit may need it by now. */
  readonly isObject: (path: string) => boolean;
}

/** From the newest change to the oldest. Of a path that changed several times only the oldest state matters. */
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

function isAnother(one: Place, other: Place): boolean {
  const [content, also] = [one, other].map((place) => (typeof place === "object" ? place.content : undefined));
  return content !== undefined && also !== undefined && content !== also;
}

/** Calls that are not undone and changed the same paths afterwards. */
function laterConflicts(
  changes: readonly RecordedChange[],
  others: readonly RecordedChange[],
  titleOf: (invocationId: string) => string,
): UndoConflict[] {
  const first = new Map<string, number>();
  for (const change of changes)
    for (const path of pathsOf(change)) first.set(path, Math.min(change.seq, first.get(path) ?? change.seq));
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

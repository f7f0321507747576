import { isInside } from "../../contract/path-scope.ts";
import type { UndoConflict } from "../../contract/undo.ts";
import type { ChosenCalls } from "./choose-calls.ts";
import { type Place, type PlaceChange, pathsOf, type RecordedChange } from "./recorded-changes.ts";

/** One path on its way back: what it should be now, and what it was before the first of the chosen calls. */
export interface PlaceBack {
  readonly path: string;
  readonly expect: Place;
  target: Place;
  /** Where its content may still be. */
  movedTo?: string;
}

/** What happens together; between two of them whole trees are carried back. */
export type Stage =
  | { readonly kind: "places"; readonly places: ReadonlyMap<string, PlaceBack> }
  | {
      readonly kind: "carry";
      readonly from: string;
      readonly to: string;
      /** What it should still hold. */
      readonly content?: string;
    };

export interface UndoPlan {
  readonly stages: readonly Stage[];
  readonly later: readonly UndoConflict[];
}

/** From the newest change to the oldest. Of a path that changed several times only the oldest state matters. */
export function planUndo({ changes, others }: ChosenCalls, titleOf: (invocationId: string) => string): UndoPlan {
  const stages: Stage[] = [];
  let places: Map<string, PlaceBack> | undefined;
  let whereabouts = createWhereabouts();
  for (const change of changes.toReversed()) {
    if ("carriedTo" in change) {
      const { carriedTo: from, path: to, content } = change;
      stages.push({ kind: "carry", from, to, ...(content === undefined ? {} : { content }) });
      places = undefined;
      continue;
    }
    if (places === undefined) {
      places = new Map();
      whereabouts = createWhereabouts();
      stages.push({ kind: "places", places });
    }
    const known = places.get(change.path);
    const back = known ?? { path: change.path, expect: change.is, target: change.was };
    back.target = change.was;
    delete back.movedTo;
    const movedTo = whereabouts.after(change);
    if (movedTo !== undefined) back.movedTo = movedTo;
    places.set(change.path, back);
  }
  return { stages, later: laterConflicts(changes, others, titleOf) };
}

/** Where the content of a path is in the end, when it was moved and perhaps moved again. Told from the newest change on. */
function createWhereabouts() {
  const ends = new Map<string, string | undefined>();
  return {
    after({ path, was, is, movedTo }: PlaceChange): string | undefined {
      if (movedTo === undefined) {
        // Only its permissions changed: its content went on from here.
        if (hasSameContent(was, is)) return ends.get(path);
        if (was !== "absent") ends.set(path, undefined);
        return undefined;
      }
      const end = ends.has(movedTo) ? ends.get(movedTo) : movedTo;
      ends.set(path, end);
      return end;
    },
  };
}

function hasSameContent(one: Place, other: Place): boolean {
  return (
    typeof one === "object" && typeof other === "object" && one.content !== undefined && one.content === other.content
  );
}

/** Calls that stay and changed the same paths afterwards. */
function laterConflicts(
  changes: readonly RecordedChange[],
  others: readonly RecordedChange[],
  titleOf: (invocationId: string) => string,
): readonly UndoConflict[] {
  const first = new Map<string, number>();
  for (const change of changes)
    for (const path of pathsOf(change)) first.set(path, Math.min(change.seq, first.get(path) ?? change.seq));
  const trees = changes.filter((change) => "carriedTo" in change);
  const conflicts = new Map<string, UndoConflict>();
  for (const other of others) {
    const whole = "carriedTo" in other;
    for (const path of pathsOf(other)) {
      const touched =
        (first.get(path) ?? Number.POSITIVE_INFINITY) < other.seq ||
        trees.some((tree) => tree.seq < other.seq && pathsOf(tree).some((one) => isInside(path, one))) ||
        (whole && changes.some((one) => one.seq < other.seq && pathsOf(one).some((inner) => isInside(inner, path))));
      if (!touched) continue;
      const who = other.doubtful ? "changed again while a later call ran" : "changed again by a later call";
      const detail = `${who}: ${titleOf(other.invocationId)} (${other.invocationId})`;
      conflicts.set(path, { path, kind: "later_call", detail });
    }
  }
  return [...conflicts.values()];
}

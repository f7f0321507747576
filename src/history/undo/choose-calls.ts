import type { UndoOptions } from "../../contract/app/undo.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { isCache } from "../../gate/generated-paths.ts";
import type { RecordedCall, RecordedChange, SessionChanges } from "./recorded-changes.ts";

/** The calls to undo, oldest first, and those of their changes that are still in place. */
export interface ChosenCalls {
  readonly calls: readonly RecordedCall[];
  readonly changes: readonly RecordedChange[];
  /** What direct commands changed. */
  readonly left: readonly RecordedChange[];
  /** All that stays: of other calls, and what is left of these. */
  readonly others: readonly RecordedChange[];
}

type Wanted = Pick<UndoOptions, "call" | "turn" | "last">;

export function chooseCalls(session: SessionChanges, wanted: Wanted): Outcome<ChosenCalls> {
  const { standing, byUndo, calls } = session;
  if ([wanted.call, wanted.turn, wanted.last].filter((one) => one !== undefined).length > 1)
    return fail("bad_request", "Name a call, a turn or a number of calls, not several of them.");
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
    return fail("bad_request", `No call of this session that ran is known as ${JSON.stringify(call)}.`, {
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
  // A call that only filled caches is not the one that somebody wants to undo.
  const changing = new Set(standing.flatMap(({ path, invocationId }) => (isCache(path, true) ? [] : [invocationId])));
  const counts = ({ invocationId, interrupted, mayChange, visited }: RecordedCall) =>
    !visited && (changing.has(invocationId) || (interrupted === true && mayChange));
  const found = all.filter(counts).slice(-last);
  if (found.length > 0) return ok(found.map(({ invocationId }) => invocationId));
  const lastUndo = [...byUndo.keys()].at(-1);
  if (lastUndo === undefined) return fail("bad_request", "No call of this session changed a file.");
  const but = hasDirect({ standing }) ? `, ${butDirect}` : "";
  return fail("bad_request", `All that this session changed was taken back already, last by ${lastUndo}${but}.`);
}

export const butDirect = "except what direct commands changed, which cannot be undone";

export function hasDirect({ standing }: Pick<SessionChanges, "standing">): boolean {
  return standing.some(({ direct }) => direct);
}

function undoAsCall(undoId: string): RecordedCall {
  return { invocationId: undoId, tool: "undo", title: `undo ${undoId}`, mayChange: true, connections: 0 };
}

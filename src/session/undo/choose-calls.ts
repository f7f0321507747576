import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { UndoOptions } from "../../contract/undo.ts";
import type { RecordedCall, RecordedChange, SessionChanges } from "./recorded-changes.ts";

/** The calls that are to be taken back, oldest first, and what they did that still stands. */
export interface ChosenCalls {
  readonly calls: readonly RecordedCall[];
  readonly changes: readonly RecordedChange[];
  /** Of calls that stay. */
  readonly others: readonly RecordedChange[];
}

export function chooseCalls(
  session: SessionChanges,
  wanted: Pick<UndoOptions, "call" | "turn" | "last">,
): Outcome<ChosenCalls> {
  const { standing, byUndo, calls } = session;
  if ([wanted.call, wanted.turn, wanted.last].filter((one) => one !== undefined).length > 1)
    return fail("bad_request", "Name a call, a turn or a number of calls, not several of them.");
  const redone = wanted.call === undefined ? undefined : byUndo.get(wanted.call);
  if (redone !== undefined && wanted.call !== undefined)
    return ok({ calls: [undoAsCall(wanted.call)], changes: redone, others: standing });

  const chosen = named(session, wanted);
  if (!chosen.ok) return chosen;
  const ids = new Set(chosen.value);
  return ok({
    calls: [...calls.values()].filter(({ invocationId }) => ids.has(invocationId)),
    changes: standing.filter(({ invocationId }) => ids.has(invocationId)),
    others: standing.filter(({ invocationId }) => !ids.has(invocationId)),
  });
}

function named(
  { calls, standing, byUndo }: SessionChanges,
  { call, turn, last = 1 }: Pick<UndoOptions, "call" | "turn" | "last">,
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
  const changing = new Set(standing.map(({ invocationId }) => invocationId));
  const found = all.filter(({ invocationId }) => changing.has(invocationId)).slice(-last);
  if (found.length > 0) return ok(found.map(({ invocationId }) => invocationId));
  const lastUndo = [...byUndo.keys()].at(-1);
  if (lastUndo === undefined) return fail("bad_request", "No call of this session changed a file.");
  return fail("bad_request", `All that this session changed was taken back already, last by ${lastUndo}.`);
}

function undoAsCall(undoId: string): RecordedCall {
  return { invocationId: undoId, tool: "undo", title: `undo ${undoId}`, connections: 0 };
}

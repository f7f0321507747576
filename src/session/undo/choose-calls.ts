import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { UndoOptions } from "../../contract/undo.ts";
import type { RecordedCall, RecordedChange, SessionChanges } from "./recorded-changes.ts";

/** The calls that are to be taken back, oldest first, and what they did that still stands. */
export interface ChosenCalls {
  readonly calls: readonly RecordedCall[];
  readonly changes: readonly RecordedChange[];
  /** Changed while they ran, and perhaps the work of somebody else. */
  readonly left: readonly RecordedChange[];
  /** All that stays: of other calls, and what is left of these. */
  readonly others: readonly RecordedChange[];
  /** Later ones of which nothing can be put back, where nobody named a call. */
  readonly passedOver: readonly RecordedCall[];
}

type Wanted = Pick<UndoOptions, "call" | "turn" | "last" | "all">;

export function chooseCalls(session: SessionChanges, wanted: Wanted): Outcome<ChosenCalls> {
  const { standing, byUndo, calls } = session;
  if ([wanted.call, wanted.turn, wanted.last].filter((one) => one !== undefined).length > 1)
    return fail("bad_request", "Name a call, a turn or a number of calls, not several of them.");
  const redone = wanted.call === undefined ? undefined : byUndo.get(wanted.call);
  if (redone !== undefined && wanted.call !== undefined)
    return ok({ calls: [undoAsCall(wanted.call)], changes: redone, left: [], others: standing, passedOver: [] });

  const chosen = named(session, wanted);
  if (!chosen.ok) return chosen;
  const ids = new Set(chosen.value);
  const isMeant = ({ invocationId, doubtful }: RecordedChange) =>
    ids.has(invocationId) && (wanted.all === true || doubtful === undefined);
  return ok({
    calls: [...calls.values()].filter(({ invocationId }) => ids.has(invocationId)),
    changes: standing.filter(isMeant),
    left: standing.filter((one) => ids.has(one.invocationId) && !isMeant(one)),
    others: standing.filter((one) => !isMeant(one)),
    passedOver: wanted.call === undefined && wanted.turn === undefined ? passedOver(session, ids) : [],
  });
}

function named(
  { calls, standing, byUndo }: SessionChanges,
  { call, turn, last = 1, all: everything = false }: Wanted,
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
  const changing = new Set(standing.filter(({ leftOut }) => !leftOut).map(({ invocationId }) => invocationId));
  const counts = ({ invocationId, interrupted, mayChange, visited }: RecordedCall) =>
    // Whoever asks again wants to go on, unless it is for what was left.
    (everything || !visited) && (changing.has(invocationId) || (interrupted === true && mayChange && !visited));
  const found = all.filter(counts).slice(-last);
  if (found.length > 0) return ok(found.map(({ invocationId }) => invocationId));
  const lastUndo = [...byUndo.keys()].at(-1);
  if (lastUndo === undefined) {
    const where = standing.length === 0 ? "" : ` ${butLeftOut}`;
    return fail("bad_request", `No call of this session changed a file${where}.`);
  }
  if (hasLeft({ standing }))
    return fail(
      "bad_request",
      `What this session changed was taken back already, last by ${lastUndo}, but for what changed while its calls ran.`,
      { recovery: takesLeft },
    );
  const where = hasLeftOut({ standing }) ? `, ${butLeftOut}` : "";
  return fail("bad_request", `All that this session changed was taken back already, last by ${lastUndo}${where}.`);
}

/** Calls that changed something after the chosen ones, if any, and only where nothing is kept. */
export function passedOver(
  { calls, standing }: SessionChanges,
  chosen: ReadonlySet<string> = new Set(),
): readonly RecordedCall[] {
  const all = [...calls.values()];
  const later = all.slice(all.findLastIndex(({ invocationId }) => chosen.has(invocationId)) + 1);
  return later.filter(({ invocationId, visited }) => {
    const changes = standing.filter((one) => one.invocationId === invocationId);
    return !visited && changes.length > 0 && changes.every(({ leftOut }) => leftOut);
  });
}

export function tellPassedOver(calls: readonly RecordedCall[]): readonly string[] {
  const last = calls.at(-1);
  if (last === undefined) return [];
  const more = calls.length === 1 ? "" : ` (and ${calls.length - 1} more)`;
  return [`"${last.title}"${more} ran later: its changes lie in dependencies or caches and are not put back.`];
}

export const butLeftOut = "but in dependencies, caches and git's objects, which nobody puts back";

/** Whether something stands where nothing is kept. */
export function hasLeftOut({ standing }: Pick<SessionChanges, "standing">): boolean {
  return standing.some(({ leftOut }) => leftOut);
}

export const takesLeft = "--all takes that back as well; with --dry-run it only says what that would be.";

/** Whether there is something that nobody is known to have done. */
export function hasLeft({ standing }: Pick<SessionChanges, "standing">): boolean {
  return standing.some(({ doubtful, leftOut }) => doubtful && !leftOut);
}

function undoAsCall(undoId: string): RecordedCall {
  return { invocationId: undoId, tool: "undo", title: `undo ${undoId}`, mayChange: true, connections: 0 };
}

import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { SessionId } from "../contract/ids.ts";
import type { SessionLog } from "../contract/store.ts";
import type { UndoOptions, UndoReport } from "../contract/undo.ts";
import { unreadable } from "../contract/unreadable-log.ts";
import { linkedRepository } from "../effects/linked-repository.ts";
import { createEntryFiles } from "../host/content-restore.ts";
import type { Places } from "../host/find-places.ts";
import { linkedWorktree } from "../host/linked-worktree.ts";
import type { LogStore } from "../log/open-store.ts";
import { removeAbandoned } from "../sandbox/placeholders.ts";
import { recoverSession } from "../session/recover.ts";
import {
  butLeftOut,
  chooseCalls,
  hasLeft,
  hasLeftOut,
  passedOver,
  takesLeft,
  tellPassedOver,
} from "../session/undo/choose-calls.ts";
import { type RecordedCall, readChanges } from "../session/undo/recorded-changes.ts";
import { type UndoParts, undoCalls } from "../session/undo/undo-calls.ts";
import type { Machine } from "./policy.ts";
import { recoverAbandoned, recoveryParts } from "./session.ts";

/** A session of this process that is open. */
export interface LiveSession {
  readonly log: SessionLog;
  /** A message is under way, whether or not one of its calls runs at this moment. */
  readonly isRunning: () => boolean;
}

interface UndoRoot {
  readonly machine: Machine;
  readonly places: Places;
  readonly store: LogStore;
  /** Sessions of this process that are open. */
  readonly live: ReadonlyMap<SessionId, LiveSession>;
}

/** Holds the session's lease while files change: nobody else can add a call in between. */
export async function undo(options: UndoOptions, root: UndoRoot): Promise<Outcome<UndoReport>> {
  // A call that was cut off is the last one as well, and what it had named is on record from then on.
  await recoverAbandoned(root.store, root.machine);
  const { session, ...wanted } = options;
  if (session !== undefined) return undoOf(session, wanted, root);
  const meant = sessionMeant(options, root);
  if (!meant.ok) return meant;
  const { id, passedOver: later } = meant.value;
  const undone = await undoOf(id, wanted, root);
  if (!undone.ok || later.length === 0) return undone;
  return ok({ ...undone.value, never: [...tellPassedOver(later), ...undone.value.never] });
}

async function undoOf(
  id: SessionId,
  wanted: Omit<UndoOptions, "session">,
  root: UndoRoot,
): Promise<Outcome<UndoReport>> {
  if (wanted.dryRun) return planOnly(id, wanted, root);
  const live = root.live.get(id);
  if (live?.isRunning() === true) return atWork();
  if (live !== undefined) return undoIn(live.log, wanted, root);
  const opened = root.store.open(id);
  if (!opened.ok) return opened;
  const log = opened.value;
  try {
    removeAbandoned(root.machine.claims);
    await recoverSession(recoveryParts(root.store, root.machine, log));
    return await undoIn(log, wanted, root);
  } catch (error) {
    return unreadable(error);
  } finally {
    log.close();
  }
}

function undoIn(
  log: SessionLog,
  wanted: Omit<UndoOptions, "session">,
  root: UndoRoot,
): Promise<Outcome<UndoReport>> | Outcome<UndoReport> {
  const { openIntents, openInvocations, openJobs, pending, roots, baselines } = log.state;
  // What only waits for a person is judged anew when the answer comes.
  const waiting = new Set([...pending.values()].map(({ intentId }) => intentId));
  const isWalking = [...openIntents.keys()].some((id) => !waiting.has(id));
  if (isWalking || openInvocations.size + openJobs.size > 0) return atWork();
  const append: SessionLog["append"] = (drafts) => log.append(drafts);
  const places = undonePlaces(roots, root);
  const session = {
    id: log.id,
    events: () => log.events(),
    roots: places,
    baselines: new Set(baselines.keys()),
    append,
  };
  return undoCalls(session, wanted, undoParts(root));
}

/** With those that git writes for a linked worktree, in the repository that it belongs to. */
function undonePlaces(roots: readonly string[], { machine }: UndoRoot): readonly string[] {
  const linked = roots.flatMap((tree) => {
    const found = linkedWorktree(tree, roots);
    return "why" in found ? [] : linkedRepository(found, { roots, metadata: machine.metadata }).writable;
  });
  return [...roots, ...linked];
}

function atWork(): Outcome<never> {
  return fail("runtime_precondition_failed", "The session is at work; nothing is taken back under its hands.", {
    recovery: "Interrupt it or wait until it is idle, and stop its background jobs.",
  });
}

/** Needs no lease: it reads the log and looks at the files. */
async function planOnly(
  id: SessionId,
  wanted: Omit<UndoOptions, "session">,
  root: UndoRoot,
): Promise<Outcome<UndoReport>> {
  const replayed = root.store.archive.replay(id);
  if (!replayed.ok) return replayed;
  const reader = root.store.read(id);
  if (!reader.ok) return reader;
  try {
    const { roots, baselines } = replayed.value.state;
    const places = undonePlaces(roots, root);
    const session = { id, events: () => reader.value.events(), roots: places, baselines: new Set(baselines.keys()) };
    return await undoCalls(session, wanted, undoParts(root));
  } catch (error) {
    return unreadable(error);
  } finally {
    reader.value.close();
  }
}

interface SessionMeant {
  readonly id: SessionId;
  /** Of later sessions. */
  readonly passedOver: readonly RecordedCall[];
}

/**
 * The latest one here in which there is something of what is wanted: neither one that changed nothing nor one whose
 * changes were taken back already is what somebody means who wants something back. One that was cut off counts, whether
 * or not a change of it is on record.
 */
function sessionMeant(wanted: UndoOptions, { store, places }: UndoRoot): Outcome<SessionMeant> {
  const { workspace } = places;
  const isNamed = wanted.call !== undefined || wanted.turn !== undefined;
  let emptied: SessionId | undefined;
  let left: SessionId | undefined;
  let leftOut = false;
  const passed: RecordedCall[] = [];
  for (const { id, changed, imported } of store.list().filter((session) => session.workspace === workspace)) {
    // Nothing is done on the word of an imported one.
    if (imported || (changed === 0 && !wasCutOff(id, store))) continue;
    const events = store.archive.events(id);
    if (!events.ok) continue;
    const recorded = readChanges(events.value);
    const chosen = chooseCalls(recorded, wanted);
    if (chosen.ok) return ok({ id, passedOver: isNamed ? [] : passed });
    passed.unshift(...passedOver(recorded));
    if (changed > 0) emptied ??= id;
    if (hasLeft(recorded)) left ??= id;
    if (hasLeftOut(recorded)) leftOut = true;
  }
  if (emptied === undefined) return fail("bad_request", `No session has a recorded change of a file in ${workspace}.`);
  const { call, turn } = wanted;
  if (!isNamed) {
    const all = `that sessions changed in ${workspace} was taken back already`;
    const where = leftOut ? `, ${butLeftOut}` : "";
    if (left === undefined) return fail("bad_request", `All ${all}, last in ${emptied}${where}.`);
    const but = `but for what changed while calls of ${left} ran`;
    return fail("bad_request", `All ${all}, ${but}.`, { recovery: takesLeft });
  }
  const what = call === undefined ? `turn ${JSON.stringify(turn)}` : `call ${JSON.stringify(call)}`;
  return fail("bad_request", `No session that changed a file in ${workspace} has a ${what}.`, {
    recovery: "`gauntlet sessions show` lists the calls of a session with their ids.",
  });
}

/** Asked of sessions without a recorded change, of which there may be many: only a few of their events are read. */
function wasCutOff(id: SessionId, store: LogStore): boolean {
  const reader = store.read(id);
  if (!reader.ok) return false;
  try {
    for (const { type, data } of reader.value.events({ types: ["tool_invocation.ended", "job.ended"] })) {
      if (type === "tool_invocation.ended" && data.exit === "interrupted") return true;
      if (type === "job.ended" && data.state === "interrupted") return true;
    }
    return false;
  } catch {
    return false;
  } finally {
    reader.value.close();
  }
}

function undoParts({ machine, places, store }: UndoRoot): UndoParts {
  const { files, ids } = machine;
  const { home, gauntletHome: stateDirectory } = places;
  return { files, ids, home, stateDirectory, artifacts: store.artifacts, entryFiles: createEntryFiles };
}

import { clip } from "../../base/text.ts";
import type { UndoOptions, UndoReport } from "../../contract/app/undo.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { Sandbox } from "../../contract/ports.ts";
import type { SessionState } from "../../contract/state.ts";
import { type SessionLog, unreadable } from "../../contract/store.ts";
import { linkedRepository } from "../../effects/repositories.ts";
import { createEntryFiles } from "../../host/files/entry-files.ts";
import { linkedWorktree } from "../../host/git/work-trees.ts";
import type { Places } from "../../host/state/find-places.ts";
import type { LogStore } from "../../log/open-store.ts";
import { removeAbandoned } from "../../sandbox/run/placeholders.ts";
import { type Machine, recoverAbandoned, recoverSession } from "../../session/recover.ts";
import { secretStandings } from "../../session/secret-standings.ts";
import { butDirect, chooseCalls, hasDirect } from "./plan-undo.ts";
import { readChanges } from "./recorded-changes.ts";
import { type UndoneSession, type UndoParts, undoCalls } from "./undo-calls.ts";

export interface LiveSession {
  readonly log: SessionLog;
  /** A message is being processed, also between its calls. */
  readonly isRunning: () => boolean;
}

type WantedCalls = Omit<UndoOptions, "session">;

interface UndoRoot {
  readonly machine: Machine;
  readonly places: Places;
  readonly store: LogStore;
  readonly sandbox: () => Promise<Outcome<Sandbox>>;
  readonly live: ReadonlyMap<SessionId, LiveSession>;
}

/** Holds the session's lease while files change, so that no call can run in between. */
export async function undo(options: UndoOptions, root: UndoRoot): Promise<Outcome<UndoReport>> {
  // An interrupted call counts too: it must be closed first.
  await recoverAbandoned(root.store, root.machine);
  const { session, ...wanted } = options;
  if (session !== undefined) return undoOf(session, wanted, root);
  const meant = sessionMeant(options, root);
  return meant.ok ? undoOf(meant.value, wanted, root) : meant;
}

async function undoOf(id: SessionId, wanted: WantedCalls, root: UndoRoot): Promise<Outcome<UndoReport>> {
  const live = root.live.get(id);
  // The preview fails too: what it promises could not be done.
  if (live !== undefined && live.log.state.openJobs.size > 0) return atWork(live.log.state);
  if (wanted.dryRun) return planOnly(id, wanted, root);
  if (live?.isRunning() === true) return atWork(live.log.state);
  if (live !== undefined) return undoIn(live.log, wanted, root);
  const opened = root.store.open(id);
  if (!opened.ok) return opened;
  const log = opened.value;
  try {
    removeAbandoned(root.machine.claims);
    await recoverSession(root.store, root.machine, log);
    return await undoIn(log, wanted, root);
  } catch (error) {
    return unreadable(error);
  } finally {
    log.close();
  }
}

function undoIn(
  log: SessionLog,
  wanted: WantedCalls,
  root: UndoRoot,
): Promise<Outcome<UndoReport>> | Outcome<UndoReport> {
  const { openIntents, openInvocations, openJobs, pending } = log.state;
  // A call that waits for an answer is judged again when the answer arrives.
  const waiting = new Set([...pending.values()].map(({ intentId }) => intentId));
  const isWalking = [...openIntents.keys()].some((id) => !waiting.has(id));
  if (isWalking || openInvocations.size + openJobs.size > 0) return atWork(log.state);
  return undoCalls(
    undoneSession(
      { id: log.id, state: log.state, events: () => log.events(), append: (drafts) => log.append(drafts) },
      root,
    ),
    wanted,
    undoParts(root, log.state.roots),
  );
}

function undoneSession(
  {
    state: { roots, baselines },
    ...log
  }: Pick<UndoneSession, "id" | "events" | "append"> & { readonly state: Pick<SessionState, "roots" | "baselines"> },
  root: UndoRoot,
): UndoneSession {
  return { ...log, roots: undonePlaces(roots, root), baselines: new Set(baselines.keys()) };
}

/** With those that git writes for a linked worktree, in the repository that it belongs to. */
function undonePlaces(roots: readonly string[], { machine }: UndoRoot): readonly string[] {
  return [...roots, ...roots.flatMap((tree) => linkedTo(tree, roots, machine)?.writable ?? [])];
}

function linkedTo(tree: string, roots: readonly string[], { metadata }: UndoRoot["machine"]) {
  const found = linkedWorktree(tree, roots);
  return "why" in found ? undefined : linkedRepository(found, { roots, metadata });
}

function atWork({ openJobs }: Pick<SessionState, "openJobs">): Outcome<never> {
  const [job] = openJobs.values();
  const what = job === undefined ? "The session is running" : `${clip(job.command, 60)} still runs in the background`;
  return fail("runtime_precondition_failed", `${what}; undo is not possible now.`, {
    recovery:
      job === undefined ? "Interrupt it or wait until it is idle." : "Stop it with /jobs stop, then undo again.",
  });
}

/** Needs no lease: it reads the log and looks at the files. */
async function planOnly(id: SessionId, wanted: WantedCalls, root: UndoRoot): Promise<Outcome<UndoReport>> {
  const replayed = root.store.archive.replay(id);
  if (!replayed.ok) return replayed;
  const reader = root.store.read(id);
  if (!reader.ok) return reader;
  try {
    const { state } = replayed.value;
    const session = undoneSession({ id, state, events: () => reader.value.events() }, root);
    return await undoCalls(session, wanted, undoParts(root, state.roots));
  } catch (error) {
    return unreadable(error);
  } finally {
    reader.value.close();
  }
}

/** The latest session here with something to undo. An interrupted one counts even without a recorded change. */
function sessionMeant(wanted: UndoOptions, { store, places }: UndoRoot): Outcome<SessionId> {
  const { workspace } = places;
  const isNamed = wanted.call !== undefined || wanted.turn !== undefined;
  let emptied: SessionId | undefined;
  let direct = false;
  for (const { id, changed, imported } of store.list().filter((session) => session.workspace === workspace)) {
    // An imported session is never acted on.
    if (imported || (changed === 0 && !wasCutOff(id, store))) continue;
    const events = store.archive.events(id);
    if (!events.ok) continue;
    const recorded = readChanges(events.value);
    const chosen = chooseCalls(recorded, wanted);
    if (chosen.ok) return ok(id);
    if (changed > 0) emptied ??= id;
    direct ||= hasDirect(recorded);
  }
  if (emptied === undefined) return fail("bad_request", `No session has a recorded change of a file in ${workspace}.`);
  const { call, turn } = wanted;
  if (!isNamed) {
    const but = direct ? `, ${butDirect}` : "";
    const all = `All changes of sessions in ${workspace} are already undone, last in ${emptied}${but}.`;
    return fail("bad_request", all);
  }
  const what = call === undefined ? `turn ${JSON.stringify(turn)}` : `call ${JSON.stringify(call)}`;
  return fail("bad_request", `No session that changed a file in ${workspace} has a ${what}.`, {
    recovery: "`gauntlet sessions show` lists the calls of a session with their ids.",
  });
}

/** For sessions without a recorded change. There may be many, so only a few of their events are read. */
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

function undoParts(root: UndoRoot, roots: readonly string[]): UndoParts {
  const { machine, places, store, sandbox } = root;
  const readable = undonePlaces(roots, root);
  const { files, ids, known, metadata, scan } = machine;
  const { home, gauntletHome: stateDirectory } = places;
  const { find } = scan;
  const { standing } = secretStandings({ roots, hideCommitted: false, shows: () => false, metadata, find, known });
  const brokenRepository = (tree: string) => {
    if (isInsideAny(tree, roots)) return examineRepository(tree, readable, sandbox);
    // The repository of a linked worktree is examined from there: the main tree is not shown.
    const linked = roots.map((at) => ({ at, repository: linkedTo(at, roots, machine) }));
    const found = linked.find(({ repository }) => isInside(repository?.directory ?? "/", tree));
    const shown = [...readable, ...(found?.repository?.readable ?? [])];
    return examineRepository(found?.at ?? tree, shown, sandbox);
  };
  const { artifacts } = store;
  return { files, ids, home, stateDirectory, standing, artifacts, entryFiles: createEntryFiles, brokenRepository };
}

/** Neither fetches the missing objects of a partial clone nor runs programs that the repository names. */
const fsck = "git -c safe.directory='*' -c protocol.allow=never fsck --connectivity-only --no-dangling --no-progress";

async function examineRepository(
  tree: string,
  readable: readonly string[],
  findSandbox: UndoRoot["sandbox"],
): Promise<string | undefined> {
  const sandbox = await findSandbox();
  if (!sandbox.ok) return sandbox.failure.message;
  let said = "";
  const hear = (chunk: Uint8Array) => {
    said = `${said}${Buffer.from(chunk).toString()}`.slice(0, 1_000);
  };
  const started = sandbox.value.shell(fsck, {
    cwd: tree,
    profile: { readable, writable: [], protected: [], masked: [], network: "none" },
    env: { GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0" },
    onStdout: hear,
    onStderr: hear,
  });
  if (!started.ok) return started.failure.message;
  const exit = await started.value.exited;
  void sandbox.value.close?.();
  if (exit.failure !== undefined) return exit.failure.message;
  const [line = "git fsck failed"] = said.trim().split("\n");
  return exit.exitCode === 0 ? undefined : line;
}

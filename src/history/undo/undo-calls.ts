import { basename, dirname } from "node:path";
import type { EntryFiles, UndoExtent, UndoneCall, UndoOptions, UndoReport, UndoStep } from "../../contract/app/undo.ts";
import type { ArtifactStore } from "../../contract/artifact.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import type { Event, EventDraft } from "../../contract/events/index.ts";
import type { Ids, SessionId } from "../../contract/ids.ts";
import type { HostFiles } from "../../contract/ports.ts";
import { classifyPath, describeClass, type PathPlaces } from "../../effects/classify-path.ts";
import { isBookkeeping } from "../../session/paths.ts";
import { applyUndo } from "./apply-undo.ts";
import { type CheckedStage, type CheckedStep, type CheckParts, checkUndo } from "./check-undo.ts";
import { type ChosenCalls, chooseCalls, planUndo } from "./plan-undo.ts";
import { readChanges, type SessionChanges, type UndoableCall } from "./recorded-changes.ts";

export interface UndoneSession {
  readonly id: SessionId;
  readonly events: () => Iterable<Event>;
  readonly roots: readonly string[];
  readonly baselines: ReadonlySet<string>;
  /** Absent for a plan only. Its owner holds the session's lease. */
  readonly append?: (drafts: readonly EventDraft[]) => Outcome<unknown>;
}

export interface UndoParts {
  readonly files: HostFiles;
  readonly entryFiles: (tag: string) => EntryFiles;
  readonly artifacts: ArtifactStore;
  readonly ids: Ids;
  readonly home: string;
  readonly stateDirectory: string;
  readonly standing: NonNullable<PathPlaces["standing"]>;
  /** The problem with the repository of this working tree, if any. */
  readonly brokenRepository: (tree: string) => Promise<string | undefined>;
}

/** Plans and checks the undo, and applies it unless something would be lost. */
export async function undoCalls(
  session: UndoneSession,
  options: Omit<UndoOptions, "session">,
  parts: UndoParts,
): Promise<Outcome<UndoReport>> {
  const recorded = readChanges(session.events());
  const chosen = chooseCalls(recorded, options);
  if (!chosen.ok) return chosen;
  const undoId = parts.ids.next("und");
  const stores = session.roots.filter((root) => basename(root) === "objects");
  const plan = planUndo(chosen.value, {
    titleOf: (id) => recorded.calls.get(id)?.title ?? id,
    isObject: (path) => path.includes("/.git/objects/") || isInsideAny(path, stores),
  });
  const checked = await checkUndo(plan.stages, checkParts(session, recorded, undoId, parts));
  const steps = checked.stages.flatMap((stage) => (stage.kind === "carry" ? [stage.step] : stage.steps));
  const conflicts = [...plan.conflicts, ...checked.conflicts];
  const extent = extentOf(steps, chosen.value);
  const blocked = extent === "none" || (conflicts.length > 0 && !options.force);
  const report: Omit<UndoReport, "outcome"> = {
    session: session.id,
    blocked,
    calls: chosen.value.calls.map(shownCall),
    extent,
    steps: steps.map(shownStep),
    left: chosen.value.left.map(({ path, change, invocationId }) => ({ path, change, invocationId })),
    conflicts,
    never: neverUndone(chosen.value),
    ...(extent === "none" ? withEarlier(recorded, options, chosen.value) : {}),
  };
  const { append } = session;
  if (options.dryRun || append === undefined) return ok({ ...report, outcome: "planned" });
  if (blocked) return ok({ ...report, outcome: "refused" });
  for (const { undoId: earlier, paths } of recorded.unfinished) parts.files.removeLeftovers(earlier, paths);
  return apply(checked.stages, report, { session, append, force: options.force, undoId, parts });
}

async function apply(
  stages: readonly CheckedStage[],
  report: Omit<UndoReport, "outcome">,
  work: {
    readonly session: UndoneSession;
    readonly append: NonNullable<UndoneSession["append"]>;
    readonly force: boolean;
    readonly undoId: string;
    readonly parts: UndoParts;
  },
): Promise<Outcome<UndoReport>> {
  const { append, force, undoId, parts, session } = work;
  const { extent } = report;
  const calls = report.calls.map(({ invocationId }) => invocationId);
  const steps = report.steps.map(({ path, action, from }) => ({ path, action, from }));
  // Recorded before the first file changes, so that a crash leaves a trace.
  const planned = append([{ type: "undo.planned", data: { undoId, calls, force, extent, steps } }]);
  if (!planned.ok) return planned;
  const entries = parts.entryFiles(undoId);
  const files = parts.files.tagged(undoId);
  const applied = await applyUndo(stages, { undoId, entries, files, artifacts: parts.artifacts });
  const { facts, failure = await brokenRepository(report.steps, entries, parts) } = applied;
  const outcome = failure === undefined ? "done" : "failed";
  const shown = failure && { path: failure.path, code: failure.code, message: failure.message };
  const forgotten = report.steps.filter(({ path }) => session.baselines.has(path));
  const stored = append([
    ...facts,
    ...forgotten.map(({ path }): EventDraft => ({ type: "file.forgotten", data: { path } })),
    { type: "undo.done", data: { undoId, calls, outcome, extent, failure: shown } },
  ]);
  if (!stored.ok) return stored;
  return ok({ ...report, undoId, outcome, failure });
}

/** An undo that leaves a reference without its objects is not a success. */
async function brokenRepository(
  steps: readonly UndoStep[],
  entries: EntryFiles,
  parts: UndoParts,
): Promise<UndoReport["failure"]> {
  const touched = steps.flatMap(({ path, action }) =>
    action === "nothing" ? [] : [/^.*?\/\.git(?=\/|$)/.exec(path)?.[0]],
  );
  for (const path of new Set(touched)) {
    const found = path === undefined ? undefined : await entries.look(path);
    if (path === undefined || !found?.ok || found.value === undefined) continue;
    const wrong = await parts.brokenRepository(dirname(path));
    if (wrong === undefined) continue;
    const message = `The files are back, but the repository is broken: ${wrong}`;
    return { path, code: "tool_failed", message, recovery: "Run git fsck, or undo this undo by its id." };
  }
  return undefined;
}

/** Calls without anything to undo do not hide earlier ones. */
function withEarlier(
  recorded: SessionChanges,
  { call, turn, last = 1 }: Omit<UndoOptions, "session">,
  { calls }: ChosenCalls,
): Pick<UndoReport, "earlier"> {
  if (call !== undefined || turn !== undefined) return {};
  const more = chooseCalls(recorded, { last: last + 1 });
  return more.ok && more.value.calls.length > calls.length ? { earlier: last + 1 } : {};
}

function checkParts({ roots }: UndoneSession, recorded: SessionChanges, undoId: string, parts: UndoParts): CheckParts {
  const { home, stateDirectory, standing, artifacts } = parts;
  const files = parts.files.tagged(undoId);
  return {
    files: parts.entryFiles(undoId),
    list: (path) => files.list(path),
    hasContent: (hash) => artifacts.size(`sha256-${hash}`) !== undefined,
    unfinished: new Set(recorded.unfinished.flatMap(({ paths }) => paths)),
    inRoots: (path) => isInsideAny(path, roots),
    mayTake: (path) => isInsideAny(path, roots) || isInside(path, `${stateDirectory}/trash`),
    standing: (path) => {
      if (!isInsideAny(path, roots)) return { closed: "it is outside the session's directories" };
      const found = classifyPath(path, { roots, home, stateDirectory, standing });
      if (found === "secret" || found === "state") return { closed: "protected file, left unchanged" };
      if (found !== "protected" || isBookkeeping(path)) return {};
      return { note: `protected: ${describeClass(path) ?? "read by programs"}` };
    },
  };
}

function extentOf(steps: readonly CheckedStep[], { calls, left }: ChosenCalls): UndoExtent {
  const possible = steps.filter(({ action }) => action !== "nothing").length;
  if (possible === 0) return "none";
  const certain =
    left.length === 0 &&
    calls.every(({ interrupted, unrecorded }) => interrupted === undefined && unrecorded === undefined);
  return possible === steps.length && certain ? "complete" : "partial";
}

const directKept =
  "A direct command or server writes to the workspace without a copy of the old content, so it cannot be undone.";

function neverUndone({ calls, changes, left }: ChosenCalls): readonly string[] {
  const connections = calls.reduce((sum, call) => sum + call.connections, 0);
  const unseen = calls.some(({ outsideUnseen }) => outsideUnseen);
  const sentences = [
    changes.length + left.length === 0 && "These calls have no recorded file change.",
    left.length > 0 && directKept,
    ...calls.flatMap(({ title, interrupted, unrecorded }) => [
      interrupted && `"${title}" was interrupted: its changes until then were not recorded.`,
      unrecorded && `The changes of "${title}", which ended in the background, were not recorded.`,
    ]),
    connections > 0 && `Data that was sent to other machines (${connections} connections) cannot be recalled.`,
    unseen && "A command ran without a sandbox: its changes outside the workspace were not recorded.",
    "Undo restores files only, not processes or network effects. New objects stay in git's store.",
  ];
  return sentences.filter((one) => typeof one === "string");
}

function shownCall({ invocationId, intentId, turnId, tool, title, interrupted }: UndoableCall): UndoneCall {
  return { invocationId, intentId, turnId, tool, title, interrupted };
}

function shownStep({ path, action, from, note, already }: CheckedStep): UndoStep {
  return { path, action, from, note, already };
}

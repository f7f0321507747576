import type { ArtifactRef, ArtifactStore } from "../../contract/artifact.ts";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import type { EventData, EventDraft } from "../../contract/events/index.ts";
import type { ChangedFile, Files } from "../../contract/ports.ts";
import type { EntryFiles, FoundEntry } from "../../contract/undo.ts";
import type { CheckedStage, CheckedStep } from "./check-undo.ts";
import type { Entry } from "./recorded-changes.ts";

export interface ApplyParts {
  readonly undoId: string;
  readonly entries: EntryFiles;
  readonly files: Pick<Files, "move" | "trash">;
  readonly artifacts: Pick<ArtifactStore, "put" | "read">;
}

export interface Applied {
  /** What changed, in order. */
  readonly facts: readonly EventDraft[];
  readonly failure?: Failure & { readonly path: string };
}

type Change = Omit<EventData<"file.changed">, "invocationId" | "seenBy">;

/** Step by step, each all or nothing. Ends at the first that fails; whoever asks again goes on from there. */
export async function applyUndo(stages: readonly CheckedStage[], parts: ApplyParts): Promise<Applied> {
  const facts: EventDraft[] = [];
  for (const stage of stages) {
    for (const { step, act } of stage.kind === "carry" ? carry(stage.step, parts) : inPhases(stage.steps, parts)) {
      const done = await act();
      if (!done.ok) return { facts, failure: { ...done.failure, path: step.path } };
      for (const change of done.value)
        facts.push({ type: "file.changed", data: { invocationId: parts.undoId, seenBy: "tool", ...change } });
    }
  }
  return { facts };
}

interface Act {
  readonly step: CheckedStep;
  readonly act: () => Promise<Outcome<readonly Change[]>>;
}

function carry(step: CheckedStep, parts: ApplyParts): readonly Act[] {
  if (step.action === "nothing") return [];
  if (step.already) return [{ step, act: async () => ok([alreadyChange(step)]) }];
  if (step.action === "delete") return [{ step, act: () => remove(step, parts) }];
  const act = async () => {
    const freed = await clearPlace(step, parts);
    if (!freed.ok) return freed;
    const moved = await moveBack(step.from ?? "", step, parts);
    return moved.ok ? ok([...freed.value, ...moved.value]) : moved;
  };
  return [{ step, act }];
}

/**
 * What is in the way goes first, directories are there before what lies in them and go after it, and permissions
 * come last, because they may forbid the rest.
 */
function inPhases(steps: readonly CheckedStep[], parts: ApplyParts): readonly Act[] {
  const asides = new Map<string, string>();
  const open = steps.filter(({ action, already }) => action !== "nothing" && already === undefined);
  const by = (action: CheckedStep["action"]) => open.filter((step) => step.action === action);
  const moves = by("move_back");
  const late = moves.filter(({ aside, replaces }) => aside === true || replaces === "directory");
  const gone = [
    ...by("remove_directory"),
    ...[...by("restore"), ...late].filter((one) => one.replaces === "directory"),
  ];
  const acts = (chosen: readonly CheckedStep[], act: (step: CheckedStep) => Promise<Outcome<readonly Change[]>>) =>
    chosen.map((step) => ({ step, act: () => act(step) }));
  return [
    ...acts(
      steps.filter(({ already }) => already),
      async (step) => ok([alreadyChange(step)]),
    ),
    ...acts(by("delete"), (step) => remove(step, parts)),
    ...acts(
      late.filter(({ aside }) => aside),
      (step) => setAside(step, asides, parts),
    ),
    ...acts(
      by("make_directory").filter(({ replaces }) => replaces === "other"),
      (step) => remove(step, parts),
    ),
    ...acts(shallowFirst(by("make_directory")), (step) => makeDirectory(step, parts)),
    ...acts(
      moves.filter((step) => !late.includes(step)),
      async (step) => {
        const freed = await clearPlace(step, parts);
        if (!freed.ok) return freed;
        const moved = await moveBack(step.from ?? "", step, parts);
        return moved.ok ? ok([...freed.value, ...moved.value]) : moved;
      },
    ),
    ...acts(shallowFirst(gone).toReversed(), (step) => removeDirectory(step, parts)),
    ...acts(late, (step) => {
      const content = asides.get(step.path);
      if (content === undefined || step.target === undefined) return moveBack(step.from ?? "", step, parts);
      return restore({ ...step, target: { ...step.target, content } }, parts);
    }),
    ...acts(by("restore"), (step) => restore(step, parts)),
    ...acts(shallowFirst([...by("set_mode"), ...by("make_directory")]).toReversed(), (step) => setMode(step, parts)),
  ];
}

function shallowFirst(steps: readonly CheckedStep[]): readonly CheckedStep[] {
  return steps.toSorted((a, b) => a.path.length - b.path.length);
}

async function remove(step: CheckedStep, { entries, files }: ApplyParts): Promise<Outcome<readonly Change[]>> {
  const found = await unchanged(step, entries);
  if (!found.ok) return found;
  const trashed = await files.trash(step.path);
  return trashed.ok ? ok([carriedChange(trashed.value)]) : trashed;
}

/** Only what somebody was told would be replaced; what appeared since stays, and nothing is moved over it. */
async function clearPlace(step: CheckedStep, parts: ApplyParts): Promise<Outcome<readonly Change[]>> {
  return step.replaces === undefined ? ok([]) : remove(step, parts);
}

/** It and its place cannot be there at once: only its content goes back. */
async function setAside(
  { path, from = "" }: CheckedStep,
  asides: Map<string, string>,
  parts: ApplyParts,
): Promise<Outcome<readonly Change[]>> {
  const found = await parts.entries.look(from);
  if (!found.ok) return found;
  const kept = keepCurrent(found.value, parts);
  if (!kept.ok) return kept;
  const trashed = await parts.files.trash(from);
  if (!trashed.ok) return trashed;
  const { hash } = found.value ?? {};
  if (hash !== undefined) asides.set(path, hash);
  const before = hash === undefined ? {} : { before: hash };
  const artifacts = kept.value === undefined ? {} : { artifacts: [kept.value] };
  return ok([{ path: from, change: "deleted", ...before, ...factsAs("was", found.value), ...artifacts }]);
}

async function moveBack(
  from: string,
  { path, target }: CheckedStep,
  { files, entries }: ApplyParts,
): Promise<Outcome<readonly Change[]>> {
  const moved = await files.move(from, path);
  if (!moved.ok) return moved;
  const change = carriedChange(moved.value);
  const found = target?.mode === undefined ? undefined : await entries.look(path);
  if (found?.ok === false) return found;
  if (target?.mode === undefined || found?.value === undefined || found.value.kind === "symlink") return ok([change]);
  // It may have had other permissions when it was moved.
  if (((found.value.mode ?? target.mode) & 0o777) === (target.mode & 0o777)) return ok([change]);
  const set = await entries.setMode(path, target.mode);
  if (!set.ok) return set;
  const { hash } = found.value;
  const same = hash === undefined ? {} : { before: hash, after: hash };
  return ok([change, { path, change: "modified", ...same, ...factsAs("was", found.value), ...factsAs("is", target) }]);
}

async function makeDirectory(step: CheckedStep, { entries }: ApplyParts): Promise<Outcome<readonly Change[]>> {
  const made = await entries.makeDirectory(step.path);
  return made.ok ? ok([{ path: step.path, change: "created", is: { kind: "directory" } }]) : made;
}

async function removeDirectory({ path }: CheckedStep, { entries }: ApplyParts): Promise<Outcome<readonly Change[]>> {
  const found = await entries.look(path);
  if (!found.ok) return found;
  const removed = await entries.removeDirectory(path);
  return removed.ok ? ok([{ path, change: "deleted", ...factsAs("was", found.value) }]) : removed;
}

async function restore(step: CheckedStep, parts: ApplyParts): Promise<Outcome<readonly Change[]>> {
  const { path, target } = step;
  if (target?.content === undefined || (target.kind !== "file" && target.kind !== "symlink"))
    throw new Error(`Nothing is known to put back at ${path}`);
  const content = parts.artifacts.read(`sha256-${target.content}`);
  if (!content.ok) return content;
  // A directory in its place has gone by now.
  const { replaces: _, ...free } = step;
  const found = await unchanged(step.replaces === "directory" ? free : step, parts.entries);
  if (!found.ok) return found;
  const kept = keepCurrent(found.value, parts);
  if (!kept.ok) return kept;
  const mode = target.mode ?? found.value?.mode;
  const entry = { kind: target.kind, content: content.value, ...(mode === undefined ? {} : { mode }) };
  const put = await parts.entries.put(path, entry, found.value);
  if (!put.ok) return put;
  const { hash } = found.value ?? {};
  return ok([
    {
      path,
      change: found.value === undefined ? "created" : "modified",
      ...(hash === undefined ? {} : { before: hash }),
      after: target.content,
      ...factsAs("was", found.value),
      ...factsAs("is", { ...target, ...(mode === undefined ? {} : { mode }) }),
      ...(kept.value === undefined ? {} : { artifacts: [kept.value] }),
    },
  ]);
}

async function setMode(step: CheckedStep, { entries }: ApplyParts): Promise<Outcome<readonly Change[]>> {
  const { path, target, action } = step;
  if (target?.mode === undefined) return ok([]);
  const found =
    action === "set_mode" && step.replaces === "other" ? await unchanged(step, entries) : await entries.look(path);
  if (!found.ok) return found;
  const set = await entries.setMode(path, target.mode);
  if (!set.ok) return set;
  const { hash } = found.value ?? {};
  const same = hash === undefined ? {} : { before: hash, after: hash };
  return ok([{ path, change: "modified", ...same, ...factsAs("was", found.value), ...factsAs("is", target) }]);
}

/** What is replaced can be taken back as well. */
function keepCurrent(found: FoundEntry | undefined, { artifacts }: ApplyParts): Outcome<ArtifactRef | undefined> {
  if (found === undefined) return ok(undefined);
  if (found.content !== undefined) return artifacts.put("before", found.content);
  return fail("budget_exceeded", "What is there now is too large to be kept, and so it is not replaced.", {
    recovery: "Move it out of the way, then undo again.",
  });
}

/** Nobody touched it between the look that was shown and now. */
async function unchanged(step: CheckedStep, entries: EntryFiles): Promise<Outcome<FoundEntry | undefined>> {
  const { path, stamp, replaces } = step;
  const found = await entries.look(path);
  if (!found.ok) return found;
  const same = replaces === undefined ? found.value === undefined : stamp === undefined || found.value?.stamp === stamp;
  if (same) return found;
  return fail("stale_file_baseline", `${path} changed while the undo was under way.`, {
    recovery: "Look at it, then undo again.",
  });
}

function carriedChange({ path, change, before, to }: ChangedFile): Change {
  return { path, change, ...(before === undefined ? {} : { before }), ...(to === undefined ? {} : { to }) };
}

function alreadyChange({ path, action, from, target, stood }: CheckedStep): Change {
  if (action === "move_back" && from !== undefined) return { path: from, change: "moved", to: path };
  if (target === undefined) return { path, change: "deleted" };
  if (stood) return { path, change: "modified", ...factsAs("was", target), ...factsAs("is", target) };
  const after = target.content === undefined ? {} : { after: target.content };
  return { path, change: target.kind === "directory" ? "created" : "modified", ...after, ...factsAs("is", target) };
}

function factsAs<Name extends "was" | "is">(name: Name, entry: Pick<Entry, "kind" | "mode"> | undefined) {
  if (entry === undefined) return {};
  const { kind, mode } = entry;
  return { [name]: { kind, ...(mode === undefined ? {} : { mode }) } };
}

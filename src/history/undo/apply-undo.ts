import type { EntryFiles, FoundEntry } from "../../contract/app/undo.ts";
import type { ArtifactRef, ArtifactStore } from "../../contract/artifact.ts";
import type { ChangedFile } from "../../contract/changes.ts";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import type { EventData, EventDraft } from "../../contract/events/index.ts";
import type { Files } from "../../contract/ports.ts";
import type { CheckedStage, CheckedStep } from "./check-undo.ts";
import type { RecordedEntry } from "./recorded-changes.ts";

export interface ApplyParts {
  readonly undoId: string;
  readonly entries: EntryFiles;
  readonly files: Pick<Files, "move" | "trash">;
  readonly artifacts: Pick<ArtifactStore, "put" | "read">;
}

export interface Applied {
  readonly facts: readonly EventDraft[];
  readonly failure?: Failure & { readonly path: string };
}

type UndoChange = Omit<EventData<"file.changed">, "invocationId" | "seenBy">;
type Act = (step: CheckedStep, parts: ApplyParts) => Promise<Outcome<readonly UndoChange[]>>;

/** Step by step, each all or nothing. Stops at the first failure; the next undo continues there. */
export async function applyUndo(stages: readonly CheckedStage[], parts: ApplyParts): Promise<Applied> {
  const facts: EventDraft[] = [];
  for (const stage of stages) {
    for (const [step, act] of stage.kind === "carry" ? inOrder([stage.step]) : inOrder(stage.steps)) {
      const done = await act(step, parts);
      if (!done.ok) return { facts, failure: { ...done.failure, path: step.path } };
      for (const change of done.value)
        facts.push({ type: "file.changed", data: { invocationId: parts.undoId, seenBy: "tool", ...change } });
    }
  }
  return { facts };
}

/**
 * Entries are removed before their directory and created after it. Modes that open a directory come first, others last.
 */
function inOrder(steps: readonly CheckedStep[]): readonly (readonly [CheckedStep, Act])[] {
  const by = (...actions: readonly CheckedStep["action"][]) =>
    steps
      .filter(({ action, already }) => actions.includes(action) && already === undefined)
      .toSorted((a, b) => a.path.length - b.path.length);
  const each = (chosen: readonly CheckedStep[], act: Act) => chosen.map((step) => [step, act] as const);
  const already: Act = async (step) => ok([alreadyChange(step)]);
  return [
    ...each(
      steps.filter((step) => step.already),
      already,
    ),
    ...each(by("set_mode").filter(opensDirectory), setMode),
    ...each(by("delete"), remove),
    ...each(by("remove_directory").toReversed(), removeDirectory),
    ...each(by("make_directory"), makeDirectory),
    ...each(by("move_back"), moveBack),
    ...each(by("restore"), restore),
    ...each(
      by("set_mode", "make_directory")
        .filter((step) => step.action === "make_directory" || !opensDirectory(step))
        .toReversed(),
      setMode,
    ),
  ];
}

function opensDirectory({ target }: CheckedStep): boolean {
  return target?.kind === "directory" && ((target.mode ?? 0) & 0o300) === 0o300;
}

const remove: Act = async (step, { entries, files }) => {
  const found = await unchanged(step, entries);
  if (!found.ok) return found;
  const { path, backTo } = step;
  const trashed = backTo === undefined ? await files.trash(path) : await files.move(path, backTo);
  return trashed.ok ? ok([carriedChange(trashed.value)]) : trashed;
};

const moveBack: Act = async (step, parts) => {
  // An entry that appeared after the plan stays, and nothing replaces it.
  const freed = step.replaces === undefined ? ok([]) : await remove(step, parts);
  if (!freed.ok) return freed;
  const moved = await parts.files.move(step.from ?? "", step.path);
  return moved.ok ? ok([...freed.value, carriedChange(moved.value)]) : moved;
};

const makeDirectory: Act = async (step, parts) => {
  const freed = step.replaces === undefined ? ok([]) : await remove(step, parts);
  if (!freed.ok) return freed;
  const made = await parts.entries.makeDirectory(step.path);
  return made.ok ? ok([...freed.value, { path: step.path, change: "created", is: { kind: "directory" } }]) : made;
};

const removeDirectory: Act = async ({ path }, { entries }) => {
  const found = await entries.look(path);
  if (!found.ok) return found;
  const removed = await entries.removeDirectory(path);
  return removed.ok ? ok([{ path, change: "deleted", ...factsAs("was", found.value) }]) : removed;
};

const restore: Act = async (step, parts) => {
  const { path, target, from } = step;
  if (from !== undefined) return moveBack(step, parts);
  if (target?.content === undefined || (target.kind !== "file" && target.kind !== "symlink"))
    throw new Error(`There is no recorded content for ${path}`);
  const content = parts.artifacts.read(`sha256-${target.content}`);
  if (!content.ok) return content;
  const freed = step.replaces === "directory" ? await remove(step, parts) : ok([]);
  if (!freed.ok) return freed;
  const { replaces: _, ...free } = step;
  const found = await unchanged(step.replaces === "directory" ? free : step, parts.entries);
  if (!found.ok) return found;
  const kept = keepCurrent(found.value, parts);
  if (!kept.ok) return kept;
  const mode = target.mode ?? found.value?.mode;
  const entry = { kind: target.kind, content: content.value, mode };
  const put = await parts.entries.put(path, entry, found.value);
  if (!put.ok) return put;
  const { hash } = found.value ?? {};
  const change = found.value === undefined ? "created" : "modified";
  const facts = { ...factsAs("was", found.value), ...factsAs("is", { ...target, mode }) };
  const artifacts = kept.value && [kept.value];
  return ok([...freed.value, { path, change, before: hash, after: target.content, ...facts, artifacts }]);
};

const setMode: Act = async (step, { entries }) => {
  const { path, target, action, replaces } = step;
  if (target?.mode === undefined) return ok([]);
  const isKnown = action === "set_mode" && replaces === "other";
  const found = isKnown ? await unchanged(step, entries) : await entries.look(path);
  if (!found.ok) return found;
  const set = await entries.setMode(path, target.mode);
  if (!set.ok) return set;
  const { hash } = found.value ?? {};
  const facts = { before: hash, after: hash, ...factsAs("was", found.value), ...factsAs("is", target) };
  return ok([{ path, change: "modified", ...facts }]);
};

/** The replaced content is stored, so that the undo can be undone. */
function keepCurrent(found: FoundEntry | undefined, { artifacts }: ApplyParts): Outcome<ArtifactRef | undefined> {
  if (found === undefined) return ok(undefined);
  if (found.content !== undefined) return artifacts.put("before", found.content);
  return fail("budget_exceeded", "The current file is too large to be stored, so it is not replaced.", {
    recovery: "Move it away, then undo again.",
  });
}

async function unchanged(step: CheckedStep, entries: EntryFiles): Promise<Outcome<FoundEntry | undefined>> {
  const { path, stamp, replaces } = step;
  const found = await entries.look(path);
  if (!found.ok) return found;
  const same = replaces === undefined ? found.value === undefined : stamp === undefined || found.value?.stamp === stamp;
  if (same) return found;
  return fail("stale_file_baseline", `${path} changed while the undo ran.`, {
    recovery: "Look at it, then undo again.",
  });
}

function carriedChange({ path, change, before, to }: ChangedFile): UndoChange {
  return { path, change, before, to };
}

function alreadyChange({ path, action, from, target, stood }: CheckedStep): UndoChange {
  if (action === "move_back" && from !== undefined) return { path: from, change: "moved", to: path };
  if (target === undefined) return { path, change: "deleted" };
  if (stood) return { path, change: "modified", ...factsAs("was", target), ...factsAs("is", target) };
  const change = target.kind === "directory" ? "created" : "modified";
  return { path, change, after: target.content, ...factsAs("is", target) };
}

function factsAs<Name extends "was" | "is">(name: Name, entry: RecordedEntry | FoundEntry | undefined) {
  if (entry === undefined) return {};
  const { kind, mode, size, mtimeMs } = entry;
  const times = kind !== "file" || size === undefined || mtimeMs === undefined ? {} : { size, mtimeMs };
  return { [name]: { kind, mode, ...times } };
}

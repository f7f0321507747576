import { basename, dirname } from "node:path";
import type { EntryFiles, FoundEntry, UndoConflict, UndoStep } from "../../contract/app/undo.ts";
import type { Outcome } from "../../contract/codes.ts";
import { isInside } from "../../contract/effect.ts";
import type { CarryBack, PlaceBack, Stage } from "./plan-undo.ts";
import type { RecordedEntry, RecordedPlace } from "./recorded-changes.ts";

export interface CheckParts {
  readonly files: Pick<EntryFiles, "look" | "touchedSince">;
  readonly list: (path: string) => Promise<Outcome<readonly { readonly name: string }[]>>;
  readonly hasContent: (hash: string) => boolean;
  /** Why a path is skipped, or a warning about it. */
  readonly standing: (path: string) => { readonly closed?: string; readonly note?: string };
  readonly inRoots: (path: string) => boolean;
  readonly mayTake: (path: string) => boolean;
  /** Paths of an unfinished undo: entries that it moved away are not missing. */
  readonly unfinished: ReadonlySet<string>;
}

export interface CheckedStep extends UndoStep {
  readonly target?: RecordedEntry;
  /** The path in the trash from which an undo restored it. */
  readonly backTo?: string;
  readonly replaces?: "directory" | "other";
  /** A directory that always existed. */
  readonly stood?: true;
  /** The checked entry: it must be the same when the step runs. */
  readonly stamp?: string;
}

export type CheckedStage =
  | { readonly kind: "places"; readonly steps: readonly CheckedStep[] }
  | { readonly kind: "carry"; readonly step: CheckedStep };

export interface CheckedUndo {
  readonly stages: readonly CheckedStage[];
  readonly conflicts: readonly UndoConflict[];
}

type Now = FoundEntry | RecordedEntry | "absent" | { readonly refused: string };

/** Checks every path in the state that it will have at its step. */
export async function checkUndo(stages: readonly Stage[], parts: CheckParts): Promise<CheckedUndo> {
  const changed = stages.flatMap((one) => (one.kind === "carry" ? [one.to, one.from] : [...one.places.keys()]));
  const checking: Checking = { ...parts, names: createNames(), foreseen: new Map(), conflicts: [], changed };
  const checked: CheckedStage[] = [];
  const resumed = await alreadyCarried(stages, parts);
  for (const [index, stage] of stages.entries()) {
    const isOver = (path: string) => resumed.some((one) => one.index > index && isInside(path, one.path));
    if (stage.kind === "carry") {
      const step = isOver(stage.to)
        ? { path: stage.to, action: "move_back" as const, from: stage.from, already: true as const }
        : await checkCarry(stage, checking);
      checked.push({ kind: "carry", step });
      if (step.action !== "nothing" && step.already === undefined) checking.names.carry(stage);
      continue;
    }
    const places = new Map([...stage.places].filter(([path]) => !isOver(path)));
    const steps = await checkPlaces(places, checking);
    checked.push({ kind: "places", steps });
    for (const { path, action, already } of steps) {
      const place = stage.places.get(path)?.target;
      if (action === "nothing" || place === undefined) continue;
      const fresh = action === "make_directory" && already === undefined;
      checking.foreseen.set(checking.names.now(path), { place, fresh });
    }
  }
  return { stages: checked, conflicts: checking.conflicts };
}

/** Entries that an unfinished undo moved back: its earlier steps for them are done too. */
async function alreadyCarried(stages: readonly Stage[], { files, unfinished }: CheckParts) {
  const carried: { readonly path: string; readonly index: number }[] = [];
  for (const [index, stage] of stages.entries()) {
    if (stage.kind !== "carry" || !unfinished.has(stage.to)) continue;
    const [source, there] = [await files.look(stage.from), await files.look(stage.to)];
    if (source.ok && there.ok && source.value === undefined && there.value !== undefined)
      carried.push({ path: stage.to, index });
  }
  return carried;
}

interface Checking extends CheckParts {
  readonly names: ReturnType<typeof createNames>;
  /** The state of a path after the earlier stages. `fresh`: a directory that does not exist yet. */
  readonly foreseen: Map<string, { readonly place: RecordedPlace; readonly fresh: boolean }>;
  readonly conflicts: UndoConflict[];
  readonly changed: readonly string[];
}

/** The name of an entry before any move. A path that an earlier stage empties has none. */
function createNames() {
  const carried: { readonly from: string; readonly to: string }[] = [];
  return {
    carry: (stage: { readonly from: string; readonly to: string }) => void carried.push(stage),
    now(path: string): string {
      let name = path;
      for (const [index, { from, to }] of [...carried.entries()].reverse()) {
        if (isInside(name, to)) name = from + name.slice(to.length);
        else if (isInside(name, from)) return `${vacated}${index}${name}`;
      }
      return name;
    },
  };
}

const vacated = "\0";

function isVacated(name: string): boolean {
  return name.startsWith(vacated);
}

async function stateOf(path: string, { names, foreseen, files }: Checking): Promise<Now> {
  const name = names.now(path);
  const later = foreseen.get(name)?.place;
  if (later !== undefined && later !== "unknown") return later;
  if (isVacated(name) || isBelowNothing(name, foreseen)) return "absent";
  const found = await files.look(name);
  if (!found.ok) return { refused: found.failure.message };
  return found.value ?? "absent";
}

/** An earlier stage creates or removes the directory. */
function isBelowNothing(name: string, foreseen: Checking["foreseen"]): boolean {
  for (let up = dirname(name); up !== dirname(up); up = dirname(up)) {
    const found = foreseen.get(up);
    if (found?.fresh || found?.place === "absent") return true;
  }
  return false;
}

/** It contains only directories: file tools create missing parents. */
async function isHollow(path: string, checking: Checking): Promise<boolean> {
  const { names, foreseen, list } = checking;
  const name = names.now(path);
  const isNew = isVacated(name) || foreseen.get(name)?.fresh === true || isBelowNothing(name, foreseen);
  const listed = isNew ? undefined : await list(name);
  if (listed?.ok === false) return false;
  const made = [...foreseen.keys()].filter((one) => dirname(one) === name).map((one) => basename(one));
  for (const child of new Set([...(listed?.value.map((one) => one.name) ?? []), ...made])) {
    const state = await stateOf(`${path}/${child}`, checking);
    if (state === "absent") continue;
    if (!isEntry(state) || state.kind !== "directory" || !(await isHollow(`${path}/${child}`, checking))) return false;
  }
  return true;
}

async function checkCarry({ from, to, was, at }: CarryBack, checking: Checking): Promise<CheckedStep> {
  const { standing, inRoots, mayTake, conflicts, unfinished } = checking;
  const toTrash = !inRoots(to) && mayTake(to);
  const path = toTrash ? from : to;
  const { closed = mayTake(from) ? undefined : "it was moved to a path that Gauntlet does not control", note } =
    standing(path);
  if (closed !== undefined) return { path, action: "nothing", ...(toTrash ? {} : { from }), note: closed };
  const source = await stateOf(from, checking);
  const step: CheckedStep = {
    path,
    ...(toTrash ? { action: "delete", replaces: "other", backTo: to } : { action: "move_back", from }),
    note,
  };
  if (source === "absent") {
    if (toTrash || ((await stateOf(to, checking)) !== "absent" && unfinished.has(to)))
      return { ...step, already: true };
    return { ...step, action: "nothing", note: `it is no longer at ${from}` };
  }
  const since = await changedSince({ from, was, at, source }, { ...checking, isImage: toTrash || !inRoots(from) });
  if (since !== undefined && toTrash && isIndex(path)) return { ...step, note: restaged };
  if (since !== undefined) conflicts.push({ path: inRoots(from) ? from : to, kind: "changed_since", detail: since });
  if (toTrash) return step;
  const there = await stateOf(to, checking);
  const isFree = there === "absent" || (isEntry(there) && there.kind === "directory" && (await isHollow(to, checking)));
  if (!isFree) conflicts.push({ path: to, kind: "changed_since", detail: "its path is in use now" });
  return { ...step, ...seen(there) };
}

/** Files are compared by content; a tree in the trash must be unchanged. */
async function changedSince(
  { from, was, at, source }: Pick<CarryBack, "from" | "was" | "at"> & { readonly source: Now },
  { files, isImage, names }: Checking & { readonly isImage: boolean },
): Promise<string | undefined> {
  if (isEntry(was) && was.content !== undefined) {
    const isSame = isEntry(source) && source.kind === was.kind && (contentOf(source) ?? was.content) === was.content;
    return isSame ? undefined : difference(source, was);
  }
  if (!isImage || isVacated(names.now(from))) return undefined;
  const touched = await files.touchedSince(names.now(from), at);
  if (!touched.ok) return touched.failure.message;
  return touched.value.length === 0 ? undefined : `${imageChanged}: ${touched.value[0]}`;
}

const imageChanged = "it changed after it was moved to the trash";

async function checkPlaces(
  places: ReadonlyMap<string, PlaceBack>,
  checking: Checking,
): Promise<readonly CheckedStep[]> {
  const steps: CheckedStep[] = [];
  for (const back of places.values()) {
    const { path, expect } = back;
    const now = await stateOf(path, checking);
    const plain = await stepFor(back, now, checking);
    const { stamp, ...way } = seen(now);
    // A move changes the stamp of the moved entry.
    const isMoved = stamp === undefined || checking.names.now(path) !== path;
    const step = { ...plain, ...(isMoved ? way : { ...way, stamp }) };
    const isDone = step.action === "nothing" || step.already !== undefined;
    const isAsExpected = isSame(now, expect) || (now === "absent" && checking.unfinished.has(path));
    if (isIndex(path) && !isDone && !isAsExpected) steps.push({ ...step, note: restaged });
    else steps.push(step);
    if (isDone || isAsExpected || isIndex(path)) continue;
    checking.conflicts.push({ path, kind: "changed_since", detail: difference(now, expect) });
  }
  return withoutDirectories(steps, places, checking);
}

/** Every `git status` may write it. */
function isIndex(path: string): boolean {
  return path.endsWith("/.git/index");
}

const restaged = "it changed since: files that were staged meanwhile are no longer staged";

async function stepFor(back: PlaceBack, now: Now, checking: Checking): Promise<CheckedStep> {
  const { path, target, expect } = back;
  const { closed, note } = checking.standing(path);
  const nothing = (because: string): CheckedStep => ({ path, action: "nothing", note: because });
  if (closed !== undefined) return nothing(closed);
  if (target === "unknown") return nothing("its earlier content was not recorded");
  if (isRefused(now)) return nothing(now.refused);
  if (target === "absent") {
    if (now === "absent") return { path, action: "delete", already: true, note };
    const isDirectory = isEntry(now) && now.kind === "directory";
    return { path, action: isDirectory ? "remove_directory" : "delete", note };
  }
  if (target.kind === "directory") {
    if (!isEntry(now) || now.kind !== "directory") return { path, action: "make_directory", target, note };
    if (!sameMode(now, target)) return { path, action: "set_mode", target, note };
    const stood = isEntry(expect) && expect.kind === "directory";
    return { path, action: "make_directory", target, already: true, ...(stood && { stood }), note };
  }
  if (target.kind === "special") return nothing("a pipe, socket or device cannot be restored");
  if (isEntry(now) && sameContent(now, target)) {
    const same = sameMode(now, target);
    return { path, action: same ? "restore" : "set_mode", target, ...(same && { already: true }), note };
  }
  const from = await imageOf(back, target, checking);
  if (from !== undefined) return { path, action: "restore", from, target, note };
  if (target.content === undefined || !checking.hasContent(target.content)) return nothing("its content is gone");
  return { path, action: "restore", target, note };
}

/** The replaced file itself. One that changed since is used only as a last resort. */
async function imageOf(
  { path, image }: PlaceBack,
  target: RecordedEntry,
  { files, conflicts, hasContent }: Checking,
): Promise<string | undefined> {
  if (image === undefined) return undefined;
  const found = await files.look(image.path);
  if (!found.ok || found.value === undefined) return undefined;
  const touched = await files.touchedSince(image.path, image.at);
  if (touched.ok && touched.value.length === 0 && (target.content ?? found.value.hash) === found.value.hash)
    return image.path;
  conflicts.push({
    path,
    kind: "changed_since",
    detail: `its earlier content is in ${image.path}, but ${imageChanged}`,
  });
  return target.content !== undefined && hasContent(target.content) ? undefined : image.path;
}

function seen(now: Now): Pick<CheckedStep, "replaces" | "stamp"> {
  if (!isEntry(now)) return {};
  if (now.kind === "directory") return { replaces: "directory" };
  return { replaces: "other", ...("stamp" in now ? { stamp: now.stamp } : {}) };
}

/**
 * A directory is removed when it is empty. One with too many entries to record is removed as a whole, if they are
 * unchanged since.
 */
async function withoutDirectories(
  steps: readonly CheckedStep[],
  places: ReadonlyMap<string, PlaceBack>,
  checking: Checking,
): Promise<readonly CheckedStep[]> {
  const { list, names, foreseen, files, changed } = checking;
  const going = new Set(
    steps.flatMap(({ path, action }) => (action === "delete" || action === "remove_directory" ? [path] : [])),
  );
  const isGone = (path: string) => {
    const name = names.now(path);
    return going.has(path) || isVacated(name) || foreseen.get(name)?.place === "absent";
  };
  const instead = new Map<string, CheckedStep>();
  const removed = steps.filter(({ action }) => action === "remove_directory");
  for (const step of removed.toSorted((a, b) => b.path.length - a.path.length)) {
    const { path } = step;
    const name = names.now(path);
    const listed = isVacated(name) ? undefined : await list(name);
    const left = listed?.ok ? listed.value.find((one) => !isGone(`${path}/${one.name}`)) : undefined;
    if (left === undefined) continue;
    const { whole, at = 0 } = places.get(path) ?? {};
    const touched = whole ? await files.touchedSince(name, at) : undefined;
    const isOurs = touched?.ok && touched.value.every((one) => changed.some((ours) => isInside(ours, one)));
    if (isOurs) {
      instead.set(path, { ...step, action: "delete" });
      continue;
    }
    going.delete(path);
    const note = `it stays: it contains ${left.name}, which these calls did not create or which stays too`;
    instead.set(path, { path, action: "nothing", note });
  }
  const whole = [...instead.values()].filter(({ action }) => action === "delete");
  return steps
    .filter(({ path }) => !whole.some((one) => one.path !== path && isInside(path, one.path)))
    .map((step) => instead.get(step.path) ?? step);
}

function isSame(now: Now, expect: RecordedPlace): boolean {
  if (isRefused(now) || expect === "unknown") return false;
  if (now === "absent" || expect === "absent") return now === expect;
  if (now.kind === "directory") return expect.kind === "directory";
  return sameContent(now, expect) && sameMode(now, expect);
}

function sameContent(now: FoundEntry | RecordedEntry, then: RecordedEntry): boolean {
  if (now.kind !== then.kind) return false;
  if (then.content !== undefined) return contentOf(now) === then.content;
  return then.size !== undefined && now.size === then.size && now.mtimeMs === then.mtimeMs;
}

function sameMode(now: Now, then: RecordedEntry): boolean {
  if (then.kind === "symlink" || then.mode === undefined || !isEntry(now) || now.mode === undefined) return true;
  return (now.mode & 0o777) === (then.mode & 0o777);
}

function contentOf(entry: FoundEntry | RecordedEntry): string | undefined {
  return "stamp" in entry ? entry.hash : entry.content;
}

function difference(now: Now, expect: RecordedPlace): string {
  if (isRefused(now)) return now.refused;
  if (expect === "unknown") return "it may have changed since";
  if (now === "absent") return "it was removed since";
  if (expect === "absent") return "it was created again since";
  if (now.kind !== expect.kind) return `it is a ${now.kind} now`;
  return sameContent(now, expect) ? "its permissions were changed since" : "it was changed since";
}

function isEntry(now: Now | RecordedPlace): now is FoundEntry | RecordedEntry {
  return typeof now === "object" && "kind" in now;
}

function isRefused(now: Now): now is { readonly refused: string } {
  return typeof now === "object" && "refused" in now;
}

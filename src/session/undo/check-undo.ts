import { basename, dirname } from "node:path";
import type { Outcome } from "../../contract/codes.ts";
import type { Unkept } from "../../contract/content.ts";
import { isInside } from "../../contract/path-scope.ts";
import type { EntryFiles, FoundEntry, UndoConflict, UndoStep } from "../../contract/undo.ts";
import type { PlaceBack, Stage } from "./plan-undo.ts";
import type { Entry, Place } from "./recorded-changes.ts";

/** What the check may know. Nothing of it changes anything. */
export interface CheckParts {
  readonly files: Pick<EntryFiles, "look">;
  readonly list: (path: string) => Promise<Outcome<readonly { readonly name: string }[]>>;
  readonly hasContent: (hash: string) => boolean;
  /** Why a path is left alone, or what a person should know of it. */
  readonly standing: (path: string) => { readonly closed?: string; readonly note?: string };
  readonly inRoots: (path: string) => boolean;
  /** Whether something may be carried away from there. */
  readonly mayTake: (path: string) => boolean;
  /** Where an earlier undo stopped: what it had taken away need not be there. */
  readonly unfinished: ReadonlySet<string>;
}

/** A step with what it needs to be done. */
export interface CheckedStep extends UndoStep {
  readonly target?: Entry;
  /** It leaves its place before anything can be put there: both lie inside each other, or the place was another file's. */
  readonly aside?: true;
  /** What has to go first. */
  readonly replaces?: "directory" | "other";
  /** A directory that the calls left standing: nobody has to take it away again. */
  readonly stood?: true;
  /** Of what was looked at: what is there when it is done must be the same. */
  readonly stamp?: string;
}

export type CheckedStage =
  | { readonly kind: "places"; readonly steps: readonly CheckedStep[] }
  | { readonly kind: "carry"; readonly step: CheckedStep };

export interface CheckedUndo {
  readonly stages: readonly CheckedStage[];
  readonly conflicts: readonly UndoConflict[];
}

type Now = FoundEntry | Entry | "absent" | { readonly refused: string };

export async function checkUndo(stages: readonly Stage[], parts: CheckParts): Promise<CheckedUndo> {
  const conflicts: UndoConflict[] = [];
  const names = createNames();
  /** What earlier stages will have made of it. */
  const foreseen = new Map<string, Made>();
  const stateOf = async (path: string): Promise<Now> => {
    const name = names.now(path);
    const later = foreseen.get(name)?.place;
    if (later !== undefined && later !== "unknown") return later;
    if (isVacated(name) || inNewDirectory(name, foreseen)) return "absent";
    const found = await parts.files.look(name);
    if (!found.ok) return { refused: found.failure.message };
    return found.value ?? "absent";
  };
  /** File tools make directories on their way, and nobody records those: when all that lay in them is gone, they hold nothing. */
  const isHollow = async (path: string): Promise<boolean> => {
    const name = names.now(path);
    const isNew = isVacated(name) || foreseen.get(name)?.fresh === true || inNewDirectory(name, foreseen);
    const listed = isNew ? undefined : await parts.list(name);
    if (listed?.ok === false) return false;
    const made = [...foreseen.keys()].filter((one) => dirname(one) === name).map((one) => basename(one));
    for (const child of new Set([...(listed?.value.map((one) => one.name) ?? []), ...made])) {
      const state = await stateOf(`${path}/${child}`);
      if (state === "absent") continue;
      if (!isEntry(state) || state.kind !== "directory" || !(await isHollow(`${path}/${child}`))) return false;
    }
    return true;
  };
  const checked: CheckedStage[] = [];
  for (const stage of stages) {
    if (stage.kind === "carry") {
      const step = await checkCarry(stage, { ...parts, stateOf, isHollow, conflicts });
      checked.push({ kind: "carry", step });
      if (step.action !== "nothing" && step.already === undefined) names.carry(stage);
      continue;
    }
    const gone = (path: string) => {
      const place = foreseen.get(names.now(path))?.place;
      return place === undefined ? isVacated(names.now(path)) : place === "absent";
    };
    const checking = { ...parts, stateOf, nameNow: names.now, gone, conflicts };
    const steps = await checkPlaces(stage.places, checking);
    checked.push({ kind: "places", steps });
    const fresh = new Set(
      steps.filter((step) => step.action === "make_directory" && !step.already).map(({ path }) => path),
    );
    for (const { path, target: place } of stage.places.values())
      foreseen.set(names.now(path), { place, fresh: fresh.has(path) });
  }
  return { stages: checked, conflicts };
}

/** Where something is before any of it was carried back. Somewhere that will have been left has no such name. */
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

/** `fresh`: a directory where none is now. */
interface Made {
  readonly place: Place;
  readonly fresh: boolean;
}

interface Checking extends CheckParts {
  readonly stateOf: (path: string) => Promise<Now>;
  readonly conflicts: UndoConflict[];
}

/** Of one that is too large to be read again only its kind can be told. */
function isAnother(now: Now, content: string): boolean {
  if (!isEntry(now) || now.kind !== "file") return true;
  const found = contentOf(now);
  return found !== undefined && !found.startsWith("moved-") && found !== content;
}

interface CheckingCarry extends Checking {
  /** Whether nothing but directories lies in a directory. */
  readonly isHollow: (path: string) => Promise<boolean>;
}

async function checkCarry(
  { from, to, content }: Extract<Stage, { kind: "carry" }>,
  { stateOf, standing, inRoots, mayTake, conflicts, unfinished, isHollow }: CheckingCarry,
): Promise<CheckedStep> {
  if (!inRoots(to) && mayTake(to)) return backToTrash(from, { stateOf, standing });
  const { closed = mayTake(from) ? undefined : "where it went is not ours to take from", note } = standing(to);
  if (closed !== undefined) return { path: to, action: "nothing", from, note: closed };
  const [source, there] = [await stateOf(from), await stateOf(to)];
  const step: CheckedStep = { path: to, action: "move_back", from, ...(note === undefined ? {} : { note }) };
  if (source === "absent") {
    if (there !== "absent" && unfinished.has(to)) return { ...step, already: true };
    return { ...step, action: "nothing", note: `it is not at ${from} any more` };
  }
  if (content !== undefined && isAnother(source, content))
    conflicts.push({ path: from, kind: "changed_since", detail: difference(source, { kind: "file", content }) });
  const isFree = there === "absent" || (isEntry(there) && there.kind === "directory" && (await isHollow(to)));
  if (!isFree) conflicts.push({ path: to, kind: "changed_since", detail: "there is something at its place now" });
  return { ...step, ...seen(there) };
}

/** An undo that took it out of the trash is itself taken back. */
async function backToTrash(
  path: string,
  { stateOf, standing }: Pick<Checking, "stateOf" | "standing">,
): Promise<CheckedStep> {
  const { closed, note } = standing(path);
  if (closed !== undefined) return { path, action: "nothing", note: closed };
  const step: CheckedStep = { path, action: "delete", replaces: "other", ...(note === undefined ? {} : { note }) };
  return (await stateOf(path)) === "absent" ? { ...step, already: true } : step;
}

interface CheckingPlaces extends Checking {
  readonly nameNow: (path: string) => string;
  /** Taken away by an earlier stage. */
  readonly gone: (path: string) => boolean;
}

async function checkPlaces(
  places: ReadonlyMap<string, PlaceBack>,
  checking: CheckingPlaces,
): Promise<readonly CheckedStep[]> {
  const states = new Map<string, Now>();
  for (const path of [...places.keys()].toSorted())
    states.set(path, liesUnder(path, states) ? "absent" : await checking.stateOf(path));
  const sources = moveSources(places, states, checking);
  const planned = Array.from(places.values(), (back) => {
    const now = states.get(back.path) ?? "absent";
    return { back, now, plain: stepFor(back, now, sources.get(back.path), checking) };
  });
  // One whose content is there already takes nothing from where it was moved to.
  const taken = new Set(
    planned.flatMap(({ plain: { action, from } }) => (action === "move_back" && from ? [from] : [])),
  );
  const steps: CheckedStep[] = [];
  for (const { back, now, plain } of planned) {
    // What is moved away from here is not in the way any more.
    const { stamp, ...way } = taken.has(back.path) ? {} : seen(now);
    // A move leaves its mark on what is moved.
    const inTheWay = stamp === undefined || checking.nameNow(back.path) !== back.path ? way : { ...way, stamp };
    const step = { ...plain, ...inTheWay };
    if (taken.has(back.path) && step.action === "delete") continue;
    if (step.action !== "nothing" && step.already === undefined && !asExpected(now, back.expect)) {
      const resumed = now === "absent" && checking.unfinished.has(back.path);
      if (!resumed)
        checking.conflicts.push({ path: back.path, kind: "changed_since", detail: difference(now, back.expect) });
    }
    steps.push(step);
  }
  return keepUsedDirectories(steps, checking);
}

/** What stands above it now is no directory: whatever it is, nothing can be at this path. */
function liesUnder(path: string, states: ReadonlyMap<string, Now>): boolean {
  return above(path).some((directory) => {
    const now = states.get(directory);
    return now !== undefined && isEntry(now) && now.kind !== "directory";
  });
}

/** An earlier stage will have made the directory. */
function inNewDirectory(path: string, foreseen: ReadonlyMap<string, Made>): boolean {
  return above(path).some((directory) => foreseen.get(directory)?.fresh === true);
}

function above(path: string): readonly string[] {
  const names = path.split("/");
  return names.slice(2).map((_, index) => names.slice(0, index + 2).join("/"));
}

/** Where the content of a moved file still lies under its other name, and that name is to be something else again. */
function moveSources(
  places: ReadonlyMap<string, PlaceBack>,
  states: ReadonlyMap<string, Now>,
  { standing }: Checking,
): ReadonlyMap<string, PlaceBack> {
  const sources = new Map<string, PlaceBack>();
  for (const { path, target, movedTo } of places.values()) {
    const source = movedTo === undefined ? undefined : places.get(movedTo);
    if (source === undefined || typeof target === "string" || typeof source.expect === "string") continue;
    const there = states.get(source.path);
    const fits =
      source.target !== "unknown" &&
      (isMoved(source.expect) || isMoved(target) || source.expect.content === target.content) &&
      there !== undefined &&
      asExpected(there, source.expect) &&
      standing(path).closed === undefined &&
      standing(source.path).closed === undefined;
    if (fits) sources.set(path, source);
  }
  return sources;
}

function stepFor(back: PlaceBack, now: Now, source: PlaceBack | undefined, checking: Checking): CheckedStep {
  const { path, target, expect } = back;
  const { closed, note: told } = checking.standing(path);
  const note = told === undefined ? {} : { note: told };
  const nothing = (because: string): CheckedStep => ({ path, action: "nothing", note: because });
  if (closed !== undefined) return nothing(closed);
  if (target === "unknown") return nothing("what was there before was not recorded");
  if (isRefused(now)) return nothing(now.refused);
  if (target === "absent") {
    if (now === "absent") return { path, action: "delete", already: true, ...note };
    if (expect === "unknown" && !checking.unfinished.has(path))
      return nothing("it was made where nothing is kept (dependencies, caches, git's objects)");
    if (isEntry(now) && now.kind === "directory") return { path, action: "remove_directory", ...note };
    return { path, action: "delete", ...note };
  }
  if (target.kind === "directory") {
    if (now === "absent" || (isEntry(now) && now.kind !== "directory"))
      return { path, action: "make_directory", target, ...note };
    if (!sameMode(now, target)) return { path, action: "set_mode", target, ...note };
    const stood = isEntry(expect) && expect.kind === "directory";
    return { path, action: "make_directory", target, already: true, ...(stood ? { stood } : {}), ...note };
  }
  if (target.kind === "special") return nothing("a pipe, socket or device cannot be made again");
  if (isEntry(now) && sameContent(now, target)) {
    const same = sameMode(now, target);
    return { path, action: same ? "restore" : "set_mode", target, ...(same ? { already: true } : {}), ...note };
  }
  if (source !== undefined) {
    const { path: from, target: instead } = source;
    const aside = isInside(from, path) || isInside(path, from) || (isEntry(instead) && instead.kind !== "directory");
    return { path, action: "move_back", from, target, ...(aside ? { aside: true } : {}), ...note };
  }
  if (target.content === undefined || !checking.hasContent(target.content))
    return nothing(target.unkept === undefined ? "its content was not kept" : whyUnkept[target.unkept]);
  return { path, action: "restore", target, ...note };
}

function seen(now: Now): Pick<CheckedStep, "replaces" | "stamp"> {
  if (!isEntry(now)) return {};
  if (now.kind === "directory") return { replaces: "directory" };
  return { replaces: "other", ...("stamp" in now ? { stamp: now.stamp } : {}) };
}

/** A directory goes only when nothing is left in it but what goes as well. */
async function keepUsedDirectories(
  steps: readonly CheckedStep[],
  { list, nameNow, gone }: CheckingPlaces,
): Promise<readonly CheckedStep[]> {
  const going = new Set<string>();
  for (const { path, action, from } of steps) {
    if (action === "delete" || action === "remove_directory") going.add(path);
    if (action === "move_back" && from !== undefined) going.add(from);
  }
  const stays = (path: string) => !going.has(path) && !gone(path);
  const kept = new Map<string, string>();
  const removed = steps.filter(
    ({ action, replaces }) =>
      action === "remove_directory" || (replaces === "directory" && (action === "restore" || action === "move_back")),
  );
  for (const { path } of removed.toSorted((a, b) => b.path.length - a.path.length)) {
    const name = nameNow(path);
    const names = isVacated(name) ? undefined : await list(name);
    const left = names?.ok ? names.value.find(({ name }) => stays(`${path}/${name}`)) : undefined;
    if (left === undefined) continue;
    going.delete(path);
    kept.set(path, `it stays: it holds ${left.name}, which these calls did not make or which stays as well`);
  }
  return steps.map((step) => {
    const because = kept.get(step.path);
    return because === undefined ? step : { path: step.path, action: "nothing" as const, note: because };
  });
}

function asExpected(now: Now, expect: Place): boolean {
  if (isRefused(now) || expect === "unknown") return false;
  if (now === "absent" || expect === "absent") return now === expect;
  if (now.kind !== expect.kind) return false;
  if (now.kind === "directory") return true;
  return sameContent(now, expect) && sameMode(now, expect);
}

/** A content that a move stands for is whatever is there. */
function sameContent(now: FoundEntry | Entry, then: Entry): boolean {
  if (now.kind !== then.kind || then.content === undefined) return false;
  return isMoved(then) || contentOf(now) === then.content;
}

function isMoved({ content }: Entry): boolean {
  return content?.startsWith("moved-") === true;
}

function sameMode(now: Now, then: Entry): boolean {
  if (then.kind === "symlink" || then.mode === undefined || !isEntry(now) || now.mode === undefined) return true;
  return (now.mode & 0o777) === (then.mode & 0o777);
}

function contentOf(entry: FoundEntry | Entry): string | undefined {
  return "stamp" in entry ? entry.hash : entry.content;
}

function difference(now: Now, expect: Place): string {
  if (isRefused(now)) return now.refused;
  if (expect === "unknown") return "whether it was changed since cannot be told";
  if (now === "absent") return "it was removed since";
  if (expect === "absent") return "it was made again since";
  if (now.kind !== expect.kind) return `it is a ${now.kind} now`;
  if (expect.content === undefined) return "whether it was changed since cannot be told";
  return sameContent(now, expect) ? "its permissions were changed since" : "it was changed since";
}

function isEntry(now: Now | Place): now is FoundEntry | Entry {
  return typeof now === "object" && "kind" in now;
}

function isRefused(now: Now): now is { readonly refused: string } {
  return typeof now === "object" && "refused" in now;
}

const whyUnkept: Readonly<Record<Unkept, string>> = {
  left_out: "its content was not kept: dependencies, caches and git's objects are left out",
  too_large: "its content was not kept: it was too large",
  over_budget: "its content was not kept: there was too much to keep before that command",
  closed: "its content was not kept: nobody may read it",
  other_names: "its content was not kept: the file has other names",
  unreadable: "its content was not kept: it could not be read",
  no_store: "its content could not be kept, or not be read again",
};

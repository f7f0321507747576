import { hash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ArtifactRef } from "../../contract/artifact.ts";
import type { ChangedFile } from "../../contract/changes.ts";
import type { Outcome } from "../../contract/codes.ts";
import { about, errnoOf, failureOf, Refused, shown } from "../../host/failure.ts";
import { DirectoryChain, inside, openDirectory, verify } from "../../host/files/descriptor.ts";
import { holdLock } from "../../host/state/hold-lock.ts";
import { whileWritable } from "../run/placeholders.ts";
import { type CapturedChange, entriesBelow, stampOf } from "./capture.ts";
import { copyEntry, type Links, removeEntry, renameLinks } from "./view.ts";

/** Each step is idempotent: the file system shows which steps are done. */
interface ApplyStep {
  readonly action: "take" | "put" | "mode";
  readonly path: string;
  readonly mode: number;
  readonly was?: number;
  readonly upper?: string;
  readonly kept?: string;
  readonly stands?: string;
  readonly draft: string;
}

export const journalName = "journal.json";
const rollbackName = "rollback.json";
const appliedName = "applied";
/** One of them is there from the first step on, until all is applied or taken back. */
export const applyNames = [journalName, rollbackName];

interface ApplyOptions {
  readonly directory: string;
  readonly before: string;
  readonly leftBehind: readonly (string | Buffer)[];
  readonly store: (content: Uint8Array) => Outcome<ArtifactRef>;
}

export function holdApplyLock<Result>(store: string, work: () => Result): Result {
  const held = holdLock(join(store, "apply.lock"), work);
  if (held !== undefined) return held.result;
  throw new Refused("tool_failed", "Timeout: another session is still applying its changes. Nothing was applied.", {
    happened: "nothing",
    recovery: "Run the command again later.",
  });
}

export function applyChanges(
  changes: readonly CapturedChange[],
  { directory, before, leftBehind, store }: ApplyOptions,
): readonly ChangedFile[] {
  const steps = planSteps(changes, before);
  if (steps.some(({ stands }) => stands !== undefined)) mkdirSync(before, { mode: 0o700, recursive: true });
  checkStanding(steps);
  checkArriving(changes);
  for (const path of leftBehind) rmSync(path, { recursive: true, force: true });
  for (const { upper, flags, mode } of changes)
    if (upper !== undefined && flags.includes("setuid")) chmodSync(upper, mode & 0o1777);
  writeWhole(join(directory, journalName), JSON.stringify(steps));
  runAll(directory, steps);
  return changedBy(steps, changes, store);
}

function runAll(directory: string, steps: readonly ApplyStep[]): void {
  try {
    runSteps(directory, steps);
  } catch (error) {
    const failure = failureOf(error, directory);
    renameSync(join(directory, journalName), join(directory, rollbackName));
    rollBack(directory, steps, failure.message);
    throw new Refused(failure.code, failure.message, { ...failure, happened: "nothing" });
  }
}

export function finishApply(directory: string): void {
  const read = (name: string): readonly ApplyStep[] => JSON.parse(readFileSync(join(directory, name), "utf8"));
  const has = (name: string) => existsSync(join(directory, name));
  if (has(rollbackName)) rollBack(directory, read(rollbackName), "");
  else if (has(journalName) && !has(appliedName)) runAll(directory, read(journalName));
}

/** Removals, deepest first; then new entries, outermost first; then modes, which may close a directory. */
function planSteps(changes: readonly CapturedChange[], before: string): readonly ApplyStep[] {
  const own = changes.filter(({ within }) => within === undefined);
  const steps = own.map(({ path, operation, mode, upper, stands, kind }, index): ApplyStep => {
    // A fixed length: the target's name may already have the maximum length.
    const common = { path, mode, draft: `.gauntlet-${basename(before).slice(-12)}-${index}.tmp` };
    const kept = { kept: join(before, String(index)), stands };
    if (operation === "delete") return { action: "take", ...common, ...kept };
    if (operation === "mode" && kind === "directory")
      return { action: "mode", ...common, was: lstatSync(path).mode & 0o7777 };
    if (upper === undefined) throw new Error("A new entry needs its path");
    return { action: "put", ...common, upper, ...kept };
  });
  const those = (action: ApplyStep["action"]) => steps.filter((step) => step.action === action);
  return [...those("take").reverse(), ...those("put"), ...those("mode").reverse()];
}

/** Before the first step: changes since the capture must not be lost. */
function checkStanding(steps: readonly ApplyStep[]): void {
  withPlaces(steps, (step, place) => {
    if (step.action !== "mode" && stampAt(place) !== step.stands) throw conflict(step.path);
  });
}

const lookedAt = 5_000;

/** Another program may have written into a directory to remove while the user decided. */
export function checkRemoved(changes: readonly CapturedChange[]): void {
  const deleted = changes.filter(({ operation, within }) => within && operation === "delete");
  const going = new Map(deleted.map(({ path, stands }) => [path, stands]));
  if (going.size > lookedAt) return;
  for (const { path, operation, within } of changes) {
    if (within || (operation !== "delete" && operation !== "replace")) continue;
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    entriesBelow(path, (one, stats) => {
      if (stats !== undefined && stampOf(stats) !== going.get(one)) throw conflict(one);
    });
  }
}

function checkArriving(changes: readonly CapturedChange[]): void {
  for (const { upper, arrives, path } of changes) {
    if (upper === undefined) continue;
    const stats = lstatSync(upper, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || stampOf(stats, "exact") !== arrives) throw conflict(path);
  }
}

function conflict(path: string): Refused {
  return new Refused("stale_file_baseline", `${shown(path)} was changed by another program. Nothing was applied.`, {
    happened: "nothing",
    recovery: "Run the command again.",
  });
}

function runSteps(directory: string, steps: readonly ApplyStep[]): void {
  const links: Links = new Map();
  withPlaces(steps, (step, place, draft) => {
    if (step.action === "take") take(step, place);
    else if (step.action === "put") whileWritable(dirname(step.upper ?? ""), () => put(step, place, { draft, links }));
    else setMode(step.path, place, step.mode);
  });
  writeWhole(join(directory, appliedName), "");
}

// Parents are opened without following links and checked before each use: they may have been moved out of the
// workspace.
function withPlaces(steps: readonly ApplyStep[], act: (step: ApplyStep, place: string, draft: string) => void): void {
  using chain = new DirectoryChain();
  for (const step of steps) {
    const parent = dirname(step.path);
    const directory = existing(step, chain);
    verify(directory, parent);
    about(step.path, () =>
      whileWritable(`/proc/self/fd/${directory}`, () =>
        act(step, inside(directory, basename(step.path)), inside(directory, step.draft)),
      ),
    );
  }
}

function existing({ path }: ApplyStep, chain: DirectoryChain): number {
  try {
    return chain.existing(dirname(path));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") throw conflict(path);
    throw error;
  }
}

function setMode(path: string, place: string, mode: number): void {
  const directory = openDirectory(path, place);
  try {
    chmodSync(`/proc/self/fd/${directory}`, mode);
  } finally {
    closeSync(directory);
  }
}

function take({ path, kept = "", stands }: ApplyStep, place: string): void {
  const found = stampAt(place);
  if (isThere(kept)) {
    // A completed copy to another file system; the original was not removed yet.
    if (isSame(found, stands)) removeEntry(place);
    return;
  }
  if (!isSame(found, stands)) throw conflict(path);
  relocate(place, kept);
}

function put(step: ApplyStep, place: string, copy: DraftCopy): void {
  if (isThere(step.upper ?? "") || isThere(`${copy.draft}.ready`)) bring(step, place, copy);
  // Its mode was widened for the move.
  if ((step.mode & 0o200) === 0 && lstatSync(place).isDirectory()) setMode(step.path, place, step.mode);
}

function bring({ path, upper = "", kept = "", stands }: ApplyStep, place: string, copy: DraftCopy): void {
  const ready = `${copy.draft}.ready`;
  if (stands === undefined && isThere(place)) throw conflict(path);
  if (stands !== undefined) keep({ path, kept, stands }, place, upper);
  if (!isThere(ready)) {
    if (renamed(upper, place)) return;
    removeEntry(copy.draft);
    copyEntry(Buffer.from(upper), Buffer.from(copy.draft), copy.links);
    // From here on the copy is complete, and the original is not needed.
    renameSync(copy.draft, ready);
    renameLinks(copy.links, Buffer.from(copy.draft), Buffer.from(place));
  }
  removeEntry(upper);
  renameSync(ready, place);
}

interface DraftCopy {
  readonly draft: string;
  readonly links: Links;
}

function keep(
  { path, kept, stands }: Required<Pick<ApplyStep, "path" | "kept" | "stands">>,
  place: string,
  upper: string,
) {
  const found = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  const stamp = found && stampOf(found);
  const bothFiles = found?.isFile() === true && lstatSync(upper, { throwIfNoEntry: false })?.isFile() !== false;
  if (!isThere(kept)) {
    if (!isSame(stamp, stands)) throw conflict(path);
    // A hard link to the old file, so that the path exists at all times.
    if (bothFiles) linkOrCopy(place, kept);
    else relocate(place, kept);
  } else if (isSame(stamp, stands) && !bothFiles) removeEntry(place);
  else if (stamp !== undefined && !isSame(stamp, stands)) throw conflict(path);
}

function rollBack(directory: string, steps: readonly ApplyStep[], why: string): void {
  try {
    withPlaces(steps.toReversed(), takeBack);
    rmSync(join(directory, rollbackName));
  } catch (error) {
    const { code, message } = failureOf(error, "The workspace");
    throw new Refused(code, `${why} Only a part of the changes was applied, and they could not be undone: ${message}`, {
      happened: "partly",
    });
  }
}

function takeBack(step: ApplyStep, place: string, draft: string): void {
  const { action, path, mode, was = mode, upper = "", kept = "", stands = "" } = step;
  if (action === "mode") return void setMode(path, place, was);
  const isBack = stands !== "" && !isThere(kept);
  const isPut = action === "put" && !isThere(upper) && !isThere(`${draft}.ready`);
  for (const copy of [draft, `${draft}.ready`]) removeEntry(copy);
  if (isPut && !isBack && isThere(place) && !renamed(place, upper)) removeEntry(place);
  if (!isThere(kept)) return;
  const found = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  // After a copy to another file system the removal of a directory may have begun; a file was not replaced yet.
  if (found === undefined || found.isDirectory()) {
    removeEntry(place);
    if (renamed(kept, place)) return;
    copyTo(kept, place, draft);
    // A half-removed entry would look like one to restore.
    renameSync(kept, `${kept}.old`);
    removeEntry(`${kept}.old`);
  } else if (isSame(stampOf(found), stands)) removeEntry(kept);
}

function relocate(from: string, to: string): void {
  if (!isShared(from) && renamed(from, to)) return;
  copyTo(from, to);
  removeEntry(from);
}

function copyTo(from: string, to: string, draft = `${to}.draft`): void {
  removeEntry(draft);
  copyEntry(Buffer.from(from), Buffer.from(draft), new Map());
  renameSync(draft, to);
}

/** False if it must be copied. A directory without write permission cannot get another parent. */
function renamed(from: string, to: string): boolean {
  const stats = lstatSync(from);
  const mode = stats.mode & 0o7777;
  const isClosed = (mode & 0o200) === 0 && stats.isDirectory();
  try {
    if (isClosed) chmodSync(from, mode | 0o200);
    renameSync(from, to);
    if (isClosed) chmodSync(to, mode);
    return true;
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    if (isClosed) chmodSync(from, mode);
    return false;
  }
}

/** A write through another hard link would change the stored content. */
function isShared(path: string): boolean {
  const stats = lstatSync(path);
  return stats.isFile() && stats.nlink > 1;
}

function linkOrCopy(from: string, to: string): void {
  if (isShared(from)) return void copyTo(from, to);
  try {
    linkSync(from, to);
  } catch (error) {
    if (!["EXDEV", "EPERM", "EMLINK"].includes(errnoOf(error) ?? "")) throw error;
    copyTo(from, to);
  }
}

function stampAt(place: string): string | undefined {
  const stats = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  return stats && stampOf(stats);
}

/** Our own steps change only the change time of a file with several hard links. */
function isSame(one: string | undefined, other: string | undefined): boolean {
  const [first, second] = [one, other].map((stamp) => stamp?.slice(0, stamp.lastIndexOf(" ")));
  return first === second;
}

function isThere(path: string): boolean {
  return statsAt(path) !== undefined;
}

const recordedFiles = 2_000;
const recordedBytes = 1_000_000;

function changedBy(
  steps: readonly ApplyStep[],
  changes: readonly CapturedChange[],
  store: ApplyOptions["store"],
): readonly ChangedFile[] {
  const created = changes.filter(({ within, operation }) => within && operation === "create");
  const few = steps.length + created.length <= recordedFiles;
  const entries = steps.flatMap(({ action, path, kept, was: mode }): readonly ChangedFile[] => {
    const was = kept === undefined ? undefined : statsAt(kept);
    const gone: readonly ChangedFile[] =
      was === undefined || kept === undefined ? [] : [{ path, change: "deleted", to: kept, was: factsOf(was) }];
    const stats = action === "take" ? undefined : statsAt(path);
    if (stats === undefined) return gone;
    const facts = factsNow(path, stats, few);
    if (mode !== undefined) return [{ path, change: "modified", was: { kind: "directory", mode }, ...facts }];
    if (was === undefined || kept === undefined || !was.isFile() || !stats.isFile())
      return [...gone, { path, change: "created", ...facts }];
    const before = few && was.size <= recordedBytes ? readIfAllowed(kept) : undefined;
    const image = before && store(before);
    const evidence = before && image?.ok ? { before: hash("sha256", before), image: image.value } : {};
    return [{ path, change: "modified", ...evidence, kept, was: factsOf(was), ...facts }];
  });
  const below = (few ? created : []).flatMap(({ path }): readonly ChangedFile[] => {
    const stats = statsAt(path);
    return stats === undefined ? [] : [{ path, change: "created", ...factsNow(path, stats, true) }];
  });
  return [...entries, ...below];
}

function statsAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function factsNow(path: string, stats: Stats, hashed: boolean): Pick<ChangedFile, "is" | "after"> {
  const isRead = hashed && stats.isFile() && stats.size <= recordedBytes;
  const content = stats.isSymbolicLink() ? readlinkSync(path, "buffer") : isRead ? readIfAllowed(path) : undefined;
  return { is: factsOf(stats), ...(content && { after: hash("sha256", content) }) };
}

/** A command may have made its file unreadable for its own user. */
export function readIfAllowed(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

function factsOf(stats: Stats) {
  const kind = stats.isDirectory() ? "directory" : stats.isSymbolicLink() ? "symlink" : "file";
  const { size, mtimeMs } = stats;
  return { kind, mode: stats.mode & 0o7777, ...(kind === "file" && { size, mtimeMs }) } as const;
}

function writeWhole(path: string, text: string): void {
  const draft = `${path}.draft`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

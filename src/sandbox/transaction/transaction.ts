import { chmodSync, lstatSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Change, KeptFacts, Transaction } from "../../contract/changes.ts";
import { type Failure, ok } from "../../contract/codes.ts";
import type { RunningProcess } from "../../contract/ports.ts";
import { attempt, Refused } from "../../host/failure.ts";
import { createGitIgnored } from "../../host/git/git-ignored.ts";
import { applyChanges, checkRemoved, holdApplyLock, readIfAllowed } from "./apply.ts";
import { type CapturedChange, type CapturedSet, captureChanges, stampOf, whyStaged } from "./capture.ts";
import { keptName, removeViews, type ViewMounting, type Views } from "./view.ts";

interface TransactionOptions {
  readonly shown?: readonly string[];
  readonly spoiled?: () => Failure | undefined;
}

/** Changes in the workspace after this moment are not from the command. */
export function beginTransaction(
  views: Views,
  mounting: ViewMounting,
  roots: readonly string[],
  options: TransactionOptions,
): Transaction {
  const mark = join(views.directory, markName);
  writeFileSync(mark, "", { mode: 0o600 });
  // A change after this check gets a later time, and so does everything that changes after it (Linux 6.13).
  lstatSync(mark);
  chmodSync(mark, 0o400);
  return transactionOn(views, mounting, roots, options);
}

const markName = "began";

const leastBytes = 200_000_000;
const leastFiles = 20_000;

/** The view and the workspace share the disk. */
export function watchSpace(
  { store }: Pick<ViewMounting, "store">,
  process: Pick<RunningProcess, "exited" | "kill">,
): () => Failure | undefined {
  const free = () => {
    const { bavail, bsize, ffree } = statfsSync(store);
    return { bytes: bavail * bsize, files: ffree };
  };
  const begun = free();
  // A file system without an inode limit always reports zero free inodes.
  const least = { bytes: Math.min(leastBytes, begun.bytes / 2), files: Math.min(leastFiles, begun.files / 2) };
  let failure: Failure | undefined;
  const timer = setInterval(() => {
    const { bytes, files } = free();
    if (failure !== undefined || (bytes >= least.bytes && files >= least.files)) return;
    const lacking = bytes < least.bytes ? `${Math.round(least.bytes / 1e6)} MB` : `${Math.round(least.files)} files`;
    const message = `The command was ended because it filled the disk: less than ${lacking} are free in ${store}. Its changes were discarded.`;
    failure = { code: "budget_exceeded", message, recovery: "Free some space, then run it again." };
    void process.kill();
  }, 500).unref();
  void process.exited.finally(() => clearInterval(timer));
  return () => failure;
}

export function transactionOn(
  views: Views,
  { kind, store, tar, trash }: ViewMounting,
  roots: readonly string[],
  { shown = [], spoiled = () => undefined }: TransactionOptions = {},
): Transaction {
  const begun = lstatSync(join(views.directory, markName), { bigint: true }).mtimeNs;
  const mounted = stampsOf(views);
  const isIgnored = createGitIgnored(roots);
  let captured: CapturedSet | undefined;
  return {
    id: views.id,
    capture: (shared = false) =>
      attempt(views.directory, async () => {
        const failure = spoiled();
        if (failure !== undefined) return { ok: false, failure };
        captured = await captureChanges(views.views, { kind, tar, begun, roots: [...roots, ...shown], shared });
        return ok(captured);
      }),
    contents(change, maxBytes) {
      const { upper, path, operation, kind } = change as CapturedChange;
      if (kind !== "file" || change.size > maxBytes) return {};
      const before = operation === "create" ? undefined : readIfSmall(path, maxBytes);
      const after = upper === undefined ? undefined : readIfSmall(upper, maxBytes);
      return { before, after };
    },
    whyStaged: (change, whyFile) => whyStaged(change, captured?.changes ?? [], whyFile),
    isIgnored: (path) => isIgnored(path) || isIgnored(dirname(path)),
    isThere: (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
    apply: (changes, keepContent) =>
      attempt(views.directory, async () => {
        const known = new Set<unknown>(captured?.changes);
        if (captured === undefined || !changes.every((change) => known.has(change)))
          throw new Error("Only captured changes can be applied");
        if (stampsOf(views) !== mounted)
          throw new Refused("stale_file_baseline", "The workspace was replaced. Nothing was applied.");
        const all = captured.changes;
        const chosen = applicable(withParents(changes as readonly CapturedChange[], all), all);
        const left = all.filter((change) => !chosen.has(change) && change.within && change.upper);
        const options = {
          directory: views.directory,
          before: join(trash, views.id),
          leftBehind: [...captured.leftBehind, ...left.flatMap(({ upper }) => upper ?? [])],
          store: keepContent,
        };
        const changed = holdApplyLock(store, () => {
          checkRemoved(all);
          return applyChanges([...chosen], options);
        });
        await removeViews(views);
        return ok(changed);
      }),
    discard: () => removeViews(views),
    keep: (facts) =>
      attempt(views.directory, () => {
        if (captured === undefined) throw new Error("Only captured changes can be kept");
        writeKept(views.directory, { ...facts, id: views.id, digest: captured.digest });
        return ok(undefined);
      }),
  };
}

function stampsOf({ views }: Views): string {
  return views.map(({ root }) => stampOf(lstatSync(root, { bigint: true }))).join();
}

function withParents(chosen: readonly CapturedChange[], all: readonly CapturedChange[]): ReadonlySet<CapturedChange> {
  const parents = new Set<string>();
  for (const { path, within } of chosen)
    for (let above = dirname(path); within && !parents.has(above) && above !== "/"; above = dirname(above))
      parents.add(above);
  const isNeeded = ({ operation, kind, path }: Change) =>
    operation === "create" && kind === "directory" && parents.has(path);
  return new Set([...chosen, ...all.filter(isNeeded)]);
}

/** If an entry of a directory must stay, only the others are removed; a directory to replace stays unchanged. */
function applicable(chosen: ReadonlySet<CapturedChange>, all: readonly CapturedChange[]): ReadonlySet<CapturedChange> {
  const staying = new Set<string>();
  for (const change of all) {
    if (!change.within || change.operation !== "delete" || chosen.has(change)) continue;
    for (let above = dirname(change.path); !staying.has(above) && above !== "/"; above = dirname(above))
      staying.add(above);
  }
  if (staying.size === 0) return chosen;
  let top: CapturedChange | undefined;
  return new Set(
    all.flatMap((change): readonly CapturedChange[] => {
      if (!change.within) top = change;
      const isOpen = top !== undefined && isRemoval(top) && staying.has(top.path);
      if (!chosen.has(change) || (isOpen && (change === top || top?.operation !== "delete"))) return [];
      if (!isOpen) return [change];
      const { within: _, ...own } = change;
      return staying.has(change.path) || !staying.has(dirname(change.path)) ? [] : [own];
    }),
  );
}

function isRemoval({ operation }: Change): boolean {
  return operation === "delete" || operation === "replace";
}

export function writeKept(directory: string, facts: KeptFacts): void {
  writeFileSync(join(directory, keptName), JSON.stringify(facts), { mode: 0o600 });
}

function readIfSmall(path: string, maxBytes: number): Uint8Array | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= maxBytes ? readIfAllowed(path) : undefined;
}

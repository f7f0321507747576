import { hash as hashOf } from "node:crypto";
import { lstatSync, renameSync, type Stats, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { ChangedFile, FileWrite } from "../contract/ports.ts";
import { checkPath, inside, verify } from "./descriptor.ts";
import { DirectoryChain } from "./directory-chain.ts";
import { about, errnoOf, failureOf, Refused, shown } from "./failure.ts";
import { fileStat } from "./file-stat.ts";
import { keepAs, publishNew } from "./publish.ts";
import { currentAsExpected, notAsExpected, type StagedWrite, stageWrite } from "./staged-write.ts";
import type { TemporaryNames } from "./temporary-name.ts";

/**
 * All or nothing: every new content is stored under a temporary name, every expectation is checked, and only then
 * do the names change hands, each after a last look at what it replaces.
 */
export async function writeFiles(writes: readonly FileWrite[], names: TemporaryNames): Promise<readonly ChangedFile[]> {
  checkTargets(writes);
  const chain = new DirectoryChain();
  const staged: StagedWrite[] = [];
  try {
    for (const write of writes) await about(write.path, () => stageWrite(write, { chain, names, staged }));
    const several = staged.length > 1;
    if (several) for (const one of staged) await about(one.write.path, () => currentAsExpected(one));
    for (const one of staged) await about(one.write.path, () => publish(one, several ? names() : undefined));
    removeTemporaries(staged);
    const made = chain.made();
    return staged.map((one, index) => ({ ...changedFile(one), ...(index === 0 && made.length > 0 ? { made } : {}) }));
  } catch (error) {
    const restored = rollBack(staged);
    removeTemporaries(staged);
    chain.undo();
    if (restored) throw error;
    const { code, message } = failureOf(error, staged[0]?.write.path ?? "");
    throw new Refused(code, `${message}; not every file could be put back`, { happened: "partly" });
  } finally {
    chain.close();
  }
}

function checkTargets(writes: readonly FileWrite[]): void {
  const seen = new Set<string>();
  for (const { path } of writes) {
    checkPath(path);
    if (path === "/") throw new Refused("runtime_precondition_failed", "/ is a directory");
    if (seen.has(path)) throw new Refused("runtime_precondition_failed", `${shown(path)} is to be written twice`);
    seen.add(path);
  }
}

async function publish(one: StagedWrite, keepName: string | undefined): Promise<void> {
  const { write, directory, name, temporary } = one;
  const target = inside(directory, name);
  verify(directory, dirname(write.path));
  if (write.expect === "absent") {
    try {
      publishNew(inside(directory, temporary), target);
    } catch (error) {
      throw errnoOf(error) === "EEXIST" ? notAsExpected(write.path, "exists already") : error;
    }
  } else {
    const expected = await currentAsExpected(one);
    // From here to the rename nothing of ours runs in between, and a change by others shows in the metadata.
    if (!sameState(expected, lstatSync(target, { throwIfNoEntry: false })))
      throw notAsExpected(write.path, "changed after it was read");
    if (keepName !== undefined) {
      keepAs(target, inside(directory, keepName));
      one.kept = keepName;
    }
    renameSync(inside(directory, temporary), target);
  }
  one.published = true;
}

function sameState(a: Stats | undefined, b: Stats | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** False when something could not be put back as it was. */
function rollBack(staged: readonly StagedWrite[]): boolean {
  let complete = true;
  for (const one of staged.toReversed()) {
    if (!one.published && one.kept === undefined) continue;
    const target = inside(one.directory, one.name);
    try {
      const now = lstatSync(target, { throwIfNoEntry: false });
      // What someone else put there since is newer than ours and stays.
      if (one.published && now?.ino !== one.stats.ino) complete = false;
      else if (one.kept !== undefined) renameSync(inside(one.directory, one.kept), target);
      else unlinkSync(target);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      complete = false;
      // The only copy of the original must outlive the clean-up.
      delete one.kept;
    }
  }
  return complete;
}

function removeTemporaries(staged: readonly StagedWrite[]): void {
  for (const { directory, temporary, kept, published } of staged) {
    if (!published) removeIfThere(inside(directory, temporary));
    if (kept !== undefined) removeIfThere(inside(directory, kept));
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function changedFile({ write, stats }: StagedWrite): ChangedFile {
  const shared = { path: write.path, after: hashOf("sha256", write.content), stat: fileStat(stats) };
  return write.expect === "absent"
    ? { ...shared, change: "created" }
    : { ...shared, change: "modified", before: write.expect.hash };
}

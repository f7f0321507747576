import { hash as hashOf } from "node:crypto";
import {
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import type { ChangedFile } from "../../contract/changes.ts";
import type { FileWrite } from "../../contract/ports.ts";
import { about, errnoOf, failureOf, ifPossible, Refused, shown } from "../failure.ts";
import {
  checkPath,
  closing,
  createNew,
  DirectoryChain,
  inside,
  openExactly,
  type TemporaryNames,
  verify,
} from "./descriptor.ts";
import { fileStat } from "./metadata.ts";
import { keepAs, publishNew } from "./publish.ts";
import { readRegular } from "./read-file.ts";

/** All or nothing: contents are staged under temporary names and every expectation is checked before names change. */
export function writeFiles(writes: readonly FileWrite[], names: TemporaryNames): readonly ChangedFile[] {
  checkTargets(writes);
  using chain = new DirectoryChain();
  const staged: StagedWrite[] = [];
  try {
    for (const write of writes) about(write.path, () => stageWrite(write, { chain, names, staged }));
    const several = staged.length > 1;
    if (several) for (const one of staged) about(one.write.path, () => currentAsExpected(one));
    for (const one of staged) about(one.write.path, () => publish(one, several ? names() : undefined));
    removeTemporaries(staged);
    const made = chain.made();
    return staged.map((one, index) => ({ ...changedFile(one), ...(index === 0 && made.length > 0 ? { made } : {}) }));
  } catch (error) {
    const restored = rollBack(staged);
    removeTemporaries(staged);
    chain.undo();
    if (restored) throw error;
    const { code, message } = failureOf(error, staged[0]?.write.path ?? "");
    throw new Refused(code, `${message}; not every file could be restored`, { happened: "partly" });
  }
}

function checkTargets(writes: readonly FileWrite[]): void {
  const seen = new Set<string>();
  for (const { path } of writes) {
    checkPath(path);
    if (path === "/") throw new Refused("runtime_precondition_failed", "/ is a directory");
    if (seen.has(path)) throw new Refused("runtime_precondition_failed", `${shown(path)} is listed twice`);
    seen.add(path);
  }
}

function publish(one: StagedWrite, keepName: string | undefined): void {
  const { write, directory, name, temporary } = one;
  const target = inside(directory, name);
  verify(directory, dirname(write.path));
  if (write.expect === "absent") {
    try {
      publishNew(inside(directory, temporary), target);
    } catch (error) {
      throw errnoOf(error) === "EEXIST" ? notAsExpected(write.path, "already exists") : error;
    }
  } else {
    const expected = currentAsExpected(one);
    // From here to the rename no code of ours runs, and a change by others changes the metadata.
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

function rollBack(staged: readonly StagedWrite[]): boolean {
  let complete = true;
  for (const one of staged.toReversed()) {
    if (!one.published && one.kept === undefined) continue;
    const target = inside(one.directory, one.name);
    try {
      const now = lstatSync(target, { throwIfNoEntry: false });
      // A file that another program created since is newer than ours and stays.
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
    if (!published) ifPossible(() => unlinkSync(inside(directory, temporary)));
    if (kept !== undefined) ifPossible(() => unlinkSync(inside(directory, kept)));
  }
}

function changedFile({ write, stats }: StagedWrite): ChangedFile {
  const shared = { path: write.path, after: hashOf("sha256", write.content), stat: fileStat(stats) };
  return write.expect === "absent"
    ? { ...shared, change: "created" }
    : { ...shared, change: "modified", before: write.expect.hash };
}

interface StagedWrite {
  readonly write: FileWrite;
  readonly directory: number;
  readonly name: string;
  readonly temporary: string;
  stats: Stats;
  kept?: string;
  published: boolean;
}

function stageWrite(
  write: FileWrite,
  { chain, names, staged }: { chain: DirectoryChain; names: TemporaryNames; staged: StagedWrite[] },
): void {
  const name = basename(write.path);
  const above = dirname(write.path);
  const directory =
    write.expect === "absent" ? chain.existingOrMade(above) : unlessGone(write.path, () => chain.existing(above));
  const current = lookAt(directory, name, write);
  const { descriptor, temporary } = createTemporary(directory, names, current === undefined ? 0o666 : 0o600);
  using _ = closing(descriptor);
  const one: StagedWrite = { write, directory, name, temporary, stats: fstatSync(descriptor), published: false };
  staged.push(one);
  for (let done = 0; done < write.content.length; ) done += writeSync(descriptor, write.content, done);
  if (current !== undefined) keepOwnerAndMode(descriptor, current);
  one.stats = fstatSync(descriptor);
}

function currentAsExpected({ write, directory, name }: StagedWrite): Stats | undefined {
  if (write.expect === "absent") return lookAt(directory, name, write);
  using file = closing(
    unlessGone(write.path, () => openExactly(write.path, constants.O_RDONLY, inside(directory, name))),
  );
  const { bytes, stats } = readRegular(file.descriptor, write.path, Number.MAX_SAFE_INTEGER);
  if (hashOf("sha256", bytes) !== write.expect.hash) throw notAsExpected(write.path, "changed after it was read");
  return stats;
}

function unlessGone(path: string, open: () => number): number {
  try {
    return open();
  } catch (error) {
    throw errnoOf(error) === "ENOENT" ? notAsExpected(path, "no longer exists") : error;
  }
}

function notAsExpected(path: string, how: string): Refused {
  return new Refused("stale_file_baseline", `${shown(path)} ${how}`);
}

function lookAt(directory: number, name: string, { path, expect }: FileWrite): Stats | undefined {
  const current = lstatSync(inside(directory, name), { throwIfNoEntry: false });
  if (current === undefined) {
    if (expect === "absent") return undefined;
    throw notAsExpected(path, "no longer exists");
  }
  if (current.isSymbolicLink())
    throw new Refused("effect_not_permitted", `${shown(path)} is a link; it was not followed`, { happened: "nothing" });
  if (current.isDirectory()) throw new Refused("runtime_precondition_failed", `${shown(path)} is a directory`);
  if (!current.isFile()) throw new Refused("runtime_precondition_failed", `${shown(path)} is not a regular file`);
  if (expect === "absent") throw notAsExpected(path, "already exists");
  return current;
}

function createTemporary(directory: number, names: TemporaryNames, mode: number) {
  for (;;) {
    const temporary = names();
    try {
      return { descriptor: createNew(inside(directory, temporary), mode), temporary };
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    }
  }
}

/** Set-id bits are dropped, as the kernel does when content changes. */
function keepOwnerAndMode(descriptor: number, original: Stats): void {
  const fresh = fstatSync(descriptor);
  // Only a privileged user can change the owner; the content is written in any case.
  if (fresh.uid !== original.uid || fresh.gid !== original.gid)
    ifPossible(() => fchownSync(descriptor, original.uid, original.gid));
  fchmodSync(descriptor, original.mode & 0o777);
}

import { constants, existsSync } from "node:fs";
import type { Unkept } from "../contract/content.ts";
import type { ChangedFile, ContentKeeper, KeptContents, ScanSnapshot } from "../contract/ports.ts";
import { EntryReader } from "./content-entry.ts";
import { createGenerated, createLeftOut, isOutput } from "./content-scope.ts";
import { differences, type Kept, type Scope, stoodThere } from "./content-standing.ts";
import { ContentStore, isOfStore, type NewContent } from "./content-store.ts";
import { createGitIgnored } from "./git-ignored.ts";
import { childPath } from "./known-directory.ts";
import { entryBefore, factsPerName } from "./snapshot.ts";

/** Newly read before one command; what is over it waits for the next one. */
const maxReadBytes = 128 * 1024 * 1024;
const maxReadFiles = 25_000;
const maxStoreBytes = 512 * 1024 * 1024;
/** Written together, so that a large workspace is not held in memory. */
const batchBytes = 16 * 1024 * 1024;
const batchFiles = 2_048;

const { S_IFMT, S_IFLNK, S_IFREG } = constants;

/** `path` is the store's file. It is made by the first command that may write. */
export function createContentKeeper(path: string, now: () => number = Date.now): ContentKeeper {
  let store: ContentStore | undefined;
  return {
    async keep(before, scope) {
      try {
        store ??= new ContentStore(path, maxStoreBytes);
        const unkept = await readMissing(store, before, { ...scope, now });
        const kept = { now, before, scope, unkept, files: new Map(store.files) };
        rememberQuietly(store, kept);
        return keptIn(store, kept);
      } catch (error) {
        if (!isOfStore(error)) throw error;
        return { describe: (changes) => changes.map((change) => ({ ...change, unkept: "no_store" as const })) };
      }
    },
    changedSince(call, evidence) {
      // One that was never made holds nothing.
      if (store === undefined && !existsSync(path)) return [];
      try {
        store ??= new ContentStore(path, maxStoreBytes);
        const changed = differences(store, call, { evidence, now });
        store.forget(call);
        return changed;
      } catch (error) {
        if (!isOfStore(error)) throw error;
        return [];
      }
    },
    close() {
      store?.close();
      store = undefined;
    },
  };
}

/** Gives why files are not kept, where that is not plain from where they lie. */
async function readMissing(
  store: ContentStore,
  before: ScanSnapshot,
  scope: Scope & { readonly now: () => number },
): Promise<Map<string, Unkept>> {
  const unkept = new Map<string, Unkept>();
  const reader = new EntryReader(scope.now);
  let batch: NewContent[] = [];
  let waiting = 0;
  let read = 0;
  let files = 0;
  try {
    for (const path of missingIn(store, before, scope)) {
      const over = read > maxReadBytes || files >= maxReadFiles;
      const entry = over ? "over_budget" : scope.closed(path) ? "closed" : reader.read(path);
      if (typeof entry === "string") {
        unkept.set(path, entry);
        continue;
      }
      files += 1;
      read += entry.bytes.length;
      waiting += entry.bytes.length;
      batch.push({ path, ...entry });
      if (waiting < batchBytes && batch.length < batchFiles) continue;
      store.add(batch);
      batch = [];
      waiting = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    store.add(batch);
    return unkept;
  } finally {
    reader.close();
  }
}

/** Files and links whose content is not known, outputs last. */
function missingIn({ files }: ContentStore, before: ScanSnapshot, { roots }: Scope): readonly string[] {
  const isLeftOut = createLeftOut(roots, (directory) => before.directories.get(directory)?.names);
  const missing: string[] = [];
  const last: string[] = [];
  for (const [directory, { names, facts }] of before.directories) {
    if (isLeftOut(directory)) continue;
    const found = isOutput(directory) ? last : missing;
    for (let index = 0; index < names.length; index++) {
      const at = index * factsPerName;
      const type = (facts[at + 2] ?? 0) & S_IFMT;
      if (type !== S_IFREG && type !== S_IFLNK) continue;
      const path = childPath(directory, names[index] ?? "");
      const known = files.get(path);
      const same =
        known?.settled === true &&
        known.inode === facts[at] &&
        known.size === facts[at + 1] &&
        known.mtimeMs === facts[at + 3] &&
        known.ctimeMs === facts[at + 4];
      if (!same) found.push(path);
    }
  }
  return [...missing, ...last];
}

/** Where that fails, a call that is cut off leaves less to be known. The command runs all the same. */
function rememberQuietly(store: ContentStore, kept: Kept): void {
  const { named } = kept.scope;
  if (named === undefined) return;
  try {
    store.remember(named.call, stoodThere(kept, named.places));
  } catch (error) {
    if (!isOfStore(error)) throw error;
  }
}

function keptIn(store: ContentStore, { now: time, before, scope, unkept, files }: Kept): KeptContents {
  const isLeftOut = createLeftOut(scope.roots, (directory) => before.directories.get(directory)?.names);
  // Asked before the command runs: it may change what git ignores.
  for (const directory of before.directories.keys()) isLeftOut(directory);
  const isGenerated = createGenerated(scope.roots, {
    wasThere: (directory) => before.directories.has(directory),
    isIgnored: createGitIgnored(scope.roots),
  });
  const placed = (change: ChangedFile): ChangedFile =>
    isGenerated(change.path) && (change.to === undefined || isGenerated(change.to))
      ? { ...change, generated: true }
      : change;

  return {
    describe: (found, evidence) => {
      const changes = found.map(placed);
      const added: NewContent[] = [];
      const reader = new EntryReader(time);
      let read = 0;
      const now = (path: string): Pick<ChangedFile, "is" | "after"> => {
        const entry = read > maxReadBytes || scope.closed(path) ? "over_budget" : reader.read(path);
        if (typeof entry === "string") {
          const is = reader.look(path);
          return is === undefined ? {} : { is };
        }
        read += entry.bytes.length;
        added.push({ path, ...entry });
        return { is: entry.facts, after: entry.file.hash };
      };
      let storeFails = false;
      const keptContent = (hash: string): Uint8Array | undefined => {
        // One that is busy would let each file wait again.
        if (storeFails) return undefined;
        try {
          return store.content(hash);
        } catch (error) {
          if (!isOfStore(error)) throw error;
          storeFails = true;
          return undefined;
        }
      };
      const described = changes.map((change): ChangedFile => {
        const { path, to } = change;
        if (isLeftOut(path) && (to === undefined || isLeftOut(to)))
          return { ...change, generated: true, unkept: "left_out" };
        const was = change.change === "created" ? undefined : entryBefore(before, path);
        const is = change.change === "deleted" ? {} : now(to ?? path);
        const place = { ...change, ...(was === undefined ? {} : { was }), ...is };
        if (was === undefined || was.kind === "directory") return place;
        const reason = unkept.get(path) ?? (isLeftOut(path) ? "left_out" : undefined);
        const hash = reason === undefined ? files.get(path)?.hash : undefined;
        if (hash === undefined) return { ...place, unkept: reason ?? "no_store" };
        // A moved one lives on under its other name; of one that has the same content only the mode changed.
        if (hash === is.after && was.kind === is.is?.kind) return { ...place, before: hash };
        const content = keptContent(hash);
        const image = content === undefined ? undefined : evidence(content);
        return image?.ok ? { ...place, before: hash, image: image.value } : { ...place, unkept: "no_store" };
      });
      reader.close();
      if (!storeFails) addQuietly(store, added, scope.named?.call);
      return described;
    },
  };
}

/** The next command finds them read already, and the call is over. Where that fails they are read again. */
function addQuietly(store: ContentStore, added: readonly NewContent[], over?: string): void {
  try {
    store.add(added);
    if (over !== undefined) store.forget(over);
  } catch (error) {
    if (!isOfStore(error)) throw error;
  }
}

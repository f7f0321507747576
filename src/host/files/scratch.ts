import { randomUUID } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ChangedFile } from "../../contract/changes.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import { isInside } from "../../contract/effect.ts";
import {
  type Files,
  type HostFiles,
  hostPath,
  isScratch,
  type Metadata,
  type Scratch,
  scratchPlaces,
} from "../../contract/ports.ts";
import { errnoOf, Refused } from "../failure.ts";
import { startOf } from "../process/process-table.ts";
import { closing, openDirectory } from "./descriptor.ts";
import { namesIn } from "./look.ts";
import { removeTree } from "./tree.ts";

export function scratchName(): string {
  return `${process.pid}.${startOf(process.pid)}.${randomUUID().slice(0, 8)}`;
}

export function makeScratch(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const { from } of scratchPlaces(directory)) {
    mkdirSync(from, { recursive: true });
    chmodSync(from, 0o1777);
  }
}

/** Errors are ignored: the next session tries again. */
export function removeScratch(directory: string): void {
  remove(dirname(directory), basename(directory));
}

export function removeAbandonedScratch(parent: string): void {
  for (const name of namesIn(parent)) {
    const [pid, started] = name.split(".");
    if (startOf(Number(pid)) !== started) remove(parent, name);
  }
}

const mostBytes = 2 * 1024 ** 3;
const mostEntries = 100_000;

/** A workspace may be mounted at its name in the scratch directory, so that name stays. */
export function emptyFullScratch(directory: string, workspaces: readonly string[]): boolean {
  const left = { bytes: mostBytes, entries: mostEntries };
  const fits = (at: string): boolean =>
    namesIn(at).every((name) => {
      const stats = lstatSync(join(at, name), { throwIfNoEntry: false });
      left.entries -= 1;
      left.bytes -= stats?.size ?? 0;
      return left.entries >= 0 && left.bytes >= 0 && (stats?.isDirectory() !== true || fits(join(at, name)));
    });
  const places = scratchPlaces(directory);
  if (places.every(({ from }) => fits(from))) return false;
  for (const { from, path } of places)
    for (const name of namesIn(from))
      if (!workspaces.some((workspace) => isInside(workspace, join(path, name)))) remove(from, name);
  return true;
}

export function withScratch<Ports extends { readonly files: HostFiles; readonly metadata: Metadata }>(
  ports: Ports,
  scratch: Scratch | undefined,
): Ports {
  if (scratch === undefined) return ports;
  return { ...ports, metadata: scratchMetadata(ports.metadata, scratch), files: scratchFiles(ports.files, scratch) };
}

const scratchNames = new Set(scratchPlaces("").map(({ path }) => path));

function scratchMetadata(metadata: Metadata, scratch: Scratch): Metadata {
  const { realpath, entries } = metadata;
  const at = (path: string) => hostPath(path, scratch);
  return {
    lstat: (path) => metadata.lstat(at(path)) ?? (scratchNames.has(path) ? metadata.lstat(path) : undefined),
    readlink: (path) => metadata.readlink(at(path)),
    // The target of a link in the scratch directory is a path inside the sandbox, so it is resolved name by name.
    realpath: realpath && ((path) => (isScratch(path, scratch) ? undefined : realpath(path))),
    entries: entries && ((path) => entries(at(path))),
  };
}

function scratchFiles(files: HostFiles, scratch: Scratch): HostFiles {
  return {
    tagged: (tag) => scratchView(files.tagged(tag), scratch),
    removeLeftovers: (tag, paths) =>
      files.removeLeftovers(
        tag,
        paths.map((path) => hostPath(path, scratch)),
      ),
  };
}

function scratchView(files: Files, scratch: Scratch): Files {
  const at = (path: string) => hostPath(path, scratch);
  const named = (text: string) => text.replaceAll(`${scratch.directory}/`, "/");
  const change = (one: ChangedFile): ChangedFile => ({
    ...one,
    path: named(one.path),
    to: one.to && named(one.to),
    made: one.made?.map((made) => ({ ...made, path: named(made.path) })),
  });
  async function told<In, Out>(outcome: Promise<Outcome<In>>, tell: (value: In) => Out): Promise<Outcome<Out>> {
    const got = await outcome;
    if (got.ok) return ok(tell(got.value));
    return { ok: false, failure: { ...got.failure, message: named(got.failure.message) } };
  }
  const same = <Value>(value: Value) => value;
  return {
    read: (path, options) => told(files.read(at(path), options), same),
    stat: (path) => told(files.stat(at(path)), same),
    list: (path) => told(files.list(at(path)), same),
    write: (writes) =>
      told(files.write(writes.map((write) => ({ ...write, path: at(write.path) }))), (all) => all.map(change)),
    move: (from, to) => told(files.move(at(from), at(to)), change),
    trash: (path) => told(files.trash(at(path)), change),
  };
}

/** Commands may still run in it: no path is used that they could replace by a link. */
function remove(parent: string, name: string): void {
  try {
    using opened = closing(openDirectory(parent));
    removeTree({ directory: opened.descriptor, name }, { readOnly: true });
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof Refused)) throw error;
  }
}

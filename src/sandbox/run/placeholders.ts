import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { errnoOf, failureOf, Refused, shown } from "../../host/failure.ts";
import { inside, openDirectory } from "../../host/files/descriptor.ts";
import { startOf } from "../../host/process/process-table.ts";
import { holdLock } from "../../host/state/hold-lock.ts";
import type { Placeholder } from "../plan/closed-paths.ts";
import { isPrivate } from "../transaction/view.ts";

/** No real entry has the sticky bit without write permission, so a later runtime recognises leftover placeholders. */
const sticky = 0o1000;
const fileMode = sticky | 0o444;
const directoryMode = sticky | 0o555;

/** Git refuses a repository in which this file is empty. A dot means that nothing is shared. */
const contentOf = (path: string) => (basename(path) === "commondir" ? ".\n" : "");

interface HeldPlaceholders {
  readonly impossible: ReadonlySet<string>;
  readonly giveBack: () => void;
}

/** Concurrent commands share them, even across runtimes: the first one to end must not remove them. */
export class Placeholders {
  readonly #owner = `${process.pid} ${startOf(process.pid)} ${randomUUID().slice(0, 8)}`;
  /** The number of commands that use each; zero for one that could not be removed yet. */
  readonly #holders = new Map<string, number>();
  readonly #directory: string | undefined;

  constructor(directory?: string) {
    this.#directory = directory;
  }

  hold(wanted: readonly Placeholder[]): Outcome<HeldPlaceholders> {
    if (wanted.length === 0) return ok({ impossible: new Set(), giveBack: () => {} });
    try {
      // Recorded before they are created, so that a killed runtime leaves no unknown file.
      this.#record((claims) => claims.set(this.#owner, [...this.#holders.keys(), ...wanted.map(({ path }) => path)]));
    } catch (error) {
      return { ok: false, failure: failureOf(error, "The record of placeholders") };
    }
    const impossible = new Set<string>();
    const taken: string[] = [];
    for (const placeholder of wanted) {
      const { path } = placeholder;
      const made = make(placeholder);
      if (!made.ok) {
        this.#giveBack(taken);
        return made;
      }
      if (made.value === "impossible") impossible.add(path);
      else {
        taken.push(path);
        this.#holders.set(path, (this.#holders.get(path) ?? 0) + 1);
      }
    }
    return ok({ impossible, giveBack: () => this.#giveBack(taken) });
  }

  #giveBack(taken: readonly string[]): void {
    for (const path of taken) this.#holders.set(path, (this.#holders.get(path) ?? 1) - 1);
    try {
      this.#record((claims) => {
        claims.set(
          this.#owner,
          [...this.#holders].flatMap(([path, count]) => (count > 0 ? path : [])),
        );
        const needed = neededIn(claims);
        for (const [path, count] of this.#holders)
          if (count === 0 && (needed.has(path) || remove(path))) this.#holders.delete(path);
        claims.set(this.#owner, [...this.#holders.keys()]);
        removeOfDead(claims);
      });
    } catch (error) {
      if (errnoOf(error) === undefined && !(error instanceof Refused)) throw error;
    }
  }

  #record(change: (claims: Claims) => void): void {
    if (this.#directory === undefined) change(new Map());
    else changeClaims(this.#directory, change);
  }
}

type Claims = Map<string, readonly string[]>;

const claimsName = "held.json";

function changeClaims(directory: string, change: (claims: Claims) => void): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (!isPrivate(directory))
    throw new Refused("sandbox_unavailable", `${directory} is not private to this user`, { happened: "nothing" });
  const file = join(directory, claimsName);
  const done = holdLock(join(directory, "lock"), () => {
    const claims = readClaims(directory);
    if (claims === undefined)
      throw new Refused("sandbox_unavailable", `${file} cannot be read`, {
        happened: "nothing",
        recovery: "End all other sessions, then remove the file.",
      });
    change(claims);
    const lasting = [...claims].filter(([, paths]) => paths.length > 0);
    if (lasting.length === 0) return rmSync(file, { force: true });
    writeFileSync(`${file}.next`, JSON.stringify(Object.fromEntries(lasting)), { mode: 0o600 });
    renameSync(`${file}.next`, file);
  });
  if (done === undefined)
    throw new Refused("sandbox_unavailable", `${directory} is locked by another runtime`, { happened: "nothing" });
}

function readClaims(directory: string): Claims | undefined {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(join(directory, claimsName), "utf8"))));
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? new Map() : undefined;
  }
}

function isAlive(owner: string): boolean {
  const [pid, started] = owner.split(" ");
  return startOf(Number(pid)) === started;
}

function neededIn(claims: Claims): ReadonlySet<string> {
  return new Set([...claims].flatMap(([owner, paths]) => (isAlive(owner) ? paths : [])));
}

function removeOfDead(claims: Claims): void {
  const needed = neededIn(claims);
  for (const [owner, paths] of claims)
    if (!isAlive(owner))
      claims.set(
        owner,
        paths.filter((path) => needed.has(path) || !remove(path)),
      );
}

export function isPlaceholder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && isOurs(stats, path);
}

export function standsIn(directory: string): (path: string, mode: number) => boolean {
  const isClaimed = (path: string) =>
    [...(readClaims(directory)?.values() ?? [[path]])].some((paths) => paths.includes(path));
  return (path, mode) => hasOurMode(mode) && isPlaceholder(path) && isClaimed(path);
}

export function removeAbandoned(directory: string): void {
  const claims = readClaims(directory);
  if (claims !== undefined && ![...claims.keys()].every(isAlive)) changeClaims(directory, removeOfDead);
}

function isOurs(stats: Stats, path: string): boolean {
  if (!hasOurMode(stats.mode)) return false;
  return stats.isFile() ? stats.size === 0 || stats.size === contentOf(path).length : stats.isDirectory();
}

function hasOurMode(mode: number): boolean {
  return (mode & 0o7000) === sticky && (mode & 0o222) === 0;
}

/** Another command may be changing the workspace: never through a link. */
function make({ path, kind }: Placeholder): Outcome<"taken" | "impossible"> {
  let directory: number | undefined;
  try {
    directory = openDirectory(dirname(path));
    const at = inside(directory, basename(path));
    if (kind === "directory") mkdirSync(at, directoryMode);
    else makeFile(at, contentOf(path));
    return ok("taken");
  } catch (error) {
    const errno = errnoOf(error);
    // Another program created the name; the following mount covers it.
    if (errno === "EEXIST") return ok("taken");
    const foreign = directory !== undefined && fstatSync(directory).uid !== process.geteuid?.();
    if (errno === "EROFS" || (errno === "EACCES" && foreign)) return ok("impossible");
    // Without the placeholder a command could create the name.
    return fail(
      "runtime_precondition_failed",
      `No placeholder could be created at ${shown(path)}, which a command must not create: ${failureOf(error, path).message}. Nothing was run.`,
      { happened: "nothing", recovery: "Fix this and try again. Read-only commands still run." },
    );
  } finally {
    if (directory !== undefined) closeSync(directory);
  }
}

function makeFile(at: string, content: string): void {
  const descriptor = openSync(at, "wx", fileMode);
  try {
    writeSync(descriptor, content);
  } catch (error) {
    unlinkSync(at);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Another user or program owns the name or its directory: there is no placeholder to remove. */
const gone = new Set(["ENOENT", "ENOTDIR", "ENOTEMPTY", "ELOOP"]);

function remove(path: string): boolean {
  let directory: number | undefined;
  try {
    directory = openDirectory(dirname(path));
    const at = inside(directory, basename(path));
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats === undefined || !isOurs(stats, path)) return true;
    whileWritable(`/proc/self/fd/${directory}`, () => (stats.isDirectory() ? rmdirSync(at) : unlinkSync(at)));
    return true;
  } catch (error) {
    if (error instanceof Refused) return true;
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return gone.has(errno);
  } finally {
    if (directory !== undefined) closeSync(directory);
  }
}

/** A command may have made the directory read-only. */
export function whileWritable(directory: string, act: () => void): void {
  const { mode, uid } = statSync(directory);
  const isClosed = uid === process.geteuid?.() && (mode & 0o300) !== 0o300;
  if (isClosed) chmodSync(directory, (mode & 0o7777) | 0o300);
  try {
    act();
  } finally {
    if (isClosed) chmodSync(directory, mode & 0o7777);
  }
}

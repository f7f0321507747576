import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, Refused } from "../host/failure.ts";
import { startOf } from "../host/process-table.ts";

/**
 * Which stand-ins a living runtime needs, where every other runtime of the same user can read it: two sessions in one
 * workspace share them, and the first to end must not take them away from the other.
 */
export class PlaceholderClaims {
  readonly #directory: string;
  readonly #name = `${process.pid}.${startOf(process.pid)}.${randomUUID().slice(0, 8)}`;

  constructor(directory: string) {
    makePrivate(directory);
    this.#directory = directory;
  }

  /** From now on exactly these. */
  set(paths: readonly string[]): void {
    const file = join(this.#directory, this.#name);
    if (paths.length === 0) removeFile(file);
    else writeFileSync(file, JSON.stringify(paths), { mode: 0o600 });
  }

  ofOthers(): (path: string) => boolean {
    return claimed(this.#directory, (name) => name !== this.#name);
  }
}

/** Is it needed by a runtime that lives, this one included? */
export function claimedNow(directory: string): (path: string) => boolean {
  return claimed(directory, () => true);
}

function claimed(directory: string, counts: (name: string) => boolean): (path: string) => boolean {
  const names = claimsIn(directory);
  if (names === undefined) return () => true;
  const paths = new Set<unknown>();
  for (const name of names.filter(counts)) {
    const file = join(directory, name);
    const [pid, started] = name.split(".");
    if (startOf(Number(pid)) !== started) {
      removeFile(file);
      continue;
    }
    const listed = readClaim(file);
    // Half written: whoever writes it may need anything.
    if (listed === undefined) return () => true;
    for (const path of listed) paths.add(path);
  }
  return (path) => paths.has(path);
}

/** What cannot be looked at may say anything. */
function claimsIn(directory: string): readonly string[] | undefined {
  try {
    return readdirSync(directory);
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? [] : undefined;
  }
}

function readClaim(file: string): readonly unknown[] | undefined {
  try {
    const listed: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(listed) ? listed : undefined;
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? [] : undefined;
  }
}

/** Nobody else may say what is needed, nor stand in the way. */
function makePrivate(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stats = lstatSync(directory);
  if (!stats.isDirectory() || stats.uid !== process.geteuid?.() || (stats.mode & 0o077) !== 0)
    throw new Refused("sandbox_unavailable", `${directory} is not private to this user`, { happened: "nothing" });
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

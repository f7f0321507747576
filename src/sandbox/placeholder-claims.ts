import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, Refused } from "../host/failure.ts";
import { startOf } from "../host/process-table.ts";

/**
 * Which stand-ins a living runtime needs, where every other runtime of the same user can read it: two sessions in one
 * workspace share them, and the first to end must not take them away from the other. It is written before they are made,
 * so what a runtime says that was killed is all that it left.
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
    if (paths.length === 0) {
      removeFile(file);
      return;
    }
    // Whoever is killed here has said all that it said before.
    const next = `${file}.next`;
    try {
      writeFileSync(next, JSON.stringify(paths), { mode: 0o600 });
      renameSync(next, file);
    } catch (error) {
      removeFile(next);
      throw error;
    }
  }

  ofOthers(): (path: string) => boolean {
    return claimed(this.#directory, ({ name, lives }) => lives && name !== this.#name);
  }
}

/** Is it needed by a runtime that lives, this one included? */
export function claimedNow(directory: string): (path: string) => boolean {
  return claimed(directory, ({ lives }) => lives);
}

/** Is it needed, or was it by a runtime that died and left it? */
export function claimedOnce(directory: string): (path: string) => boolean {
  return claimed(directory, () => true);
}

export interface AbandonedClaim {
  readonly paths: readonly string[];
  /** When nothing of it is left. */
  readonly forget: () => void;
}

export function abandonedClaims(directory: string): readonly AbandonedClaim[] {
  const dead = (claimsIn(directory) ?? []).filter(({ lives }) => !lives);
  return dead.map(({ file }) => ({
    // What it was writing when it died had no effect yet.
    paths: (readClaim(file) ?? []).filter((path) => typeof path === "string"),
    forget: () => removeFile(file),
  }));
}

interface Claim {
  readonly name: string;
  readonly file: string;
  readonly lives: boolean;
}

function claimed(directory: string, counts: (claim: Claim) => boolean): (path: string) => boolean {
  const claims = claimsIn(directory);
  if (claims === undefined) return () => true;
  const paths = new Set<unknown>();
  for (const { file, lives } of claims.filter(counts)) {
    const listed = readClaim(file);
    // Half written: whoever writes it may need anything.
    if (listed === undefined && lives) return () => true;
    for (const path of listed ?? []) paths.add(path);
  }
  return (path) => paths.has(path);
}

/** What cannot be looked at may say anything. */
function claimsIn(directory: string): readonly Claim[] | undefined {
  try {
    return readdirSync(directory).map((name) => {
      const [pid, started] = name.split(".");
      return { name, file: join(directory, name), lives: startOf(Number(pid)) === started };
    });
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

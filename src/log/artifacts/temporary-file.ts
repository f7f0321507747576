import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { isOutsideFailure } from "../log-failure.ts";
import { livenessOf, type ProcessIdentity } from "../process-identity.ts";
import { removeFile } from "../remove-file.ts";

/** Nothing is written for longer than this. */
const oldMs = 24 * 60 * 60 * 1000;

/** A name that says who is writing, so that a later process can tell what was left behind. */
export function temporaryName(writer: ProcessIdentity): string {
  return `.tmp-${place(writer)}-${writer.pid}-${writer.started}-${randomBytes(8).toString("hex")}`;
}

/** Removes what a dead process left half written in `directory`. What cannot be removed stays. */
export function removeLeftovers(directory: string, writer: ProcessIdentity, now: number): void {
  for (const name of namesIn(directory)) {
    const [, where, pid, started] = /^\.tmp-([0-9a-f]+)-(\d+)-([^-]+)-/.exec(name) ?? [];
    if (where === undefined || started === undefined) continue;
    const path = join(directory, name);
    const machine = where === place(writer) ? writer.machine : "elsewhere";
    const dead = livenessOf({ pid: Number(pid), started, machine }) === "dead";
    if (dead || isOld(path, now)) removeFile(path);
  }
}

function isOld(path: string, now: number): boolean {
  try {
    return now - statSync(path).mtimeMs > oldMs;
  } catch (error) {
    if (!isOutsideFailure(error)) throw error;
    return false;
  }
}

function place(writer: ProcessIdentity): string {
  return sha256(writer.machine).slice(0, 8);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (!isOutsideFailure(error)) throw error;
    return [];
  }
}

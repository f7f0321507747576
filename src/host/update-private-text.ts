import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { readSmallText } from "./read-small-text.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const mostTries = 5;

/**
 * Changes a small text file of the person's own: all or nothing, readable by nobody else. `change` sees what is
 * there and may be asked again: when somebody else wrote in between, their text is what is changed.
 */
export function updatePrivateText(
  file: string,
  change: (before: string | undefined) => Outcome<string>,
): Outcome<void> {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    // People keep such files elsewhere and link to them; the link stays.
    const target = realFile(file);
    for (let tries = 0; tries < mostTries; tries++) {
      const before = readSmallText(target);
      const changed = change(before);
      if (!changed.ok) return changed;
      if (changed.value === before || replaceText(target, before, changed.value)) return ok(undefined);
    }
    return fail("tool_failed", `${file} is being changed by somebody else.`, { recovery: "Try again." });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return fail("tool_failed", `${file} cannot be written (${reason}).`, { recovery: "Make the file writable." });
  }
}

function realFile(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}

/** False when the file is not what it was before. */
function replaceText(target: string, before: string | undefined, text: string): boolean {
  const temporary = `${target}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const descriptor = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (readSmallText(target) !== before) return false;
    renameSync(temporary, target);
    return true;
  } finally {
    rmSync(temporary, { force: true });
  }
}

import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { messageOf } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { realPathOf } from "../files/look.ts";
import { readSmallText } from "../files/read-small-text.ts";
import { holdLock } from "./hold-lock.ts";

const mostTries = 5;

interface Aside {
  readonly isSound: (text: string) => boolean;
  readonly onAside: (file: string) => void;
}

/** Atomic, one process at a time. `change` is called again if another program wrote in between. */
export function updatePrivateText(
  file: string,
  change: (before: string | undefined) => Outcome<string>,
  aside?: Aside,
): Outcome<void> {
  return carefully(file, () => {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    // Users keep such files elsewhere and link to them; the link stays.
    const held = holdLock(`${file}.lock`, () => {
      const target = realPathOf(file) ?? file;
      if (aside !== undefined && !isSound(target, aside)) {
        renameSync(target, `${target}.unreadable`);
        aside.onAside(`${target}.unreadable`);
      }
      return updateText(file, target, change, 0o600);
    });
    return held?.result ?? changing(file);
  });
}

/** A link comes from the repository and is not followed. No lock file: it would be in the repository too. */
export function updateProjectText(
  file: string,
  change: (before: string | undefined) => Outcome<string>,
): Outcome<void> {
  return carefully(file, () => {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) {
      return fail("bad_request", `${file} is a link; links are not followed.`, {
        recovery: "Replace it by a regular file, or edit its target.",
      });
    }
    // An empty file may be a placeholder of a running command, whose mode means nothing.
    return updateText(file, file, change, stat === undefined || stat.size === 0 ? 0o644 : stat.mode & 0o777);
  });
}

function updateText(
  file: string,
  target: string,
  change: (before: string | undefined) => Outcome<string>,
  mode: number,
): Outcome<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    const before = readSmallText(target);
    const changed = change(before);
    if (!changed.ok) return changed;
    if (changed.value === before || replaceText(target, before, changed.value, mode)) return ok(undefined);
  }
  return changing(file);
}

function isSound(target: string, aside: Aside): boolean {
  try {
    const text = readSmallText(target);
    return text === undefined || aside.isSound(text);
  } catch {
    return false;
  }
}

function changing(file: string): Outcome<never> {
  return fail("tool_failed", `${file} is being changed by another program.`, { recovery: "Retry." });
}

function carefully(file: string, work: () => Outcome<void>): Outcome<void> {
  try {
    return work();
  } catch (error) {
    const reason = messageOf(error);
    return fail("tool_failed", `${file} cannot be written (${reason}).`, {
      recovery: "Make the file writable, and remove anything that blocks it.",
    });
  }
}

function replaceText(target: string, before: string | undefined, text: string, mode: number): boolean {
  const temporary = `${target}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: "wx", mode, flush: true });
    if (readSmallText(target) !== before) return false;
    renameSync(temporary, target);
    return true;
  } finally {
    rmSync(temporary, { force: true });
  }
}

export interface PrivateFiles {
  read(name: string): Outcome<string | undefined>;
  stamp(name: string): Outcome<string | undefined>;
  write(name: string, text: string): Outcome<void>;
  remove(name: string): Outcome<void>;
}

export function privateFiles(directory: string): PrivateFiles {
  const fileOf = (name: string) => `${directory}/${name}`;
  const attempt = <Result>(
    name: string,
    doing: "read" | "removed",
    work: (file: string) => Result,
  ): Outcome<Result> => {
    try {
      return ok(work(fileOf(name)));
    } catch (error) {
      return fail("tool_failed", `${fileOf(name)} cannot be ${doing}: ${messageOf(error)}`);
    }
  };
  return {
    read: (name) => attempt(name, "read", (file) => readSmallText(file)),
    stamp: (name) =>
      attempt(name, "read", (file) => {
        const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
        return stat && `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
      }),
    write: (name, text) => updatePrivateText(fileOf(name), () => ok(text)),
    remove: (name) => attempt(name, "removed", (file) => rmSync(file, { force: true, recursive: true })),
  };
}

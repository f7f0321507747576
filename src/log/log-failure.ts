import { rmSync } from "node:fs";
import { messageOf } from "../base/text.ts";
import { type Failure, fail } from "../contract/codes.ts";
import { UnreadableLog } from "../contract/store.ts";
import { sqliteCodeOf } from "../host/state/hold-lock.ts";

type Failed = { readonly ok: false; readonly failure: Failure };

/** A failure of the disk, permissions or a damaged file. Anything else that was thrown is a bug and is thrown again. */
export function logFailure(error: unknown, doing: string, path: string): Failed {
  if (error instanceof UnreadableLog) return { ok: false, failure: error.failure };
  const cause = causeOf(error);
  if (cause === undefined) throw error;
  const [what, recovery] = explanations[cause];
  return fail("log_unavailable", `Could not ${doing}: ${path} ${what} (${messageOf(error)}).`, { recovery });
}

/** A stored row that cannot be what was written. */
export class DamagedRow extends Error {}

/** A file that no crash and no bad disk can leave. */
export class TamperedFile extends Error {}

export function damageIn(error: unknown): string | undefined {
  const cause = causeOf(error);
  return cause === "damaged" || cause === "tampered" ? messageOf(error) : undefined;
}

export function isOutsideFailure(error: unknown): boolean {
  return causeOf(error) !== undefined;
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

export function isAlreadyThere(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}

export function isDuplicate(error: unknown): boolean {
  return sqliteCodeOf(error) === 19;
}

type Cause = "full" | "forbidden" | "damaged" | "tampered" | "busy" | "missing" | "other";

const explanations: Record<Cause, readonly [what: string, recovery: string]> = {
  full: [
    "has no space left on its disk or quota",
    "Free disk space or remove old sessions with `gauntlet sessions prune`, then try again.",
  ],
  forbidden: [
    "cannot be written",
    "Make the state directory writable for this user, or choose another one with GAUNTLET_HOME.",
  ],
  damaged: [
    "is damaged",
    "Move the file aside and keep it as evidence; `gauntlet audit verify` checks the other sessions.",
  ],
  tampered: [
    "was changed by something other than gauntlet",
    "Check it with `gauntlet audit verify`; keep the file as evidence, and do not rely on what it says.",
  ],
  busy: ["is locked by another process", "Try again; if it stays locked, end the process that holds it."],
  missing: ["is not there", "Check that the state directory still exists."],
  other: ["failed", "Run `gauntlet doctor` to check the state directory."],
};

const causeByErrno: Readonly<Record<string, Cause>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EFBIG: "full",
  EROFS: "forbidden",
  EACCES: "forbidden",
  EPERM: "forbidden",
  ENOENT: "missing",
  ENOTDIR: "forbidden",
  EEXIST: "forbidden",
  EISDIR: "forbidden",
  EBUSY: "busy",
};

const causeBySqlite: Readonly<Record<number, Cause>> = {
  3: "forbidden",
  5: "busy",
  6: "busy",
  8: "forbidden",
  11: "damaged",
  13: "full",
  14: "forbidden",
  26: "damaged",
};

function causeOf(error: unknown): Cause | undefined {
  if (error instanceof TamperedFile) return "tampered";
  if (error instanceof DamagedRow || isNumberTooLarge(error)) return "damaged";
  const sqlite = sqliteCodeOf(error);
  if (sqlite !== undefined) return sqlite === 1 ? schemaCause(error) : (causeBySqlite[sqlite] ?? "other");
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  if (!("errno" in error) && !("syscall" in error)) return undefined;
  return causeByErrno[error.code] ?? "other";
}

/** A missing table or column means a damaged file; a syntax error is our bug. */
function schemaCause(error: unknown): Cause | undefined {
  return /no such (table|column)|malformed/.test(messageOf(error)) ? "damaged" : undefined;
}

function isNumberTooLarge(error: unknown): boolean {
  return error instanceof RangeError && error.message.startsWith("Value is too large to be represented");
}

/** For clean-up: a failure here must not hide the first one. */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!isOutsideFailure(error)) throw error;
  }
}

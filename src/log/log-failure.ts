import { rmSync } from "node:fs";
import { messageOf } from "../base/text.ts";
import { type Failure, fail } from "../contract/codes.ts";
import { UnreadableLog } from "../contract/store.ts";
import { errnoOf, ifPossible } from "../host/failure.ts";
import { sqliteCodeOf } from "../host/state/hold-lock.ts";

/** A failure of the disk, permissions or a damaged file. Any other exception is a bug and is rethrown. */
export function logFailure(
  error: unknown,
  doing: string,
  path: string,
): { readonly ok: false; readonly failure: Failure } {
  if (error instanceof UnreadableLog) return { ok: false, failure: error.failure };
  const cause = causeOf(error);
  if (cause === undefined) throw error;
  const { what, recovery } = explanations[cause];
  return fail("log_unavailable", `Could not ${doing}: ${path} ${what} (${messageOf(error)}).`, { recovery });
}

/** A damaged row. */
export class DamagedRow extends Error {}

/** A file that was modified: neither a crash nor a bad disk explains it. */
export class TamperedFile extends Error {}

export function damageIn(error: unknown): string | undefined {
  const cause = causeOf(error);
  return cause === "damaged" || cause === "tampered" ? messageOf(error) : undefined;
}

export function isOutsideFailure(error: unknown): boolean {
  return causeOf(error) !== undefined;
}

export function isMissing(error: unknown): boolean {
  return errnoOf(error) === "ENOENT";
}

export function isAlreadyThere(error: unknown): boolean {
  return errnoOf(error) === "EEXIST";
}

export function isDuplicate(error: unknown): boolean {
  return sqliteCodeOf(error) === 19;
}

interface FailureText {
  readonly what: string;
  readonly recovery: string;
  readonly codes: readonly (string | number)[];
}

const explanations = {
  full: {
    what: "has no space left on its disk or quota",
    recovery: "Free disk space or remove old sessions with `gauntlet sessions prune`, then try again.",
    codes: ["ENOSPC", "EDQUOT", "EFBIG", 13],
  },
  forbidden: {
    what: "cannot be written",
    recovery: "Make the state directory writable for this user, or choose another one with GAUNTLET_HOME.",
    codes: ["EROFS", "EACCES", "EPERM", "ENOTDIR", "EEXIST", "EISDIR", 3, 8, 14],
  },
  damaged: {
    what: "is damaged",
    recovery: "Move the file aside and keep it as evidence; `gauntlet audit verify` checks the other sessions.",
    codes: [11, 26],
  },
  tampered: {
    what: "was modified by another program",
    recovery: "Check it with `gauntlet audit verify`; keep the file as evidence, and do not rely on its content.",
    codes: [],
  },
  busy: {
    what: "is locked by another process",
    recovery: "Try again; if it stays locked, end the process that holds it.",
    codes: ["EBUSY", 5, 6],
  },
  missing: { what: "does not exist", recovery: "Check that GAUNTLET_HOME (~/.gauntlet) exists.", codes: ["ENOENT"] },
  other: { what: "failed", recovery: "Run `gauntlet doctor` to check the state directory.", codes: [] },
} as const satisfies Record<string, FailureText>;

type Cause = keyof typeof explanations;

const causes = new Map(
  Object.entries<FailureText>(explanations).flatMap(([cause, { codes }]) =>
    codes.map((code) => [code, cause as Cause]),
  ),
);

function causeOf(error: unknown): Cause | undefined {
  if (error instanceof TamperedFile) return "tampered";
  if (error instanceof DamagedRow || isNumberTooLarge(error)) return "damaged";
  const code = sqliteCodeOf(error) ?? errnoOf(error);
  if (code === undefined) return undefined;
  if (code !== sqliteError) return causes.get(code) ?? "other";
  // A missing table or column means a damaged file; a syntax error is our bug.
  return /no such (table|column)|malformed/.test(messageOf(error)) ? "damaged" : undefined;
}

const sqliteError = 1;

function isNumberTooLarge(error: unknown): boolean {
  return error instanceof RangeError && error.message.startsWith("Value is too large to be represented");
}

/** For clean-up: a failure here must not hide the first one. */
export function removeFile(path: string): void {
  ifPossible(() => rmSync(path, { force: true }));
}

import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { isAlreadyThere, isMissing, logFailure } from "./log-failure.ts";

/** Only the owner may look inside. A directory that is already there keeps its mode: it may be someone else's choice. */
export function makePrivateDirectory(path: string): Outcome<void> {
  try {
    makeDirectory(path);
    return ok(undefined);
  } catch (error) {
    return logFailure(error, "prepare the state directory", path);
  }
}

/** Step by step, because the recursive form calls a read-only disk "no such file". */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isAlreadyThere(error) || !statSync(path).isDirectory()) throw error;
  }
}

const keyBytes = 32;

/**
 * The key of the redaction marks: random, made once, never shown. Several processes may start at the same
 * moment; all of them end up with the one whose link came first.
 */
export function privateKey(directory: string): Outcome<Uint8Array> {
  const path = join(directory, "redaction.key");
  try {
    const key = readOrMake(path);
    if (key.length === keyBytes) return ok(key);
    return fail(
      "log_unavailable",
      `The redaction key ${path} is damaged: ${key.length} bytes instead of ${keyBytes}.`,
      {
        recovery:
          "Move the file away; a new key is made, and marks of older sessions no longer compare equal to new ones.",
      },
    );
  } catch (error) {
    return logFailure(error, "read the redaction key", path);
  }
}

function readOrMake(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(temporary, randomBytes(keyBytes), { flag: "wx", mode: 0o600 });
    linkSync(temporary, path);
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  return readFileSync(path);
}

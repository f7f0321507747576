import { type Failure, fail, type Outcome } from "../contract/codes.ts";

export class Refused extends Error {
  readonly failure: Failure;
  constructor(code: Failure["code"], message: string, extra: Omit<Failure, "code" | "message"> = {}) {
    super(message);
    this.failure = { code, message, ...extra };
  }
}

/** Errors of the operating system become values; any other exception is a bug and is rethrown. */
export async function attempt<T>(path: string, operation: () => Promise<Outcome<T>> | Outcome<T>): Promise<Outcome<T>> {
  try {
    return await operation();
  } catch (error) {
    const { code, message, ...extra } = failureOf(error, path);
    return fail(code, message, extra);
  }
}

export function about<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    const { code, message, ...extra } = failureOf(error, path);
    throw new Refused(code, message, extra);
  }
}

export function failureOf(error: unknown, path: string): Failure {
  if (error instanceof Refused) return error.failure;
  const code = errnoOf(error);
  if (code === undefined) throw error;
  const known = meanings[code];
  if (known === undefined) return { code: "tool_failed", message: `${shown(path)}: ${code}`, happened: "nothing" };
  return { code: known[0], message: `${shown(path)} ${known[1]}`, happened: "nothing" };
}

export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("errno" in error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** `undefined` for an error of the operating system, or a path with a NUL byte; any other exception is rethrown. */
export function ifPossible<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const isInvalid = error instanceof TypeError && "code" in error && error.code === "ERR_INVALID_ARG_VALUE";
    if (errnoOf(error) === undefined && !isInvalid) throw error;
    return undefined;
  }
}

/** For messages: one line, control characters visible. */
export function shown(path: string): string {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(path) ? path : JSON.stringify(path);
}

const meanings: Readonly<Record<string, readonly [Failure["code"], string]>> = {
  ENOENT: ["file_not_found", "does not exist"],
  ENOTDIR: ["file_not_found", "does not exist: a part of the path is not a directory"],
  ELOOP: ["effect_not_permitted", "is a link or is below one; links are not followed"],
  EISDIR: ["runtime_precondition_failed", "is a directory"],
  ENXIO: ["runtime_precondition_failed", "is not a regular file"],
  ENODEV: ["runtime_precondition_failed", "is not a regular file"],
  EEXIST: ["runtime_precondition_failed", "already exists"],
  ENOTEMPTY: ["runtime_precondition_failed", "is a directory that is not empty"],
  EINVAL: ["runtime_precondition_failed", "does not support this operation"],
  ENAMETOOLONG: ["runtime_precondition_failed", "is longer than the file system allows"],
  EACCES: ["tool_failed", "is not accessible: permission denied"],
  EPERM: ["tool_failed", "cannot be changed: operation not permitted"],
  EROFS: ["tool_failed", "is on a read-only file system"],
  ENOSPC: ["tool_failed", "could not be stored: no space left on the device"],
  EDQUOT: ["tool_failed", "could not be stored: the disk quota is exceeded"],
  EFBIG: ["tool_failed", "is larger than the file system allows"],
  EMFILE: ["tool_failed", "could not be opened: too many files are open"],
  ENFILE: ["tool_failed", "could not be opened: too many files are open on this machine"],
  EBUSY: ["tool_failed", "is in use by the system"],
  ETXTBSY: ["tool_failed", "is a program that is running"],
  EIO: ["tool_failed", "could not be accessed: the device reported an error"],
};

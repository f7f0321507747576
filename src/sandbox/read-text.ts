import { fail, type Outcome, ok } from "../contract/codes.ts";
import { FileTooLarge, readSmallText } from "../host/read-small-text.ts";

/** Links are followed. Empty where there is no regular file that can be read. Throws `FileTooLarge`. */
export function readText(path: string): string {
  try {
    return readSmallText(path) ?? "";
  } catch (error) {
    if (error instanceof FileTooLarge) throw error;
    return "";
  }
}

/** What git would believe and nobody can read might run something, so nothing runs beside it. */
export function unlessTooLarge<T>(read: () => T): Outcome<T> {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof FileTooLarge) return fail("runtime_precondition_failed", error.message);
    throw error;
  }
}

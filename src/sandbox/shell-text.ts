import { Buffer } from "node:buffer";
import { fail, type Outcome } from "../contract/codes.ts";

/** The largest argument that Linux hands to a program, less its final NUL. */
const maxTextBytes = 128 * 1024 - 1;

/** Only text that reaches the shell byte for byte may run: what was judged is what runs. */
export function checkText(text: string): Outcome<never> | undefined {
  if (text.includes("\0")) return fail("runtime_precondition_failed", "The command contains a NUL byte");
  if (!text.isWellFormed()) return fail("runtime_precondition_failed", "The command is not valid Unicode");
  const bytes = Buffer.byteLength(text);
  if (bytes > maxTextBytes)
    return fail("budget_exceeded", `The command has ${bytes} bytes; ${maxTextBytes} is the limit`);
  return undefined;
}

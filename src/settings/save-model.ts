import { type Outcome, ok } from "../contract/codes.ts";
import { readBefore } from "./read-own-file.ts";

/** The text of a settings file with this as the usual model, everything else in it as it was. */
export function withModel(path: string, before: string | undefined, model: string): Outcome<string> {
  const read = readBefore(path, before);
  return read.ok ? ok(`${JSON.stringify({ ...read.value, model }, null, 2)}\n`) : read;
}

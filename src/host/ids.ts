import { V7Generator } from "uuidv7";
import type { Ids } from "../contract/ids.ts";

/** Ids of one source sort in the order they were made, also within a millisecond. */
export function createIds(): Ids {
  const generator = new V7Generator();
  return { next: (prefix) => `${prefix}_${generator.generate().toHex()}` };
}

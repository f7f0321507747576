import { visibleText } from "./visible-text.ts";

/** Longest address of a resource that is handed to anybody. */
export const longestAddress = 4_096;

/** A name or an address in somebody else's words: handed back it is still the same, and it reads as what it is. */
export function isPlainName(name: string, longest: number): boolean {
  return name !== "" && name.length <= longest && visibleText(name) === name && !/[\n\r\t]|^\s|\s$/.test(name);
}

import { isKnown, someText, type Value } from "./shell-state.ts";
import { isOrdinaryName } from "./variable-names.ts";

/** What `read` and `mapfile` are told. */
export interface TakenNames {
  readonly names: readonly string[];
  /** Where an item ends when that is not the end of a line. */
  readonly ends: readonly string[];
  readonly flags: ReadonlySet<string>;
}

/** Flags without a value, and those with one that changes nothing but how much is taken. */
const known = { read: { plain: "rs", valued: "dntNp" }, mapfile: { plain: "t", valued: "dns" } } as const;

/** `undefined` when it is written in any other way: subscripts in names and callbacks run code. */
export function takenNames(
  builtin: keyof typeof known,
  words: readonly (string | undefined)[],
): TakenNames | undefined {
  const { plain, valued } = known[builtin];
  const bundle = new RegExp(`^-([${plain}]*)([${valued}]?)$`);
  const names = [...words];
  const ends: string[] = [];
  const flags = new Set<string>();
  while (names[0]?.startsWith("-")) {
    const [, letters = "", letter = ""] = bundle.exec(names[0]) ?? [];
    const value = letter === "" ? "" : names[1];
    if (letters + letter === "" || value === undefined) return undefined;
    for (const flag of letters) flags.add(flag);
    if (letter === "d") ends.push(value);
    else if (letter !== "") flags.add(letter);
    names.splice(0, letter === "" ? 1 : 2);
  }
  const plainNames = names.filter((name) => name !== undefined && isOrdinaryName(name));
  if (plainNames.length === 0 || plainNames.length < names.length) return undefined;
  return { names: names.filter((name) => name !== undefined), ends, flags };
}

/** One by one, as they are taken from the input. */
export function linesOf(input: Value, atNul: boolean): readonly Value[] {
  if (!isKnown(input)) return [input.separator === "nul" && !atNul ? someText : input];
  const lines = input.text.replace(/\n$/, "").split("\n");
  // Blanks at the ends and backslashes are kept or not, as the call says.
  return lines.map((text) => (text.trim() === text && !text.includes("\\") ? { text } : someText));
}

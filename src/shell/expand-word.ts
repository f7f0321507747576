import { dirname, resolve } from "node:path/posix";
import { isInside } from "../contract/effect.ts";
import type { ShellWord, UnknownValue } from "../programs/program-entry.ts";
import type { Change, Piece, Substitution, WordTemplate } from "./tree.ts";

/** What a variable may hold: a text, or something only the running shell knows. */
export type Value = KnownValue | UnknownValue;

interface KnownValue {
  readonly text: string;
}

export function isKnown(value: Value): value is KnownValue {
  return "text" in value;
}

export const someText: UnknownValue = { one: true };
export const someNumber: UnknownValue = { one: true, number: true };
/** It never begins with a dash. */
export const someCount: UnknownValue = { one: true, number: true, plain: true };
export const someCommit: UnknownValue = { one: true, commit: true, plain: true };

/** Without zeros in front: arithmetic takes those for another base. */
export function isNumber(value: Value): boolean {
  return isKnown(value) ? /^(?:0|-?[1-9]\d{0,14})$/.test(value.text) : value.number === true;
}

/** What one command sees while its words are expanded. */
interface Expansion {
  readonly cwd: string;
  readonly home: string;
  readonly variable: (name: string) => Value;
  readonly substituted: (piece: Substitution) => Value;
}

/** What is longer is some text. */
const longestValue = 4 * 1024;

export function expandWord({ text, pieces }: WordTemplate, expansion: Expansion): readonly ShellWord[] {
  const [only, second] = pieces;
  if (only !== undefined && second === undefined && !isQuoted(only)) {
    const value = pieceValue(only, expansion);
    if (value !== undefined && isKnown(value) && !value.text.includes("\\")) return split(value.text);
  }
  const word = assemble(pieces, expansion, false);
  const vanishes = word.value === "" && word.unknown === undefined && pieces.every((piece) => !isQuoted(piece));
  return vanishes ? [] : [{ text, ...word }];
}

/** What is assigned or fed to a command: neither split nor matched. */
export function expandValue({ pieces }: WordTemplate, expansion: Expansion): Value {
  const word = assemble(pieces, expansion, true);
  return word.unknown ?? { text: word.tilde ? expansion.home + word.value.slice(1) : word.value };
}

export function plainWord(value: string, text = value): ShellWord {
  return { text, value, glob: false, tilde: false };
}

export function split(value: string): readonly ShellWord[] {
  const words = value.split(/[ \t\n]+/).filter((word) => word !== "");
  return words.map((word) => ({ ...plainWord(word), glob: /[*?[]/.test(word) }));
}

interface Around {
  readonly before: string | undefined;
  after: string | undefined;
  readonly unknown: UnknownValue[];
}

function assemble(pieces: readonly Piece[], expansion: Expansion, whole: boolean): Omit<ShellWord, "text"> {
  let value = "";
  let glob = false;
  let around: Around | undefined;
  const tilde = pieces[0]?.kind === "home";
  for (const piece of pieces) {
    const quoted = whole || isQuoted(piece);
    if (piece.kind === "home") {
      value += "~";
      continue;
    }
    const found = piece.kind === "text" ? { text: piece.value } : (pieceValue(piece, expansion) ?? someText);
    const known = isKnown(found) ? found.text : undefined;
    const fits =
      known !== undefined &&
      (piece.kind === "text" || (value.length + known.length <= longestValue && (quoted || !/[ \t\n\\]/.test(known))));
    if (fits) {
      const matches = !quoted && /[*?[]/.test(known);
      if (around !== undefined) around.after = around.after === undefined || matches ? undefined : around.after + known;
      value += known;
      glob ||= matches;
      continue;
    }
    const before = tilde ? expansion.home + value.slice(1) : value;
    around ??= { before: glob ? undefined : before, after: "", unknown: [] };
    if (around.unknown.length > 0) around.after = undefined;
    around.unknown.push(isKnown(found) ? { one: quoted } : quoted ? found : splitUp(found));
  }
  if (around === undefined) return { value, glob, tilde };
  return { value: "", glob: false, tilde: false, unknown: combine(around, expansion.cwd) };
}

/** Split at blanks, any of the words may begin with whatever stands in the middle. A number is never split. */
function splitUp({ one, names, from, commit, number, mayBeEmpty }: UnknownValue): UnknownValue {
  if (number) return { one: one && !mayBeEmpty, number };
  if (commit) return { one: false, commit, plain: true };
  return { one: false, ...(names && { names }), ...(from && { from }), ...(mayBeEmpty && { mayBeEmpty }) };
}

/** One value that is known only later, between texts that are known. */
export function surround(value: UnknownValue, before: string, after: string, cwd: string): UnknownValue {
  return combine({ before, after, unknown: [value] }, cwd);
}

function combine({ before, after, unknown }: Around, cwd: string): UnknownValue {
  const [only, second] = unknown;
  if (only !== undefined && second === undefined && before === "" && after === "") return only;
  // Beside something that is there no part can take the word away.
  const one = unknown.every((part) => part.one || (part.number === true && (before !== "" || after !== "")));
  const names = only !== undefined && second === undefined ? namesAround(only, before, after, cwd) : undefined;
  const range = `${before ?? "-"}X${after ?? "-"}`;
  const commit =
    only?.commit === true && second === undefined && /^(?:[\w./~^-]+\.\.\.?)?X(?:\.\.\.?[\w./~^-]*)?$/.test(range);
  const first = before ?? "";
  const prefix = first + (first === "" ? (only?.prefix ?? "") : "");
  const plain = one && (first === "" ? before === "" && only?.plain === true : !first.startsWith("-"));
  return {
    one,
    ...(names && { names, from: cwd }),
    ...((plain || (commit && first === "")) && { plain: true }),
    ...(commit && { commit }),
    ...(prefix !== "" && { prefix }),
  };
}

/** `src/$f` and `$d/package.json` name entries as well, as long as they neither climb nor hide. */
function namesAround(
  { names, from, mayBeEmpty }: UnknownValue,
  before: string | undefined,
  after: string | undefined,
  cwd: string,
): readonly string[] | undefined {
  if (names === undefined || from !== cwd || before === undefined || after === undefined) return undefined;
  if (after.includes("..") || /(?:^|\/)\./.test(after.replace(/^\.[a-z]/i, ""))) return undefined;
  // Without a name in front of it, what stands behind leads anywhere.
  if (before === "") return mayBeEmpty ? undefined : names;
  // `.` before `./x` climbs.
  if (before.endsWith(".")) return undefined;
  // A name that was found above the working directory may itself climb.
  if (before.split("/").includes("..") || !names.every((name) => isInside(name, cwd))) return undefined;
  const directory = before.endsWith("/") ? before : dirname(before);
  if (/(?:^|\/)\.[^/]/.test(before.slice(directory.length))) return undefined;
  return [resolve(cwd, directory)];
}

function pieceValue(piece: Piece, expansion: Expansion): Value | undefined {
  switch (piece.kind) {
    case "variable":
      return changed(expansion.variable(piece.name), piece.change);
    case "arithmetic":
      return someNumber;
    case "command":
      return expansion.substituted(piece);
    default:
      return undefined;
  }
}

function changed(value: Value, change: Change | undefined): Value {
  if (change === undefined) return value;
  if (typeof change === "string") return change === "length" ? someCount : someText;
  if (!isKnown(value) || change.otherwise.includes("~")) return someText;
  return value.text === "" ? { text: change.otherwise } : value;
}

function isQuoted(piece: Piece): boolean {
  return piece.kind !== "home" && piece.quoted;
}

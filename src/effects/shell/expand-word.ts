import { dirname, resolve } from "node:path/posix";
import { isInside } from "../../contract/effect.ts";
import type { ShellWord, UnknownValue } from "../../programs/program-entry.ts";
import { changeText } from "./change-text.ts";
import {
  type ArrayValue,
  isKnown,
  isNumber,
  longestValue,
  someCount,
  someNumber,
  someText,
  type Value,
} from "./shell-state.ts";
import type { Change, Piece, Substitution, WordTemplate } from "./shell-tree.ts";

/** What one command sees while its words are expanded. */
export interface Expansion {
  readonly cwd: string;
  readonly home: string;
  readonly variable: (name: string) => Value;
  /** `undefined` when the text made no array of this name. */
  readonly array: (name: string) => ArrayValue | undefined;
  readonly substituted: (piece: Substitution) => Value;
  /** Takes characters off the limit; without any left nothing is known. */
  readonly spend: (characters: number) => boolean;
}

/** The words that a word of a command becomes: none, one or, where blanks split it, several. */
export function expandWord({ text, pieces }: WordTemplate, expansion: Expansion): readonly ShellWord[] {
  const [only, second] = pieces;
  const [array, more] = pieces.filter((piece) => piece.kind !== "text" || piece.value !== "");
  if (array?.kind === "array" && more === undefined) return elementsOf(array, text, expansion);
  if (array?.kind === "variable" && array.name === "@" && array.changed === undefined && more === undefined) {
    return elementsOf({ ...array, kind: "array", part: "all" }, text, expansion);
  }
  if (only !== undefined && second === undefined && !isQuoted(only)) {
    const value = pieceValue(only, expansion);
    if (value !== undefined && isKnown(value) && !value.text.includes("\\")) {
      const words = expansion.spend(value.text.length) ? split(value.text) : [];
      return words.length <= mostWords
        ? words
        : [{ text, value: "", glob: false, tilde: false, unknown: { one: false } }];
    }
  }
  const word = assemble(pieces, expansion, false);
  const vanishes = word.value === "" && word.unknown === undefined && pieces.every((piece) => !isQuoted(piece));
  return vanishes ? [] : [{ text, ...word }];
}

const mostWords = 8_192;

type ArrayPiece = Extract<Piece, { kind: "array" }>;

/** Each element stays the word that it is while the array is quoted. Without any, `""` beside it is a word or not. */
function elementsOf(piece: ArrayPiece, text: string, expansion: Expansion): readonly ShellWord[] {
  const array = expansion.array(piece.name);
  const word: ShellWord = { text, value: "", glob: false, tilde: false };
  const exact = piece.part === "all" && array?.exact === true && array.values.length > 0;
  const whole = (value: Value) => piece.quoted || !isKnown(value) || /^[\w./@%+:,=-]+$/.test(value.text);
  if (exact && array.values.every(whole)) {
    return array.values.map((value) =>
      isKnown(value) ? { ...word, value: value.text } : { ...word, unknown: piece.quoted ? value : splitUp(value) },
    );
  }
  const value = partOf(piece, array);
  if (isKnown(value)) return piece.quoted ? [{ ...word, value: value.text }] : [{ ...word, unknown: { one: false } }];
  return [{ ...word, unknown: piece.quoted ? value : splitUp(value) }];
}

/** What stands for all of a part: where that is several words, each of them. */
function partOf({ name, part }: ArrayPiece, array: ArrayValue | undefined): Value {
  if (part === "count" || (name === "PIPESTATUS" && typeof part === "object")) return someCount;
  if (part === "joined") return someText;
  if (part === "keys") return array === undefined || array.keyed ? { one: false } : { ...someCount, one: false };
  if (part === "changed" || array === undefined) return { one: typeof part === "object" };
  if (typeof part === "object") return oneOf(elementAt(part.key, array));
  const all = oneOf(array.values.length === 0 ? [someText] : array.values);
  return isKnown(all) ? { one: false } : { ...withoutEmpty(all), one: false };
}

/** Behind the last element there is nothing. */
function elementAt(key: string, { exact, values, keyed }: ArrayValue): readonly Value[] {
  const known = exact && !keyed && /^(?:0|[1-9]\d{0,5})$/.test(key);
  return known ? [values[Number(key)] ?? { text: "" }] : [...values, { text: "" }];
}

/** One value that covers all of these. */
function oneOf(values: readonly Value[]): Value {
  const [first, second] = values;
  if (first !== undefined && second === undefined) return first;
  const filled = values.filter((value) => !isKnown(value) || value.text !== "");
  const empty = filled.length < values.length ? { mayBeEmpty: true } : {};
  const names = filled.map((value) => (isKnown(value) ? undefined : value.names));
  if (filled.length > 0 && names.every((found) => found !== undefined)) {
    const plain = filled.every((value) => !isKnown(value) && value.plain === true) ? { plain: true } : {};
    return { one: true, names: [...new Set(names.flat())], ...plain, ...empty };
  }
  return filled.length > 0 && filled.every(isNumber) ? { ...someNumber, ...empty } : someText;
}

function withoutEmpty({ mayBeEmpty: _never, ...value }: UnknownValue): UnknownValue {
  return value;
}

/** What is assigned or fed to a command: neither split nor matched. */
export function expandValue({ pieces }: WordTemplate, expansion: Expansion): Value {
  const word = assemble(pieces, expansion, true);
  if (word.unknown !== undefined) return word.unknown;
  return { text: word.tilde ? expansion.home + word.value.slice(1) : word.value };
}

function split(value: string): readonly ShellWord[] {
  const words = value.split(/[ \t\n]+/).filter((word) => word !== "");
  return words.map((word) => ({ text: word, value: word, glob: /[*?[]/.test(word), tilde: false }));
}

type Assembled = Omit<ShellWord, "text">;

/** What stands around the parts that only the running shell knows. */
interface Around {
  readonly before: string | undefined;
  after: string | undefined;
  readonly unknown: UnknownValue[];
}

function assemble(pieces: readonly Piece[], expansion: Expansion, whole: boolean): Assembled {
  let value = "";
  let glob = false;
  let around: Around | undefined;
  const add = (text: string, matches: boolean) => {
    if (around !== undefined) around.after = around.after === undefined || matches ? undefined : around.after + text;
    value += text;
    glob ||= matches;
  };
  const tilde = pieces[0]?.kind === "home";
  for (const piece of pieces) {
    const quoted = whole || isQuoted(piece);
    if (piece.kind === "text") {
      add(piece.value, !quoted && /[*?[]/.test(piece.value));
      continue;
    }
    if (piece.kind === "home") {
      value += "~";
      continue;
    }
    const found = short(pieceValue(piece, expansion) ?? someText, value.length, expansion);
    if (isKnown(found) && (quoted || !/[ \t\n\\]/.test(found.text))) {
      add(found.text, !quoted && /[*?[]/.test(found.text));
      continue;
    }
    const before = tilde ? expansion.home + value.slice(1) : value;
    around ??= { before: glob ? undefined : before, after: "", unknown: [] };
    if (around.unknown.length > 0) around.after = undefined;
    around.unknown.push(isKnown(found) ? { one: false } : quoted ? found : splitUp(found));
  }
  if (around === undefined) return { value, glob, tilde };
  return { value: "", glob: false, tilde: false, unknown: combine(around, expansion.cwd) };
}

/** A value that makes the word longer than is kept is some text. */
function short(value: Value, before: number, { spend }: Expansion): Value {
  if (!isKnown(value)) return value;
  return before + value.text.length <= longestValue && spend(value.text.length) ? value : someText;
}

/** Split at blanks, any of the words may begin with whatever stands in the middle. A number is never split. */
function splitUp(value: UnknownValue): UnknownValue {
  const { names, commit, number, mayBeEmpty } = value;
  const empty = mayBeEmpty ? { mayBeEmpty } : {};
  if (number) return mayBeEmpty ? { ...value, one: false } : value;
  if (commit) return { one: false, commit, plain: true };
  return { one: false, ...(names === undefined ? {} : { names }), ...empty };
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
  const prefix = first + (first === "" || only?.prefix === undefined ? "" : only.prefix);
  const plain = one && (first === "" ? before === "" && only?.plain === true : !first.startsWith("-"));
  return {
    one,
    ...(names === undefined ? {} : { names }),
    ...(plain || (commit && first === "") ? { plain: true } : {}),
    ...(commit ? { commit } : {}),
    ...(prefix === "" ? {} : { prefix }),
  };
}

/** `src/$f` and `$d/package.json` name entries as well, as long as they neither climb nor hide. */
function namesAround(
  { names, mayBeEmpty }: UnknownValue,
  before: string | undefined,
  after: string | undefined,
  cwd: string,
): readonly string[] | undefined {
  if (names === undefined || before === undefined || after === undefined) return undefined;
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
    case "variable": {
      const value = expansion.variable(piece.name);
      return piece.changed === undefined ? value : changed(value, piece.changed);
    }
    case "array":
      return partOf(piece, expansion.array(piece.name));
    case "arithmetic":
      return someNumber;
    case "command":
      return expansion.substituted(piece);
    default:
      return undefined;
  }
}

function changed(value: Value, change: Change): Value {
  if (change === "length") return someCount;
  const text = isKnown(value) ? changeText(value.text, change.operator, change.argument) : undefined;
  return text === undefined ? someText : { text };
}

function isQuoted(piece: Piece): boolean {
  return piece.kind !== "home" && piece.quoted;
}

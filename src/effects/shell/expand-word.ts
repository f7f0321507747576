import { dirname, resolve } from "node:path/posix";
import { isInside } from "../../contract/path-scope.ts";
import { isKnown, someCount, someNumber, someText, type Value } from "./shell-state.ts";
import type { Piece, ShellWord, Substitution, UnknownValue, WordTemplate } from "./shell-tree.ts";

/** What one command sees while its words are expanded. */
export interface Expansion {
  readonly cwd: string;
  readonly home: string;
  readonly variable: (name: string) => Value;
  readonly substituted: (piece: Substitution) => Value;
}

/** The words that a word of a command becomes: none, one or, where blanks split it, several. */
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
    const found = pieceValue(piece, expansion) ?? someText;
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
    case "variable":
      if (piece.changed !== undefined) return piece.changed === "number" ? someCount : someText;
      return expansion.variable(piece.name);
    case "arithmetic":
      return someNumber;
    case "command":
      return expansion.substituted(piece);
    default:
      return undefined;
  }
}

function isQuoted(piece: Piece): boolean {
  return piece.kind !== "home" && piece.quoted;
}

import { dirname, resolve } from "node:path/posix";
import { isInside } from "../contract/effect.ts";
import type { ShellWord, UnknownValue } from "../programs/program-entry.ts";
import { plainWord } from "../programs/readings.ts";
import type { Substitution, WordPiece, WordTemplate } from "./tree.ts";

/** What a variable may hold: a text, or something only the running shell knows. */
export type ShellValue = KnownValue | UnknownValue;

interface KnownValue {
  readonly text: string;
}

export function isKnown(value: ShellValue): value is KnownValue {
  return "text" in value;
}

export const someText: UnknownValue = { one: true };

export interface WordContext {
  readonly cwd: string;
  readonly home: string;
  readonly variable: (name: string) => ShellValue;
  readonly substituted: (piece: Substitution) => ShellValue;
}

const longestValue = 4 * 1024;

export function expandWord({ text, pieces }: WordTemplate, context: WordContext): readonly ShellWord[] {
  const [only, second] = pieces;
  if (only !== undefined && second === undefined && !isQuoted(only)) {
    const value = pieceValue(only, context);
    if (value !== undefined && isKnown(value) && !value.text.includes("\\")) return split(value.text);
  }
  const word = assemble(pieces, context, false);
  const vanishes = word.value === "" && word.unknown === undefined && pieces.every((piece) => !isQuoted(piece));
  return vanishes ? [] : [{ text, ...word }];
}

/** What is assigned or fed to a command: neither split nor matched. */
export function expandValue({ pieces }: WordTemplate, context: WordContext): ShellValue {
  const word = assemble(pieces, context, true);
  return word.unknown ?? { text: word.tilde ? context.home + word.value.slice(1) : word.value };
}

export function split(value: string): readonly ShellWord[] {
  const words = value.split(/[ \t\n]+/).filter((word) => word !== "");
  return words.map((word) => ({ ...plainWord(word), glob: /[*?[]/.test(word) }));
}

function assemble(pieces: readonly WordPiece[], context: WordContext, whole: boolean): Omit<ShellWord, "text"> {
  let value = "";
  let glob = false;
  const unknown: UnknownValue[] = [];
  let before: string | undefined;
  let after: string | undefined = "";
  const tilde = pieces[0]?.kind === "home";
  for (const piece of pieces) {
    const quoted = whole || isQuoted(piece);
    const found =
      piece.kind === "home"
        ? { text: "~" }
        : piece.kind === "text"
          ? { text: piece.value }
          : pieceValue(piece, context);
    const known = found !== undefined && isKnown(found) ? found.text : undefined;
    const isWritten = piece.kind === "text" || piece.kind === "home";
    const fits = value.length + (known?.length ?? 0) <= longestValue && (quoted || !/[ \t\n\\]/.test(known ?? ""));
    if (known !== undefined && (isWritten || fits)) {
      const matches = !quoted && piece.kind !== "home" && /[*?[]/.test(known);
      if (unknown.length > 0) after = after === undefined || matches ? undefined : after + known;
      value += known;
      glob ||= matches;
      continue;
    }
    if (unknown.length === 0) before = glob ? undefined : tilde ? context.home + value.slice(1) : value;
    else after = undefined;
    const part = found === undefined || isKnown(found) ? someText : found;
    // Split at blanks, any of the words may begin with what stands in the middle.
    unknown.push(quoted ? part : { ...part, one: part.number === true, plain: part.number === true });
  }
  const [only, ...more] = unknown;
  if (only === undefined) return { value, glob, tilde };
  const one = unknown.every((part) => part.one);
  const surrounded = more.length > 0 ? { one } : surround({ ...only, one }, before, after, context.cwd);
  return { value: "", glob: false, tilde: false, unknown: surrounded };
}

export function surround(
  value: UnknownValue,
  before: string | undefined,
  after: string | undefined,
  cwd: string,
): UnknownValue {
  if (before === "" && after === "") return value;
  const { one } = value;
  const names = namesAround(value, before, after, cwd);
  const plain = one && (before === "" ? value.plain === true : before !== undefined && !before.startsWith("-"));
  return { one, ...(names && { names, from: cwd }), ...(plain && { plain }), ...(before && { prefix: before }) };
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
  // `.` before `./x` climbs. A name that was found above the working directory may itself climb.
  if (before.endsWith(".") || before.split("/").includes("..") || !names.every((name) => isInside(name, cwd))) {
    return undefined;
  }
  const directory = before.endsWith("/") ? before : dirname(before);
  if (/(?:^|\/)\.[^/]/.test(before.slice(directory.length))) return undefined;
  return [resolve(cwd, directory)];
}

function pieceValue(piece: WordPiece, context: WordContext): ShellValue | undefined {
  if (piece.kind === "variable") return context.variable(piece.name);
  return piece.kind === "command" ? context.substituted(piece) : undefined;
}

function isQuoted(piece: WordPiece): boolean {
  return piece.kind !== "home" && piece.quoted;
}

import type { Piece } from "./tree.ts";

type Doubt = { readonly why: string };
type Pieces = readonly Piece[];

const mostWords = 64;
const longest = 4_096;
const deepest = 8;

/**
 * `{a,b}` and `{1..5}` as bash expands them, for words in which every brace belongs to such a list. Everything
 * else that has braces and commas is a doubt: what bash leaves alone follows from many small rules.
 */
export function expandBraces(pieces: Pieces): readonly Pieces[] | Doubt {
  if (pieces.some((piece) => piece.kind === "text" && piece.value.length > longest)) return odd;
  const atoms = pieces.flatMap(atomsOf);
  const list = readSequence(atoms, 0, 0);
  if ("why" in list) return list;
  if (list.end !== atoms.length) return odd;
  const words = list.words.map(join);
  if (words.some((word) => word.length === 0)) return { why: "braces make an empty word" };
  return words;
}

const odd: Doubt = { why: "braces are written in an unusual way" };

/** Unquoted text one character at a time: only that can be a brace or a comma. */
function atomsOf(piece: Piece): Pieces {
  if (piece.kind !== "text" || piece.quoted) return [piece];
  return [...piece.value].map((value) => ({ kind: "text", value, quoted: false }));
}

interface Read {
  readonly words: readonly Pieces[];
  readonly end: number;
}

/** Inside braces it ends at a comma or a closing brace of its own level. */
function readSequence(atoms: Pieces, start: number, depth: number): Read | Doubt {
  if (depth > deepest) return odd;
  let words: Piece[][] = [[]];
  let at = start;
  for (let atom = atoms[at]; atom !== undefined; atom = atoms[at]) {
    const sign = signOf(atom);
    if (depth > 0 && (sign === "," || sign === "}")) break;
    if (sign === "}") return odd;
    // `$x{a,b}` becomes `$xa $xb`: the braces come first.
    if (atom.kind === "variable" && !atom.quoted && signOf(atoms[at + 1]) === "{") return odd;
    if (sign !== "{") {
      for (const word of words) word.push(atom);
      at += 1;
      continue;
    }
    const next = readBraces(atoms, at + 1, depth + 1);
    if ("why" in next) return next;
    if (words.length * next.words.length > mostWords) return { why: "braces make too many words" };
    words = words.flatMap((word) => next.words.map((more) => [...word, ...more]));
    at = next.end;
  }
  return { words, end: at };
}

function readBraces(atoms: Pieces, start: number, depth: number): Read | Doubt {
  const range = readRange(atoms, start);
  if (range !== undefined) return range;
  const words: Pieces[] = [];
  let at = start;
  for (let count = 1; ; count++) {
    const option = readSequence(atoms, at, depth);
    if ("why" in option) return option;
    words.push(...option.words);
    if (words.length > mostWords) return { why: "braces make too many words" };
    const sign = signOf(atoms[option.end]);
    at = option.end + 1;
    if (sign === "}") return count > 1 ? { words, end: at } : odd;
    if (sign !== ",") return odd;
  }
}

/** As many characters as the longest range that is understood, and its brace. */
const longestRange = "-999999..-999999}".length;

function readRange(atoms: Pieces, start: number): Read | undefined {
  const near = atoms.slice(start, start + longestRange).map(charOf);
  const close = start + near.indexOf("}");
  const text = near.slice(0, close - start).join("");
  const numbers = /^(-?[1-9]\d{0,5}|0)\.\.(-?[1-9]\d{0,5}|0)$/.exec(text);
  const letters = /^([a-z])\.\.([a-z])$/.exec(text);
  if (close < start || (numbers === null && letters === null)) return undefined;
  const code = (value: string | undefined) => (numbers === null ? (value?.charCodeAt(0) ?? 0) : Number(value));
  const [first, last] = [code((numbers ?? letters)?.[1]), code((numbers ?? letters)?.[2])];
  const count = Math.abs(last - first) + 1;
  if (count > mostWords) return undefined;
  const step = last < first ? -1 : 1;
  const words = Array.from({ length: count }, (_none, index): Pieces => {
    const item = first + index * step;
    return [{ kind: "text", value: numbers === null ? String.fromCharCode(item) : String(item), quoted: false }];
  });
  return { words, end: close + 1 };
}

function charOf(atom: Piece): string {
  return atom.kind === "text" && !atom.quoted ? atom.value : "\0";
}

function signOf(atom: Piece | undefined): string | undefined {
  return atom === undefined ? undefined : charOf(atom);
}

function join(atoms: Pieces): Pieces {
  const joined: Piece[] = [];
  for (const atom of atoms) {
    const last = joined.at(-1);
    if (last?.kind === "text" && atom.kind === "text" && last.quoted === atom.quoted) {
      joined[joined.length - 1] = { ...last, value: last.value + atom.value };
    } else {
      joined.push(atom);
    }
  }
  return joined;
}

import type { WordPiece } from "./tree.ts";

type UnclearBraces = { readonly why: string };

const mostWords = 64;
const longest = 4_096;
const odd: UnclearBraces = { why: "braces are written in an unusual way" };
const many: UnclearBraces = { why: "braces make too many words" };

/** `{a,b}` and `{1..5}` as bash expands them. Nested or stray braces are refused: bash has many small rules there. */
export function expandBraces(pieces: readonly WordPiece[]): readonly (readonly WordPiece[])[] | UnclearBraces {
  // A sign for each piece that is no plain text: unquoted letters outside ASCII are refused anyway.
  const signs = pieces.map((piece, at) =>
    piece.kind === "text" && !piece.quoted ? piece.value : String.fromCharCode(0xe000 + at),
  );
  const text = signs.join("");
  if (text.length > longest || pieces.length > longest) return odd;
  // `$x{a,b}` becomes `$xa $xb`: the braces come first.
  if (pieces.some((piece) => piece.kind !== "text" && piece.kind !== "home" && !piece.quoted)) return odd;
  let words = [""];
  let rest = text;
  for (let group = braces.exec(rest); group !== null; group = braces.exec(rest)) {
    const [whole, before = "", inside = ""] = group;
    const options = optionsOf(inside);
    if (options === undefined) return odd;
    if (words.length * options.length > mostWords) return many;
    words = words.flatMap((word) => options.map((option) => word + before + option));
    rest = rest.slice(whole.length);
  }
  if (/[{}]/.test(rest)) return odd;
  const found = words.map((word) => word + rest);
  if (found.includes("")) return { why: "braces make an empty word" };
  return found.map((word) => piecesOf(word, pieces));
}

const braces = /^([^{}]*)\{([^{}]*)\}/;

function optionsOf(inside: string): readonly string[] | undefined {
  if (inside.includes(",")) return inside.split(",");
  const [, first = "", last = ""] = /^(-?[1-9]\d{0,5}|0)\.\.(-?[1-9]\d{0,5}|0)$/.exec(inside) ?? [];
  const [, from = "", to = ""] = /^([a-z])\.\.([a-z])$/.exec(inside) ?? [];
  if (first + from === "") return undefined;
  const [low, high] = first === "" ? [from.charCodeAt(0), to.charCodeAt(0)] : [Number(first), Number(last)];
  const count = Math.abs(high - low) + 1;
  if (count > mostWords) return undefined;
  const items = Array.from({ length: count }, (_none, index) => low + (high < low ? -index : index));
  return items.map((item) => (first === "" ? String.fromCharCode(item) : String(item)));
}

function piecesOf(word: string, pieces: readonly WordPiece[]): readonly WordPiece[] {
  return word.split(/([\ue000-\uf8ff])/).flatMap((part): readonly WordPiece[] => {
    if (part === "") return [];
    const at = part.charCodeAt(0) - 0xe000;
    return [
      at < 0
        ? { kind: "text", value: part, quoted: false }
        : (pieces[at] ?? { kind: "text", value: part, quoted: true }),
    ];
  });
}

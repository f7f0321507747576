import type { EffectPart } from "../contract/effect.ts";
import { compileName, type NameGlob } from "./name-glob.ts";

/** What stands in `Bash(…)`. Matched against one simple command at a time, never against a whole list. */
export type CommandPattern =
  | { readonly kind: "every" }
  | { readonly kind: "prefix"; readonly words: readonly string[] }
  | { readonly kind: "wildcard"; readonly text: string; readonly glob: NameGlob }
  /** Also the whole text, when it is written out completely. */
  | { readonly kind: "exact"; readonly text: string; readonly words: readonly string[] | undefined };

export function compileCommand(text: string): CommandPattern | { readonly problem: string } {
  const trimmed = text.trim();
  if (trimmed === "") return { problem: "the command is empty" };
  if (trimmed === "*" || trimmed === ":*") return { kind: "every" };
  const prefix = /^(.*?)(?::\*| \*)$/s.exec(trimmed)?.[1];
  if (prefix !== undefined && !hasStar(prefix)) {
    if (/["'\\]/.test(prefix)) return { problem: "a prefix is compared word by word, so it cannot hold quotes" };
    return { kind: "prefix", words: prefix.split(/\s+/) };
  }
  if (/:\*/.test(trimmed)) return { problem: ":* stands only at the end of a prefix without other *" };
  if (hasStar(trimmed)) {
    return { kind: "wildcard", text: trimmed, glob: compileName(trimmed.replace(/[?[\]]/g, "\\$&")) };
  }
  const literal = withoutEscapes(trimmed);
  return { kind: "exact", text: literal, words: /["'\\]/.test(literal) ? undefined : literal.split(/\s+/) };
}

/**
 * Everything the pattern allows has to be certain: the words must be known, and they must be all. A command with
 * `$` written out names nothing certain by itself: what it says depends on what stands around it.
 */
export function allowsCommand(pattern: CommandPattern, part: EffectPart): boolean {
  const { words } = part;
  if (words === undefined || (pattern.kind === "exact" && /[$`]/.test(pattern.text))) return false;
  return matchesWords(pattern, words) || (pattern.kind === "exact" && pattern.text === part.text);
}

/** The command as a whole, byte for byte. */
export function isWholeCommand(pattern: CommandPattern, text: string): boolean {
  return pattern.kind === "exact" && pattern.text === text.trim();
}

/**
 * For deny and ask: also by the program's base name, and in a part that was not understood at every place
 * where a command could begin, inside quotes too.
 */
export function guardsCommand(pattern: CommandPattern, part: EffectPart): boolean {
  if (pattern.kind === "exact" && pattern.text === part.text) return true;
  const words = part.words ?? part.text.split(/[^\w./:@%+=,*-]+/).filter((word) => word !== "");
  const [program = "", ...rest] = words;
  if (matchesWords(pattern, words) || matchesWords(pattern, [baseName(program), ...rest])) return true;
  if (!part.effects.some((effect) => effect.op === "unknown")) return false;
  return occursIn(
    pattern,
    words.flatMap((word) => word.split(/[\s;|&()`$<>]+/)).filter((word) => word !== ""),
  );
}

/** Does it stand anywhere among these words? Where a command ends is not known either. Linear, however many there are. */
function occursIn(pattern: CommandPattern, words: readonly string[]): boolean {
  switch (pattern.kind) {
    case "every":
      return words.length > 0;
    case "wildcard":
      return occursInText(pattern.text, words.join(" "));
    case "prefix":
      return occursAsWords(pattern.words, words);
    case "exact":
      return occursAsWords(pattern.words ?? pattern.text.split(/[^\w./:@%+=,*-]+/), words);
  }
}

function occursAsWords([program, ...rest]: readonly string[], words: readonly string[]): boolean {
  return words.some(
    (word, at) =>
      (word === program || baseName(word) === program) && rest.every((one, index) => one === words[at + 1 + index]),
  );
}

/** The pieces between the stars, one behind the other; the first begins a word and the last ends one. */
function occursInText(pattern: string, text: string): boolean {
  const pieces = pattern.split(/(?<!\\)\*+/).map(withoutEscapes);
  const last = pieces.length - 1;
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const begins = (found: number) => index > 0 || found === 0 || /[ /]/.test(text[found - 1] ?? "");
    const ends = (found: number) => index < last || piece === "" || (text[found + piece.length] ?? " ") === " ";
    let found = text.indexOf(piece, at);
    while (found >= 0 && !(begins(found) && ends(found))) found = text.indexOf(piece, found + 1);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return true;
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

function matchesWords(pattern: CommandPattern, words: readonly string[]): boolean {
  switch (pattern.kind) {
    case "every":
      return true;
    case "prefix":
      return pattern.words.length <= words.length && pattern.words.every((word, index) => word === words[index]);
    case "wildcard":
      return pattern.glob.matches(words.join(" "));
    case "exact":
      return pattern.words?.length === words.length && pattern.words.every((word, index) => word === words[index]);
  }
}

/** The one command that a part is, as text that means the same anywhere; `undefined` when it has none. */
export function fixedText({ text, words = [] }: EffectPart): string | undefined {
  if (!/[$`]/.test(text)) return text;
  return words.every((word) => /^[\w./:@%+=,-]+$/.test(word)) ? words.join(" ") : undefined;
}

/** A command as a rule that names only it. */
export function escapeCommand(text: string): string {
  return text.replaceAll("*", "\\*");
}

function hasStar(text: string): boolean {
  return /(?<!\\)\*/.test(text);
}

function withoutEscapes(text: string): string {
  return text.replaceAll("\\*", "*");
}

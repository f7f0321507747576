import type { EffectPart } from "../contract/effect.ts";

/** `:(){ :|:& };:` under any name. */
export function isForkBomb(text: string): boolean {
  return /(?<![^\s(){}|&;])([^\s(){}|&;]{1,64})\s{0,8}\(\)\s{0,8}\{[^}]{0,256}\1\s{0,8}\|\s{0,8}\1\s{0,8}&/.test(text);
}

/** Everything that could be a word, whatever quotes and operators say. */
export function looseWords(text: string): readonly string[] {
  return text.split(/[^\w./:@%+=,-]+/).filter((word) => word !== "");
}

/** Everything that an option, a variable or code in it could name, and the whole. */
export function looseNames(text: string): readonly string[] {
  return [text, ...text.split(/[\s=:,;!|&()<>{}"'`]+/)];
}

/** The single command of a part, as text that means the same anywhere; `undefined` if there is none. */
export function fixedText({ text, words = [], openEnded, given }: EffectPart): string | undefined {
  if (openEnded || given) return undefined;
  if (!/[$`]/.test(text)) return text;
  return words.every((word) => /^[\w./:@%+=,-]+$/.test(word)) ? words.join(" ") : undefined;
}

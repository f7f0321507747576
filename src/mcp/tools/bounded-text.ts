import { clip, plainText, visibleText } from "../../base/text.ts";

export function bounded(text: string, mostCharacters: number): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  const visible = visibleText(wellFormed.slice(0, mostCharacters + 1).toWellFormed());
  return clip(visible, mostCharacters);
}

/** The same in one line. What drives a terminal goes before: written out, it would stick to a secret and disguise it. */
export function boundedLine(text: string, mostCharacters: number): string {
  return bounded(
    plainText(text.slice(0, mostCharacters * 4))
      .replace(/\s+/g, " ")
      .trim(),
    mostCharacters,
  );
}

export function boundedWords(redact: (text: string) => string): {
  words(text: string, mostCharacters: number): string;
  line(text: string, mostCharacters: number): string;
} {
  return {
    words: (text, most) => bounded(redact(text.slice(0, most * 4)), most),
    line: (text, most) => boundedLine(redact(plainText(text.slice(0, most * 4))), most),
  };
}

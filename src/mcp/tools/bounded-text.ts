import { clip, plainText, visibleText } from "../../base/text.ts";

/** Words of a server: nothing in them is hidden, and there is an end to them. */
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

/**
 * The same without secrets. They go before anything is cut, as what is left of one cannot be told from other text, and
 * in a line behind what could disguise them.
 */
export function boundedWords(redact: (text: string) => string): {
  words(text: string, mostCharacters: number): string;
  line(text: string, mostCharacters: number): string;
} {
  return {
    words: (text, most) => bounded(redact(text.slice(0, most * 4)), most),
    line: (text, most) => boundedLine(redact(plainText(text.slice(0, most * 4))), most),
  };
}

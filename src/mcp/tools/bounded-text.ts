import { clip, plainText, visibleText } from "../../base/text.ts";

export function bounded(text: string, mostCharacters: number): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  const visible = visibleText(wellFormed.slice(0, mostCharacters + 1).toWellFormed());
  return clip(visible, mostCharacters);
}

/** One line. Terminal sequences are removed first: escaped, they would hide a secret from redaction. */
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

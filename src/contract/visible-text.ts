/**
 * Text from a file, a model or a program as it may be shown: control and direction characters are written
 * out, so that it can neither drive a terminal nor read differently from what it is. Line ends and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replace(disguises, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

const disguises = /(?!\n|\t|\r\n)[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]/gu;

export interface Span {
  readonly start: number;
  readonly end: number;
}

const quote = 34;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;
const openBracket = 91;
const closeBracket = 93;

/**
 * Where the value of a member of the outermost object stands in a text that `JSON.stringify` wrote without
 * spaces. It reads over strings, so that nothing inside them can be taken for a member.
 */
export function findMember(text: string, name: string): Span | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      const end = endOfString(text, at);
      if (depth === 1 && text[end] === ":" && text.slice(at + 1, end - 1) === name) {
        return { start: end + 1, end: endOfValue(text, end + 1) };
      }
      at = end - 1;
    } else if (character === openBrace || character === openBracket) depth++;
    else if (character === closeBrace || character === closeBracket) depth--;
  }
  return undefined;
}

function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at) - 1;
    else if (character === openBrace || character === openBracket) depth++;
    else if (character === closeBrace || character === closeBracket) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  throw new Error("The text is not an object with an array or an object as this member.");
}

function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  throw new Error("A string in the text has no end.");
}

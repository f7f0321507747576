/**
 * Text without anything that drives a terminal or hides what it says: escape sequences, control characters,
 * direction overrides and invisible tags are dropped, a lone `\r` becomes a line end. An unfinished sequence
 * loses only its first character, so that output cannot swallow what follows it.
 */
export function plainText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  if (!suspicious.test(wellFormed)) return wellFormed;
  return wellFormed.replace(sequences, "").replace(/\r\n?/g, "\n").replace(characters, "");
}

const esc = "\\u001b";
const terminator = `(?:\\u0007|\\u009c|${esc}\\\\)`;
const command = `(?:${esc}\\[|\\u009b)[0-?]{0,64}[ -/]{0,8}[@-~]`;
const opener = "\\u0090\\u0098\\u009d-\\u009f";
// Nothing that begins another one is looked past: otherwise each of millions would look ahead over all the others.
const string = `(?:${esc}[\\]PX^_]|[${opener}])[^\\n\\u0007\\u001b\\u009c${opener}]{0,2048}${terminator}`;
const short = `${esc}[ -/]{0,4}[0-Z\\\\^-~]`;
const sequences = new RegExp(`${string}|${command}|${short}`, "g");

const invisible = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}";
const characters = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f${invisible}]`, "gu");
const suspicious = new RegExp(characters.source, "u");

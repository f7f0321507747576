export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, wholeEnd(text, Math.max(0, most - 1)))}…`;
}

export function wholeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}

export function groupedNumber(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

export function markedLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `  | ${line}`)
    .join("\n");
}

/** Escapes control and direction characters, so that text cannot control a terminal. Line ends and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(disguises, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

const disguises = /(?!\n|\t|\r\n)[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]/gu;

/** Drops escape sequences and invisible characters. An unfinished sequence loses only its first character. */
export function plainText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  if (!suspicious.test(wellFormed)) return wellFormed;
  return wellFormed.replace(sequences, "").replace(/\r\n?/g, "\n").replace(characters, "");
}

const esc = "\\u001b";
const terminator = `(?:\\u0007|\\u009c|${esc}\\\\)`;
const command = `(?:${esc}\\[|\\u009b)[0-?]{0,64}[ -/]{0,8}[@-~]`;
const opener = "\\u0090\\u0098\\u009d-\\u009f";
// The search stops where another sequence begins: otherwise millions of starts would each scan to the end.
const string = `(?:${esc}[\\]PX^_]|[${opener}])[^\\n\\u0007\\u001b\\u009c${opener}]{0,2048}${terminator}`;
const short = `${esc}[ -/]{0,4}[0-Z\\\\^-~]`;
const sequences = new RegExp(`${string}|${command}|${short}`, "g");

const invisible = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}";
const characters = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f${invisible}]`, "gu");
const suspicious = new RegExp(characters.source, "u");

export const longestAddress = 4_096;

export function isPlainName(name: string, longest: number): boolean {
  return name !== "" && name.length <= longest && visibleText(name) === name && !/[\n\r\t]|^\s|\s$/.test(name);
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const mention = /(?<![^\s([{])@(?:"([^"\n]+)"|([^\s"]+))/g;
const closing = /[.,;:!?)\]}'"`>]+$/;

export function mentionsIn(message: string): readonly (readonly string[])[] {
  return [...message.matchAll(mention)].map(([, quoted, plain = ""]) =>
    [quoted ?? plain, plain.replace(closing, "")].filter((name) => name !== ""),
  );
}

export function looksLikeFile(name: string): boolean {
  return /^(?:\.{0,2}|~)\//.test(name) || /[^/.][^/]*\.\w{1,10}$/.test(name) || name.split("/").length > 2;
}

const ofText = [9, 10, 11, 12, 13, 27];

export function looksBinary(beginning: Uint8Array): boolean {
  let zeros = 0;
  let run = 0;
  for (const byte of beginning) {
    if (byte === 0) {
      zeros += 1;
      run += 1;
      if (run > 2) return true;
      continue;
    }
    run = 0;
    if (byte === 127 || (byte < 32 && !ofText.includes(byte))) return true;
  }
  return zeros * 3 > beginning.length || !isText(beginning);
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

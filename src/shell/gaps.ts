import type { HereDoc, Statement } from "unbash";

/** A text on its way into the tree. One doubt about its structure, and the whole text is opaque. */
export interface Reading {
  readonly source: string;
  readonly doubts: string[];
  /** Where here-documents lie, in order: between commands, without being any. */
  readonly documents: Stretch[];
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A joined line counts as a blank only behind a blank: elsewhere it joins words. */
const line = String.raw`(?:[ \t]|(?<=[ \t\n])\\\n)`;
const comment = String.raw`(?:(?<=[\s;&|()]|^)#[^\n]*)`;
const any = `(?:${line}|\\n|${comment})`;
const blank = `(?:${line}|${comment})*`;
const separator = `${blank}(?<separator>[;&\\n])${any}*`;
const key = (word: string) => `${word}(?=[ \\t\\n])${any}*`;
const source = {
  lead: `${any}*`,
  next: separator,
  tail: `${blank}(?:(?<separator>[;&\\n])${any}*)?`,
  words: `${line}+`,
  redirect: `${line}*`,
  "&&": `${line}*&&${any}*`,
  "||": `${line}*\\|\\|${any}*`,
  "|": `${line}*\\|${any}*`,
  "|&": `${line}*\\|&${any}*`,
  prefixes: `(?:(?:!|time)${line}+)*`,
  "(": `\\(${any}*`,
  "{": `\\{(?:${line}|\\n)${any}*`,
  if: key("if"),
  "then body": `${separator}${key("then")}`,
  elif: `${separator}${key("elif")}`,
  else: `${separator}${key("else")}`,
  fi: `${separator}fi`,
  while: key("(?:while|until)"),
  do: `${separator}${key("do")}`,
  done: `${separator}done`,
  for: `for${line}+`,
  in: `${line}+in${line}+`,
  "list do": `${blank}[;\\n]${any}*${key("do")}`,
  case: `case${line}+`,
  "case in": `${line}+in(?=[ \\t\\n])${any}*`,
  "next pattern": `${line}*\\|${line}*`,
  "first pattern": `(?:\\(${line}*)?`,
  "pattern end": `${line}*\\)${any}*`,
  "item end": `${blank}(?:(?<separator>[;&\\n])${any}*)?;;`,
  "empty item": ";;",
  esac: `${any}*esac`,
} as const;
type Gap = keyof typeof source;

const patterns = Object.fromEntries(
  Object.entries(source).map(([name, text]) => [name, new RegExp(text, "y")]),
) as Readonly<Record<Gap, RegExp>>;

/** Is the text between two places only what may stand there? Gives the separator that was found in it. */
export function expectGap(reading: Reading, gap: Gap, from: number, to: number): string | undefined {
  // Sticky patterns carry a place; it is set before every use.
  const pattern = patterns[gap];
  const start = Math.max(from - 1, 0);
  pattern.lastIndex = from - start;
  const found = pattern.exec(withoutDocuments(reading, start, to + longestSign));
  if (found === null || from + found[0].length !== to) doubt(reading, from, to);
  const { separator } = found?.groups ?? {};
  return separator;
}

/** Longer than anything that a pattern looks for at once: what does not end at its place is then seen. */
const longestSign = 16;

/** A stretch of the source with line ends in place of here-documents. */
function withoutDocuments({ source, documents }: Reading, start: number, end: number): string {
  const stop = Math.min(end, source.length);
  let at = stop;
  let text = "";
  for (let index = documentsBefore(documents, stop) - 1; index >= 0; index--) {
    const { from, to } = documents[index] ?? { from: 0, to: 0 };
    if (to <= start) break;
    const [first, last] = [Math.max(from, start), Math.min(to, at)];
    text = "\n".repeat(Math.max(last - first, 0)) + source.slice(Math.max(last, first), at) + text;
    at = first;
  }
  return source.slice(start, at) + text;
}

/** How many of them begin before this place. */
function documentsBefore(documents: readonly Stretch[], place: number): number {
  let [low, high] = [0, documents.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((documents[middle]?.from ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of them reach beyond this place. */
export function documentsBeyond({ documents }: Reading, place: number): number {
  let count = 0;
  while (count < documents.length && (documents.at(-1 - count)?.to ?? 0) > place) count += 1;
  return count;
}

/** As `expectGap`, behind the last command of a list: `&` must stand there if it runs in the background, and only then. */
export function expectEnd(reading: Reading, gap: Gap, list: readonly Statement[], to: number): void {
  const last = list.at(-1);
  if (last === undefined) {
    doubt(reading, to, to);
    return;
  }
  const separator = expectGap(reading, gap, last.command.end, to);
  if ((separator === "&") !== (last.background === true)) doubt(reading, last.command.end, to);
}

export function doubt(reading: Reading, from: number, to: number): void {
  const text = reading.source.slice(from, to + 10);
  reading.doubts.push(`the text around ${JSON.stringify(text)} is not understood`);
}

/**
 * Does a here-document lie where bash takes it from, from the line after its operator up to the first line that
 * is the delimiter? Says why not.
 */
export function checkHereDocument(reading: Reading, document: HereDoc): string | undefined {
  const { delimiter, body, closing, operator } = document;
  const { source } = reading;
  if (delimiter === undefined || closing === undefined) return "a here-document does not end";
  const name = /^(?:([\w.-]+)|'([\w.-]+)'|"([\w.-]+)"|\\([\w.-]+))$/.exec(delimiter.text)?.slice(1).find(Boolean);
  if (name === undefined || name !== delimiter.value) return "a here-document has an unusual delimiter";
  if (source[body.pos - 1] !== "\n" || source.slice(document.end, body.pos - 1).includes("\n")) {
    return "a here-document starts in an unusual place";
  }
  const lines = source.slice(body.pos, closing.pos).split("\n");
  const plain = (text: string) => (operator === "<<-" ? text.replace(/^\t+/, "") : text);
  const indent = lines.pop() ?? "";
  const ends = source.slice(closing.pos, closing.end);
  const after = source[closing.end];
  if (plain(indent + ends) !== name || lines.some((text) => plain(text) === name)) return "a here-document is unclear";
  return after !== undefined && after !== "\n" ? "a here-document is unclear" : undefined;
}

/** Those that lie inside it go with it. */
export function leaveOut({ documents }: Reading, from: number, to: number): void {
  const first = documentsBefore(documents, from);
  documents.splice(first, documentsBefore(documents, to) - first, { from, to });
}

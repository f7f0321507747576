import { foldLookalikes } from "./fold-lookalikes.ts";

/** What stands around text in a model's input, so that it can tell whose words they are. */
const marks = [
  "untrusted-output",
  "runtime-note",
  "project-instructions",
  "session-environment",
  "available-skills",
  "history-summary",
] as const;
export type Mark = (typeof marks)[number];

const names = marks.map(foldLookalikes);
/** Nearly all text is made of these. */
const foldedAscii = Array.from({ length: 128 }, (_, code) => foldLookalikes(String.fromCharCode(code)));
const beginsNoName = foldedAscii.flatMap((folded, code) =>
  folded === "" || mayBeName(folded) ? [] : [`\\x${code.toString(16).padStart(2, "0")}`],
);
/** The bracket and what looks like it, as far as a name may follow. */
const brackets = new RegExp(
  `[<\u02c2\u1438\u16b2\u2329\u276c\u276e\u2770\u27e8\u2991\u29fc\u3008\ufe64\uff1c](?!/?[${beginsNoName.join("")}])`,
  "g",
);

/** Text of others cannot close a mark or open one: the bracket in front of its name becomes another character. */
export function withoutMarks(text: string): string {
  return text.replace(brackets, (bracket, at: number) => (namesMark(text, at + bracket.length) ? "‹" : bracket));
}

/** Reads as long as it may still be a name. No name goes on over a bracket, so that nothing is read twice. */
function namesMark(text: string, from: number): boolean {
  let read = "";
  for (let at = from; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    at += code > 0xffff ? 2 : 1;
    const folded = foldedAscii[code] ?? foldLookalikes(String.fromCodePoint(code));
    if (folded === "") continue;
    read += folded;
    if (names.includes(read)) return true;
    if (!mayBeName(read)) return false;
  }
  return false;
}

function mayBeName(read: string): boolean {
  return names.some((name) => name.startsWith(read));
}

export function delimited(mark: Mark, text: string, attributes: Readonly<Record<string, string>> = {}): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}=${JSON.stringify(withoutMarks(value))}`);
  const body = withoutMarks(text);
  return `<${mark}${written.join("")}>\n${body}${body.endsWith("\n") ? "" : "\n"}</${mark}>`;
}

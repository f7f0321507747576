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

/** As they could be written to look the same: with other dashes, and with characters that nobody sees. */
const spelled = marks.map((mark) => mark.replaceAll("-", "[\\p{Pd}\\p{Cf}\\s_\u2212]*"));
const brackets = "<\u2329\u3008\u27e8\ufe64\uff1c";
/** One class for all that may stand between: two beside each other would be tried in every way. */
const opening = new RegExp(`[${brackets}](?=[\\s\\p{Cf}/\\\\\u2044\u2215\uff0f]*(?:${spelled.join("|")}))`, "giu");
const anyBracket = new RegExp(`[${brackets}]`, "u");

/** Text of others cannot close a mark or open one: the bracket in front of its name becomes another character. */
export function withoutMarks(text: string): string {
  return anyBracket.test(text) ? text.replace(opening, "‹") : text;
}

export function delimited(mark: Mark, text: string, attributes: Readonly<Record<string, string>> = {}): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}=${JSON.stringify(withoutMarks(value))}`);
  const body = withoutMarks(text);
  return `<${mark}${written.join("")}>\n${body}${body.endsWith("\n") ? "" : "\n"}</${mark}>`;
}

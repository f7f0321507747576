/** What stands around text in a model's input, so that it can tell whose words they are. */
const marks = [
  "untrusted-output",
  "runtime-note",
  "project-instructions",
  "session-environment",
  "history-summary",
] as const;
export type Mark = (typeof marks)[number];

const opening = new RegExp(`<(?=\\s*/?\\s*(?:${marks.join("|")}))`, "gi");

/** Text of others cannot close a mark or open one: the bracket in front of its name becomes another character. */
export function withoutMarks(text: string): string {
  return text.includes("<") ? text.replace(opening, "‹") : text;
}

export function delimited(mark: Mark, text: string, attributes: Readonly<Record<string, string>> = {}): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}=${JSON.stringify(withoutMarks(value))}`);
  const body = withoutMarks(text);
  return `<${mark}${written.join("")}>\n${body}${body.endsWith("\n") ? "" : "\n"}</${mark}>`;
}

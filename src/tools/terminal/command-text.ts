import type { OutputStream } from "../../contract/artifact.ts";
import { plainText } from "../../contract/plain-text.ts";

const shownChars = 80;
const previewChars = 1_000;

/** The command as a heading: its first line. */
export function shownCommand(command: string): string {
  const [first = "", ...rest] = command.trim().split("\n");
  if (first.length <= shownChars) return rest.length === 0 ? first : `${first} …`;
  return `${first.slice(0, shownChars)}…`;
}

/** What is at hand of a stream, in order: enough to recognise a report in it. */
export function knownOutput(stream: OutputStream): string {
  if (stream.complete !== undefined) return stream.complete;
  return [stream.head, ...stream.notable.map((excerpt) => excerpt.text), stream.tail].join("\n");
}

/** The last of it, which is where commands say how they ended. */
export function preview(stream: OutputStream): string {
  return plainText((stream.complete ?? stream.tail).slice(-previewChars));
}

export function previewIsAll(stream: OutputStream): boolean {
  return !stream.binary && stream.complete !== undefined && stream.complete.length <= previewChars;
}

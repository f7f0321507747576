import type { TextStretch } from "../../base/secret-span.ts";
import { plainText } from "../../base/text.ts";
import type { OutputStream } from "../../contract/artifact.ts";

const shownChars = 80;
const previewChars = 1_000;

export function shownCommand(command: string): string {
  const [first = "", ...rest] = command.trim().split("\n");
  if (first.length <= shownChars) return rest.length === 0 ? first : `${first} …`;
  return `${withoutHalfWord(first, { from: 0, to: shownChars })}…`;
}

export function knownOutput(stream: OutputStream): string {
  if (stream.complete !== undefined) return stream.complete;
  return [stream.head, ...stream.notable.map((excerpt) => excerpt.text), stream.tail].join("\n");
}

/** The end of the output, where commands report their result. */
export function preview(stream: OutputStream): string {
  const text = stream.complete ?? stream.tail;
  return plainText(withoutHalfWord(text, { from: Math.max(0, text.length - previewChars), to: text.length }));
}

export function streamFacts({ stdout, stderr }: { readonly stdout: OutputStream; readonly stderr: OutputStream }) {
  return {
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
    stdoutPreview: preview(stdout),
    stderrPreview: preview(stderr),
  };
}

/** A part of the text. Half a word may be half a secret, which redaction could no longer recognise. */
function withoutHalfWord(text: string, { from, to }: TextStretch): string {
  const part = text.slice(from, to);
  const begun = from > 0 && isOfWord(text, from - 1) ? part.replace(/^[\w+=~%-]+/, "") : part;
  return to < text.length && isOfWord(text, to) ? begun.replace(/(?<![\w+=~%-])[\w+=~%-]+$/, "") : begun;
}

function isOfWord(text: string, at: number): boolean {
  return /[\w+=~%-]/.test(text.charAt(at));
}

export function previewIsAll(stream: OutputStream): boolean {
  return !stream.binary && stream.complete !== undefined && stream.complete.length <= previewChars;
}

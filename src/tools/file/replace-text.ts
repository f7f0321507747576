import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { indexLines, isWithin, type LineIndex, type LineRange } from "./lines.ts";
import { type Eol, toCrlf, toLf } from "./text-file.ts";

export interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

export interface TextUnderChange {
  readonly text: string;
  readonly eol: Eol;
  /** Lines that may be changed; grows and shrinks with the edits inside. */
  readonly read: LineRange;
}

interface Replaced extends TextUnderChange {
  readonly count: number;
}

/**
 * Literal: `$&` has no special meaning. In a file with CRLF the model's `\n` means the file's line ending, in the
 * search and in the replacement; everything outside the match keeps its bytes.
 */
export function replaceText(
  before: TextUnderChange,
  replacement: Replacement,
  where: { readonly shown: string; readonly prefix?: string },
): Outcome<Replaced> {
  const hasCrlf = before.eol === "crlf" || before.eol === "mixed";
  const searched = hasCrlf ? toLf(before.text) : before.text;
  const needle = hasCrlf ? toLf(replacement.old_string) : replacement.old_string;
  const field = `${where.prefix ?? ""}old_string`;
  const lines = indexLines(searched);

  const found = occurrences(searched, needle, { overlapping: replacement.replace_all !== true });
  if (found.length === 0) {
    return fail("text_not_found", `old_string does not occur in ${where.shown}.${nearMiss(needle, lines, before)}`, {
      field,
    });
  }
  if (found.length > 1 && replacement.replace_all !== true) {
    const at = listed(found.map((offset) => lines.numberAt(offset)));
    return fail("ambiguous_target", `old_string occurs ${found.length} times in ${where.shown}, on lines ${at}.`, {
      field,
    });
  }
  for (const offset of found) {
    const touched = { from: lines.numberAt(offset), to: lines.numberAt(offset + needle.length - 1) };
    if (isWithin(touched, before.read)) continue;
    return fail(
      "runtime_precondition_failed",
      `The change reaches line ${touched.to < before.read.from ? touched.from : touched.to} of ${where.shown}; only lines ${before.read.from}-${before.read.to} were read.`,
      { field, recovery: `Read those lines of ${where.shown} first, then call again.` },
    );
  }

  const text = splice(before.text, before.eol, found, needle.length, replacement.new_string);
  if (text === before.text) {
    return fail("runtime_precondition_failed", `The edit would not change ${where.shown}.`, {
      field,
      recovery: "Use a new_string that differs from old_string.",
    });
  }
  const grown = indexLines(text).count - lines.count;
  return ok({
    text,
    eol: before.eol,
    read: { from: before.read.from, to: before.read.to + grown },
    count: found.length,
  });
}

/** A match that overlaps the first one also makes it ambiguous; finding all of them would take quadratic time. */
function occurrences(text: string, needle: string, options: { readonly overlapping: boolean }): number[] {
  const found: number[] = [];
  let step = options.overlapping ? 1 : needle.length;
  const next = needle.length > longNeedle ? searchFor(needle, text) : (from: number) => text.indexOf(needle, from);
  for (let at = next(0); at !== -1; at = next(at + step)) {
    if (found.push(at) > 1) step = needle.length;
  }
  return found;
}

/** Up to here the engine's own search is faster for every input. */
const longNeedle = 2_000;

/** Knuth-Morris-Pratt: the engine's search takes quadratic time for repetitive texts. */
function searchFor(needle: string, text: string): (from: number) => number {
  const backTo = new Int32Array(needle.length);
  for (let at = 1, same = 0; at < needle.length; at++) {
    while (same > 0 && needle.charCodeAt(at) !== needle.charCodeAt(same)) same = backTo[same - 1] ?? 0;
    if (needle.charCodeAt(at) === needle.charCodeAt(same)) same += 1;
    backTo[at] = same;
  }
  return (from) => {
    for (let at = from, same = 0; at < text.length; at++) {
      while (same > 0 && text.charCodeAt(at) !== needle.charCodeAt(same)) same = backTo[same - 1] ?? 0;
      if (text.charCodeAt(at) === needle.charCodeAt(same)) same += 1;
      if (same === needle.length) return at - needle.length + 1;
    }
    return -1;
  };
}

/** `found` are offsets in the text with `\n` line endings. */
function splice(text: string, eol: Eol, found: readonly number[], length: number, replacement: string): string {
  const toRaw = rawOffsets(text);
  const pieces: string[] = [];
  let done = 0;
  for (const offset of found) {
    const start = toRaw(offset);
    pieces.push(text.slice(done, start), withLineEndings(replacement, lineEndingAt(text, eol, start)));
    done = toRaw(offset + length);
  }
  pieces.push(text.slice(done));
  return pieces.join("");
}

function rawOffsets(text: string): (offset: number) => number {
  let passed = 0;
  let next = text.indexOf("\r\n");
  return (offset) => {
    while (next !== -1 && next - passed < offset) {
      passed += 1;
      next = text.indexOf("\r\n", next + 2);
    }
    return offset + passed;
  };
}

function lineEndingAt(text: string, eol: Eol, offset: number): Eol {
  if (eol !== "mixed") return eol;
  const end = text.indexOf("\n", offset);
  return text[(end === -1 ? text.lastIndexOf("\n") : end) - 1] === "\r" ? "crlf" : "lf";
}

function withLineEndings(text: string, eol: Eol): string {
  return eol === "crlf" ? toCrlf(text) : text;
}

/** A hint that saves a read: the line numbers of the text's first line, ignoring whitespace. */
function nearMiss(needle: string, lines: LineIndex, { read }: TextUnderChange): string {
  const first = needle
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "");
  if (first === undefined) return "";
  const at: number[] = [];
  for (let number = read.from; number <= Math.min(read.to, lines.count) && at.length < 4; number += 1) {
    if (lines.line(number).trim() === first) at.push(number);
  }
  return at.length === 0 ? "" : ` Its first line, ignoring whitespace, is on line ${listed(at)}.`;
}

export function listed(numbers: readonly number[]): string {
  const shown = numbers.slice(0, 10).join(", ");
  return numbers.length > 10 ? `${shown} and ${numbers.length - 10} more` : shown;
}

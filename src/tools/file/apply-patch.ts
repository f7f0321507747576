import { clip } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { indexLines, type LineRange } from "./lines.ts";
import type { FilePatch, PatchHunk } from "./patch-text.ts";
import { listed, type TextUnderChange } from "./replace-text.ts";
import type { Eol } from "./text-file.ts";

interface EndedLine {
  readonly text: string;
  /** Empty on a last line without newline. */
  readonly end: "" | "\n" | "\r\n";
}

export function createdText(patch: FilePatch): Outcome<string> {
  if (patch.hunks.some((hunk) => hunk.lines.some((line) => line.op !== "add"))) {
    return fail("schema_invalid", `The patch creates ${patch.path}, so all of its lines must start with +.`, {
      field: "patch",
    });
  }
  const lines = patch.hunks.flatMap((hunk) => hunk.lines.map((line) => line.text));
  const bare = patch.hunks.at(-1)?.finalNewline?.after === false;
  return ok(lines.length === 0 ? "" : lines.join("\n") + (bare ? "" : "\n"));
}

/** Lines outside the hunks, and context inside them, keep their bytes. */
export function patchedText(before: TextUnderChange, patch: FilePatch, shown: string): Outcome<TextUnderChange> {
  const index = indexLines(before.text);
  const lines = Array.from({ length: index.count }, (_, at) =>
    endedLine(before.text, index.startOf(at + 1), index.startOf(at + 2)),
  );
  const placed = placeHunks(
    { shown, lines: lines.map((line) => line.text), endsWithNewline: index.endsWithNewline, read: before.read },
    patch.hunks,
  );
  if (!placed.ok) return placed;

  const result: EndedLine[] = [];
  const take = (line: EndedLine | undefined) => void (line !== undefined && result.push(line));
  let done = 0;
  for (const { hunk, at } of placed.value) {
    for (; done < at; done += 1) take(lines[done]);
    for (const line of hunk.lines) {
      if (line.op === "add") result.push({ text: line.text, end: lineEnd(before.eol, lines, done) });
      else {
        if (line.op === "keep") take(lines[done]);
        done += 1;
      }
    }
  }
  for (; done < lines.length; done += 1) take(lines[done]);

  const text = joined(result, {
    last: finalEnd(before, lines, placed.value),
    otherwise: lineEnd(before.eol, lines, 0),
  });
  const grown = result.length - lines.length;
  return ok({ text, eol: before.eol, read: { from: before.read.from, to: before.read.to + grown } });
}

function endedLine(text: string, start: number, next: number): EndedLine {
  const line = text.slice(start, next);
  const end = line.endsWith("\r\n") ? "\r\n" : line.endsWith("\n") ? "\n" : "";
  return { text: line.slice(0, line.length - end.length), end };
}

function lineEnd(eol: Eol, lines: readonly EndedLine[], at: number): "\n" | "\r\n" {
  if (eol !== "mixed") return eol === "crlf" ? "\r\n" : "\n";
  const neighbour = lines[at - 1]?.end || lines[at]?.end;
  return neighbour === "\r\n" ? "\r\n" : "\n";
}

function finalEnd(
  before: TextUnderChange,
  lines: readonly EndedLine[],
  placed: readonly PlacedHunk[],
): EndedLine["end"] | undefined {
  const last: PatchHunk | undefined = placed.at(-1)?.hunk;
  if (last?.finalNewline !== undefined) return last.finalNewline.after ? lineEnd(before.eol, lines, lines.length) : "";
  return lines.at(-1)?.end === "" ? "" : undefined;
}

function joined(
  lines: readonly EndedLine[],
  ends: { readonly last: EndedLine["end"] | undefined; readonly otherwise: "\n" | "\r\n" },
): string {
  return lines
    .map((line, at) => {
      const end = at === lines.length - 1 ? (ends.last ?? line.end) : line.end || ends.otherwise;
      return line.text + end;
    })
    .join("");
}

interface PlacedHunk {
  readonly hunk: PatchHunk;
  /** 0-based line of the file at which the hunk's lines start. */
  readonly at: number;
}

interface PatchedFile {
  readonly shown: string;
  readonly lines: readonly string[];
  readonly endsWithNewline: boolean;
  readonly read: LineRange;
}

/**
 * Every context and removed line must match exactly. A unified hunk applies at its line number; if it does not match
 * there, or has none, exactly one place below the previous hunk must match.
 */
function placeHunks(file: PatchedFile, hunks: readonly PatchHunk[]): Outcome<readonly PlacedHunk[]> {
  const placed: PlacedHunk[] = [];
  const candidates = candidatesIn(file.lines);
  let cursor = 0;
  let drift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const name = `Hunk ${index + 1} of ${file.shown}`;
    const old = hunk.lines.filter((line) => line.op !== "add").map((line) => line.text);
    const found = findPlace(file, hunk, old, { candidates, cursor, drift, name });
    if (!found.ok) return found;
    const at = found.value;
    const beyond = outsideRead(file, at, old.length);
    if (beyond !== undefined) {
      return fail(
        "runtime_precondition_failed",
        `${name} reaches line ${beyond}; only lines ${file.read.from}-${file.read.to} were read.`,
        { field: "patch", recovery: `Read those lines of ${file.shown} first, then call again.` },
      );
    }
    if (hunk.at !== undefined) drift = at - hunk.at;
    cursor = at + old.length;
    placed.push({ hunk, at });
  }
  return ok(placed);
}

type Candidates = (old: readonly string[], from: number) => readonly number[];

interface Search {
  readonly candidates: Candidates;
  readonly cursor: number;
  readonly drift: number;
  readonly name: string;
}

/** Searches for the rarest line: a patch may have as many hunks as the file has lines. */
function candidatesIn(lines: readonly string[]): Candidates {
  const known = Map.groupBy(lines.keys(), (at) => lines[at]);
  return (old, from) => {
    const places = old.map((line, at) => ({ at, places: known.get(line) ?? [] }));
    const [rarest] = places.sort((a, b) => a.places.length - b.places.length);
    const all = rarest?.places.map((place) => place - rarest.at) ?? [...lines.keys(), lines.length];
    return all.filter((place) => place >= from);
  };
}

function findPlace(
  file: PatchedFile,
  hunk: PatchHunk,
  old: readonly string[],
  { candidates, cursor, drift, name }: Search,
): Outcome<number> {
  const fits = (at: number) =>
    at >= cursor &&
    at + old.length <= file.lines.length &&
    old.every((line, index) => file.lines[at + index] === line) &&
    endFits(file, hunk, at + old.length);

  const stated = hunk.at === undefined ? undefined : hunk.at + drift;
  if (stated !== undefined && fits(stated)) return ok(stated);
  // Without old lines no other place can be recognised.
  if (old.length === 0 && stated !== undefined) return notFound(file, hunk, old, stated, name);

  const { anchor } = hunk;
  const line = anchor === undefined ? -1 : file.lines.findIndex((text, at) => at >= cursor && text.trim() === anchor);
  if (anchor !== undefined && line < 0) {
    const message = `${name}: the file has no line ${JSON.stringify(anchor)}, which is its anchor.`;
    return fail("text_not_found", message, { field: "patch" });
  }
  const places = candidates(old, anchor === undefined ? cursor : line + 1).filter(fits);
  const [first] = places;
  if (first === undefined) return notFound(file, hunk, old, stated, name);
  if (places.length === 1 || anchor !== undefined) return ok(first);
  return fail(
    "ambiguous_target",
    `${name} matches ${places.length} places: lines ${listed(places.map((place) => place + 1))}.`,
    { field: "patch", recovery: "Add context lines so that it matches once." },
  );
}

function endFits(file: PatchedFile, hunk: PatchHunk, end: number): boolean {
  const atEnd = end === file.lines.length;
  const newline = hunk.finalNewline;
  if (!atEnd) return hunk.atEnd !== true && newline?.before !== false;
  return newline === undefined || file.lines.length === 0 || newline.before === file.endsWithNewline;
}

function notFound(
  file: PatchedFile,
  hunk: PatchHunk,
  old: readonly string[],
  stated: number | undefined,
  name: string,
): Outcome<never> {
  const differing = stated === undefined ? -1 : old.findIndex((line, index) => file.lines[stated + index] !== line);
  const line = (stated ?? 0) + differing + 1;
  const known = differing !== -1 && line >= file.read.from && line <= file.read.to;
  const fact = known
    ? ` Line ${line} is ${quoted(file.lines[line - 1])}, the patch has ${quoted(old[differing])}.`
    : "";
  const end = hunk.finalNewline === undefined ? "" : " The newline at the end of the file differs.";
  return fail("text_not_found", `${name} does not match the file.${fact}${differing === -1 ? end : ""}`, {
    field: "patch",
    recovery: "Read the file again and copy context and removed lines exactly, whitespace included.",
  });
}

function outsideRead({ read }: PatchedFile, at: number, length: number): number | undefined {
  const first = length === 0 ? at : at + 1;
  const last = at + length;
  if (first < (length === 0 ? read.from - 1 : read.from)) return first;
  return last > read.to ? last : undefined;
}

function quoted(line: string | undefined): string {
  return line === undefined ? "absent" : JSON.stringify(clip(line, 120));
}

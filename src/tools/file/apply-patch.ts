import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { indexLines } from "./lines.ts";
import type { FilePatch, PatchHunk } from "./patch-file.ts";
import { type PlacedHunk, placeHunks } from "./place-hunks.ts";
import type { TextUnderChange } from "./replace-text.ts";
import type { Eol } from "./text-file.ts";

interface EndedLine {
  readonly text: string;
  /** Empty on a last line without newline. */
  readonly end: "" | "\n" | "\r\n";
}

/** The text of a created file. */
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

/** In a file with mixed endings an added line ends as its neighbour does. */
function lineEnd(eol: Eol, lines: readonly EndedLine[], at: number): "\n" | "\r\n" {
  if (eol !== "mixed") return eol === "crlf" ? "\r\n" : "\n";
  const neighbour = lines[at - 1]?.end || lines[at]?.end;
  return neighbour === "\r\n" ? "\r\n" : "\n";
}

/** What the patch says about the end of the file, otherwise as it was. */
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

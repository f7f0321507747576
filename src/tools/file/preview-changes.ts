import type { Failure } from "../../contract/codes.ts";
import type { PreconditionView } from "../../contract/ports.ts";
import { diffFile } from "./file-diff.ts";
import type { NamedEntry } from "./named-entry.ts";
import type { PlannedChange } from "./planned-change.ts";
import { eolOf } from "./text-file.ts";

/** The diff of every file, for whoever is asked whether it may be made. */
export function previewChanges(changes: readonly PlannedChange[]): string {
  return changes.map(previewChange).join("\n");
}

/** Why no diff can be shown, on a line of its own. */
export function noDiff({ message }: Failure): string {
  return `No diff: ${onOneLine(message)}`;
}

/** What is deleted or moved: its kind, its size and where it really lies. */
export function describeEntry({ ref }: NamedEntry, view: PreconditionView): string {
  const path = onOneLine(ref.resolved);
  const stat = view.facts(ref)?.stat;
  const target = view.resolve(ref.resolved);
  if (stat?.kind === "symlink" || (target.ok && target.value.resolved !== ref.resolved)) {
    const leads = target.ok ? onOneLine(target.value.resolved) : "nowhere that can be followed";
    return `the symbolic link ${path} (what it leads to stays: ${leads})`;
  }
  if (ref.kind === "directory") return `the directory ${path} and everything below it (not counted)`;
  return `the file ${path} (${stat === undefined ? "size not looked at" : `${stat.size} bytes`})`;
}

/** A name or message with line ends could otherwise pass for lines of a diff. */
export function onOneLine(text: string): string {
  return text.replace(/[\n\r\t]/g, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

function previewChange({ shown, before, after }: PlannedChange): string {
  const keepsLineEnds = before !== undefined && after !== undefined && keepsEol(before.text, after.file.text);
  const asShown = (text: string) => (keepsLineEnds ? text : text.replaceAll("\r\n", "\\u{d}\n"));
  const mark = before === undefined && after?.file.bom === true ? "\ufeff" : "";
  const { unified } = diffFile(
    shown,
    before === undefined ? undefined : asShown(before.text),
    after === undefined ? undefined : mark + asShown(after.file.text),
  );
  if (unified !== "") return unified.slice(0, -1);
  const path = onOneLine(shown);
  if (before === undefined) return `Creates ${path}, an empty file.`;
  if (after === undefined) return `Deletes ${path}, an empty file.`;
  return before.text === after.file.text
    ? `Changes nothing: ${path} has exactly this content.`
    : `No diff: only the line ends of ${path} change.`;
}

/** Diffs leave out how lines end. Where that changes, or differs from line to line, it has to be seen. */
function keepsEol(before: string, after: string): boolean {
  const eol = eolOf(before);
  return eol !== "mixed" && eol === eolOf(after);
}

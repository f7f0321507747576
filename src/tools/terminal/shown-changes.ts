import { posix } from "node:path";
import { visibleText } from "../../base/text.ts";
import type { ChangedFile, SettledChanges } from "../../contract/changes.ts";
import type { WorkspaceFacts } from "../../contract/ports.ts";
import type { ContentDraft } from "../../contract/tool.ts";
import { shownPath } from "../file/open-file.ts";
import { note } from "../summary.ts";

export type ShownChange = Pick<ChangedFile, "path" | "change" | "to" | "notable">;

const listedOthers = 20;
/** With more notable changes than this, they are grouped by directory. */
const listedNotable = 30;
const notedNotable = 12;

export function shownChange({ path, change, to, notable }: ChangedFile, workspace: WorkspaceFacts): ShownChange {
  return {
    path: shownPath(workspace, path),
    change,
    to: to && shownPath(workspace, to),
    notable,
  };
}

export function shownSettled(settled: SettledChanges, workspace: WorkspaceFacts): SettledChanges {
  const { discarded = [], special } = settled;
  return {
    ...settled,
    discarded: discarded.map((one) => ({ ...one, path: shownPath(workspace, one.path) })),
    special: special.map((path) => shownPath(workspace, path)),
  };
}

/** Notable changes are never omitted. */
export function shownChanges(changes: readonly ShownChange[], label: string): readonly ContentDraft[] {
  const { notable, others } = parted(changes);
  const lines = [
    ...(notable.length > listedNotable ? byDirectory(notable) : notable.map(described)),
    ...others.slice(0, listedOthers).map(described),
  ];
  if (others.length > listedOthers) lines.push(`and ${others.length - listedOthers} more`);
  return note(label, lines);
}

export function notableNote(changes: readonly ShownChange[]): string {
  const { notable } = parted(changes);
  if (notable.length === 0) return "";
  const lines = notable.length > notedNotable ? byDirectory(notable) : notable.map(described);
  return ` It also ${lines.join(", ")}.`;
}

export function notableFirst(changes: readonly ShownChange[]): readonly ShownChange[] {
  const { notable, others } = parted(changes);
  return [...notable, ...others];
}

/** Notable changes near the top of the workspace come first, so that deep ones cannot hide them. */
function parted(changes: readonly ShownChange[]) {
  const depth = ({ path }: ShownChange) => path.split("/").length;
  return {
    notable: changes.filter(({ notable }) => notable !== undefined).toSorted((a, b) => depth(a) - depth(b)),
    others: changes.filter(({ notable }) => notable === undefined),
  };
}

function described({ path, change, to, notable }: ShownChange): string {
  const place = change === "deleted" ? " (gauntlet undo restores it)" : ` to ${shownName(to ?? "")}`;
  const where = `${shownName(path)}${to === undefined ? "" : place}`;
  return `${change} ${where}${notable === undefined ? "" : ` (${notable})`}`;
}

function byDirectory(notable: readonly ShownChange[]): readonly string[] {
  const groups = Map.groupBy(notable, (change) => JSON.stringify([posix.dirname(change.path), change.notable]));
  return [...groups.values()].map((group) => {
    const [first] = group;
    if (first === undefined || group.length === 1) return group.map(described).join("");
    return `changed ${group.length} files in ${shownName(posix.dirname(first.path))} (${first.notable})`;
  });
}

/** A file name can contain anything, even a fake next line. */
function shownName(path: string): string {
  return visibleText(path).replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}

import type { ForkReport } from "../../contract/app/archive.ts";
import type { UndoAction, UndoReport, UndoStep } from "../../contract/app/undo.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { taskText } from "./session.ts";
import { lines, type Shown, type Tone } from "./shown.ts";
import { counted, dateText, oneLine } from "./table.ts";
import type { View } from "./wrap.ts";

const words: Readonly<Record<UndoAction, string>> = {
  restore: "restored",
  delete: "to the trash",
  move_back: "moved back",
  make_directory: "recreated",
  remove_directory: "removed",
  set_mode: "permissions",
  nothing: "stays",
};

const wouldWords: Readonly<Record<UndoAction, string>> = {
  restore: "would restore",
  delete: "would trash",
  move_back: "would move back",
  make_directory: "would recreate",
  remove_directory: "would remove",
  set_mode: "would set permissions",
  nothing: "stays",
};

const mostLeft = 20;

export function renderUndo(
  report: UndoReport,
  {
    workspace,
    of,
    wanted = 0,
  }: { readonly workspace: string; readonly of?: SessionSummary | undefined; readonly wanted?: number | undefined },
  { paint, line }: View,
): Shown {
  const shown = (path: string) => relative(path, workspace);
  const conflicting = new Set(report.conflicts.map(({ path }) => path));
  const worded = report.blocked ? wouldWords : words;
  const width = report.blocked ? 23 : 14;
  const entry = (tone: Tone, what: string, path: string, rest: string | Shown) =>
    line`${paint(tone, what.padEnd(width))}${shown(path)}${rest}`;
  const { session, calls, steps, left, conflicts, failure } = report;
  return lines([
    line`${paint(toneOf(report), headline(report, wanted))}  ${paint("quiet", `session ${session}`)}`,
    of && line`  ${paint("quiet", `of ${dateText(of.createdAt)}: ${oneLine(taskText(of), 80)}`)}`,
    wanted > calls.length ? line`This session has no more calls to undo.` : undefined,
    ...calls.map(({ tool, title }) => line`  ${paint("strong", tool)} ${oneLine(title, 100)}`),
    ...steps.map((step) => {
      const tone = step.action === "nothing" || conflicting.has(step.path) ? "warning" : "accent";
      return entry(tone, worded[step.action], step.path, paint("quiet", detailOf(step, shown)));
    }),
    ...left.slice(0, mostLeft).map(({ path, change, invocationId }) => {
      const during = calls.find((call) => call.invocationId === invocationId)?.title ?? "the call";
      return entry("warning", "stays", path, paint("quiet", `  (${change} while it ran: ${oneLine(during, 60)})`));
    }),
    left.length > mostLeft ? line`${"".padEnd(width)}and ${left.length - mostLeft} more` : undefined,
    ...conflicts.map(({ path, detail }) => entry("bad", "conflict", path, `: ${oneLine(detail)}`)),
    failure && entry("bad", "failed", failure.path, `: ${failure.message}`),
    ...report.never.map((text) => line`${paint("quiet", text)}`),
    ...nextStep(report).map((text) => line`${text}`),
  ]);
}

export function renderFork({ session, from, seq, changedSince }: ForkReport, { paint, line }: View): Shown {
  const changed = changedSince.length === 0 ? "" : ` ${counted(changedSince.length, "file")} changed after that point:`;
  return lines([
    line`${paint("strong", session)}  ${paint("quiet", `continues ${from} at event ${seq}`)}`,
    line`Files in the workspace are not reverted.${changed}`,
    ...changedSince.map((path) => line`  ${path}`),
  ]);
}

function headline({ outcome, extent, calls, steps, left, blocked }: UndoReport, wanted: number): string {
  const all = calls.length === 1 ? "one call" : `${calls.length} calls`;
  const what = wanted > calls.length ? `${calls.length} of ${wanted} calls` : all;
  if (extent === "none" && left.length === 0)
    return steps.length === 0 ? "There is nothing to undo" : "Nothing of it can be undone";
  const how = extent === "complete" ? "completely" : "in part";
  switch (outcome) {
    case "planned":
      return blocked ? `Would not undo ${what}` : `Would undo ${what} ${how}`;
    case "done":
      return `Undid ${what} ${how}`;
    case "refused":
      return `Did not undo ${what}`;
    case "failed":
      return `Stopped while undoing ${what}`;
  }
}

function toneOf({ outcome, extent, blocked }: UndoReport): Tone {
  if (blocked || outcome === "failed") return "bad";
  return extent === "complete" ? "good" : "warning";
}

function detailOf({ from, note, already }: UndoStep, shown: (path: string) => string): string {
  const parts = [from && `from ${shown(from)}`, already && "already restored", note].filter(Boolean);
  return parts.length === 0 ? "" : `  (${parts.join("; ")})`;
}

function nextStep(report: UndoReport): readonly string[] {
  const { outcome, undoId, blocked, extent, conflicts, calls } = report;
  if (outcome === "failed") return ["Run it again to continue.", `To revert this: gauntlet undo --call ${undoId}`];
  if (outcome === "done") return [`To revert this: gauntlet undo --call ${undoId}`];
  if (!blocked) return [];
  const unchanged = outcome === "planned" ? "Nothing would be changed." : "Nothing was changed.";
  const isHeld = conflicts.length > 0 && extent !== "none";
  const later = isHeld && conflicts.some(({ kind }) => kind === "later_call");
  const wayBack = report.earlier === undefined ? "" : `--last ${report.earlier}, or `;
  const earlier =
    extent === "none" && (report.left.length > 0 || calls.some(({ interrupted }) => interrupted))
      ? [`To undo earlier changes: gauntlet undo ${wayBack}--session with the id of an earlier session.`]
      : [];
  return [
    unchanged,
    ...(later ? ["To undo the later calls as well, use --last or --turn."] : []),
    ...(isHeld ? ["--force overwrites the conflicting files and keeps what it replaces."] : []),
    ...earlier,
  ];
}

function relative(path: string, workspace: string): string {
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}

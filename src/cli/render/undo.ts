import type { ForkReport } from "../../contract/app/archive.ts";
import type { UndoAction, UndoReport, UndoStep } from "../../contract/app/undo.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { taskText } from "./session.ts";
import { lines, type Shown, say, type Tone } from "./shown.ts";
import { counted, dateText, oneLine } from "./table.ts";
import type { View } from "./wrap.ts";

const words: Readonly<Record<UndoAction, string>> = {
  restore: "put back",
  delete: "to the trash",
  move_back: "moved back",
  make_directory: "made again",
  remove_directory: "removed",
  set_mode: "permissions",
  nothing: "stays",
};

const wouldWords: Readonly<Record<UndoAction, string>> = {
  restore: "would put back",
  delete: "would trash",
  move_back: "would move back",
  make_directory: "would make again",
  remove_directory: "would remove",
  set_mode: "would set permissions",
  nothing: "stays",
};

const mostLeft = 20;

export function renderUndo(
  report: UndoReport,
  { workspace, of }: { readonly workspace: string; readonly of?: SessionSummary | undefined },
  { paint, wrap }: View,
): Shown {
  const shown = (path: string) => relative(path, workspace);
  const conflicting = new Set(report.conflicts.map(({ path }) => path));
  const worded = report.blocked ? wouldWords : words;
  const width = report.blocked ? 23 : 14;
  return lines(
    [
      say`${paint(toneOf(report), headline(report))}  ${paint("quiet", `session ${report.session}`)}`,
      ...(of === undefined
        ? []
        : [say`  ${paint("quiet", `of ${dateText(of.createdAt)}: ${oneLine(taskText(of), 80)}`)}`]),
      ...report.calls.map(({ tool, title }) => say`  ${paint("strong", tool)} ${oneLine(title, 100)}`),
      ...report.steps.map((step) => {
        const tone: Tone = step.action === "nothing" || conflicting.has(step.path) ? "warning" : "accent";
        return say`${paint(tone, worded[step.action].padEnd(width))}${shown(step.path)}${paint("quiet", detailOf(step, shown))}`;
      }),
      ...report.left.slice(0, mostLeft).map(({ path, change, invocationId }) => {
        const during = report.calls.find((call) => call.invocationId === invocationId)?.title ?? "the call";
        const detail = `  (${change} while it ran: ${oneLine(during, 60)})`;
        return say`${paint("warning", "stays".padEnd(width))}${shown(path)}${paint("quiet", detail)}`;
      }),
      ...(report.left.length > mostLeft ? [say`${"".padEnd(width)}and ${report.left.length - mostLeft} more`] : []),
      ...report.conflicts.map(
        ({ path, detail }) => say`${paint("bad", "in the way".padEnd(width))}${shown(path)}: ${oneLine(detail)}`,
      ),
      ...(report.failure === undefined
        ? []
        : [say`${paint("bad", "failed".padEnd(width))}${shown(report.failure.path)}: ${report.failure.message}`]),
      ...report.never.map((text) => paint("quiet", text)),
      ...nextStep(report).map((text) => say`${text}`),
    ].map(wrap),
  );
}

export function renderFork(report: ForkReport, { paint, wrap }: View): Shown {
  const { session, from, seq, changedSince } = report;
  return lines(
    [
      say`${paint("strong", session)}  ${paint("quiet", `goes on from ${from} at event ${seq}`)}`,
      say`Files in the workspace are not rewound.${changedSince.length === 0 ? "" : ` ${counted(changedSince.length, "file")} changed after that point:`}`,
      ...changedSince.map((path) => say`  ${path}`),
    ].map(wrap),
  );
}

function headline({ outcome, extent, calls, steps, left, blocked }: UndoReport): string {
  const what = calls.length === 1 ? "one call" : `${calls.length} calls`;
  if (extent === "none" && left.length === 0)
    return steps.length === 0 ? "There is nothing to take back" : "Nothing of it can be taken back";
  const all = extent === "complete" ? "completely" : "in part";
  switch (outcome) {
    case "planned":
      return blocked ? `Would not take back ${what}` : `Would take back ${what} ${all}`;
    case "done":
      return `Took back ${what} ${all}`;
    case "refused":
      return `Did not take back ${what}`;
    case "failed":
      return `Stopped in the middle of taking back ${what}`;
  }
}

function toneOf({ outcome, extent, blocked }: UndoReport): Tone {
  if (blocked || outcome === "failed") return "bad";
  return extent === "complete" ? "good" : "warning";
}

function detailOf({ from, note, already }: UndoStep, shown: (path: string) => string): string {
  const parts = [
    ...(from === undefined ? [] : [`from ${shown(from)}`]),
    ...(already === undefined ? [] : ["as it was already"]),
    ...(note === undefined ? [] : [note]),
  ];
  return parts.length === 0 ? "" : `  (${parts.join("; ")})`;
}

function nextStep(report: UndoReport): readonly string[] {
  const { outcome, undoId, blocked, extent, conflicts, calls } = report;
  if (outcome === "failed") return ["Run it again to continue.", `To take this back: gauntlet undo --call ${undoId}`];
  if (outcome === "done") return [`To take this back: gauntlet undo --call ${undoId}`];
  if (!blocked) return [];
  const unchanged = outcome === "planned" ? "Nothing would be changed." : "Nothing was changed.";
  const isHeld = conflicts.length > 0 && extent !== "none";
  const later = isHeld && conflicts.some(({ kind }) => kind === "later_call");
  const wayBack = report.earlier === undefined ? "" : `--last ${report.earlier}, or `;
  const earlier =
    extent === "none" && (report.left.length > 0 || calls.some(({ interrupted }) => interrupted))
      ? [`For what was changed before it: gauntlet undo ${wayBack}--session with the id of an earlier session.`]
      : [];
  return [
    unchanged,
    ...(later ? ["Take back the later calls as well with --last or --turn."] : []),
    ...(isHeld ? ["With --force it goes over what is in the way, and keeps what it replaces."] : []),
    ...earlier,
  ];
}

function relative(path: string, workspace: string): string {
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}

import type { ForkReport } from "../../contract/archive.ts";
import type { SessionSummary } from "../../contract/store.ts";
import type { UndoAction, UndoReport, UndoStep } from "../../contract/undo.ts";
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

/** What happens to which path, whether that is all, and what stands in the way. */
export function renderUndo(
  report: UndoReport,
  { workspace, of }: { readonly workspace: string /** The session. */; readonly of?: SessionSummary | undefined },
  { paint, wrap }: View,
): Shown {
  const shown = (path: string) => relative(path, workspace);
  const conflicting = new Set(report.conflicts.map(({ path }) => path));
  return lines(
    [
      say`${paint(toneOf(report), headline(report))}  ${paint("quiet", `session ${report.session}`)}`,
      ...(of === undefined
        ? []
        : [say`  ${paint("quiet", `of ${dateText(of.createdAt)}: ${oneLine(taskText(of), 80)}`)}`]),
      ...report.calls.map(({ tool, title }) => say`  ${paint("strong", tool)} ${oneLine(title, 100)}`),
      ...report.steps.map((step) => {
        const tone: Tone = step.action === "nothing" || conflicting.has(step.path) ? "warning" : "accent";
        return say`${paint(tone, words[step.action].padEnd(14))}${shown(step.path)}${paint("quiet", detailOf(step, shown))}`;
      }),
      ...report.conflicts.map(
        ({ path, detail }) => say`${paint("bad", "in the way".padEnd(14))}${shown(path)}: ${oneLine(detail)}`,
      ),
      ...(report.failure === undefined
        ? []
        : [say`${paint("bad", "failed".padEnd(14))}${shown(report.failure.path)}: ${report.failure.message}`]),
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

function headline({ outcome, extent, calls, steps }: UndoReport): string {
  const what = calls.length === 1 ? "one call" : `${calls.length} calls`;
  if (extent === "none")
    return steps.length === 0 ? "There is nothing to take back" : "Nothing of it can be taken back";
  const all = extent === "complete" ? "completely" : "in part";
  switch (outcome) {
    case "planned":
      return `Would take back ${what} ${all}`;
    case "done":
      return `Took back ${what} ${all}`;
    case "refused":
      return `Did not take back ${what}`;
    case "failed":
      return `Stopped in the middle of taking back ${what}`;
  }
}

function toneOf({ outcome, extent }: UndoReport): Tone {
  if (outcome === "refused" || outcome === "failed") return "bad";
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

function nextStep({ outcome, extent, conflicts, undoId }: UndoReport): readonly string[] {
  if (outcome === "done") return [`To take this back: gauntlet undo --call ${undoId}`];
  if (outcome === "failed") return ["Asked again, it goes on from there."];
  if (conflicts.length === 0 || extent === "none") return [];
  const unchanged = outcome === "planned" ? "Nothing would be changed." : "Nothing was changed.";
  const later = conflicts.some(({ kind }) => kind === "later_call");
  const wider = later ? ["Take back the later calls as well with --last or --turn."] : [];
  return [unchanged, ...wider, "With --force it goes over what is in the way, and keeps what it replaces."];
}

function relative(path: string, workspace: string): string {
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}

import type { UndoOptions, UndoReport } from "../contract/app/undo.ts";
import type { NoteTone } from "./screen-state.ts";

/** `/undo 2 yes`: how many of the last calls, and whether it is meant. */
export function readUndo(argument: string): Pick<UndoOptions, "last" | "dryRun" | "force"> {
  const words = argument.split(/\s+/);
  const last = Number(words.find((word) => /^[1-9]\d{0,3}$/.test(word)) ?? 1);
  return { last, dryRun: !words.includes("yes"), force: false };
}

export function undoText(report: UndoReport): [NoteTone, string] {
  const { outcome, extent, blocked, calls, steps, left, conflicts, never } = report;
  const what = calls.map(({ title }) => title).join("; ");
  const count = calls.length === 1 ? "" : `${calls.length} `;
  const would = blocked ? "would " : "";
  const rows = [
    ...steps.map(
      ({ action, path, note }) =>
        `  ${action === "nothing" ? "" : would}${action.replaceAll("_", " ")}  ${path}${note === undefined ? "" : `  (${note})`}`,
    ),
    ...left.map(({ path, change }) => `  stays  ${path}  (${change} while a direct command ran)`),
    ...conflicts.map(({ path, detail }) => `  ${path}: ${detail}`),
    ...never.map((one) => `  ${one}`),
    ...(extent === "none" ? [`  /undo ${calls.length + 1} includes the call before.`] : []),
  ];
  const untouched = left.length === 0 ? "Nothing of it can be taken back" : "A direct command cannot be taken back";
  const refused =
    conflicts.length === 0 || extent === "none"
      ? `${untouched}: ${what}`
      : "Not taken back: something else would be lost. `gauntlet undo --force` does it all the same.";
  const heads = {
    planned: blocked ? refused : `Type /undo ${count}yes to take back (${extent}): ${what}`,
    done: `taken back (${extent}): ${what}`,
    refused,
    failed: `Only partly taken back. ${report.failure?.message ?? ""} /undo ${count}yes continues.`,
  } as const;
  const tone = outcome === "done" ? "good" : outcome === "planned" && !blocked ? "plain" : "bad";
  return [tone, [heads[outcome], ...rows].join("\n")];
}

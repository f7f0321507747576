import type { UndoOptions, UndoReport } from "../contract/undo.ts";
import type { NoteTone } from "./screen-state.ts";

/** `/undo 2 yes`: how many of the last calls, and whether it is meant. */
export function readUndo(argument: string): Pick<UndoOptions, "last" | "dryRun" | "force" | "all"> {
  const words = argument.split(/\s+/);
  const last = Number(words.find((word) => /^[1-9]\d{0,3}$/.test(word)) ?? 1);
  const all = words.includes("all");
  return { last, dryRun: !all && !words.includes("yes"), force: false, all };
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
    ...left.map(({ path, change }) => `  left  ${path}  (${change} while it ran, perhaps by somebody else)`),
    ...conflicts.map(({ path, detail }) => `  ${path}: ${detail}`),
    ...never.map((one) => `  ${one}`),
    ...(left.length === 0 ? [] : [`  /undo ${count}all takes back what is left as well.`]),
    ...(extent === "none" ? [`  /undo ${calls.length + 1} goes on to the call before.`] : []),
  ];
  const untouched =
    left.length === 0
      ? "Nothing of it can be taken back"
      : "Not taken back, because nothing says that the call changed it";
  const refused =
    conflicts.length === 0 || extent === "none"
      ? `${untouched}: ${what}`
      : "Not taken back: something else would be lost. `gauntlet undo --force` does it all the same.";
  const heads = {
    planned: blocked ? refused : `Type /undo ${count}yes to take back (${extent}): ${what}`,
    done: `taken back (${extent}): ${what}`,
    refused,
    failed: `Only partly taken back; /undo ${count}yes goes on.`,
  } as const;
  const tone = outcome === "done" ? "good" : outcome === "planned" && !blocked ? "plain" : "bad";
  return [tone, [heads[outcome], ...rows].join("\n")];
}

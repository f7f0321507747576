import { type Paint, type Shown, say } from "../cli/render/shown.ts";
import { viewOn } from "../cli/render/wrap.ts";
import type { Observation } from "../contract/observation.ts";

/** Something that a call printed, found or changed, in the order of its observation. */
interface Part {
  readonly label: string;
  readonly text: string;
  /** Of what a program prints the end says how it went; what a server answers is read from its beginning. */
  readonly keeps: "beginning" | "end";
}

/** What a person sees of it without asking; of a failure more. */
const shownRows = { ok: 6, failed: 14 };
/** Asked for. More would push everything else out of the terminal's own history. */
const mostRows = 10_000;

const margin = "  ";

export interface OutputStyle {
  readonly paint: Paint;
  readonly columns: number;
}

/** The end of what a command printed, the beginning of what a server answered; `whole`: all that is known of it. */
export function outputRows(
  observation: Observation,
  { paint, columns }: OutputStyle,
  { whole }: { readonly whole: boolean },
): readonly Shown[] {
  const fold = viewOn({ colour: false, columns: columns - margin.length }).fold;
  const parts = partsOf(observation).map((part) => ({
    ...part,
    rows: part.text.split("\n").flatMap((line) => fold(say`${line}`).text.split("\n")),
  }));
  const room = whole ? mostRows : observation.ok ? shownRows.ok : shownRows.failed;
  const shares = sharedOut(
    parts.map(({ rows }) => rows.length),
    room,
  );
  return parts.flatMap((part, at) => {
    return [...nameRows(part, parts.length, paint), ...cutRows(part, shares[at] ?? 0, { paint, whole })];
  });
}

export function hasOutput(observation: Observation): boolean {
  return partsOf(observation).length > 0;
}

function partsOf({ model }: Observation): readonly Part[] {
  return model.content.flatMap(({ format, label = "", text }): readonly Part[] => {
    const trimmed = text.replace(/^\n+|\s+$/g, "");
    if (format === "diff" || format === "image" || trimmed === "") return [];
    if (printed.test(label)) return [{ label, text: trimmed, keeps: "end" }];
    if (label === "" && /^\(no output\b.*\)$/.test(trimmed)) return [{ label, text: trimmed, keeps: "end" }];
    if (otherParts.has(label) || label.startsWith("server ")) return [{ label, text: trimmed, keeps: "beginning" }];
    return [];
  });
}

/** As such, or with how much of it is there. */
const printed = /^std(?:out|err)(?:$|[:,] )/;
const otherParts = new Set([
  "failing tests",
  "network",
  "files changed by the command",
  "files that changed while it ran",
]);

/** Of one alone it is said only that it is not all of it. */
function nameRows({ label }: Part, parts: number, paint: Paint): readonly Shown[] {
  const isExcerpt = label.includes(": ");
  if (label === "" || (parts === 1 && !isExcerpt)) return [];
  return [paint("quiet", `${margin}${label}${isExcerpt ? "" : ":"}`)];
}

/** Each gets its share; what one does not need goes to the others, to the later ones first. */
function sharedOut(wanted: readonly number[], room: number): readonly number[] {
  const share = Math.max(1, Math.floor(room / Math.max(1, wanted.length)));
  const given = wanted.map((rows) => Math.min(rows, share));
  let left = room - given.reduce((sum, rows) => sum + rows, 0);
  for (let at = wanted.length - 1; at >= 0 && left > 0; at--) {
    const more = Math.min(left, (wanted[at] ?? 0) - (given[at] ?? 0));
    given[at] = (given[at] ?? 0) + more;
    left -= more;
  }
  return given;
}

function cutRows(
  { rows, keeps }: Part & { readonly rows: readonly string[] },
  most: number,
  { paint, whole }: { readonly paint: Paint; readonly whole: boolean },
): readonly Shown[] {
  const shown = (row: string) => say`${margin}${paint("quiet", row)}`;
  const missing = rows.length - most;
  if (missing <= 0) return rows.map(shown);
  const where = keeps === "end" ? "before this" : "after this";
  const mark = shown(`… ${missing} more ${missing === 1 ? "row" : "rows"} ${where}${whole ? "" : ": Ctrl+O"}`);
  return keeps === "end" ? [mark, ...rows.slice(-most).map(shown)] : [...rows.slice(0, most).map(shown), mark];
}

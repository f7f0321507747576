import { diffLine } from "../cli/render/diff-view.ts";
import { type Paint, type Shown, say } from "../cli/render/shown.ts";
import { durationText, oneLine } from "../cli/render/table.ts";
import { besideMargin, viewOn } from "../cli/render/wrap.ts";
import type { Agent } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import type { ContentBlock, Observation } from "../contract/observation.ts";

interface Part {
  readonly label: string;
  readonly text: string;
  readonly keeps: "beginning" | "end";
}

const shownRows = { ok: 6, failed: 14 };
const mostRows = 10_000;

const margin = "  ";

interface OutputStyle {
  readonly paint: Paint;
  readonly columns: number;
}

function outputRows(
  observation: Observation,
  { paint, columns }: OutputStyle,
  { whole }: { readonly whole: boolean },
): readonly Shown[] {
  const fold = viewOn({ colour: false, columns: columns - margin.length }).fold;
  const parts = partsOf(observation).map((shown) => ({
    ...shown,
    rows: shown.text.split("\n").flatMap((line) => fold(say`${line}`).text.split("\n")),
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

function hasOutput(observation: Observation): boolean {
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

const printed = /^std(?:out|err)(?:$|[:,] )/;
const otherParts = new Set([
  "failing tests",
  "network",
  "files changed by the command",
  "files that changed while it ran",
]);

function nameRows({ label }: Part, parts: number, paint: Paint): readonly Shown[] {
  const isExcerpt = label.includes(": ");
  if (label === "" || (parts === 1 && !isExcerpt)) return [];
  return [paint("quiet", `${margin}${label}${isExcerpt ? "" : ":"}`)];
}

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

const longestTitle = 300;
const mostDiff = 40;
const mostWords = 8;

export function callLines(observation: Observation, style: OutputStyle): readonly Shown[] {
  return [
    ...headRows(observation, style),
    ...cutAt(mostWords, wordRows(observation, style), style),
    ...outputRows(observation, style, { whole: false }),
    ...cutAt(mostDiff, diffRows(observation, style), style),
  ];
}

export function wholeOutputLines(observation: Observation, style: OutputStyle): readonly Shown[] {
  return [
    say``,
    ...headRows(observation, style),
    ...wordRows(observation, style),
    ...outputRows(observation, style, { whole: true }),
    ...diffRows(observation, style),
  ];
}

function hasMore(observation: Observation): boolean {
  return hasOutput(observation) || diffOf(observation).length > mostDiff || wordsOf(observation).length > mostWords;
}

const keptOutputs = 5;

export function keepOutput(outputs: readonly Observation[], observation: Observation): readonly Observation[] {
  return hasMore(observation) ? [...outputs, observation].slice(-keptOutputs) : outputs;
}

function headRows({ ok, status, title, code, metrics }: Observation, { paint, columns }: OutputStyle) {
  const tone = ok ? "good" : status === "denied" ? "warning" : "bad";
  const mark = ok ? "●" : status === "denied" ? "⊘" : "✗";
  const how = ok ? say`` : say` ${paint(tone, code)}`;
  // For a denied call it would be the time that the user took.
  const time = status === "denied" ? say`` : say` ${paint("quiet", durationText(metrics.durationMs))}`;
  const head = say`${paint("strong", oneLine(title, longestTitle))}${how}${time}`;
  return besideMargin(head, { columns, first: say`${paint(tone, mark)} ` });
}

function wordsOf(observation: Observation): readonly string[] {
  const { ok, title, summary, user, recovery = "" } = observation;
  const told = (user.text.trim() === "" ? summary : user.text).trim();
  const rest = hasOutput(observation) ? withoutTitle(told, title) : told === title ? "" : told;
  const advice = !ok && /`gauntlet |\bgauntlet [a-z]+ /.test(recovery) ? recovery : "";
  return [...new Set([...rest.split("\n"), ...advice.split("\n")])].filter((row) => row.trim() !== "");
}

const saysNothing = /^(?:finished with exit code 0\.|The server \S+ answered [^\n]{0,120}?\.)\s*(?=$|It )/;

function withoutTitle(told: string, title: string): string {
  const names = [title, title.replace(/ \([^()]*\)$/, "")];
  const name = names.find((one) => told.startsWith(`${one} `)) ?? "";
  return told.slice(name.length).trim().replace(saysNothing, "");
}

function wordRows(observation: Observation, { paint, columns }: OutputStyle): readonly Shown[] {
  const words = diffOf(observation).length === 0 || !observation.ok ? wordsOf(observation) : [];
  return words.flatMap((row) => besideMargin(paint("quiet", row), { columns, first: say`  ` }));
}

function diffRows(observation: Observation, { paint }: Pick<OutputStyle, "paint">): readonly Shown[] {
  return diffOf(observation).map((row) => say`  ${diffLine(row, paint)}`);
}

function diffOf({ model }: Observation): readonly string[] {
  const text = model.content.find(({ format }) => format === "diff")?.text.trimEnd() ?? "";
  return text === "" ? [] : text.split("\n");
}

function cutAt(most: number, rows: readonly Shown[], { paint }: Pick<OutputStyle, "paint">): readonly Shown[] {
  if (rows.length <= most) return rows;
  const more = rows.length - most + 1;
  return [...rows.slice(0, most - 1), say`  ${paint("quiet", `… ${more} more lines: Ctrl+O`)}`];
}

const mostBytes = 4 * 1_024 * 1_024;

export function wholeOutput(
  observation: Observation,
  { app, agent }: { readonly app: Pick<App, "archive">; readonly agent: Agent },
): Observation {
  const content = observation.model.content.map((block) => {
    const stored = observation.artifacts.find(({ id }) => block.text.includes(`read_artifact id=${id}`));
    const text = stored === undefined ? undefined : readStored(stored, { app, agent });
    return text === undefined ? block : { ...block, ...labelled(block), text };
  });
  return { ...observation, model: { ...observation.model, content } };
}

function labelled({ label }: ContentBlock): Pick<ContentBlock, "label"> {
  return label === undefined ? {} : { label: label.replace(/: excerpts of .*$/, "") };
}

function readStored(
  { id, bytes }: Observation["artifacts"][number],
  { app, agent }: { readonly app: Pick<App, "archive">; readonly agent: Agent },
): string | undefined {
  const archive = app.archive();
  const offset = Math.max(0, bytes - mostBytes);
  const read = archive.ok ? archive.value.artifact(agent.sessionId, id, { offset, length: mostBytes }) : archive;
  if (!read.ok) return undefined;
  const text = new TextDecoder().decode(read.value.content);
  if (text.includes("\0")) return undefined;
  // A cut line may hold half a secret, which redaction would miss.
  const lines = offset === 0 ? text : `[… ${offset} bytes before this]\n${text.slice(text.indexOf("\n") + 1)}`;
  return agent.door.redact(lines);
}

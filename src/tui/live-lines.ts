import { stripVTControlCharacters } from "node:util";
import { joinShown, lines, nothing, type Paint, type Shown, say } from "../cli/render/shown.ts";
import { oneLine } from "../cli/render/table.ts";
import { frames } from "../cli/run/progress.ts";
import { renderLine } from "./markdown.ts";
import type { LiveCall, Screen } from "./screen.ts";

const shownCalls = 8;
const shownQueue = 3;
const writtenLines = 5;

const lineRows = 4;

export function writtenLine(
  { line, fence }: Screen,
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
): Shown {
  const most = Math.max(20, columns - 1) * lineRows;
  if (line === "") return nothing;
  const text = line.length > most ? `…${line.slice(-most)}` : line;
  return joinShown(renderLine(text, { paint, columns }, fence), "\n");
}

export function liveLines(
  screen: Screen,
  options: { readonly paint: Paint; readonly frame: number; readonly columns: number },
): Shown {
  const { paint, frame, columns } = options;
  const room = Math.max(20, columns - 2);
  const spinner = paint("accent", frames[frame % frames.length] ?? "");
  const { line, thought, calls, waiting, working, wanted } = screen;
  const shown = calls.slice(0, shownCalls);
  const rows: Shown[] = [
    ...shown.flatMap((call) => callRows(call, { paint, spinner, room, tailLines: calls.length === 1 ? 6 : 2 })),
    ...(calls.length > shown.length ? [paint("quiet", `… ${calls.length - shown.length} more calls`)] : []),
    ...(waiting === "" ? [] : [say`${spinner} ${paint("warning", oneLine(waiting, room))}`]),
  ];
  if (working && line === "" && rows.length === 0) {
    const words = thought === "" ? "thinking" : oneLine(thought.split("\n").at(-1) ?? "", room - 4);
    rows.push(say`${spinner} ${paint("quiet", words)}`);
  }
  const later = wanted > 0 ? [paint("quiet", "  the output is shown after the answer")] : [];
  return lines([...rows, ...later, ...queueRows(screen, { paint, columns, most: shownQueue })]);
}

export function queueRows(
  { queue }: Pick<Screen, "queue">,
  { paint, columns, most }: { readonly paint: Paint; readonly columns: number; readonly most: number },
): readonly Shown[] {
  const next = queue.slice(0, most);
  const more = queue.length - next.length;
  return [
    ...next.map((text) => paint("quiet", `  queued: ${oneLine(text, Math.max(20, columns - 2) - 11)}`)),
    ...(more > 0 ? [paint("quiet", `  … ${more} more queued`)] : []),
  ];
}

interface RowStyle {
  readonly paint: Paint;
  readonly spinner: Shown;
  readonly room: number;
  readonly tailLines: number;
}

function callRows(call: LiveCall, { paint, spinner, room, tailLines }: RowStyle): readonly Shown[] {
  switch (call.state) {
    case "queued":
      return [say`${paint("quiet", "○")} ${paint("quiet", oneLine(call.title, room))}`];
    case "running":
      return [
        say`${spinner} ${oneLine(call.title, room)}`,
        ...tailRows(call.tail, tailLines).map((row) => paint("quiet", `  │ ${oneLine(row, room - 4)}`)),
        ...(call.progress === "" ? [] : [paint("quiet", `  ${oneLine(call.progress, room - 2)}`)]),
      ];
    case "proposing":
      return proposedRows(call, { paint, spinner, room });
  }
}

function tailRows(tail: string, most: number): readonly string[] {
  const rows = stripVTControlCharacters(tail).split(/\r?\n/);
  return rows.filter((row) => row.trim() !== "").slice(-most);
}

function proposedRows(
  { tool, arguments: json }: LiveCall,
  { paint, spinner, room }: Omit<RowStyle, "tailLines">,
): readonly Shown[] {
  const { fields, writing } = partialInput(json);
  const words = fields.map(({ value }) => value).join(" ");
  const written = writing?.text.split("\n").slice(-writtenLines) ?? [];
  return [
    say`${spinner} ${tool} ${paint("quiet", oneLine(words, room - tool.length - 3))}`,
    ...written.map((row) => paint("quiet", `  │ ${oneLine(row, room - 4)}`)),
  ];
}

interface PartialInput {
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly writing: { readonly name: string; readonly text: string } | undefined;
}

const longFields = new Set(["content", "new_string", "patch", "command"]);

export function partialInput(json: string): PartialInput {
  const fields: { name: string; value: string }[] = [];
  let writing: PartialInput["writing"];
  for (const [, name = "", string, other] of json.matchAll(
    /"((?:[^"\\]|\\.)*)"\s*:\s*(?:"((?:[^"\\]|\\.)*"?)|([^",}\]]+))/g,
  )) {
    const value = string ?? other?.trim() ?? "";
    const complete = string === undefined || /(?:^|[^\\])(?:\\\\)*"$/.test(string);
    if (complete && !longFields.has(name)) fields.push({ name, value: decode(value.replace(/"$/, "")) });
    else writing = { name, text: decode(value.replace(/"$/, "")) };
  }
  return { fields, writing };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

function decode(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|u[0-9a-fA-F]{0,3}$|(.)|$)/g, (_all, hex?: string, character?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return character === undefined ? "" : (escapes[character] ?? character);
  });
}

import { diffLine } from "../cli/render/diff.ts";
import { type Shown, say } from "../cli/render/shown.ts";
import { durationText, oneLine } from "../cli/render/table.ts";
import { besideMargin } from "../cli/render/wrap.ts";
import type { Observation } from "../contract/observation.ts";
import { hasOutput, type OutputStyle, outputRows } from "./call-output.ts";

const longestTitle = 300;
const diffLines = 40;
const mostWords = 8;

/** A call that ended: what it was, how it went, and as much of it as a person wants to see without asking. */
export function callLines(observation: Observation, style: OutputStyle): readonly Shown[] {
  const { paint, columns } = style;
  const diff = observation.model.content.find(({ format }) => format === "diff");
  const words = diff === undefined || !observation.ok ? wordsOf(observation) : [];
  const rows = words.flatMap((row) => besideMargin(paint("quiet", row), { columns, first: say`  ` }));
  return [
    ...headRows(observation, style),
    ...(rows.length > mostWords
      ? [...rows.slice(0, mostWords - 1), moreRow(rows.length - mostWords + 1, style)]
      : rows),
    ...outputRows(observation, style, { whole: false }),
    ...diffRows(diff?.text ?? "", style),
  ];
}

/** All that is known of what it printed. */
export function wholeOutputLines(observation: Observation, style: OutputStyle): readonly Shown[] {
  return [say``, ...headRows(observation, style), ...outputRows(observation, style, { whole: true })];
}

function headRows({ ok, status, title, code, metrics }: Observation, { paint, columns }: OutputStyle) {
  const tone = ok ? "good" : status === "denied" ? "warning" : "bad";
  const mark = ok ? "●" : status === "denied" ? "⊘" : "✗";
  const how = ok ? say`` : say` ${paint(tone, code)}`;
  const time = paint("quiet", durationText(metrics.durationMs));
  const head = say`${paint("strong", oneLine(title, longestTitle))}${how} ${time}`;
  return besideMargin(head, { columns, first: say`${paint(tone, mark)} ` });
}

/**
 * What people are told beside the title and the output. What to do about a failure is advice for the model, unless
 * it names a command that a person could type.
 */
function wordsOf(observation: Observation): readonly string[] {
  const { ok, title, summary, user, recovery = "" } = observation;
  const told = (user.text.trim() === "" ? summary : user.text).trim();
  const rest = hasOutput(observation) ? withoutTitle(told, title) : told === title ? "" : told;
  const advice = !ok && /`gauntlet |\bgauntlet [a-z]+ /.test(recovery) ? recovery : "";
  return [...new Set([...rest.split("\n"), ...advice.split("\n")])].filter((row) => row.trim() !== "");
}

/** Sentences that only repeat what stands above and below them. */
const saysNothing = /^(?:finished with exit code 0\.|The server \S+ answered [^\n]{0,120}?\.)\s*(?=$|It )/;

function withoutTitle(told: string, title: string): string {
  const names = [title, title.replace(/ \([^()]*\)$/, "")];
  const name = names.find((one) => told.startsWith(`${one} `)) ?? "";
  return told.slice(name.length).trim().replace(saysNothing, "");
}

function moreRow(more: number, { paint }: Pick<OutputStyle, "paint">): Shown {
  return say`  ${paint("quiet", `… ${more} more lines`)}`;
}

function diffRows(diff: string, { paint }: Pick<OutputStyle, "paint">): readonly Shown[] {
  const all = diff.trimEnd() === "" ? [] : diff.trimEnd().split("\n");
  const shown = all.length > diffLines ? all.slice(0, diffLines - 1) : all;
  const more = all.length - shown.length;
  return [...shown.map((row) => say`  ${diffLine(row, paint)}`), ...(more === 0 ? [] : [moreRow(more, { paint })])];
}

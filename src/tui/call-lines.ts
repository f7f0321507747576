import { diffLine } from "../cli/render/diff.ts";
import { type Shown, say } from "../cli/render/shown.ts";
import { durationText, oneLine } from "../cli/render/table.ts";
import { besideMargin } from "../cli/render/wrap.ts";
import type { Observation } from "../contract/observation.ts";
import { hasOutput, type OutputStyle, outputRows } from "./call-output.ts";

const longestTitle = 300;
const mostDiff = 40;
const mostWords = 8;

/** A call that ended: what it was, how it went, and as much of it as a person wants to see without asking. */
export function callLines(observation: Observation, style: OutputStyle): readonly Shown[] {
  return [
    ...headRows(observation, style),
    ...cutAt(mostWords, wordRows(observation, style), style),
    ...outputRows(observation, style, { whole: false }),
    ...cutAt(mostDiff, diffRows(observation, style), style),
  ];
}

/** All that is known of what it printed and changed. */
export function wholeOutputLines(observation: Observation, style: OutputStyle): readonly Shown[] {
  return [
    say``,
    ...headRows(observation, style),
    ...wordRows(observation, style),
    ...outputRows(observation, style, { whole: true }),
    ...diffRows(observation, style),
  ];
}

/** More is known of it than is shown without asking. */
function hasMore(observation: Observation): boolean {
  return hasOutput(observation) || diffOf(observation).length > mostDiff || wordsOf(observation).length > mostWords;
}

const keptOutputs = 5;

/** The last calls that there is more to see of, newest last. */
export function keepOutput(outputs: readonly Observation[], observation: Observation): readonly Observation[] {
  return hasMore(observation) ? [...outputs, observation].slice(-keptOutputs) : outputs;
}

function headRows({ ok, status, title, code, metrics }: Observation, { paint, columns }: OutputStyle) {
  const tone = ok ? "good" : status === "denied" ? "warning" : "bad";
  const mark = ok ? "●" : status === "denied" ? "⊘" : "✗";
  const how = ok ? say`` : say` ${paint(tone, code)}`;
  // Of what was denied it is the time that somebody thought about it.
  const time = status === "denied" ? say`` : say` ${paint("quiet", durationText(metrics.durationMs))}`;
  const head = say`${paint("strong", oneLine(title, longestTitle))}${how}${time}`;
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

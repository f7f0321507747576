import { groupedNumber } from "../../base/text.ts";
import type { PipedData } from "../../contract/events/run.ts";
import type { Observation } from "../../contract/observation.ts";
import { delimited, withoutMarks } from "./delimit.ts";

/**
 * The model's view of an observation. Our own text comes first; text from outside is between marks that it cannot
 * forge. Already bounded, so nothing is dropped here.
 */
export function presentObservation(observation: Observation): string {
  const { ok, summary, recovery = "", model } = observation;
  const { truncated, omittedBytes, next } = model;
  // The content of a refusal repeats the statement.
  const isSaid = (text: string) => !ok && text.trim() === `${summary}\n${recovery}`.trim();
  const blocks = model.content.filter(({ text, label }) => label !== undefined || !isSaid(text));
  return [
    ...statement(observation),
    ...blocks.map(({ format, label, text }) =>
      delimited("untrusted-output", text, {
        ...(label !== undefined && { label }),
        ...(format !== "text" && { format }),
      }),
    ),
    ...(truncated ? [`truncated: ${omittedBytes} bytes are not shown`] : []),
    ...(next === undefined ? [] : [`next: ${next.tool} ${withoutMarks(JSON.stringify(next.input))}`]),
  ].join("\n");
}

export const neverRan = "error interrupted: Interrupted before it ran; nothing happened.";

function statement(observation: Observation): readonly string[] {
  const { ok, status, code, field, recovery, effects } = observation;
  const summary = withoutMarks(observation.summary);
  if (ok) return [summary];
  return [
    `${status === "denied" ? "denied" : "error"} ${code}: ${summary}`,
    ...(field === undefined ? [] : [`field: ${withoutMarks(field)}`]),
    ...(effects.happened === "nothing" || effects.happened === "done" ? [] : [`effects: ${effects.happened}`]),
    ...(recovery === undefined ? [] : [`recovery: ${withoutMarks(recovery)}`]),
  ];
}

export const standardInput = "standard input";

export function presentPiped({ text, bytes, lines, omittedBytes, artifact }: PipedData): string {
  const size = `${groupedNumber(bytes)} bytes in ${groupedNumber(lines)} ${lines === 1 ? "line" : "lines"}`;
  return [
    `Piped in with the message: ${size}.`,
    delimited("untrusted-output", text, { label: omittedBytes > 0 ? `${standardInput}, excerpts` : standardInput }),
    ...(omittedBytes > 0
      ? [`truncated: ${omittedBytes} bytes are not shown`, `next: read_artifact ${JSON.stringify({ id: artifact })}`]
      : []),
  ].join("\n");
}

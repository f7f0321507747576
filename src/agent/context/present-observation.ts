import type { ContentBlock, Observation } from "../../contract/observation.ts";
import { delimited, withoutMarks } from "./delimit.ts";

/**
 * What the model reads of an observation, in the role of tools. Our own words come first; whatever a tool brought
 * from outside stands between marks that it cannot write. Bounded already, and nothing is left out here.
 */
export function presentObservation(observation: Observation): string {
  const blocks = observation.model.content.filter((block) => !isSaid(block, observation));
  return [...statement(observation), ...blocks.map(presentBlock), ...whatFollows(observation)].join("\n");
}

/** For a call that never came to an observation. */
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

/** A refusal says in its content what stands in the statement already. */
function isSaid({ text, label }: ContentBlock, { ok, summary, recovery = "" }: Observation): boolean {
  return !ok && label === undefined && text.trim() === `${summary}\n${recovery}`.trim();
}

function presentBlock({ format, label, text }: ContentBlock): string {
  return delimited("untrusted-output", text, {
    ...(label !== undefined && { label }),
    ...(format === "text" ? {} : { format }),
  });
}

function whatFollows({ model: { truncated, omittedBytes, next } }: Observation): readonly string[] {
  return [
    ...(truncated ? [`truncated: ${omittedBytes} bytes are not shown`] : []),
    ...(next === undefined ? [] : [`next: ${next.tool} ${withoutMarks(JSON.stringify(next.input))}`]),
  ];
}

import type { Agent } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import type { ContentBlock, Observation } from "../contract/observation.ts";

/** Of a longer output its last part. */
const mostBytes = 4 * 1_024 * 1_024;

/** The observation with the stored output in place of the excerpts that the model was shown. */
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
  // A line that was cut may hold half of a secret, which would not be recognised.
  const lines = offset === 0 ? text : `[… ${offset} bytes before this]\n${text.slice(text.indexOf("\n") + 1)}`;
  return agent.door.redact(lines);
}

import type { ProjectedMessage } from "../../contract/app/archive.ts";
import type { Event } from "../../contract/events/index.ts";

/** What the next model turn is given of this event; most events are not part of the conversation. */
export function projectMessage(event: Event): ProjectedMessage | undefined {
  switch (event.type) {
    case "tool_intent.proposed": {
      const { intentId, tool, input } = event.data;
      return { role: "intent", intentId, tool, input };
    }
    case "tool.observed": {
      const { intentId, tool, ok, summary, model } = event.data.observation;
      return { role: "observation", intentId, tool, ok, summary, content: model.content };
    }
    default:
      return undefined;
  }
}

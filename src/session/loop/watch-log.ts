import type { Event } from "../../contract/events/index.ts";
import type { SessionLog } from "../../contract/store.ts";

/**
 * The same log, with somebody told about every event once it is stored and folded: first the log, then the state,
 * then whatever is projected from it.
 */
export function watchLog(log: SessionLog, told: (event: Event) => void): SessionLog {
  return {
    id: log.id,
    state: log.state,
    append(drafts) {
      const stored = log.append(drafts);
      if (stored.ok) for (const event of stored.value) told(event);
      return stored;
    },
    events: (range) => log.events(range),
    hasIntent: (id) => log.hasIntent(id),
    close: () => log.close(),
  };
}

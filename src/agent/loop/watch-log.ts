import type { Event } from "../../contract/events/index.ts";
import type { SessionLog } from "../../contract/store.ts";

/**
 * The same log, with somebody told about every event once it is chained and folded: first the log, then the state,
 * then whatever is projected from it.
 */
export function watchLog(log: SessionLog, told: (event: Event) => void): SessionLog {
  const telling = (stored: ReturnType<SessionLog["append"]>) => {
    if (stored.ok) for (const event of stored.value) told(event);
    return stored;
  };
  return {
    id: log.id,
    state: log.state,
    append: (drafts) => telling(log.append(drafts)),
    appendTogether: async (drafts) => telling(await log.appendTogether(drafts)),
    note: (drafts) => telling(log.note(drafts)),
    events: (range) => log.events(range),
    hasIntent: (id) => log.hasIntent(id),
    close: () => log.close(),
  };
}

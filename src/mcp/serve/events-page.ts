import type { ReadResourceResult, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import type { Archive } from "../../contract/app/archive.ts";
import type { Event } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";
import { eventsUri, templates } from "./addresses.ts";
import { untrusted } from "./observation-facts.ts";

/** `read`: in characters, with what of long ones is not shown. Reading keeps other calls waiting. */
const most = { events: 500, bytes: 1024 * 1024, read: 8 * 1024 * 1024 };
/** So many are read at first, and twice as many each time after: any of them may be very large. */
const firstStretch = 4;
const longestEvent = 64 * 1024;
/** Characters of the data of a longer one. */
const shownOfLonger = 4 * 1024;

export const eventsResource: Resource = {
  uri: eventsUri,
  name: "events",
  description: `The session's log as JSON lines, up to ${most.events} events or 1 MiB at a time; ?from=N goes on.`,
  mimeType: "application/x-ndjson",
};

export const eventsTemplate: ResourceTemplateType = {
  uriTemplate: templates.events,
  name: "events",
  description: "The session's log from one event on.",
};

/** `undefined` when the log cannot be read. */
export function eventsPage(
  log: Pick<Archive, "events">,
  session: SessionId,
  { uri, from }: { readonly uri: string; readonly from: number },
): ReadResourceResult | undefined {
  const lines: string[] = [];
  let bytes = 0;
  let read = 0;
  let next = from;
  const pageOf = (more: boolean): ReadResourceResult => {
    const goesOn = more ? { "gauntlet/next": `${eventsUri}?from=${next}` } : {};
    const page = { uri, mimeType: "application/x-ndjson", text: lines.join("") };
    return { contents: [{ ...page, _meta: { ...untrusted, ...goesOn } }] };
  };
  for (let stretch = firstStretch; ; stretch *= 2) {
    const events = log.events(session, { from: next, limit: stretch });
    if (!events.ok) return undefined;
    let count = 0;
    for (const event of events.value) {
      const whole = `${JSON.stringify(event)}\n`;
      const line = Buffer.byteLength(whole) <= longestEvent ? whole : cutLine(event, session);
      bytes += Buffer.byteLength(line);
      const isFull = lines.length === most.events || bytes > most.bytes || read > most.read;
      if (isFull) return pageOf(true);
      lines.push(line);
      count += 1;
      read += whole.length;
      next = event.seq + 1;
    }
    if (count < stretch) return pageOf(false);
  }
}

/** Still a line of JSON. */
function cutLine(event: Event, session: SessionId): string {
  const data = JSON.stringify(event.data);
  const beginning = data.slice(0, shownOfLonger);
  const whole = `gauntlet sessions events ${session} --from ${event.seq} --limit 1 --json`;
  const cut = `These are the first ${beginning.length} of ${data.length} characters. All of it: ${whole}`;
  return `${JSON.stringify({ ...event, data: { beginning }, cut })}\n`;
}

import type { ReadResourceResult, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import type { Archive } from "../../contract/app/archive.ts";
import type { Door } from "../../contract/app/door.ts";
import type { Unanswered } from "../../contract/app/policy.ts";
import type { Event } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { PermissionRequest } from "../../contract/verdict.ts";
import { artifactUri, eventsUri, parseAddress, pendingUri, templates } from "./addresses.ts";
import { untrusted } from "./contents.ts";
import type { ClientExchange, McpOffer, Refused } from "./offer.ts";
import { refusalOf } from "./results.ts";
import type { ClientCalls } from "./tools.ts";

const pageBytes = 256 * 1024;
const binaryProbe = 8_192;
/** A secret may start or end this far outside a page. */
const secretMargin = 64 * 1024;
const mostListed = 200;

export function sessionResources(
  door: () => Door,
  parts: {
    readonly archive: () => Archive | undefined;
    readonly unanswered: Unanswered;
    readonly calls: Pick<ClientCalls, "callWithoutAsking">;
    readonly severalClients: boolean;
  },
): NonNullable<McpOffer["resources"]> {
  const { archive, unanswered, calls, severalClients } = parts;

  async function readArtifact(
    log: Archive,
    { uri, id, offset }: { readonly uri: string; readonly id: string; readonly offset: number },
    exchange: ClientExchange,
  ): Promise<ReadResourceResult | Refused | undefined> {
    const session = door().sessionId;
    const pageAt = (next: unknown) => (typeof next === "number" ? `${artifactUri(id)}?offset=${next}` : undefined);
    const beginning = log.artifact(session, id, { offset: 0, length: binaryProbe });
    if (!beginning.ok) return undefined;
    const request = { name: "read_artifact", input: { id, offset_bytes: offset } };
    const observation = await calls.callWithoutAsking(request, exchange);
    if (observation.ok) {
      const { content, next } = observation.model;
      const text = content.map(({ text: shown }) => shown).join("\n");
      return page({ uri, mimeType: "text/plain", text }, pageAt(next?.input.offset_bytes));
    }
    // The tool refuses binary content, but its call is on record.
    const isBinary = beginning.value.content.includes(0) && observation.code === "runtime_precondition_failed";
    if (!isBinary) return refusalOf(observation);
    const from = Math.max(0, offset - secretMargin);
    const around = log.artifact(session, id, { offset: from, length: offset - from + pageBytes + secretMargin });
    if (!around.ok) return undefined;
    if (holdsSecret(around.value.content)) return withheld(uri);
    const bytes = around.value.content.subarray(offset - from, offset - from + pageBytes);
    const end = offset + bytes.byteLength;
    const blob = Buffer.from(bytes).toString("base64");
    return page({ uri, mimeType: "application/octet-stream", blob }, pageAt(end < around.value.ref.bytes ? end : null));
  }

  function holdsSecret(bytes: Uint8Array): boolean {
    const text = Buffer.from(bytes).toString("latin1");
    return [text, text.replaceAll("\0", "")].some((one) => door().redact(one) !== one);
  }

  return {
    list() {
      const kept = archive()?.artifacts(door().sessionId);
      return [
        ...(severalClients ? [] : [eventsResource]),
        {
          uri: pendingUri,
          name: "pending",
          description: "Calls that wait for approval.",
          mimeType: "application/json",
        },
        ...(kept?.ok ? kept.value : [])
          .slice(-mostListed)
          .map(({ id, kind, bytes }) => ({ uri: artifactUri(id), name: kind, size: bytes })),
      ];
    },
    templates: () => [
      {
        uriTemplate: templates.artifact,
        name: "artifact",
        description: "Stored output of a call, one page at a time.",
      },
      ...(severalClients ? [] : [eventsTemplate]),
    ],
    async read(uri, exchange) {
      const address = parseAddress(uri);
      const log = archive();
      if (address === undefined || log === undefined) return undefined;
      switch (address.kind) {
        case "pending": {
          const text = JSON.stringify(waiting(door(), unanswered), null, 2);
          return page({ uri, mimeType: "application/json", text }, undefined);
        }
        case "events":
          return severalClients ? undefined : eventsPage(log, door().sessionId, { uri, from: address.from });
        case "artifact":
          return readArtifact(log, { uri, ...address }, exchange);
      }
    },
  };
}

function waiting({ state, redact }: Door, unanswered: Unanswered) {
  const kept = unanswered.list();
  const described = ({ id, tool, prompt, requestedAt, expiresAt }: PermissionRequest, answer: string) => {
    const { title, action, effects, risk, reason } = redact(prompt);
    return { id, tool, title, action, effects, risk, reason, requestedAt, expiresAt, answer };
  };
  return [
    ...[...state.pending.values()].map((request) => described(request, "at the client that made the call")),
    ...(kept.ok ? kept.value : []).map((request) =>
      described(request, `gauntlet mcp answer ${request.id} allow|deny, then repeat the call`),
    ),
  ];
}

function withheld(uri: string): Refused {
  const summary = `${uri} is binary and seems to contain a secret, so it is withheld.`;
  return { refused: { message: `policy_denied: ${summary}`, facts: { ok: false, code: "policy_denied", summary } } };
}

function page(content: ReadResourceResult["contents"][number], next: string | undefined): ReadResourceResult {
  const more = next === undefined ? {} : { "gauntlet/next": next };
  return { contents: [{ ...content, _meta: { ...untrusted, ...more } }] };
}

const most = { events: 500, bytes: 1024 * 1024, read: 8 * 1024 * 1024 };
const longestEvent = 64 * 1024;
const shownOfLonger = 4 * 1024;

const eventsResource: Resource = {
  uri: eventsUri,
  name: "events",
  description: `The session's log as JSON lines, up to ${most.events} events or 1 MiB per page; ?from=N continues.`,
  mimeType: "application/x-ndjson",
};

const eventsTemplate: ResourceTemplateType = {
  uriTemplate: templates.events,
  name: "events",
  description: "The session's log, starting at one event.",
};

function eventsPage(
  log: Pick<Archive, "events">,
  session: SessionId,
  { uri, from }: { readonly uri: string; readonly from: number },
): ReadResourceResult | undefined {
  const lines: string[] = [];
  let bytes = 0;
  let read = 0;
  let next: number | undefined;
  const events = log.events(session, { from, limit: most.events + 1 });
  if (!events.ok) return undefined;
  for (const event of events.value) {
    const whole = `${JSON.stringify(event)}\n`;
    const line = Buffer.byteLength(whole) <= longestEvent ? whole : cutLine(event, session);
    bytes += Buffer.byteLength(line);
    if (lines.length === most.events || bytes > most.bytes || read > most.read) {
      next = event.seq;
      break;
    }
    lines.push(line);
    read += whole.length;
  }
  const content = { uri, mimeType: "application/x-ndjson", text: lines.join("") };
  return page(content, next === undefined ? undefined : `${eventsUri}?from=${next}`);
}

function cutLine(event: Event, session: SessionId): string {
  const data = JSON.stringify(event.data);
  const beginning = data.slice(0, shownOfLonger);
  const whole = `gauntlet sessions events ${session} --from ${event.seq} --limit 1 --json`;
  const cut = `The first ${beginning.length} of ${data.length} characters. Full event: ${whole}`;
  return `${JSON.stringify({ ...event, data: { beginning }, cut })}\n`;
}

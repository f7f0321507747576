import type { ReadResourceResult, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import type { Archive } from "../../contract/app/archive.ts";
import type { Door } from "../../contract/app/door.ts";
import type { Unanswered } from "../../contract/app/policy.ts";
import type { Event } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { PermissionRequest } from "../../contract/verdict.ts";
import { artifactUri, eventsUri, parseAddress, pendingUri, templates } from "./addresses.ts";
import { untrusted } from "./contents.ts";
import type { Exchange, Offer, Refused } from "./offer.ts";
import { refusalOf } from "./results.ts";
import type { ClientCalls } from "./tools.ts";

const pageBytes = 256 * 1024;
const binaryProbe = 8_192;
/** How far around a page secrets are looked for that reach into it. */
const secretMargin = 64 * 1024;
const mostListed = 200;

export function sessionResources(
  door: () => Door,
  {
    archive,
    unanswered,
    calls,
    severalClients,
  }: {
    readonly archive: () => Archive | undefined;
    readonly unanswered: Unanswered;
    readonly calls: Pick<ClientCalls, "callWithoutAsking">;
    readonly severalClients: boolean;
  },
): NonNullable<Offer["resources"]> {
  async function readText(
    uri: string,
    { id, offset }: { readonly id: string; readonly offset: number },
    exchange: Exchange,
  ): Promise<ReadResourceResult | Refused> {
    const observation = await calls.callWithoutAsking(
      { name: "read_artifact", input: { id, offset_bytes: offset } },
      exchange,
    );
    if (!observation.ok) return refusalOf(observation);
    const { content, next } = observation.model;
    const written = content.map(({ text: shown }) => shown).join("\n");
    return page(uri, { mimeType: "text/plain", text: written }, { next: next?.input.offset_bytes });
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
          description: "What needs a person's agreement and has not got it.",
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
        description: "Kept output of a call, a page at a time.",
      },
      ...(severalClients ? [] : [eventsTemplate]),
    ],
    async read(uri, exchange) {
      const address = parseAddress(uri);
      const log = archive();
      if (address === undefined || log === undefined) return undefined;
      const session = door().sessionId;
      switch (address.kind) {
        case "pending":
          return text(uri, "application/json", JSON.stringify(waiting(door(), unanswered), null, 2));
        case "events":
          return severalClients ? undefined : eventsPage(log, session, { uri, from: address.from });
        case "artifact": {
          const beginning = log.artifact(session, address.id, { offset: 0, length: binaryProbe });
          if (!beginning.ok) return undefined;
          const read = await readText(uri, address, exchange);
          if (!isRefused(read) || !beginning.value.content.includes(0) || isDenied(read)) return read;
          // That they were asked for is on record.
          const { id, offset } = address;
          const from = Math.max(0, offset - secretMargin);
          const around = log.artifact(session, id, { offset: from, length: offset - from + pageBytes + secretMargin });
          if (!around.ok) return undefined;
          if (holdsSecret(around.value.content)) return heldBack(uri);
          const content = around.value.content.subarray(offset - from, offset - from + pageBytes);
          return bytesPage(uri, offset, { ref: around.value.ref, content });
        }
      }
    },
  };
}

function waiting(door: Door, unanswered: Unanswered) {
  const kept = unanswered.list();
  return [
    ...[...door.state.pending.values()].map((request) => described(door, request, "at the client that made the call")),
    ...(kept.ok ? kept.value : []).map((request) =>
      described(door, request, `gauntlet mcp answer ${request.id} allow|deny, then the same call again`),
    ),
  ];
}

function described(
  { redact }: Pick<Door, "redact">,
  { id, tool, prompt, requestedAt, expiresAt }: PermissionRequest,
  answer: string,
) {
  const { title, action, effects, risk, reason } = redact(prompt);
  return { id, tool, title, action, effects, risk, reason, requestedAt, expiresAt, answer };
}

function isRefused(read: ReadResourceResult | Refused): read is Refused {
  return "refused" in read;
}

function isDenied({ refused }: Refused): boolean {
  return refused.facts.code !== "runtime_precondition_failed";
}

function heldBack(uri: string): Refused {
  const message = `${uri} is no text and holds what looks like a secret, so its bytes are not given.`;
  return {
    refused: { message: `policy_denied: ${message}`, facts: { ok: false, code: "policy_denied", summary: message } },
  };
}

function bytesPage(
  uri: string,
  offset: number,
  { ref, content }: { readonly ref: { readonly bytes: number }; readonly content: Uint8Array },
): ReadResourceResult {
  const end = offset + content.byteLength;
  const blob = Buffer.from(content).toString("base64");
  return page(uri, { mimeType: "application/octet-stream", blob }, { next: end < ref.bytes ? end : undefined });
}

function page(
  uri: string,
  content: { readonly mimeType: string } & ({ readonly text: string } | { readonly blob: string }),
  { next }: { readonly next: unknown },
): ReadResourceResult {
  const more = typeof next === "number" ? { "gauntlet/next": `${uri.split("?")[0]}?offset=${next}` } : {};
  return { contents: [{ uri, ...content, _meta: { ...untrusted, ...more } }] };
}

function text(uri: string, mimeType: string, content: string): ReadResourceResult {
  return { contents: [{ uri, mimeType, text: content, _meta: untrusted }] };
}

const most = { events: 500, bytes: 1024 * 1024, read: 8 * 1024 * 1024 };
const firstStretch = 4;
const longestEvent = 64 * 1024;
const shownOfLonger = 4 * 1024;

const eventsResource: Resource = {
  uri: eventsUri,
  name: "events",
  description: `The session's log as JSON lines, up to ${most.events} events or 1 MiB at a time; ?from=N goes on.`,
  mimeType: "application/x-ndjson",
};

const eventsTemplate: ResourceTemplateType = {
  uriTemplate: templates.events,
  name: "events",
  description: "The session's log from one event on.",
};

function eventsPage(
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

function cutLine(event: Event, session: SessionId): string {
  const data = JSON.stringify(event.data);
  const beginning = data.slice(0, shownOfLonger);
  const whole = `gauntlet sessions events ${session} --from ${event.seq} --limit 1 --json`;
  const cut = `These are the first ${beginning.length} of ${data.length} characters. All of it: ${whole}`;
  return `${JSON.stringify({ ...event, data: { beginning }, cut })}\n`;
}

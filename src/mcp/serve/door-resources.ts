import type { ReadResourceResult } from "@modelcontextprotocol/server";
import type { Archive } from "../../contract/archive.ts";
import type { Door } from "../../contract/door.ts";
import type { Unanswered } from "../../contract/unanswered.ts";
import type { PermissionRequest } from "../../contract/verdict.ts";
import { artifactUri, eventsUri, parseAddress, pendingUri, templates } from "./addresses.ts";
import type { Offer } from "./offer.ts";

const pageBytes = 256 * 1024;
const pageEvents = 500;
const mostListed = 200;
const untrusted = { "gauntlet/trust": "tool_output_untrusted" };

/** The session's log, what its tools left, and what waits for a person. All of it to read. */
export function doorResources(
  door: () => Door,
  archive: () => Archive | undefined,
  unanswered: Unanswered,
): NonNullable<Offer["resources"]> {
  return {
    list() {
      const kept = archive()?.artifacts(door().sessionId);
      return [
        {
          uri: eventsUri,
          name: "events",
          description: `The session's log as JSON lines, ${pageEvents} events at a time; ?from=N goes on.`,
          mimeType: "application/x-ndjson",
        },
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
        description: `Kept output of a call, ${pageBytes} bytes at a time.`,
      },
      { uriTemplate: templates.events, name: "events", description: "The session's log from one event on." },
    ],
    async read(uri) {
      const address = parseAddress(uri);
      const log = archive();
      if (address === undefined || log === undefined) return undefined;
      const session = door().sessionId;
      switch (address.kind) {
        case "pending":
          return text(uri, "application/json", JSON.stringify(waiting(door(), unanswered), null, 2));
        case "events": {
          const events = log.events(session, { from: address.from, limit: pageEvents });
          if (!events.ok) return undefined;
          const lines = [...events.value].map((event) => `${JSON.stringify(event)}\n`);
          return text(uri, "application/x-ndjson", lines.join(""));
        }
        case "artifact": {
          const { id, offset } = address;
          const page = log.artifact(session, id, { offset, length: pageBytes });
          return page.ok ? artifactPage(uri, offset, page.value) : undefined;
        }
      }
    },
  };
}

/** How a person answers stands with each, so that whoever reads it can say so. */
function waiting(door: Door, unanswered: Unanswered) {
  const kept = unanswered.list();
  return [
    ...[...door.state.pending.values()].map((request) => described(request, "at the client that made the call")),
    ...(kept.ok ? kept.value : []).map((request) =>
      described(request, `gauntlet mcp answer ${request.id} allow|deny, then the same call again`),
    ),
  ];
}

function described({ id, tool, prompt, requestedAt, expiresAt }: PermissionRequest, answer: string) {
  const { title, action, effects, risk, reason } = prompt;
  return { id, tool, title, action, effects, risk, reason, requestedAt, expiresAt, answer };
}

function artifactPage(
  uri: string,
  offset: number,
  { ref, content }: { readonly ref: { readonly bytes: number }; readonly content: Uint8Array },
): ReadResourceResult {
  const end = offset + content.byteLength;
  const meta = {
    ...untrusted,
    "gauntlet/bytes": ref.bytes,
    ...(end < ref.bytes ? { "gauntlet/next": `${uri.split("?")[0]}?offset=${end}` } : {}),
  };
  const bytes = Buffer.from(content);
  return {
    contents: [
      bytes.includes(0)
        ? { uri, mimeType: "application/octet-stream", blob: bytes.toString("base64"), _meta: meta }
        : { uri, mimeType: "text/plain", text: bytes.toString("utf8"), _meta: meta },
    ],
  };
}

function text(uri: string, mimeType: string, content: string): ReadResourceResult {
  return { contents: [{ uri, mimeType, text: content, _meta: untrusted }] };
}

import { isUtf8 } from "node:buffer";
import type { ContentBlock, GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { isPlainName, longestAddress } from "../../base/text.ts";
import type { Observation } from "../../contract/observation.ts";
import { boundedLine } from "../tools/bounded-text.ts";
import { serverLabel } from "../tools/call-result.ts";
import { artifactUri, type ServerAddress, serverUri } from "./addresses.ts";

export type ReadBytes = (artifact: string) => Uint8Array | undefined;

const words = z.string().optional();
const pieces = z.array(
  z.object({
    uri: words,
    mediaType: words,
    artifact: words,
    role: z.enum(["user", "assistant"]).optional(),
    link: z.object({ uri: z.string(), name: z.string(), description: words, mediaType: words }).optional(),
  }),
);
type Facts = z.infer<typeof pieces>[number];

interface Passed extends Facts {
  readonly text: string;
  readonly bytes?: Uint8Array;
}

type Contents = ReadResourceResult["contents"];
const longest = { name: 200, words: 2_000 };

export function readResult(observation: Observation, asked: ServerAddress, readBytes: ReadBytes): ReadResourceResult {
  const contents = wholeOf(observation, asked.server, readBytes).map((passed) => {
    const uri = passed.uri !== undefined && leadsSomewhere(passed.uri) ? passed.uri : asked.uri;
    return contentsAt(serverUri({ server: asked.server, uri }), passed);
  });
  const uri = serverUri(asked);
  const whole: Contents = contents.length === 0 ? [{ uri, text: "", _meta: untrusted }] : contents;
  return { contents: whole, _meta: metaOf(observation) };
}

export function promptResult(observation: Observation, server: string, readBytes: ReadBytes): GetPromptResult {
  const messages = wholeOf(observation, server, readBytes).map((passed) => ({
    role: passed.role ?? ("user" as const),
    content: blockOf(passed, server),
  }));
  return { messages, _meta: metaOf(observation) };
}

export function resultBlocks(
  observation: Observation,
  server: string | undefined,
  readBytes: ReadBytes | undefined,
): { readonly blocks: readonly ContentBlock[]; readonly given: ReadonlySet<string> } {
  const given = new Set<string>();
  if (server === undefined || readBytes === undefined) {
    return { blocks: observation.model.content.map((block) => ({ type: "text", text: spoken(block, server) })), given };
  }
  const blocks = passedOf(observation, server, readBytes).map((passed) => {
    const block = blockOf(passed, server);
    if (passed.artifact !== undefined && passed.bytes !== undefined && block.type !== "text")
      given.add(passed.artifact);
    return block;
  });
  return { blocks, given };
}

function metaOf(observation: Observation) {
  return { ...untrusted, "gauntlet/observation": factsOf(observation) };
}

function wholeOf(observation: Observation, server: string, readBytes: ReadBytes): readonly Passed[] {
  const { model, artifacts } = observation;
  const passed = passedOf(observation, server, readBytes).map((one) =>
    one.artifact === undefined || one.bytes !== undefined
      ? one
      : { ...one, text: `${one.text} Read it at ${artifactUri(one.artifact)}` },
  );
  const [whole] = artifacts.filter(({ kind }) => kind === "tool_output").slice(-1);
  if (!model.truncated || whole === undefined) return passed;
  return [...passed, { text: `gauntlet\nTruncated. Full text: ${artifactUri(whole.id)}` }];
}

function passedOf({ model, data = {} }: Observation, server: string, readBytes: ReadBytes): readonly Passed[] {
  const facts = (data.pieces === undefined ? [] : (pieces.safeParse(data.pieces).data ?? [])).values();
  return model.content.map((block): Passed => {
    const isServers = block.label?.startsWith(serverLabel(server)) === true;
    const about = isServers ? facts.next().value : undefined;
    if (about === undefined || Object.keys(about).length === 0) return { text: spoken(block, server) };
    const { mediaType, ...rest } = about;
    const bytes = about.artifact === undefined ? undefined : realBytes(readBytes(about.artifact));
    if (bytes !== undefined) return { ...about, text: block.text, bytes };
    // Part of a text no longer has its media type.
    const isWhole = about.artifact === undefined && !model.truncated;
    return { ...rest, mediaType: isWhole ? mediaType : undefined, text: block.text };
  });
}

function spoken({ label, text }: Observation["model"]["content"][number], server: string | undefined): string {
  const isServers = server !== undefined && label === serverLabel(server);
  return label === undefined || isServers ? text : `${label}\n${text}`;
}

function realBytes(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes === undefined || (isUtf8(bytes) && !bytes.includes(0)) ? undefined : bytes;
}

function contentsAt(uri: string, { text, bytes, mediaType }: Passed): Contents[number] {
  return { uri, mimeType: mediaType, _meta: untrusted, ...(bytes === undefined ? { text } : { blob: base64(bytes) }) };
}

function blockOf(passed: Passed, server: string): ContentBlock {
  const { uri, link, mediaType = "", text, bytes } = passed;
  if (link !== undefined && leadsSomewhere(link.uri)) {
    return {
      type: "resource_link",
      uri: serverUri({ server, uri: link.uri }),
      name: boundedLine(link.name, longest.name),
      description: link.description && boundedLine(link.description, longest.words),
      mimeType: link.mediaType && boundedLine(link.mediaType, longest.name),
      _meta: untrusted,
    };
  }
  if (uri !== undefined) {
    return leadsSomewhere(uri)
      ? { type: "resource", resource: contentsAt(serverUri({ server, uri }), passed) }
      : { type: "text", text: `${serverLabel(server)}: ${uri}\n${text}` };
  }
  const [kind] = mediaType.split("/");
  if (bytes !== undefined && (kind === "image" || kind === "audio")) {
    return { type: kind, data: base64(bytes), mimeType: mediaType };
  }
  return { type: "text", text };
}

function leadsSomewhere(uri: string): boolean {
  return isPlainName(uri, longestAddress) && !/\[redacted:|[<>]/.test(uri);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

export const untrusted = { "gauntlet/trust": "tool_output_untrusted" } as const;

export function factsOf(
  { ok, code, summary, field, auditId, artifacts, model, intentId, effects, retryable }: Observation,
  { request, recovery }: { readonly request?: string; readonly recovery?: string | undefined } = {},
): Readonly<Record<string, unknown>> {
  return {
    ok,
    code,
    summary,
    recovery,
    request,
    field,
    happened: effects.happened,
    retryable,
    truncated: model.truncated,
    next: model.next,
    artifacts: artifacts.map(({ kind, id, bytes }) => ({ kind, id, bytes })),
    intentId,
    auditId,
  };
}

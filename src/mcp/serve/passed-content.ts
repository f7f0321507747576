import type { ContentBlock, GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Observation } from "../../contract/observation.ts";
import { artifactUri, type ServerAddress, serverUri } from "./addresses.ts";
import { factsOf } from "./observation-result.ts";

/** Bytes of an artifact of this session; nothing for one that is too large to be sent at once. */
export type ReadBytes = (artifact: string) => Uint8Array | undefined;

const pieces = z.array(
  z.object({
    uri: z.exactOptional(z.string()),
    mediaType: z.exactOptional(z.string()),
    artifact: z.exactOptional(z.string()),
    role: z.exactOptional(z.enum(["user", "assistant"])),
  }),
);
type Facts = z.infer<typeof pieces>[number];

/** One piece of what a server gave, as bounding and redaction left it. */
interface Passed extends Facts {
  readonly text: string;
  readonly bytes?: Uint8Array;
}

type Contents = ReadResourceResult["contents"];

/** Everything in it stands below the address that was asked for, or below another one of the same server. */
export function readResult(observation: Observation, asked: ServerAddress, readBytes: ReadBytes): ReadResourceResult {
  const contents = passedOf(observation, readBytes).map((passed) => {
    const { uri = asked.uri } = passed;
    return contentsAt(serverUri({ server: asked.server, uri }), passed);
  });
  const uri = serverUri(asked);
  const whole: Contents = contents.length === 0 ? [{ uri, text: "", _meta: untrusted }] : contents;
  return { contents: whole, _meta: metaOf(observation) };
}

export function promptResult(observation: Observation, server: string, readBytes: ReadBytes): GetPromptResult {
  const messages = passedOf(observation, readBytes).map((passed) => ({
    role: passed.role ?? ("user" as const),
    content: blockOf(passed, server),
  }));
  return { messages, _meta: metaOf(observation) };
}

const untrusted = { "gauntlet/trust": "tool_output_untrusted" };

function metaOf(observation: Observation) {
  return { ...untrusted, "gauntlet/observation": factsOf(observation) };
}

/** What stands for nothing of the server's, such as the remark of a hook, says whose it is. */
function passedOf({ model, data = {}, artifacts }: Observation, readBytes: ReadBytes): readonly Passed[] {
  const facts = pieces.safeParse(data.pieces).data ?? [];
  const passed = model.content.map(({ label = "gauntlet", text }, index): Passed => {
    const about = facts[index];
    if (about === undefined) return { text: `${label}\n${text}` };
    const { mediaType, ...rest } = about;
    if (about.artifact === undefined) {
      // What was cut is no longer of its type.
      return { ...rest, ...(mediaType === undefined || model.truncated ? {} : { mediaType }), text };
    }
    const bytes = readBytes(about.artifact);
    if (bytes === undefined) return { ...rest, text: `${text} It can be read as ${artifactUri(about.artifact)}` };
    return { ...about, text, bytes };
  });
  const [whole] = artifacts.filter(({ kind }) => kind === "tool_output").slice(-1);
  if (!model.truncated || whole === undefined) return passed;
  return [...passed, { text: `gauntlet\nToo long, and cut. The whole can be read as ${artifactUri(whole.id)}` }];
}

function contentsAt(uri: string, { text, bytes, mediaType }: Passed): Contents[number] {
  const about = { uri, ...(mediaType === undefined ? {} : { mimeType: mediaType }), _meta: untrusted };
  return bytes === undefined ? { ...about, text } : { ...about, blob: base64(bytes) };
}

function blockOf(passed: Passed, server: string): ContentBlock {
  const { uri, mediaType = "", text, bytes } = passed;
  if (uri !== undefined) return { type: "resource", resource: contentsAt(serverUri({ server, uri }), passed) };
  const [kind] = mediaType.split("/");
  if (bytes !== undefined && (kind === "image" || kind === "audio")) {
    return { type: kind, data: base64(bytes), mimeType: mediaType };
  }
  return { type: "text", text };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

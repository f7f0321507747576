import { lazy } from "../../base/async.ts";
import { canonicalJson } from "../../base/digest.ts";
import { groupedNumber, isPlainName, longestAddress } from "../../base/text.ts";
import type { ArtifactRef } from "../../contract/artifact.ts";
import { codes, fail, type Outcome } from "../../contract/codes.ts";
import type { ServerAnswer, ServerContent } from "../../contract/server/server.ts";
import type { ContentDraft, RawResult, Summary } from "../../contract/tool.ts";
import { boundedLine } from "./bounded-text.ts";
import { isDeeper } from "./schema.ts";

export interface CallResult {
  readonly parts: readonly Part[];
  readonly structured?: unknown;
  readonly wrapped?: { readonly key: string; readonly part: number; readonly json: boolean };
  readonly notes?: readonly string[];
}

type Part =
  | { readonly kind: "text"; readonly text: string; readonly uri?: string; readonly mediaType?: string }
  | {
      readonly kind: "kept";
      readonly what: "image" | "audio" | "resource";
      readonly mediaType: string;
      readonly bytes: number;
      readonly uri?: string;
      readonly artifact?: ArtifactRef;
    }
  | {
      readonly kind: "link";
      readonly uri: string;
      readonly name: string;
      readonly description?: string;
      readonly mediaType?: string;
    };

type Keep = (content: Uint8Array) => Outcome<ArtifactRef>;

interface Kept {
  readonly server: string;
  readonly tool: string;
  readonly keep: Keep;
  readonly hint: (said: string) => string | undefined;
}

/** Deeper ones could not be read, written down or searched for secrets to their end. */
const deepestStructure = 500;

export function keepAnswer(answer: ServerAnswer, { server, tool, keep, hint }: Kept): RawResult<CallResult> {
  const { structured } = answer;
  if (isDeeper(structured, deepestStructure)) {
    const what = `The structured result of ${boundedLine(tool, 80)} of the server ${server}`;
    return fail("output_invalid", `${what} is nested more than ${deepestStructure} levels deep.`);
  }
  const same = structured === undefined ? undefined : canonicalJson(structured);
  const shown = answer.content.filter((content) => content.type !== "text" || !saysTheSame(content.text, same));
  const wrapped = wrappedIn(structured, shown);
  const data: CallResult = {
    parts: shown.map((content) => keepContent(content, keep)),
    wrapped,
    ...(structured === undefined || wrapped !== undefined ? {} : { structured }),
    ...(answer.notes === undefined ? {} : { notes: answer.notes }),
  };
  if (!answer.isError) return { ok: true, data };
  const message = `The server ${server} says that ${boundedLine(tool, 80)} failed.`;
  const recovery = hint(reasonIn(data));
  return {
    ok: false,
    failure: { code: "tool_failed", message, recovery },
    data,
  };
}

const longestReason = 300;

function reasonIn({ parts }: CallResult): string {
  const [first = ""] = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  return boundedLine(first, longestReason);
}

function saysTheSame(text: string, structured: string | undefined): boolean {
  if (structured === undefined) return false;
  try {
    return canonicalJson(JSON.parse(text)) === structured;
  } catch {
    return false;
  }
}

const longestKey = 100;

function wrappedIn(structured: unknown, shown: readonly ServerContent[]): CallResult["wrapped"] {
  if (typeof structured !== "object" || structured === null || Array.isArray(structured)) return undefined;
  const [[key, only] = ["", undefined], ...others] = Object.entries(structured);
  if (only === undefined || others.length > 0 || key.length > longestKey) return undefined;
  const json = lazy(() => canonicalJson(only));
  const held = shown.filter((content) => content.type !== "text" || content.text !== "");
  for (const [part, content] of held.entries()) {
    if (content.type !== "text") continue;
    if (only === content.text) return { key, part, json: false };
    if (saysTheSame(content.text, json())) return { key, part, json: true };
  }
  return undefined;
}

function keepContent(content: ServerContent, keep: Keep): Part {
  switch (content.type) {
    case "text":
      return { kind: "text", text: content.text };
    case "image":
    case "audio":
      return keptPart(content.type, content.data, content.mediaType, keep);
    case "resource_link": {
      const { uri, name, description, mediaType } = content;
      return {
        kind: "link",
        uri,
        name,
        description,
        mediaType,
      };
    }
    case "resource": {
      const { uri, text, data, mediaType } = content;
      if (data !== undefined)
        return { ...keptPart("resource", data, mediaType ?? "application/octet-stream", keep), uri };
      return { kind: "text", text: text ?? "", uri, mediaType };
    }
  }
}

function keptPart(what: "image" | "audio" | "resource", data: Uint8Array, mediaType: string, keep: Keep) {
  const kept = keep(data);
  const artifact = kept.ok ? { artifact: kept.value } : {};
  return { kind: "kept", what, mediaType, bytes: data.byteLength, ...artifact } as const;
}

export function summarizeCall(
  result: RawResult<CallResult>,
  { server, tool, shown }: { readonly server: string; readonly tool: string; readonly shown: string },
): Summary {
  const title = `${shown} of ${server}`;
  const drafts = result.data === undefined ? [] : contentDrafts(result.data, server);
  const facts = { server, tool, ...(result.data === undefined ? {} : countsOf(result.data)) };
  if (!result.ok) {
    const { message, code, recovery = codes[code].recovery } = result.failure;
    const told: ContentDraft = { format: "text", text: `${code}: ${message}\n${recovery}` };
    // Only people are shown the server's words in one sentence with ours: they know whose they are.
    const said = result.data === undefined ? "" : reasonIn(result.data);
    const user = [said === "" ? message : `${message} It says: ${said}`, result.failure.recovery ?? ""]
      .join("\n")
      .trim();
    return { title, summary: message, user, model: [told, ...drafts], data: facts };
  }
  const sentence = `The server ${server} answered ${shown}.`;
  return { title, summary: sentence, user: sentence, model: drafts, data: facts };
}

function contentDrafts({ parts, structured, notes = [] }: CallResult, server: string): readonly ContentDraft[] {
  const from = serverLabel(server);
  const drafts = parts.map((part): ContentDraft => {
    if (part.kind !== "text") return { format: "text", text: describePart(part), label: from };
    const label = part.uri === undefined ? from : `${from}: ${boundedLine(part.uri, 200)}`;
    return { format: "text", text: part.text, label };
  });
  const said = notes.map((text): ContentDraft => ({ format: "text", text, label: "gauntlet" }));
  if (structured === undefined) return [...drafts, ...said];
  return [...drafts, { format: "json", text: JSON.stringify(structured, null, 1), label: from }, ...said];
}

export function serverLabel(server: string): string {
  return `server ${server}`;
}

function describePart(part: Exclude<Part, { readonly kind: "text" }>): string {
  if (part.kind === "link") {
    const type = part.mediaType === undefined ? "" : ` (${boundedLine(part.mediaType, 80)})`;
    const more = part.description === undefined ? "" : `: ${boundedLine(part.description, 500)}`;
    return `Link to the resource ${boundedLine(part.uri, 500)}${type}, named ${boundedLine(part.name, 200)}${more}`;
  }
  const { what, mediaType, bytes, uri, artifact } = part;
  const of = uri === undefined ? "" : ` of ${boundedLine(uri, 500)}`;
  const where = artifact === undefined ? "It could not be kept." : `Kept as artifact ${artifact.id}.`;
  return `${what}${of}: ${boundedLine(mediaType, 80)}, ${groupedNumber(bytes)} bytes. ${where}`;
}

const mostFacts = 16_000;

function piecesIn(parts: readonly Part[]): readonly Readonly<Record<string, unknown>>[] {
  let room = mostFacts;
  return parts
    .filter((part) => part.kind !== "text" || part.text !== "")
    .map((part) => {
      const facts = pieceOf(part);
      room -= JSON.stringify(facts).length;
      return room < 0 ? {} : facts;
    });
}

function pieceOf(part: Part): Readonly<Record<string, unknown>> {
  if (part.uri !== undefined && !isPlainName(part.uri, longestAddress)) return {};
  const { uri, mediaType: type } = part;
  const mediaType = type === undefined ? {} : { mediaType: boundedLine(type, 80) };
  if (part.kind === "link") {
    const { name, description } = part;
    const words = description === undefined ? {} : { description: boundedLine(description, 500) };
    return { link: { uri, name: boundedLine(name, 200), ...words, ...mediaType } };
  }
  const artifact = part.kind === "kept" && part.artifact !== undefined ? { artifact: part.artifact.id } : {};
  return { uri, ...mediaType, ...artifact };
}

function countsOf({ parts, structured, wrapped }: CallResult): Readonly<Record<string, unknown>> {
  const pieces = piecesIn(parts);
  return {
    parts: parts.length,
    ...(pieces.some((piece) => Object.keys(piece).length > 0) ? { pieces } : {}),
    ...(structured === undefined ? {} : { structured: true }),
    ...(wrapped === undefined ? {} : { wrapped }),
  };
}

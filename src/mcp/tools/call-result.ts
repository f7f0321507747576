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
  readonly parts: readonly CallPart[];
  readonly structured?: unknown;
  readonly wrapped?: { readonly key: string; readonly part: number; readonly json: boolean };
  readonly notes?: readonly string[];
}

interface CallPart {
  readonly kind: "text" | "link" | "image" | "audio" | "resource";
  readonly text?: string;
  readonly uri?: string;
  readonly mediaType?: string;
  readonly name?: string;
  readonly description?: string;
  readonly bytes?: number;
  readonly artifact?: ArtifactRef;
}

type KeepContent = (content: Uint8Array) => Outcome<ArtifactRef>;

interface KeepOptions {
  readonly server: string;
  readonly tool: string;
  readonly keep: KeepContent;
  readonly hint: (said: string) => string | undefined;
}

/** Deeper values overflow the stack when they are stored or searched for secrets. */
const deepestStructure = 500;

export function keepAnswer(answer: ServerAnswer, { server, tool, keep, hint }: KeepOptions): RawResult<CallResult> {
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
    structured: wrapped === undefined ? structured : undefined,
    notes: answer.notes,
  };
  if (!answer.isError) return { ok: true, data };
  const message = `${boundedLine(tool, 80)} of the server ${server} failed.`;
  return { ok: false, failure: { code: "tool_failed", message, recovery: hint(reasonIn(data)) }, data };
}

const longestReason = 300;

function reasonIn({ parts }: CallResult): string {
  return boundedLine(parts.find(({ kind }) => kind === "text")?.text ?? "", longestReason);
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

function keepContent(content: ServerContent, keep: KeepContent): CallPart {
  if (content.type === "text") return { kind: "text", text: content.text };
  if (content.type === "resource_link") {
    const { type: _, ...link } = content;
    return { kind: "link", ...link };
  }
  const { type: kind, mediaType, data } = content;
  const uri = kind === "resource" ? content.uri : undefined;
  const text = "text" in content ? content.text : undefined;
  if (data === undefined) return { kind: "text", text: text ?? "", uri, mediaType };
  const kept = keep(data);
  const artifact = kept.ok ? kept.value : undefined;
  return { kind, mediaType: mediaType ?? "application/octet-stream", bytes: data.byteLength, artifact, uri };
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
    // Only users see the server's text in one sentence with ours; for a model it stays labelled.
    const said = result.data === undefined ? "" : reasonIn(result.data);
    const user = [said === "" ? message : `${message} Server message: ${said}`, result.failure.recovery ?? ""]
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
    return { format: "text", text: part.text ?? "", label };
  });
  const said = notes.map((text): ContentDraft => ({ format: "text", text, label: "gauntlet" }));
  if (structured === undefined) return [...drafts, ...said];
  return [...drafts, { format: "json", text: JSON.stringify(structured, null, 1), label: from }, ...said];
}

export function serverLabel(server: string): string {
  return `server ${server}`;
}

function describePart({ kind, uri, mediaType, name = "", description, bytes = 0, artifact }: CallPart): string {
  const type = mediaType === undefined ? "" : boundedLine(mediaType, 80);
  const address = uri === undefined ? "" : boundedLine(uri, 500);
  if (kind === "link") {
    const more = description === undefined ? "" : `: ${boundedLine(description, 500)}`;
    return `Link to the resource ${address}${type && ` (${type})`}, named ${boundedLine(name, 200)}${more}`;
  }
  const where = artifact === undefined ? "It could not be stored." : `Stored as artifact ${artifact.id}.`;
  return `${kind}${address && ` of ${address}`}: ${type}, ${groupedNumber(bytes)} bytes. ${where}`;
}

const mostFacts = 16_000;

function piecesIn(parts: readonly CallPart[]): readonly Readonly<Record<string, unknown>>[] {
  let room = mostFacts;
  return parts
    .filter(({ kind, text }) => kind !== "text" || text !== "")
    .map((part) => {
      const facts = pieceOf(part);
      room -= JSON.stringify(facts).length;
      return room < 0 ? {} : facts;
    });
}

function pieceOf({ kind, uri, mediaType: type, name = "", description: said, artifact }: CallPart) {
  if (uri !== undefined && !isPlainName(uri, longestAddress)) return {};
  const mediaType = type && boundedLine(type, 80);
  if (kind !== "link") return { uri, mediaType, artifact: artifact?.id };
  return { link: { uri, name: boundedLine(name, 200), description: said && boundedLine(said, 500), mediaType } };
}

function countsOf({ parts, structured, wrapped }: CallResult): Readonly<Record<string, unknown>> {
  const pieces = piecesIn(parts);
  const hasFacts = pieces.some((piece) => Object.values(piece).some((fact) => fact !== undefined));
  return {
    parts: parts.length,
    ...(hasFacts && { pieces }),
    ...(structured !== undefined && { structured: true }),
    ...(wrapped !== undefined && { wrapped }),
  };
}

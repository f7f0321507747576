import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { groupedNumber, isPlainName, longestAddress, plainText } from "../../base/text.ts";
import type { ArtifactRef } from "../../contract/artifact.ts";
import type { Outcome } from "../../contract/codes.ts";
import {
  fetchMs,
  type PromptMessage,
  requestMs,
  type ServerContent,
  type ServerPieces,
} from "../../contract/server/server.ts";
import type { Settings } from "../../contract/settings.ts";
import type { ContentDraft, Summary } from "../../contract/tool.ts";

export type AnswerPiece = {
  readonly uri?: string;
  readonly mediaType?: string;
  readonly role?: PromptMessage["role"];
} & (
  | { readonly text: string; readonly link?: PieceLink }
  | { readonly bytes: number; readonly artifact?: ArtifactRef }
);

/** To another resource of the same server. */
type PieceLink = Omit<Extract<ServerContent, { readonly type: "resource_link" }>, "type">;

type KeepBytes = (bytes: Uint8Array) => Outcome<ArtifactRef>;

const mostPieces = 200;
const longestLabel = 200;
const longestWords = 500;

export interface AnswerPieces {
  readonly pieces: readonly AnswerPiece[];
  readonly notes: readonly string[];
}

/** Nothing is dropped silently: surplus pieces are counted. */
export function piecesOf<From>(
  { pieces: given, notes = [] }: ServerPieces<From>,
  pieceOf: (one: From) => AnswerPiece,
): AnswerPieces {
  const pieces = given.slice(0, mostPieces).map(pieceOf);
  const left = given.length - pieces.length;
  const shown = pieces.filter((piece) => !("text" in piece) || plainText(piece.text) !== "");
  if (left === 0) return { pieces: shown, notes };
  return { pieces: [...shown, { text: `[omitted: ${groupedNumber(left)} more pieces of content]` }], notes };
}

/** Text is shown, bounded and redacted as text, even if it was sent as binary data. */
export function pieceOf(content: ServerContent, keep: KeepBytes): AnswerPiece {
  switch (content.type) {
    case "text":
      return { text: content.text };
    case "resource_link": {
      const { type, ...link } = content;
      return { text: `PieceLink to ${plainText(link.uri)}, named ${plainText(link.name)}`, link };
    }
    case "image":
    case "audio":
      return keptPiece(content.data, content.mediaType, keep);
    case "resource": {
      const { uri, mediaType, text = "", data } = content;
      const about = { uri, mediaType };
      if (data === undefined) return { ...about, text };
      return { uri, ...keptPiece(data, mediaType ?? "application/octet-stream", keep) };
    }
  }
}

function keptPiece(data: Uint8Array, mediaType: string, keep: KeepBytes): AnswerPiece {
  if (isUtf8(data) && !data.includes(0)) return { mediaType, text: Buffer.from(data).toString("utf8") };
  const kept = keep(data);
  return { mediaType, bytes: data.byteLength, ...(kept.ok ? { artifact: kept.value } : {}) };
}

export function piecesSummary(
  { pieces, notes }: AnswerPieces,
  server: string,
  { told, facts }: { readonly told: string; readonly facts: Readonly<Record<string, unknown>> },
): Omit<Summary, "title"> {
  const summary = `The server ${server} gave ${told}.`;
  const said = notes.map((text): ContentDraft => ({ format: "text", text, label: "gauntlet" }));
  return {
    summary,
    user: summary,
    model: [...pieces.map((piece) => draftOf(piece, `server ${server}`)), ...said],
    data: { server, ...facts, pieces: pieces.map(factsOf) },
  };
}

function draftOf(piece: AnswerPiece, whose: string): ContentDraft {
  const { uri, mediaType = "" } = piece;
  const label = uri === undefined ? whose : `${whose}: ${plainText(uri.slice(0, longestLabel))}`;
  if ("text" in piece) return { format: "text", text: piece.text, label };
  const where = piece.artifact === undefined ? "It could not be stored." : `Stored as artifact ${piece.artifact.id}.`;
  return { format: "text", text: `${mediaType}, ${groupedNumber(piece.bytes)} bytes. ${where}`, label };
}

/** For programs, in the order of the content: the fields of a piece that its text does not show. */
function factsOf(piece: AnswerPiece): Readonly<Record<string, unknown>> {
  const { uri, mediaType, role } = piece;
  return {
    role,
    uri,
    mediaType,
    artifact: "artifact" in piece ? piece.artifact?.id : undefined,
    link: "link" in piece && piece.link !== undefined ? linkFacts(piece.link) : undefined,
  };
}

/** An address that is not plain is not passed on, only its description. */
function linkFacts({ uri, name, description, mediaType }: PieceLink): Readonly<Record<string, unknown>> | undefined {
  if (!isPlainName(uri, longestAddress)) return undefined;
  return {
    uri,
    name: name.slice(0, longestLabel),
    description: description?.slice(0, longestWords),
    mediaType: mediaType?.slice(0, longestLabel),
  };
}

/** The connection limits the server's own time; this limit also covers its start and questions to the user. */
export function requestTime({ approvalMs }: Pick<Settings["limits"], "approvalMs">): number {
  return requestMs + fetchMs + approvalMs;
}

/** The common part of all requests to servers. */
export const toServer = {
  version: "1",
  family: "other",
  risks: ["network"],
  requiresWorkspace: false,
  concurrency: ({ server = "*" }: { readonly server?: string }) => ({ key: `mcp:${server}` }),
} as const;

export const serverName = lazy(() => z.string().min(1).max(64));

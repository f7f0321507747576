import { isUtf8 } from "node:buffer";
import type { ArtifactRef } from "../../contract/artifact.ts";
import type { Outcome } from "../../contract/codes.ts";
import { groupedNumber } from "../../contract/grouped-number.ts";
import { plainText } from "../../contract/plain-text.ts";
import type { ServerContent } from "../../contract/server.ts";
import type { ContentDraft } from "../../contract/tool.ts";

/** One piece of what a server gave, with everything that is no text put away. */
export type Piece = { readonly uri?: string; readonly mediaType?: string } & (
  | { readonly text: string }
  | { readonly bytes: number; readonly artifact?: ArtifactRef }
);

type Keep = (bytes: Uint8Array) => Outcome<ArtifactRef>;

const mostPieces = 200;
const longestAddress = 200;

/** Nothing of it is lost silently: what is too much to be told apart is counted. */
export function piecesOf<Given>(given: readonly Given[], pieceOf: (one: Given) => Piece): readonly Piece[] {
  const pieces = given.slice(0, mostPieces).map(pieceOf);
  const left = given.length - pieces.length;
  const shown = pieces.filter((piece) => !("text" in piece) || plainText(piece.text) !== "");
  return left === 0 ? shown : [...shown, { text: `[left out: ${groupedNumber(left)} more pieces of content]` }];
}

/** Text counts as text however it was sent: it is shown, bounded and redacted as such. */
export function pieceOf(content: ServerContent, keep: Keep): Piece {
  switch (content.type) {
    case "text":
      return { text: content.text };
    case "resource_link":
      return { text: `Link to ${plainText(content.uri)}, named ${plainText(content.name)}` };
    case "image":
    case "audio":
      return keptPiece(content.data, content.mediaType, keep);
    case "resource": {
      const { uri, mediaType, text = "", data } = content;
      const about = { uri, ...(mediaType === undefined ? {} : { mediaType }) };
      if (data === undefined) return { ...about, text };
      return { uri, ...keptPiece(data, mediaType ?? "application/octet-stream", keep) };
    }
  }
}

function keptPiece(data: Uint8Array, mediaType: string, keep: Keep): Piece {
  if (isUtf8(data) && !data.includes(0)) return { mediaType, text: Buffer.from(data).toString("utf8") };
  const kept = keep(data);
  return { mediaType, bytes: data.byteLength, ...(kept.ok ? { artifact: kept.value } : {}) };
}

/** `whose` is the server, with what else is to be told of the piece. */
export function draftOf(piece: Piece, whose: string): ContentDraft {
  const { uri, mediaType = "" } = piece;
  const label = uri === undefined ? whose : `${whose}: ${plainText(uri.slice(0, longestAddress))}`;
  if ("text" in piece) return { format: "text", text: piece.text, label };
  const where = piece.artifact === undefined ? "It could not be kept." : `Kept as artifact ${piece.artifact.id}.`;
  return { format: "text", text: `${mediaType}, ${groupedNumber(piece.bytes)} bytes. ${where}`, label };
}

/** For programs, in the order of the content: what of a piece is not in its text. */
export function factsOf(piece: Piece): Readonly<Record<string, unknown>> {
  const { uri, mediaType } = piece;
  return {
    ...(uri === undefined ? {} : { uri }),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...("artifact" in piece && piece.artifact !== undefined ? { artifact: piece.artifact.id } : {}),
  };
}

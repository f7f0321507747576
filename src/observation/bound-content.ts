import { Buffer } from "node:buffer";
import { groupedNumber } from "../base/text.ts";
import type { ArtifactKind, ArtifactRef, ArtifactStore } from "../contract/artifact.ts";
import type { ContentBlock } from "../contract/observation.ts";
import type { ContentDraft, NextStep } from "../contract/tool.ts";
import { type ContentLimits, cutPage, cutText, outputShares, textShares } from "./cut-text.ts";
import { excerptLength, type KnownText, knownEnds, knownStream, knownText, noneKnown } from "./known-text.ts";
import type { Cleaner } from "./shown-text.ts";

export interface Bounded {
  readonly blocks: readonly ContentBlock[];
  readonly cut: boolean;
  readonly omittedBytes: number;
  readonly outputBytes: number;
  readonly stored: readonly ArtifactRef[];
  readonly next?: NextStep;
}

export interface Bounding {
  readonly limits: ContentLimits;
  readonly cleaner: Cleaner;
  readonly artifacts: Pick<ArtifactStore, "put">;
  readonly pages: boolean;
  readonly continueAt?: (keptLines: number) => NextStep;
}

const excerptChars = 7_200;

const statementSize = { chars: 160, lines: 1 };

export function boundContent(drafts: readonly ContentDraft[], bounding: Bounding): Bounded {
  const pieces = prepareAll(drafts, bounding).filter((piece) => piece.bytes > 0);
  const shares = shareOut(pieces, limitsFor(pieces, bounding.limits));
  const bounded = pieces.map((piece, index) =>
    boundPiece(piece, shares[index] ?? { maxChars: 0, maxLines: 0 }, bounding),
  );
  const next = bounded.find((piece) => piece.next !== undefined)?.next;
  return {
    blocks: bounded.map(({ block }) => withCleanLabel(block, bounding.cleaner)),
    cut: bounded.some((piece) => piece.cut),
    omittedBytes: bounded.reduce((sum, piece) => sum + piece.omittedBytes, 0),
    outputBytes: pieces.reduce((sum, piece) => sum + piece.bytes, 0),
    stored: bounded.flatMap((piece) => piece.stored ?? []),
    ...(next === undefined ? {} : { next }),
  };
}

interface DraftPiece {
  readonly draft: ContentDraft;
  readonly text?: string;
  readonly part?: KnownText;
  readonly binary: boolean;
  readonly chars: number;
  readonly lines: number;
  readonly bytes: number;
}

const mostExcerpts = 3;

function prepareAll(drafts: readonly ContentDraft[], { cleaner, limits }: Bounding): readonly DraftPiece[] {
  const excerpt = excerptLength(limits.maxChars);
  let room = mostExcerpts * excerpt;
  const pieces: DraftPiece[] = [];
  const smallestFirst = [...drafts.entries()].toSorted(([, a], [, b]) => lengthOf(a) - lengthOf(b));
  for (const [index, draft] of smallestFirst) {
    pieces[index] = prepare(draft, { cleaner, limits, room });
    room -= Math.min(lengthOf(draft), excerpt);
  }
  return pieces;
}

interface Preparing extends Pick<Bounding, "cleaner" | "limits"> {
  readonly room: number;
}

function lengthOf(draft: ContentDraft): number {
  return draft.format === "stream" ? 0 : draft.text.length;
}

function prepare(draft: ContentDraft, { cleaner, limits, room }: Preparing): DraftPiece {
  if (draft.format === "stream") {
    const { bytes, binary, complete } = draft.stream;
    if (binary) return { draft, binary, bytes, ...statementSize };
    if (complete === undefined) return { draft, binary, bytes, chars: bytes, lines: draft.stream.lines };
    return { draft, binary, bytes, ...measured(cleaner.output(complete)) };
  }
  const bytes = Buffer.byteLength(draft.text);
  if (looksBinary(draft.text)) return { draft, binary: true, bytes, ...statementSize };
  const plain = cleaner.plain(draft.text);
  const excerpt = excerptLength(limits.maxChars);
  if (plain.length <= Math.min(room, excerpt)) {
    return { draft, binary: false, bytes, ...measured(cleaner.redact(plain)) };
  }
  const { chars, lines } = measured(plain);
  const part = room < excerpt ? noneKnown(plain) : knownEnds(plain, limits.maxChars, cleaner.redact);
  return { draft, binary: false, bytes, chars, lines, part };
}

function measured(text: string): { readonly text: string; readonly chars: number; readonly lines: number } {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return { text, chars: text.length, lines };
}

function looksBinary(text: string): boolean {
  return text.slice(0, 8_192).includes("\0");
}

function limitsFor(pieces: readonly DraftPiece[], limits: ContentLimits): ContentLimits {
  const chars = pieces.reduce((sum, piece) => sum + piece.chars, 0);
  const lines = pieces.reduce((sum, piece) => sum + piece.lines, 0);
  const whole = pieces.every((piece) => piece.binary || piece.text !== undefined);
  const fits = whole && chars <= limits.maxChars && lines <= limits.maxLines;
  if (fits || !pieces.some((piece) => piece.draft.format === "stream")) return limits;
  return { maxChars: Math.min(limits.maxChars, excerptChars), maxLines: limits.maxLines };
}

interface BoundPiece {
  readonly block: ContentBlock;
  readonly cut: boolean;
  readonly omittedBytes: number;
  readonly stored?: readonly ArtifactRef[];
  readonly next?: NextStep;
}

function boundPiece(piece: DraftPiece, limits: ContentLimits, bounding: Bounding): BoundPiece {
  const { draft, text } = piece;
  if (piece.binary) return binaryStatement(piece, bounding);
  if (text !== undefined && piece.chars <= limits.maxChars && piece.lines <= limits.maxLines) {
    const format = draft.format === "stream" ? "text" : draft.format;
    return { block: block(format, text, draft.label), cut: false, omittedBytes: 0 };
  }
  const { cleaner } = bounding;
  const cleaned = text === undefined ? piece.part : knownText(text);
  if (bounding.pages && cleaned !== undefined) {
    const page = cutPage(cleaned, limits, bounding.continueAt);
    return { ...page, cut: true, block: block("text", page.text, draft.label) };
  }
  const known = cleaned ?? (draft.format === "stream" ? knownStream(draft.stream, cleaner.output) : knownText(""));
  const { artifact, stored } = keepWhole(piece, bounding);
  const shares = draft.format === "stream" ? outputShares : textShares;
  const cut = cutText(known, limits, { shares, ...(artifact === undefined ? {} : { artifact: artifact.id }) });
  const around = cut.around === undefined ? {} : { around: cut.around };
  return {
    block: block("text", cut.text, labelOfCut(draft)),
    cut: true,
    omittedBytes: cut.omittedBytes,
    stored,
    ...(artifact === undefined ? {} : { next: { tool: "read_artifact", input: { id: artifact.id, ...around } } }),
  };
}

function binaryStatement(piece: DraftPiece, bounding: Bounding): BoundPiece {
  const { artifact, stored } = keepWhole(piece, bounding);
  const where = artifact === undefined ? "" : `; kept as ${artifact.id}`;
  const text = `[binary data, ${groupedNumber(piece.bytes)} bytes, not shown${where}]`;
  return { block: block("artifact_ref", text, piece.draft.label), cut: true, omittedBytes: piece.bytes, stored };
}

function keepWhole(
  { draft }: DraftPiece,
  { artifacts, pages }: Bounding,
): { readonly artifact?: ArtifactRef; readonly stored: readonly ArtifactRef[] } {
  if (draft.format === "stream" && draft.stream.artifact !== undefined) {
    return { artifact: draft.stream.artifact, stored: [] };
  }
  const whole = draft.format === "stream" ? draft.stream.complete : draft.text;
  if (whole === undefined || pages) return { stored: [] };
  const kept = artifacts.put(kindOf(draft), whole);
  return kept.ok ? { artifact: kept.value, stored: [kept.value] } : { stored: [] };
}

function kindOf({ format }: ContentDraft): ArtifactKind {
  if (format === "stream") return "command_output";
  return format === "diff" ? "diff" : "tool_output";
}

function labelOfCut(draft: ContentDraft): string | undefined {
  if (draft.format !== "stream") return draft.label;
  const { bytes, lines } = draft.stream;
  return `${draft.label}: excerpts of ${groupedNumber(bytes)} bytes in ${groupedNumber(lines)} lines`;
}

function withCleanLabel(block: ContentBlock, cleaner: Cleaner): ContentBlock {
  return block.label === undefined ? block : { ...block, label: cleaner.line(block.label, longestLabel) };
}

const longestLabel = 400;

function block(format: ContentBlock["format"], text: string, label: string | undefined): ContentBlock {
  return { trust: "tool_output_untrusted", format, ...(label === undefined ? {} : { label }), text };
}

interface Wanting {
  readonly chars: number;
  readonly lines: number;
}

/** Divides the budget: small parts get all they need, the others share the rest equally. Never exceeds the budget. */
function shareOut(wanting: readonly Wanting[], limits: ContentLimits): readonly ContentLimits[] {
  const chars = fairShares(
    wanting.map((one) => one.chars),
    limits.maxChars,
  );
  const lines = fairShares(
    wanting.map((one) => one.lines),
    limits.maxLines,
  );
  return wanting.map((_, index) => ({ maxChars: chars[index] ?? 0, maxLines: lines[index] ?? 0 }));
}

function fairShares(wants: readonly number[], total: number): readonly number[] {
  const wanted = wants.reduce((sum, want) => sum + want, 0);
  // A part that the other limit cuts needs some of the unused budget for its notice.
  if (wanted <= total) return wants.map((want) => want + Math.floor((total - wanted) / wants.length));
  const shares = wants.map(() => 0);
  const smallestFirst = wants.map((want, index) => ({ want, index })).sort((a, b) => a.want - b.want);
  let left = total;
  for (const [position, { want, index }] of smallestFirst.entries()) {
    const share = Math.min(want, Math.floor(left / (wants.length - position)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

const smallestShare = 400;

export function turnAllowance(turnChars: number, batchSize: number): number {
  return Math.max(smallestShare, Math.floor(turnChars / Math.max(1, batchSize)));
}

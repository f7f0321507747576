import { Buffer } from "node:buffer";
import { withMarks } from "../../base/secret-span.ts";
import { groupedNumber, looksBinary, plainText } from "../../base/text.ts";
import { type Failure, type Outcome, ok } from "../../contract/codes.ts";
import type { ToolContext } from "../../contract/ports.ts";
import { defineTool, type NextStep, type Summary } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { sessionEffects } from "../../contract/verdict.ts";
import { spellings } from "../file/input.ts";
import { summarizer } from "../summary.ts";
import {
  type ArtifactBytes,
  type ArtifactPart,
  openArtifact,
  partOf,
  type ReadArtifactInput,
  readArtifactInput,
} from "./artifact-part.ts";

interface ArtifactText extends Omit<ArtifactPart, "bytes"> {
  /** As stored, escape sequences included. */
  readonly text: string;
  readonly shown: string;
  readonly size: number;
}

const binaryProbe = 8_192;
/** How far around a part to search for secrets that reach into it: several times the longest usual private key. */
const secretMargin = 64 * 1024;

export const readArtifact = defineTool<ReadArtifactInput, ArtifactText>({
  name: "read_artifact",
  version: "1",
  description: "Reads stored output by the id from a result: a page of lines, the end, or the lines around a text.",
  family: "artifact",
  risks: ["read"],
  searchHint: "full output log truncated omitted more",
  aliases: aliasesOf("read_artifact"),
  inputAliases: spellings({
    id: "artifact artifact_id",
    context: "context_lines",
    offset_bytes: "offsetBytes",
    limit: "lines",
  }),
  input: readArtifactInput,
  readOnly: () => true,
  concurrency: () => "safe",
  timeoutMs: () => 60_000,
  requiresWorkspace: false,
  maxResultChars: 50_000,
  effects: ({ id }) => ({ effects: [{ op: "session", what: sessionEffects.readArtifact(id) }] }),
  preconditions: ({ id }, view) => (view.artifactSize(id) === undefined ? noSuchArtifact(id) : undefined),

  async run(call, context) {
    const source = openArtifact(context.artifacts, call.id);
    if (source === undefined) return { ok: false, failure: noSuchArtifact(call.id) };
    const probe = source.read(0, binaryProbe);
    if (!probe.ok) return probe;
    if (probe.value.includes(0) && looksBinary(probe.value)) {
      return { ok: false, failure: binary(call.id, source.size) };
    }
    const part = await partOf(source, call);
    if (!part.ok) return part;
    const { bytes, ...rest } = part.value;
    const text = bytes.toString("utf8");
    const shown = withoutSecrets(text, { source, part: part.value, secretsIn: context.secretsIn });
    if (!shown.ok) return shown;
    // A NUL byte between fields is shown, as in the result of the call that printed it.
    return { ok: true, data: { ...rest, text, shown: shown.value.replaceAll("\0", "␀"), size: source.size } };
  },

  summarize: summarizer(({ id }) => `Read artifact ${id.slice(0, 19)}`, partSummary),
});

function withoutSecrets(
  text: string,
  {
    source,
    part: { start, end },
    secretsIn,
  }: {
    readonly source: ArtifactBytes;
    readonly part: ArtifactPart;
    readonly secretsIn: ToolContext["secretsIn"];
  },
): Outcome<string> {
  const before = source.read(Math.max(0, start - secretMargin), Math.min(start, secretMargin));
  if (!before.ok) return before;
  const after = source.read(end, secretMargin);
  if (!after.ok) return after;
  const lead = before.value.toString("utf8");
  const around = lead + text + after.value.toString("utf8");
  const stretch = { from: lead.length, to: lead.length + text.length };
  return ok(withMarks(around, secretsIn(around, stretch), stretch));
}

function partSummary(part: ArtifactText, call: ReadArtifactInput): Omit<Summary, "title"> {
  const { start, end, size, firstLine, lines } = part;
  const where = firstLine === undefined ? `Bytes ${start}-${end}` : `Lines ${firstLine}-${firstLine + lines - 1}`;
  const bytes = groupedNumber(size);
  const sentence =
    size === 0 ? "The artifact is empty." : `${where} of an artifact of ${bytes} bytes; ${size - end} bytes follow.`;
  const nextLine = firstLine === undefined || part.partOfLine ? undefined : firstLine + lines;
  return {
    summary: sentence,
    model: [{ format: "text", text: part.shown }],
    user: sentence,
    data: { id: call.id, bytes: size, startByte: start, endByte: end, lineCount: lines, firstLine },
    omittedBytes: part.leftOut > 0 ? part.leftOut : undefined,
    next: end < size ? stepAt(call.id, end, nextLine) : undefined,
    continueAt: (keptLines) => stepAt(call.id, start + bytesOfLines(part.text, keptLines)),
  };
}

function stepAt(id: string, offset: number, line?: number): NextStep {
  return { tool: "read_artifact", input: line === undefined ? { id, offset_bytes: offset } : { id, offset: line } };
}

/**
 * The number of stored bytes behind the first `kept` shown lines. A stored line with a lone `\r` is shown as several
 * lines; if the cut is inside it, it is repeated rather than skipped.
 */
function bytesOfLines(text: string, kept: number): number {
  let shown = 0;
  let position = 0;
  while (position < text.length) {
    const end = text.indexOf("\n", position) + 1 || text.length;
    shown += plainText(text.slice(position, end)).split("\n").length - 1;
    if (shown > kept && position > 0) break;
    position = end;
    if (shown >= kept) break;
  }
  return Buffer.byteLength(text.slice(0, position));
}

function noSuchArtifact(id: string): Failure {
  return {
    code: "runtime_precondition_failed",
    field: "id",
    message: `There is no artifact ${id}.`,
    recovery: "Use an id from the artifacts of an earlier result.",
    happened: "nothing",
  };
}

function binary(id: string, size: number): Failure {
  return {
    code: "runtime_precondition_failed",
    field: "id",
    message: `Artifact ${id} is binary (${groupedNumber(size)} bytes) and has no lines to show.`,
    recovery: "It cannot be shown as text.",
    happened: "nothing",
  };
}

import { plainText } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import {
  type ArtifactBytes,
  countLines,
  findLine,
  type LineStretch,
  startOfLast,
  startOfLine,
  takeBytes,
  takeLines,
} from "./artifact-bytes.ts";
import type { ReadArtifactInput } from "./artifact-input.ts";

const defaultLines = 500;
const defaultContext = 20;
const maxBytes = 256 * 1024;
/** Further into its line than this, a text is shown without the line's beginning. */
const longLine = 4_096;

/** What a call asked for, as far as one answer holds it. */
export interface ArtifactPart extends LineStretch {
  /** Number of the first line, where it is known. */
  readonly firstLine?: number;
  /** Bytes of what was asked for that are not in here. */
  readonly leftOut: number;
}

export async function partOf(source: ArtifactBytes, call: ReadArtifactInput): Promise<Outcome<ArtifactPart>> {
  if (call.around !== undefined) return linesAround(source, call.around, call.context ?? defaultContext);
  if (call.tail !== undefined) return lastLines(source, call.tail);
  const firstLine = call.offset_bytes === undefined ? (call.offset ?? 1) : undefined;
  const start = firstLine === undefined ? ok(call.offset_bytes ?? 0) : await startOfLine(source, firstLine);
  if (!start.ok) return start;
  if (start.value >= source.size && start.value > 0) return pastTheEnd(call);
  return page(source, start.value, { limit: call.limit, firstLine });
}

function page(
  source: ArtifactBytes,
  start: number,
  { limit, firstLine }: { readonly limit: number | undefined; readonly firstLine: number | undefined },
): Outcome<ArtifactPart> {
  const taken = takeLines(source, start, { lines: limit ?? defaultLines, maxBytes });
  if (!taken.ok) return taken;
  const leftOut = taken.value.lines === limit && !taken.value.partOfLine ? 0 : source.size - taken.value.end;
  return ok({ ...taken.value, leftOut, ...(firstLine === undefined ? {} : { firstLine }) });
}

function lastLines(source: ArtifactBytes, lines: number): Outcome<ArtifactPart> {
  const wanted = startOfLast(source, source.size, lines);
  if (!wanted.ok) return wanted;
  const start = Math.max(wanted.value, source.size - maxBytes);
  const taken = takeBytes(source, start, maxBytes);
  return taken.ok ? ok({ ...taken.value, leftOut: taken.value.start - wanted.value }) : taken;
}

async function linesAround(source: ArtifactBytes, text: string, context: number): Promise<Outcome<ArtifactPart>> {
  const wanted =
    plainText(text)
      .split("\n")
      .find((line) => line.trim() !== "") ?? text;
  const found = await findLine(source, wanted);
  if (!found.ok) return found;
  if (found.value === undefined) return textNotFound(wanted);
  const { start: at, number, textAt } = found.value;
  if (textAt - at > longLine) {
    const middle = takeBytes(source, textAt - longLine / 2, longLine * 2);
    return middle.ok ? ok({ ...middle.value, leftOut: 0 }) : middle;
  }
  const before = context === 0 ? ok(at) : startOfLast(source, at, context);
  if (!before.ok) return before;
  const start = at - before.value > maxBytes / 2 ? at : before.value;
  const neighbours = source.read(start, at - start);
  if (!neighbours.ok) return neighbours;
  const linesBefore = countLines(neighbours.value);
  const taken = takeLines(source, start, { lines: linesBefore + 1 + context, maxBytes });
  return taken.ok ? ok({ ...taken.value, firstLine: number - linesBefore, leftOut: 0 }) : taken;
}

function pastTheEnd({ offset, offset_bytes }: ReadArtifactInput): Outcome<never> {
  const [field, value] = offset === undefined ? ["offset_bytes", offset_bytes] : ["offset", offset];
  return fail("runtime_precondition_failed", `The artifact ends before ${field} ${value}.`, {
    field,
    happened: "nothing",
    recovery: "Use a smaller number, or tail.",
  });
}

function textNotFound(text: string): Outcome<never> {
  return fail("text_not_found", `The text ${JSON.stringify(text)} does not occur in this artifact.`, {
    field: "around",
    happened: "nothing",
    recovery: "Use a shorter piece of the text, or page with offset.",
  });
}

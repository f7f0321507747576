import { Buffer } from "node:buffer";
import { wholeEnd } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { defaultResultLimits } from "../../contract/tool.ts";
import type { LineIndex, LineRange } from "./lines.ts";

export interface PageRequest {
  readonly offset?: number;
  readonly limit?: number;
  readonly tail?: number;
}

export interface LinePage extends LineRange {
  readonly text: string;
  readonly cutLines: number;
  /** UTF-8 bytes of the requested range that are not in `text`. */
  readonly omittedBytes: number;
}

export const { maxResultLines: defaultLines } = defaultResultLimits;
const { maxResultChars: maxPageChars } = defaultResultLimits;
const maxLineChars = 2_000;

export function pageOf(text: string, lines: LineIndex, asked: LineRange, request: PageRequest): LinePage {
  const fromEnd = request.tail !== undefined;
  const alone = asked.from === asked.to;
  const rendered: string[] = [];
  let chars = 0;
  let cutLines = 0;
  let cutBytes = 0;
  for (let step = 0; step <= asked.to - asked.from; step += 1) {
    const number = fromEnd ? asked.to - step : asked.from + step;
    const line = lines.line(number);
    const cut = cutLine(line, number, alone ? maxPageChars : maxLineChars);
    const entry = `${number}\t${cut.text}`;
    if (rendered.length > 0 && chars + entry.length + 1 > maxPageChars) break;
    chars += entry.length + 1;
    cutBytes += cut.omittedBytes;
    if (cut.omittedBytes > 0) cutLines += 1;
    rendered.push(entry);
  }
  if (fromEnd) rendered.reverse();
  const from = fromEnd ? asked.to - rendered.length + 1 : asked.from;
  const to = fromEnd ? asked.to : asked.from + rendered.length - 1;
  const left = fromEnd
    ? text.slice(lines.startOf(asked.from), lines.startOf(from))
    : text.slice(lines.startOf(to + 1), lines.startOf(lastWanted(lines.count, request) + 1));
  return { from, to, text: rendered.join("\n"), cutLines, omittedBytes: cutBytes + Buffer.byteLength(left) };
}

/** `from` 1 and `to` 0 for an empty file. */
export function askedRange(total: number, request: PageRequest): Outcome<LineRange> {
  if (request.tail !== undefined) return ok({ from: Math.max(1, total - request.tail + 1), to: total });
  const from = request.offset ?? 1;
  if (from > total && from > 1) {
    return fail("runtime_precondition_failed", `The file has ${total} lines; offset ${from} is after the end.`, {
      field: "offset",
      happened: "nothing",
      recovery: total === 0 ? "Omit offset." : `Use an offset from 1 to ${total}, or tail.`,
    });
  }
  return ok({ from, to: Math.min(total, from + (request.limit ?? defaultLines) - 1) });
}

/** Without `limit` the call requests the rest of the file, and a default page omits some of it. */
function lastWanted(total: number, { offset, limit }: PageRequest): number {
  return limit === undefined ? total : Math.min(total, (offset ?? 1) + limit - 1);
}

function cutLine(
  line: string,
  number: number,
  maxChars: number,
): { readonly text: string; readonly omittedBytes: number } {
  if (line.length <= maxChars) return { text: line, omittedBytes: 0 };
  const end = wholeEnd(line, maxChars);
  const rest = line.slice(end);
  const how = maxChars === maxLineChars ? `; read it alone with offset ${number}, limit 1` : "";
  return {
    text: `${line.slice(0, end)} [${rest.length} more characters cut${how}]`,
    omittedBytes: Buffer.byteLength(rest),
  };
}

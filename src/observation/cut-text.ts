import { notability } from "../base/notable-line.ts";
import { groupedNumber, wholeEnd } from "../base/text.ts";
import type { NextStep } from "../contract/tool.ts";
import { chooseHead, chooseLines, type Limits, type Shares } from "./choose-lines.ts";
import type { KnownText } from "./known-text.ts";

export interface Cut {
  readonly text: string;
  readonly omittedBytes: number;
  readonly around?: string;
}

const noticeChars = 260;
const aroundChars = 60;

export function cutText(
  known: KnownText,
  limits: Limits,
  options: { readonly shares: Shares; readonly artifact?: string },
): Cut {
  const room = { maxChars: limits.maxChars - noticeChars, maxLines: limits.maxLines - 1 };
  const chosen = chooseLines(known, room, options.shares);
  const around = quotable(known, chosen);
  let first = true;
  const { text, omittedBytes } = render(known, chosen, (bytes) => {
    const where = first ? whereTheRestIs(options.artifact, around) : "";
    first = false;
    return `[… ${count(bytes)} bytes omitted here${where}]`;
  });
  return { text, omittedBytes, ...(around === undefined ? {} : { around }) };
}

export function cutPage(
  known: KnownText,
  limits: Limits,
  continueAt: ((keptLines: number) => NextStep) | undefined,
): Cut & { readonly next?: NextStep } {
  const chosen = chooseHead(known, { maxChars: limits.maxChars - noticeChars, maxLines: limits.maxLines - 1 });
  const lineEnds = [...chosen].filter((index) => known.lines[index]?.text.endsWith("\n")).length;
  const next = continueAt?.(Math.max(1, lineEnds));
  const how = next === undefined ? "ask for a smaller part" : `go on with ${next.tool} ${JSON.stringify(next.input)}`;
  const cut = render(known, chosen, (bytes) => `[… ${count(bytes)} bytes omitted here; ${how}]`);
  return { ...cut, ...(next === undefined ? {} : { next }) };
}

function render(
  known: KnownText,
  chosen: ReadonlySet<number>,
  notice: (bytes: number) => string,
): { readonly text: string; readonly omittedBytes: number } {
  const parts: string[] = [];
  let kept = 0;
  let position = 0;
  let shown = 0;
  for (const [index, line] of known.lines.entries()) {
    position += line.gapBefore;
    if (chosen.has(index)) {
      if (position > shown) pushNotice(parts, notice(position - shown));
      parts.push(line.text);
      kept += line.bytes;
      shown = position + line.bytes;
    }
    position += line.bytes;
  }
  if (known.bytes > shown) pushNotice(parts, notice(known.bytes - shown));
  return { text: parts.join(""), omittedBytes: known.bytes - kept };
}

function pushNotice(parts: string[], notice: string): void {
  const last = parts.at(-1);
  parts.push(last === undefined || last.endsWith("\n") ? `${notice}\n` : `\n${notice}\n`);
}

function whereTheRestIs(artifact: string | undefined, around: string | undefined): string {
  if (artifact === undefined) return "; the whole could not be stored";
  return `; read_artifact id=${artifact}${around === undefined ? "" : ` around=${JSON.stringify(around)}`}`;
}

function quotable({ lines }: KnownText, chosen: ReadonlySet<number>): string | undefined {
  const indices = [...chosen].sort((a, b) => a - b);
  const failure = indices.find((index) => notability(lines[index]?.text ?? "") === "failure");
  const text = failure === undefined ? "" : (lines[failure]?.text.trim() ?? "");
  if (text === "" || text.includes("[redacted")) return undefined;
  return text.length <= aroundChars ? text : text.slice(0, wholeEnd(text, aroundChars));
}

function count(bytes: number): string {
  return groupedNumber(bytes);
}

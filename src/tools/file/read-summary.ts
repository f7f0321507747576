import type { NextStep, Summary } from "../../contract/tool.ts";
import type { Page, PageRequest } from "./page.ts";
import type { TextStyle } from "./text-file.ts";

export interface ReadResult extends TextStyle {
  readonly path: string;
  readonly page: Page;
  readonly total: number;
  readonly endsWithNewline: boolean;
  readonly hash: string;
  readonly bytes: number;
  /** These very lines of this very version were given before; they are not repeated. */
  readonly unchanged: boolean;
}

export function pageSummary(title: string, result: ReadResult, asked: PageRequest): Summary {
  const { path, page, total } = result;
  const more = total - page.to;
  const notes = [
    total === 0 ? `${path} is empty.` : `Lines ${page.from}-${page.to} of ${total} of ${path}.`,
    more > 0 ? `${more} more lines follow.` : "",
    page.cutLines > 0 ? `${page.cutLines} long lines were cut.` : "",
    total > 0 && more === 0 && !result.endsWithNewline ? "No newline at the end." : "",
    styleNote(result),
  ];
  return {
    title,
    summary: notes.filter((note) => note !== "").join(" "),
    model: [{ format: "text", text: total === 0 ? "(the file is empty)" : page.text }],
    user: total === 0 ? "empty" : `lines ${page.from}-${page.to} of ${total}`,
    data: facts(result),
    ...(page.omittedBytes > 0 ? { omittedBytes: page.omittedBytes } : {}),
    continueAt: (kept) => nextPage(result, page.from + kept, asked),
    ...(more > 0 ? { next: nextPage(result, page.to + 1, asked) } : {}),
  };
}

export function unchangedSummary(title: string, result: ReadResult): Summary {
  const { path, page, total } = result;
  const text = `file_unchanged: lines ${page.from}-${page.to} of ${total} of ${path} were given before and are the same. Ask for another range to see text again.`;
  return {
    title,
    summary: `${path} is unchanged since it was read.`,
    model: [{ format: "text", text }],
    user: "unchanged",
    data: facts(result),
  };
}

function nextPage({ path }: ReadResult, offset: number, { limit }: PageRequest): NextStep {
  return { tool: "read", input: { path, offset, ...(limit === undefined ? {} : { limit }) } };
}

function styleNote({ encoding, bom, eol }: TextStyle): string {
  const notes = [
    encoding === "latin1" ? "not valid UTF-8, read as latin1" : encoding === "utf-8" ? "" : encoding,
    bom ? "byte order mark" : "",
    eol === "crlf" ? "CRLF line endings" : eol === "mixed" ? "mixed line endings" : "",
  ].filter((note) => note !== "");
  return notes.length === 0 ? "" : `(${notes.join(", ")})`;
}

function facts(result: ReadResult): Record<string, unknown> {
  const { page, total } = result;
  return {
    path: result.path,
    totalLineCount: total,
    selectedLineCount: Math.max(0, page.to - page.from + 1),
    startLine: page.from,
    endLine: page.to,
    truncated: page.to < total || page.cutLines > 0 || page.omittedBytes > 0,
    cutLineCount: page.cutLines,
    endsWithNewline: result.endsWithNewline,
    encoding: result.encoding,
    eol: result.eol,
    bom: result.bom,
    hash: result.hash,
    bytes: result.bytes,
    unchanged: result.unchanged,
  };
}

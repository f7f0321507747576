import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { withMarks } from "../../base/secret-span.ts";
import type { Failure } from "../../contract/codes.ts";
import type { Baseline } from "../../contract/events/fact.ts";
import { defineTool, type NextStep, type Summary } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { readEffect } from "../../effects/file-effects.ts";
import { summarizer } from "../summary.ts";
import { pathSpellings, spellings } from "./input.ts";
import { indexLines, type LineRange } from "./lines.ts";
import { mayTell, namedPath } from "./open-file.ts";
import { askedRange, defaultLines, type LinePage, type PageRequest, pageOf } from "./page.ts";
import { decodeText, type TextStyle } from "./text-file.ts";

const maxFileBytes = 16 * 1024 * 1024;
const count = lazy(() => z.int().min(1).max(9_999_999));

const input = lazy(() =>
  z
    .strictObject({
      path: z.string().describe("Relative to the workspace, or absolute"),
      offset: z.exactOptional(count()).describe("First line, from 1"),
      limit: z.exactOptional(count()).describe(`Lines, ${defaultLines} if absent`),
      tail: z.exactOptional(count()).describe("Last lines instead"),
    })
    .refine(({ offset, limit, tail }) => tail === undefined || (offset === undefined && limit === undefined), {
      path: ["tail"],
      message: "cannot be combined with offset or limit",
    }),
);
type ReadInput = z.infer<ReturnType<typeof input>>;

export const read = defineTool<ReadInput, ReadResult>({
  name: "read",
  version: "1",
  description: "Reads a text file as numbered lines. A file must be read before it can be edited or overwritten.",
  family: "file",
  risks: ["read"],
  searchHint: "show view open file content lines",
  aliases: aliasesOf("read"),
  inputAliases: {
    ...pathSpellings,
    ...spellings({ offset: "start_line", limit: "line_count max_lines", tail: "tail_lines" }),
  },
  input,
  readOnly: () => true,
  describeCall: ({ path }) => `Read ${path}`,
  effects: (call, view) => ({ effects: [readEffect(view, call.path, "file")] }),
  concurrency: () => "safe",
  // Never spills: an artifact with a page would itself have to be read in pages.
  maxResultChars: Number.POSITIVE_INFINITY,
  maxResultLines: Number.POSITIVE_INFINITY,
  alwaysLoad: true,

  preconditions(call, view) {
    if (!mayTell(view, [call.path])) return undefined;
    const named = namedPath(view, call.path, "file");
    if (!named.ok) return named.failure;
    const size = view.facts(named.value.ref)?.stat?.size ?? 0;
    return size > maxFileBytes ? tooLarge(named.value.shown, size) : undefined;
  },

  async run(call, context) {
    const named = namedPath(context, call.path, "file");
    if (!named.ok) return named;
    const { ref, shown } = named.value;
    const path = ref.resolved;
    const loaded = await context.files.read(path, { maxBytes: maxFileBytes });
    if (!loaded.ok) return loaded;
    const { bytes, hash, stat } = loaded.value;
    const decoded = decodeText(bytes);
    if (!decoded.ok) {
      return { ok: false, failure: { ...decoded.failure, message: `${shown}: ${decoded.failure.message}.` } };
    }
    const { text, ...style } = decoded.value;
    const lines = indexLines(text);
    const asked = askedRange(lines.count, call);
    if (!asked.ok) return asked;
    const stretch = { from: lines.startOf(asked.value.from), to: lines.startOf(asked.value.to + 1) };
    const shownText = withMarks(text, context.secretsIn(text, stretch));
    const page = pageOf(shownText, shownText === text ? lines : indexLines(shownText), asked.value, call);

    const known = context.session.baseline(path);
    const seen: Baseline = {
      path,
      hash,
      size: bytes.length,
      mtimeMs: stat.mtimeMs,
      lines: { from: page.from, to: page.to, total: lines.count },
      ...(page.cutLines === 0 ? { shown: true } : {}),
    };
    context.session.recordBaseline(growBaseline(known, seen));
    return {
      ok: true,
      data: {
        path: shown,
        page,
        total: lines.count,
        endsWithNewline: lines.endsWithNewline,
        hash,
        bytes: bytes.length,
        unchanged: wasGiven(known, seen),
        ...style,
      },
    };
  },

  summarize: summarizer(
    ({ path }) => `Read ${path}`,
    (result, call) => (result.unchanged ? unchangedSummary(result) : pageSummary(result, call)),
  ),
});

function wasGiven(known: Baseline | undefined, seen: Baseline): boolean {
  return (
    known?.shown === true &&
    known.hash === seen.hash &&
    known.lines.from === seen.lines.from &&
    known.lines.to === seen.lines.to &&
    seen.lines.total > 0
  );
}

function tooLarge(shown: string, size: number): Failure {
  return {
    code: "budget_exceeded",
    field: "path",
    message: `${shown} has ${size} bytes; the limit of read is ${maxFileBytes} bytes.`,
    recovery: "Search it with grep, or print a part with head or tail.",
  };
}

interface ReadResult extends TextStyle {
  readonly path: string;
  readonly page: LinePage;
  readonly total: number;
  readonly endsWithNewline: boolean;
  readonly hash: string;
  readonly bytes: number;
  /** The same lines of the same version were shown before; they are not repeated. */
  readonly unchanged: boolean;
}

function pageSummary(result: ReadResult, asked: PageRequest): Omit<Summary, "title"> {
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
    summary: notes.filter((note) => note !== "").join(" "),
    model: [{ format: "text", text: total === 0 ? "(the file is empty)" : page.text }],
    user: total === 0 ? "empty" : `lines ${page.from}-${page.to} of ${total}`,
    data: facts(result),
    ...(page.omittedBytes > 0 ? { omittedBytes: page.omittedBytes } : {}),
    continueAt: (kept) => nextPage(result, page.from + kept, asked),
    ...(more > 0 ? { next: nextPage(result, page.to + 1, asked) } : {}),
  };
}

function unchangedSummary(result: ReadResult): Omit<Summary, "title"> {
  const { path, page, total } = result;
  const text = `file_unchanged: lines ${page.from}-${page.to} of ${total} of ${path} were shown before and have not changed. Read another range to see text.`;
  return {
    summary: `${path} is unchanged since it was read.`,
    model: [{ format: "text", text }],
    user: "unchanged",
    data: facts(result),
  };
}

function nextPage({ path }: ReadResult, offset: number, { limit }: PageRequest): NextStep {
  return { tool: "read", input: { path, offset, limit } };
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

/** Adjacent or overlapping pages of one version add up; after a gap or for another version the count restarts. */
export function growBaseline(known: Baseline | undefined, read: Baseline): Baseline {
  if (known === undefined || known.hash !== read.hash || !touches(known.lines, read.lines)) return read;
  const from = Math.min(known.lines.from, read.lines.from);
  const to = Math.max(known.lines.to, read.lines.to);
  const whole = { from, to };
  const shown = spans(read.lines, whole)
    ? read.shown
    : spans(known.lines, whole)
      ? known.shown
      : known.shown === true && read.shown === true;
  const { shown: _, ...rest } = read;
  return { ...rest, lines: { ...whole, total: read.lines.total }, ...(shown === true ? { shown } : {}) };
}

function touches(a: LineRange, b: LineRange): boolean {
  return a.from <= b.to + 1 && b.from <= a.to + 1;
}

function spans(range: LineRange, whole: LineRange): boolean {
  return range.from === whole.from && range.to === whole.to;
}

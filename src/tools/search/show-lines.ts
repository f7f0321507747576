import { Buffer } from "node:buffer";
import { relative, resolve } from "node:path";
import { withMarks } from "../../base/secret-span.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { ToolContext } from "../../contract/ports.ts";
import { indexLines } from "../file/lines.ts";
import { decodeText } from "../file/text-file.ts";
import { type MatchLine, parseFiles } from "./ripgrep.ts";

export interface ShownLine extends Pick<MatchLine, "path" | "line" | "match"> {
  /** Cut around the match if the line is very long; secrets are marked before the cut. */
  readonly text: string;
  readonly leftOut: number;
}

export const longestLine = 20_000;
const longestText = 1_000;
const shownBefore = 300;
/** Longer than the visible part of a secret whose end ripgrep did not print. */
const unsureEnd = 1_024;
const notShown = "[not shown: it may be part of a private key]";

/** Secrets are marked before lines are cut. A line inside a private key is recognised from its file. */
export async function showLines(
  lines: readonly MatchLine[],
  context: Pick<ToolContext, "workspace" | "files" | "processes" | "secretsIn">,
  tree: string,
): Promise<Outcome<readonly ShownLine[]>> {
  const files = await keyFiles(lines, context, tree);
  if (!files.ok) return files;
  return ok(
    lines.map((line) => {
      const file = files.value.get(line.path);
      const text = file === "unknown" && mayBeOfKey(line.text) ? notShown : file?.[line.line];
      return excerpt(text === undefined ? line : { ...line, text }, context.secretsIn);
    }),
  );
}

function excerpt({ path, line, match, text, column }: MatchLine, secretsIn: ToolContext["secretsIn"]): ShownLine {
  if (text.length <= longestText) return { path, line, match, text, leftOut: 0 };
  const bytes = Buffer.from(text);
  const spans = secretsIn(text);
  const marked = withMarks(text, spans);
  const whole = bytes.length > longestLine ? marked.slice(0, -unsureEnd) : marked;
  const matchAt = bytes.subarray(0, column - 1).toString().length;
  const at = withMarks(text, spans, { from: 0, to: matchAt }).length;
  const start = Math.max(0, Math.min(at - shownBefore, whole.length - longestText));
  const shown = whole.slice(start, start + longestText).toWellFormed();
  const after = start + longestText < marked.length ? "…" : "";
  return {
    path,
    line,
    match,
    text: `${start > 0 ? "…" : ""}${shown}${after}`,
    leftOut: Math.max(0, bytes.length - Buffer.byteLength(shown)),
  };
}

/** Redacted lines by number, for lines with a part of a secret; or the mark that these lines are unknown. */
type KeyFile = Readonly<Record<number, string>> | "unknown";

const maxFileBytes = 16 * 1024 * 1024;
const keyText = /^[A-Za-z0-9+/=:,.\s\\|│→-]+$/;
const longRun = /[A-Za-z0-9+/]{16}/;
const oneWord = /^(?:[\d\s|│→:]*[\s|│→:])?[A-Za-z0-9+/]+[=\s\\|│]*$/;

/** Only such lines need a second check; few lines of code and prose do. */
export function mayBeOfKey(text: string): boolean {
  return keyText.test(text) && (longRun.test(text) || oneWord.test(text) || text.includes("PRIVATE KEY"));
}

/**
 * The files of these lines that contain a private key. Most searches need no second search, and most others only one
 * for the words that every private key contains: only files with them are read.
 */
async function keyFiles(
  lines: readonly MatchLine[],
  context: Pick<ToolContext, "workspace" | "files" | "processes" | "secretsIn">,
  tree: string,
): Promise<Outcome<ReadonlyMap<string, KeyFile>>> {
  const paths = [...new Set(lines.filter(({ text }) => mayBeOfKey(text)).map(({ path }) => path))];
  if (paths.length === 0) return ok(new Map());
  const absolute = new Map(paths.map((path) => [resolve(context.workspace.root, path), path]));
  const named = await filesWithKeyWords([...absolute.keys()], context, tree);
  if (!named.ok) return named;
  const files = new Map<string, KeyFile>();
  for (const file of named.value) {
    const path = absolute.get(file);
    if (path !== undefined) files.set(path, await markedLines(file, context));
  }
  return ok(files);
}

async function filesWithKeyWords(
  files: readonly string[],
  { processes }: Pick<ToolContext, "processes">,
  tree: string,
): Promise<Outcome<readonly string[]>> {
  const options = ["--no-config", "--no-follow", "--no-pre", "--no-ignore", "--hidden", "--text"];
  const wanted = ["--files-with-matches", "--null", "--fixed-strings", "--regexp=PRIVATE KEY"];
  const operands = files.map((file) => `./${relative(tree, file)}`);
  const maxBytes = operands.reduce((sum, operand) => sum + operand.length * 3 + 1, 0);
  const ran = await processes.ripgrep([...options, ...wanted, "--", ...operands], { tree, maxBytes });
  return ran.ok ? ok(parseFiles(ran.value.stdout, ran.value.cut).map((path) => resolve(tree, path))) : ran;
}

async function markedLines(
  file: string,
  { files, secretsIn }: Pick<ToolContext, "files" | "secretsIn">,
): Promise<KeyFile> {
  const loaded = await files.read(file, { maxBytes: maxFileBytes });
  const decoded = loaded.ok ? decodeText(loaded.value.bytes) : loaded;
  if (!decoded.ok) return "unknown";
  const { text } = decoded.value;
  const spans = secretsIn(text);
  const lines = indexLines(text);
  const shown = indexLines(withMarks(text, spans));
  const marked: Record<number, string> = {};
  for (const { from, to } of spans) {
    for (let number = lines.numberAt(from); number <= lines.numberAt(to - 1); number += 1) {
      marked[number] = shown.line(number);
    }
  }
  return marked;
}

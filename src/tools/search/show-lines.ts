import { Buffer } from "node:buffer";
import { withMarks } from "../../base/secret-span.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { ToolContext } from "../../contract/ports.ts";
import { keyFiles, mayBeOfKey } from "./key-files.ts";
import type { MatchLine } from "./parse-matches.ts";

/** A line as it is given out. */
export interface ShownLine extends Pick<MatchLine, "path" | "line" | "match"> {
  /** Around the match where the line is very long; with marks in place of secrets that a cut could hide. */
  readonly text: string;
  /** Bytes of the line that are not in `text`. */
  readonly leftOut: number;
}

/** What ripgrep prints of a line at most. */
export const longestLine = 20_000;
const longestText = 1_000;
const shownBefore = 300;
/** Longer than what may be left of a secret whose end ripgrep did not print. */
const unsureEnd = 1_024;
const notShown = "[not shown: it may be part of a private key]";

/** Secrets are marked before lines are cut, and a line inside a private key is told by the file it stands in. */
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

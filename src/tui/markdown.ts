import { diffLine } from "../cli/render/diff-view.ts";
import { joinShown, nothing, type Paint, type Shown, say } from "../cli/render/shown.ts";
import { besideMargin } from "../cli/render/wrap.ts";
import { renderTable } from "./markdown-table.ts";

export interface Fence {
  readonly marker: string;
  readonly language: string;
}

interface MarkdownStyle {
  readonly paint: Paint;
  readonly columns: number;
}

export function fenceAfter(fence: Fence | undefined, line: string): Fence | undefined {
  const [, marker = "", language = ""] = /^\s{0,3}(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/.exec(line) ?? [];
  if (fence === undefined) return marker === "" ? undefined : { marker, language };
  return marker.startsWith(fence.marker) && language === "" ? undefined : fence;
}

export function isTableRow(line: string): boolean {
  return /^\s{0,3}\|.*\S/.test(line);
}

export function renderMarkdown(text: string, style: MarkdownStyle, fence?: Fence): readonly Shown[] {
  const rows: Shown[] = [];
  let table: string[] = [];
  let inside = fence;
  const endTable = () => {
    if (table.length > 0) rows.push(...renderTable(table, style, (cell) => inline(cell, style.paint)));
    table = [];
  };
  for (const line of text.split("\n")) {
    if (inside === undefined && isTableRow(line)) {
      table.push(line);
      continue;
    }
    endTable();
    rows.push(...renderLine(line, style, inside));
    inside = fenceAfter(inside, line);
  }
  endTable();
  return rows;
}

export function renderLine(line: string, style: MarkdownStyle, fence: Fence | undefined): readonly Shown[] {
  const { paint } = style;
  const after = fenceAfter(fence, line);
  if (fence !== undefined) {
    if (after === undefined) return [];
    return [say`  ${fence.language === "diff" ? diffLine(line, paint) : line}`];
  }
  if (after !== undefined) return [];
  return blockRows(line, style);
}

function blockRows(line: string, { paint, columns }: MarkdownStyle): readonly Shown[] {
  const heading = /^\s{0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/.exec(line);
  if (heading !== null) {
    const words = isStyled(paint) ? paint("strong", inline(heading[2] ?? "", paint)) : say`${line}`;
    return besideMargin(words, { columns, first: nothing });
  }
  if (/^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)) return [paint("quiet", "─".repeat(ruleWidth))];
  const [, quoted, words = ""] = /^(\s{0,3}(?:>\s?)+)(.*)$/.exec(line) ?? [];
  if (quoted !== undefined) {
    const bar = paint("quiet", "│ ".repeat(quoted.split(">").length - 1));
    return besideMargin(inline(words, paint), { columns, first: bar, further: bar });
  }
  const [, indent = "", task, item] = /^(\s*)[-*+]\s+(?:\[([ xX])\]\s+)?(.*)$/.exec(line) ?? [];
  if (item !== undefined) {
    const mark = task === undefined ? "•" : task === " " ? "☐" : "☑";
    return besideMargin(inline(item, paint), { columns, first: say`${indent}${mark} ` });
  }
  const [, margin = "", text = line] = /^(\s*(?:\d{1,9}[.)]\s+)?)(.*)$/.exec(line) ?? [];
  return besideMargin(inline(text, paint), { columns, first: say`${margin}` });
}

const ruleWidth = 24;

const longestLine = 4_000;

const marks = new RegExp(
  [
    String.raw`\\(?<escaped>[\\${"`"}*_{}[\]()#+\-.!|~>])`,
    String.raw`(?<ticks>${"`"}+)(?!${"`"})(?<code>.+?)(?<!${"`"})\k<ticks>(?!${"`"})`,
    String.raw`\*\*(?=\S)(?<strong>.+?)(?<=\S)\*\*`,
    String.raw`(?<!\w)__(?=\S)(?!\w+__)(?<strongToo>.+?)(?<=\S)__(?!\w)`,
    String.raw`\*(?=[^\s*])(?<stressed>[^*]*?)(?<=\S)\*`,
    String.raw`(?<!\w)_(?=[^\s_])(?<stressedToo>[^_]*?)(?<=\S)_(?!\w)`,
    String.raw`!?\[(?<label>[^\][]*)\]\((?<address>[^()\s]+)(?:\s+"[^"]*")?\)`,
  ].join("|"),
  "g",
);

function inline(text: string, paint: Paint): Shown {
  if (!isStyled(paint) || text.length > longestLine) return say`${text}`;
  const parts: Shown[] = [];
  let at = 0;
  for (const found of text.matchAll(marks)) {
    parts.push(say`${text.slice(at, found.index)}`, marked(found.groups ?? {}, paint));
    at = found.index + found[0].length;
  }
  parts.push(say`${text.slice(at)}`);
  return joinShown(parts, "");
}

function marked(groups: Readonly<Record<string, string | undefined>>, paint: Paint): Shown {
  const { escaped, code, label, address } = groups;
  const strong = groups.strong ?? groups.strongToo;
  const stressed = groups.stressed ?? groups.stressedToo;
  if (escaped !== undefined) return say`${escaped}`;
  if (code !== undefined) return paint("accent", code);
  if (strong !== undefined) return paint("strong", inline(strong, paint));
  if (stressed !== undefined) return paint("stressed", inline(stressed, paint));
  if (label === undefined || address === undefined) return nothing;
  // The address is always shown: a label could hide it.
  return label === address || label === ""
    ? say`${address}`
    : say`${inline(label, paint)} ${paint("quiet", `(${address})`)}`;
}

function isStyled(paint: Paint): boolean {
  return paint("strong", "x").text !== "x";
}

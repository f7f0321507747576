import { groupedNumber } from "../base/text.ts";
import { lines, type Paint, type Shown, say, type Tone } from "../cli/render/shown.ts";
import { counted, oneLine } from "../cli/render/table.ts";
import { besideMargin, type Wrap } from "../cli/render/wrap.ts";
import { distinctClaims } from "../cli/run/report.ts";
import type { RunReport } from "../contract/app/agent.ts";
import { callLines, wholeOutputLines } from "./call-output.ts";
import { renderMarkdown } from "./markdown.ts";
import type { NoteTone, ScreenItem } from "./screen.ts";

export function renderItem(
  item: ScreenItem,
  paint: Paint,
  {
    wrap = (line) => line,
    columns = Number.POSITIVE_INFINITY,
  }: { readonly wrap?: Wrap; readonly columns?: number } = {},
): Shown {
  switch (item.kind) {
    case "message":
      return lines([say``, ...sentRows(item.text, "strong", { paint, columns })]);
    case "command":
      return lines([say``, ...sentRows(item.text, "quiet", { paint, columns })]);
    case "said":
      return lines([...(item.first ? [say``] : []), ...renderMarkdown(item.text, { paint, columns }, item.fence)]);
    case "call":
      return lines(callLines(item.observation, { paint, columns }));
    case "output":
      return lines(wholeOutputLines(item.observation, { paint, columns }));
    case "note":
      return lines(item.text.split("\n").map((row) => wrap(say`  ${toned(item.tone, row, paint)}`)));
    case "report":
      return lines(reportLines(item.report, paint).map(wrap));
  }
}

const sentRowsShown = { first: 30, last: 10 };

function sentRows(
  text: string,
  tone: Tone,
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
): readonly Shown[] {
  const rows = text.split("\n").flatMap((row, index) => {
    const first = index === 0 ? say`${paint("accent", "›")} ` : say`  `;
    return besideMargin(paint(tone, row), { columns, first });
  });
  const { first, last } = sentRowsShown;
  const leftOut = rows.length - first - last;
  if (leftOut <= 1) return rows;
  const mark = say`  ${paint("quiet", `⟨${groupedNumber(leftOut)} rows not shown; the full message was sent⟩`)}`;
  return [...rows.slice(0, first), mark, ...rows.slice(-last)];
}

const tones: Readonly<Record<Exclude<NoteTone, "plain">, Tone>> = {
  good: "good",
  bad: "bad",
  warning: "warning",
  quiet: "quiet",
};

function toned(tone: NoteTone, text: string, paint: Paint): Shown {
  return tone === "plain" ? say`${text}` : paint(tones[tone], text);
}

function reportLines(report: RunReport, paint: Paint): readonly Shown[] {
  const { stop, detail, answer, changed, verifications, unanswered, lastChange } = report;
  const last = verifications.at(-1);
  const checked = last === undefined ? "not verified" : `last check ${last.passed ? "passed" : "failed"}`;
  const stale = last !== undefined && last.afterChange !== lastChange ? " before the last change" : "";
  return [
    ...(stop === "done"
      ? []
      : [say`${paint("warning", `■ ${stop.replaceAll("_", " ")}`)}${detail === undefined ? "" : `: ${detail}`}`]),
    ...(stop === "done" && answer.trim() === "" ? [paint("quiet", "The model ended without an answer.")] : []),
    ...distinctClaims(report).map(({ verdict, phrase, reason }) =>
      verdict === "supported"
        ? say`${paint("good", "✓")} “${oneLine(phrase, 80)}” ${paint("quiet", reason)}`
        : say`${paint(verdict === "contradicted" ? "bad" : "warning", verdict === "contradicted" ? "✗ contradicted:" : "? unsupported:")} “${oneLine(phrase, 80)}” ${paint("quiet", reason)}`,
    ),
    ...(changed.length === 0
      ? []
      : [
          say`${paint("quiet", `${counted(changed.length, "file")} changed, ${checked}${stale} · /undo previews reverting the last call`)}`,
        ]),
    ...[...new Set(unanswered.map(({ title }) => oneLine(title, 100)))].map(
      (title) => say`${paint("warning", "needs approval:")} ${title}`,
    ),
  ];
}

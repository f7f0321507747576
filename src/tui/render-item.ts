import { diffLine } from "../cli/render/diff.ts";
import { lines, type Paint, type Shown, say, type Tone } from "../cli/render/shown.ts";
import { counted, oneLine } from "../cli/render/table.ts";
import type { Wrap } from "../cli/render/wrap.ts";
import { distinctClaims } from "../cli/run/render-report.ts";
import type { RunReport } from "../contract/agent.ts";
import type { Observation } from "../contract/observation.ts";
import { renderMarkdown } from "./markdown.ts";
import type { Item, NoteTone } from "./screen.ts";

/** What is over and done with, as it stands above what moves. */
export function renderItem(
  item: Item,
  paint: Paint,
  {
    wrap = (line) => line,
    columns = Number.POSITIVE_INFINITY,
  }: { readonly wrap?: Wrap; readonly columns?: number } = {},
): Shown {
  switch (item.kind) {
    case "message":
      return lines([
        say``,
        ...item.text
          .split("\n")
          .map((row, index) => say`${paint("accent", index === 0 ? "›" : " ")} ${paint("strong", row)}`),
      ]);
    case "said":
      return lines([...(item.first ? [say``] : []), ...renderMarkdown(item.text, { paint, columns }, item.fence)]);
    case "call":
      return lines(callLines(item.observation, paint));
    case "note":
      return lines(item.text.split("\n").map((row) => wrap(say`  ${toned(item.tone, row, paint)}`)));
    case "report":
      return lines(reportLines(item.report, paint));
  }
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

const faceLines = 6;
const diffLines = 40;

/** A call that ended: what it was, how it went, and as much of it as a person wants to see without asking. */
function callLines(observation: Observation, paint: Paint): readonly Shown[] {
  const { ok, status, title, code, metrics } = observation;
  const mark = ok
    ? paint("good", "●")
    : paint(status === "denied" ? "warning" : "bad", status === "denied" ? "⊘" : "●");
  const how = ok ? "" : ` ${code}`;
  const head = say`${mark} ${paint("strong", oneLine(title, 120))}${paint(status === "denied" ? "warning" : "bad", how)} ${paint("quiet", `${Math.round(metrics.durationMs)} ms`)}`;
  const diff = observation.model.content.find(({ format }) => format === "diff");
  const face = diff === undefined ? faceOf(observation) : [];
  return [
    head,
    ...cut(face, faceLines, paint).map((row) => say`  ${paint("quiet", row)}`),
    ...cut(diff?.text.trimEnd().split("\n") ?? [], diffLines, paint).map((row) =>
      typeof row === "string" ? say`  ${diffLine(row, paint)}` : say`  ${row}`,
    ),
  ];
}

/** What people are told beside the title; a failure also what to do about it. */
function faceOf({ ok, title, summary, user, recovery, model }: Observation): readonly string[] {
  const told = (user.text.trim() === "" ? summary : user.text).trim();
  const output = ok
    ? []
    : (model.content
        .find(({ format }) => format === "text")
        ?.text.trimEnd()
        .split("\n")
        .slice(-4) ?? []);
  const rows = [
    ...(told === title ? [] : told.split("\n")),
    ...(ok ? [] : output),
    ...(ok || recovery === undefined ? [] : [recovery]),
  ];
  return [...new Set(rows)].filter((row) => row.trim() !== "");
}

function cut(rows: readonly string[], most: number, paint: Paint): readonly (string | Shown)[] {
  if (rows.length <= most) return rows;
  return [...rows.slice(0, most - 1), paint("quiet", `… ${rows.length - most + 1} more lines`)];
}

/** What the log says about a run, below what the model says about it. */
function reportLines(report: RunReport, paint: Paint): readonly Shown[] {
  const { stop, detail, changed, verifications, unanswered } = report;
  const last = verifications.at(-1);
  return [
    ...(stop === "done"
      ? []
      : [say`${paint("warning", `■ ${stop.replaceAll("_", " ")}`)}${detail === undefined ? "" : `: ${detail}`}`]),
    ...distinctClaims(report).map(({ verdict, phrase, reason }) =>
      verdict === "supported"
        ? say`${paint("good", "✓")} “${oneLine(phrase, 80)}” ${paint("quiet", reason)}`
        : say`${paint(verdict === "contradicted" ? "bad" : "warning", verdict === "contradicted" ? "✗ contradicted:" : "? unsupported:")} “${oneLine(phrase, 80)}” ${paint("quiet", reason)}`,
    ),
    ...(changed.length === 0
      ? []
      : [
          say`${paint("quiet", `${counted(changed.length, "file")} changed${last === undefined ? ", nothing checked" : `, last check ${last.passed ? "passed" : "failed"}`}; /undo takes it back`)}`,
        ]),
    ...unanswered.map(({ title }) => say`${paint("warning", "not asked:")} ${oneLine(title, 100)}`),
  ];
}

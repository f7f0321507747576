import type { AuditAnswer, VerifyReport } from "../../contract/app/archive.ts";
import { callTitle } from "./session.ts";
import { lines, type Paint, type Shown, say } from "./shown.ts";
import { counted, oneLine, timeText } from "./table.ts";
import type { View } from "./wrap.ts";

/** Questions with their answers, and the chain of events that carries them. */
export function renderAuditAnswer(answer: AuditAnswer, input: unknown, { paint, wrap }: View): Shown {
  const { observation } = answer;
  return lines([
    say`${paint("strong", oneLine(callTitle(observation, input)))}  ${observation.code}`,
    wrap(paint("quiet", `session ${answer.session}, intent ${answer.intentId}`)),
    ...renderHolders(answer).map((text) => wrap(say`${paint("warning", "notice:")} ${text}`)),
    say``,
    ...answer.questions.flatMap((entry) => [
      say`${paint("accent", entry.question)}`,
      ...answerRows(entry).map((line) => wrap(say`  ${line}`)),
      ...(entry.events.length === 0 ? [] : [wrap(say`  ${paint("quiet", entry.events.join(" "))}`)]),
    ]),
    say``,
    ...chainRows(answer, paint).map(wrap),
  ]);
}

function chainRows({ chain }: AuditAnswer, paint: Paint): readonly Shown[] {
  const places = Math.max(...chain.map(({ seq }) => String(seq).length));
  const widest = Math.max(...chain.map(({ type }) => type.length));
  return chain.map(
    ({ seq, at, type, id }) =>
      say`${paint("quiet", `${String(seq).padStart(places)}  ${timeText(at)}`)}  ${type.padEnd(widest)}  ${paint("quiet", id)}`,
  );
}

function answerRows({ answer, brief }: AuditAnswer["questions"][number]): readonly string[] {
  return brief === undefined ? answer.split("\n") : [`${brief} \`--json\` has all of it.`];
}

const mostNamed = 5;

/** Whose word it is, and who else has one. */
function renderHolders({ imported, alsoIn }: AuditAnswer): readonly string[] {
  const others = alsoIn.slice(0, mostNamed).map((other) => `${other.session}${other.imported ? " (imported)" : ""}`);
  const more = alsoIn.length > mostNamed ? ` and ${alsoIn.length - mostNamed} more` : "";
  return [
    ...(imported ? ["this session was imported: somebody else wrote it, and all of this is their word."] : []),
    ...(others.length === 0 ? [] : [`a call of this name is also in ${others.join(", ")}${more}.`]),
  ];
}

export function renderVerifyReport(report: VerifyReport, paint: Paint): Shown {
  const mark = report.ok ? paint("good", "✓") : paint("bad", "✗");
  return lines([
    say`${mark} ${report.session}  ${counted(report.events, "event")}  ${paint("quiet", report.head)}${report.imported ? "  imported" : ""}`,
    ...report.problems.map((problem) => say`    event ${problem.seq}: ${paint("bad", problem.problem)}`),
  ]);
}

/** One line for all of them: what could not be checked is the same for most. */
export function renderNotices(reports: readonly VerifyReport[], paint: Paint): readonly Shown[] {
  const notices = new Set(reports.flatMap(({ notice }) => notice ?? []));
  return [...notices].map((notice) => {
    const count = reports.filter((report) => report.notice === notice).length;
    return say`${paint("warning", "notice:")} of ${counted(count, "session")}: ${notice}`;
  });
}

import type { ReplayCall, ReplayEntry, SaidMessage } from "../../contract/app/archive.ts";
import { renderAuditAnswer } from "./audit.ts";
import { block, joinShown, lines, type Shown, say, type Tone } from "./shown.ts";
import { bytesText, oneLine, timeText } from "./table.ts";
import type { View } from "./wrap.ts";

/** One step of a session. What models and tools said stands behind a bar: nothing of it looks like ours. */
export function renderReplayEntry(entry: ReplayEntry, view: View): Shown {
  const { paint } = view;
  const turn = entry.turnId === undefined ? "" : `  ${entry.turnId}`;
  const span = entry.from === entry.to ? `${entry.from}` : `${entry.from}–${entry.to}`;
  const head = (tone: Tone, what: string) =>
    say`${paint("quiet", `${span.padStart(9)}  ${timeText(entry.at)}`)}  ${paint(tone, what)}${paint("quiet", turn)}`;
  switch (entry.kind) {
    case "message":
      return joinShown(
        [lines([head("strong", entry.by)]), quoted(entry.text, view), ...pipedRows(entry.piped, view)],
        "",
      );
    case "answer":
      return joinShown([lines([head("accent", "model")]), quoted(entry.text, view)], "");
    case "reasoning":
      return joinShown([lines([head("quiet", "reasoning")]), quoted(entry.text, view)], "");
    case "call":
      return lines([head(toneOf(entry), `${markOf(entry)} ${entry.tool}`), ...callRows(entry, view)]);
    case "verification": {
      const { kinds, passed, command, exitCode } = entry.verification;
      const what = `${kinds.join(", ")} ${passed ? "passed" : "failed"}`;
      return lines([head(passed ? "good" : "bad", what), say`  ${oneLine(command)} (exit code ${exitCode ?? "none"})`]);
    }
    case "claim": {
      const { verdict, phrase, reason } = entry.claim;
      return lines([
        head(verdict === "supported" ? "good" : "bad", `claim ${verdict}`),
        say`  “${oneLine(phrase)}”: ${reason}`,
      ]);
    }
    case "note":
      return lines([head(entry.bad ? "bad" : "quiet", entry.about), view.wrap(say`  ${oneLine(entry.text, 400)}`)]);
    case "input":
      return joinShown([lines([head("accent", `input of ${bytesText(entry.bytes)}`)]), block(`${entry.text}\n`)], "");
    case "audit":
      return joinShown([lines([head("accent", "call")]), renderAuditAnswer(entry.answer, undefined, view)], "");
  }
}

function pipedRows(piped: SaidMessage["piped"], { paint }: View): readonly Shown[] {
  if (piped === undefined) return [];
  return [lines([paint("quiet", `  with ${bytesText(piped.bytes)} piped in, kept as ${piped.artifact}`)])];
}

function callRows(call: ReplayCall, { paint, wrap }: View): readonly Shown[] {
  const { input, summary, decision, answered, proposed, changed, auditId } = call;
  const quiet = (text: string) => wrap(say`  ${paint("quiet", text)}`);
  return [
    say`  ${oneLine(JSON.stringify(input) ?? "", 200)}`,
    ...(decision === undefined
      ? []
      : [quiet(`${decision.decision} by ${decision.source}: ${oneLine(decision.reason)}`)]),
    ...(answered === undefined
      ? []
      : [
          quiet(
            `${answered.by}: ${answered.answer}${answered.message === undefined ? "" : `, ${oneLine(answered.message)}`}`,
          ),
        ]),
    wrap(say`  ${oneLine(summary, 400)}`),
    ...(proposed === undefined ? [] : [quiet(proposedText(proposed))]),
    ...(changed.length === 0 ? [] : [quiet(`changed ${changed.join(", ")}`)]),
    ...(auditId === undefined ? [] : [quiet(auditId)]),
  ];
}

function proposedText({
  created,
  modified,
  deleted,
  by,
  reason,
  outcome,
}: NonNullable<ReplayCall["proposed"]>): string {
  const decided = by === undefined ? "" : `; decided by ${by}: ${oneLine(reason ?? "")}`;
  return `proposed ${created} created, ${modified} modified, ${deleted} deleted; ${outcome ?? "not settled"}${decided}`;
}

function quoted(text: string, { paint, fold }: View): Shown {
  return lines(text.split("\n").map((row) => fold(say`  ${paint("quiet", "│")} ${row}`)));
}

function markOf({ status }: ReplayCall): string {
  return status === "ok" ? "✓" : status === "denied" ? "⊘" : status === "open" ? "…" : "✗";
}

function toneOf({ status }: ReplayCall): Tone {
  return status === "ok" ? "good" : status === "open" ? "warning" : "bad";
}

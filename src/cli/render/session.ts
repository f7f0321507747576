import {
  type AuditAnswer,
  type ReplayCall,
  type ReplayEntry,
  type SaidMessage,
  settledFacts,
  type VerifyReport,
} from "../../contract/app/archive.ts";
import type { Observation } from "../../contract/observation.ts";
import type { SessionState } from "../../contract/state.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { block, joinShown, lines, type Paint, type Shown, say, type Tone } from "./shown.ts";
import { bytesText, counted, dateText, durationText, oneLine, timeText } from "./table.ts";
import type { View } from "./wrap.ts";

export function taskText({ task, intents, imported }: SessionSummary): string {
  const about = task === "" ? `(${counted(intents, "call")}, no task)` : task;
  return imported ? `imported: ${about}` : about;
}

export function renderSummary(summary: SessionSummary, { paint, line, row }: View): Shown {
  const { id, status, imported, task, workspace, createdAt, updatedAt, events, intents, bytes, head } = summary;
  return lines([
    line`${paint("strong", id)}  ${status}${imported ? ", imported" : ""}`,
    row("task", task || undefined),
    row("workspace", workspace),
    row("from", dateText(createdAt)),
    row("to", dateText(updatedAt)),
    row("size", `${counted(events, "event")}, ${counted(intents, "intent")}, ${bytesText(bytes)}`),
    row("head", head),
  ]);
}

export function renderState(state: SessionState, clients: readonly string[], { row }: View): Shown {
  const { intents, observations, refused, failed } = state.counts;
  return lines([
    row("state", `${state.status}, mode ${state.mode}, at event ${state.seq}`),
    row("directory", state.cwd),
    row("calls", `${intents} proposed, ${observations} observed, ${refused} refused, ${failed} failed`),
    ...clients.map((client) => row("called by", `MCP client ${client}`)),
    ...state.grants.map((grant) => row("granted", `${grant.rule} (${grant.request})`)),
    ...[...state.pending.values()].map((request) => row("waits for", `${request.id}: ${request.prompt.title}`)),
    ...[...state.openInvocations.values()].map((open) => row("open", `${open.tool} ${open.invocationId}`)),
    ...[...state.openJobs.values()].map((job) => row("job", `${job.jobId}: ${oneLine(job.command)}`)),
    ...[...state.changedFiles].map(([file, hash]) => row("changed", `${file}${hash === null ? " (deleted)" : ""}`)),
  ]);
}

export function callTitle({ title, tool }: Pick<Observation, "title" | "tool">, input: unknown): string {
  if (title !== tool || input === undefined) return title;
  const command = typeof input === "object" && input !== null ? Reflect.get(input, "command") : undefined;
  return `${title} ${typeof command === "string" ? command : JSON.stringify(input)}`;
}

export function renderCall(at: string, observation: Observation, paint: Paint, input?: unknown): Shown {
  const { ok, status, tool, code, permission, metrics } = observation;
  const mark = ok ? paint("good", "✓") : paint("bad", status === "denied" ? "⊘" : "✗");
  const title = callTitle(observation, input);
  // The title of a call that was refused before it ran is its tool's name, which is printed already.
  const isNamedTwice = observation.invocationId === undefined && title.startsWith(`${tool} `);
  const shown = isNamedTwice ? title.slice(tool.length + 1) : title;
  const { state } = settledFacts(observation);
  const changes = state === undefined ? "" : `, changes ${state}`;
  const decided = permission === undefined ? "" : `${permission.decision} by ${permission.source}${changes}`;
  return say`${paint("quiet", timeText(at))} ${mark} ${paint("strong", tool.padEnd(12))} ${oneLine(shown, 80)}  ${paint("quiet", `${code}  ${decided}  ${durationText(metrics.durationMs)}  ${observation.auditId}`)}`;
}

export function renderAuditAnswer(answer: AuditAnswer, input: unknown, { paint, line, wrap }: View): Shown {
  const { observation } = answer;
  return lines([
    say`${paint("strong", oneLine(callTitle(observation, input)))}  ${observation.code}`,
    line`${paint("quiet", `session ${answer.session}, intent ${answer.intentId}`)}`,
    ...renderHolders(answer).map((text) => line`${paint("warning", "notice:")} ${text}`),
    say``,
    ...answer.questions.flatMap(({ question, answer: said, brief, events }) => [
      say`${paint("accent", question)}`,
      ...(brief === undefined ? said.split("\n") : [`${brief} \`--json\` shows all of it.`]).map(
        (text) => line`  ${text}`,
      ),
      events.length === 0 ? undefined : line`  ${paint("quiet", events.join(" "))}`,
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

const mostNamed = 5;

function renderHolders({ imported, alsoIn }: AuditAnswer): readonly string[] {
  const others = alsoIn.slice(0, mostNamed).map((other) => `${other.session}${other.imported ? " (imported)" : ""}`);
  const more = alsoIn.length > mostNamed ? ` and ${alsoIn.length - mostNamed} more` : "";
  return [
    ...(imported ? ["this session was imported: all of this is as its author wrote it."] : []),
    ...(others.length === 0 ? [] : [`a call with this id is also in ${others.join(", ")}${more}.`]),
  ];
}

export function renderVerifyReports(reports: readonly VerifyReport[], { paint }: View): Shown {
  const broken = reports.filter((report) => !report.ok);
  const notices = new Set(reports.flatMap(({ notice }) => notice ?? []));
  return lines([
    ...reports.flatMap(({ ok, session, events, head, imported, problems }) => [
      say`${ok ? paint("good", "✓") : paint("bad", "✗")} ${session}  ${counted(events, "event")}  ${paint("quiet", head)}${imported ? "  imported" : ""}`,
      ...problems.map(({ seq, problem }) => say`    event ${seq}: ${paint("bad", problem)}`),
    ]),
    say`${counted(reports.length, "session")} checked, ${broken.length} broken`,
    ...[...notices].map((notice) => {
      const count = reports.filter((report) => report.notice === notice).length;
      return say`${paint("warning", "notice:")} ${counted(count, "session")}: ${notice}`;
    }),
  ]);
}

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
  return [lines([paint("quiet", `  with ${bytesText(piped.bytes)} piped in, stored as ${piped.artifact}`)])];
}

function callRows(call: ReplayCall, { paint, line }: View): readonly (Shown | undefined)[] {
  const { input, summary, decision, answered, proposed, changed, auditId } = call;
  const quiet = (text: string | undefined) => (text === undefined ? undefined : line`  ${paint("quiet", text)}`);
  const message = answered?.message === undefined ? "" : `, ${oneLine(answered.message)}`;
  return [
    say`  ${oneLine(JSON.stringify(input) ?? "", 200)}`,
    quiet(decision && `${decision.decision} by ${decision.source}: ${oneLine(decision.reason)}`),
    quiet(answered && `${answered.by}: ${answered.answer}${message}`),
    line`  ${oneLine(summary, 400)}`,
    quiet(proposed && proposedText(proposed)),
    quiet(changed.length === 0 ? undefined : `changed ${changed.join(", ")}`),
    quiet(auditId),
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

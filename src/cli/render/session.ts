import { settledFacts } from "../../contract/app/proposed-changes.ts";
import type { Observation } from "../../contract/observation.ts";
import type { SessionState } from "../../contract/state.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { labeller, lines, type Paint, type Shown, say } from "./shown.ts";
import { bytesText, counted, dateText, durationText, oneLine, timeText } from "./table.ts";
import type { View } from "./wrap.ts";

/** What it was about. Calls can be made without a model, and then nobody said what for. */
export function taskText({ task, intents, imported }: SessionSummary): string {
  const about = task === "" ? `(${counted(intents, "call")}, no task)` : task;
  return imported ? `imported: ${about}` : about;
}

export function renderSummary(summary: SessionSummary, { paint, wrap }: View): Shown {
  const label = labeller(paint);
  const rows = [
    say`${paint("strong", summary.id)}  ${summary.status}${summary.imported ? ", imported" : ""}`,
    ...(summary.task === "" ? [] : [say`${label("task")}${summary.task}`]),
    say`${label("workspace")}${summary.workspace}`,
    say`${label("from")}${dateText(summary.createdAt)}`,
    say`${label("to")}${dateText(summary.updatedAt)}`,
    say`${label("size")}${counted(summary.events, "event")}, ${counted(summary.intents, "intent")}, ${bytesText(summary.bytes)}`,
    say`${label("head")}${summary.head}`,
  ];
  return lines(rows.map(wrap));
}

/** `clients` are the MCP clients that called, as they call themselves. */
export function renderState(state: SessionState, clients: readonly string[], { paint, wrap }: View): Shown {
  const label = labeller(paint);
  const { intents, observations, refused, failed } = state.counts;
  const rows = [
    say`${label("state")}${state.status}, mode ${state.mode}, at event ${state.seq}`,
    say`${label("directory")}${state.cwd}`,
    say`${label("calls")}${intents} proposed, ${observations} observed, ${refused} refused, ${failed} failed`,
    ...clients.map((client) => say`${label("called by")}the MCP client ${client}`),
    ...state.grants.map((grant) => say`${label("granted")}${grant.rule} (${grant.request})`),
    ...[...state.pending.values()].map((request) => say`${label("waits for")}${request.id}: ${request.prompt.title}`),
    ...[...state.openInvocations.values()].map((open) => say`${label("open")}${open.tool} ${open.invocationId}`),
    ...[...state.openJobs.values()].map((job) => say`${label("job")}${job.jobId}: ${oneLine(job.command)}`),
    ...[...state.changedFiles].map(
      ([file, hash]) => say`${label("changed")}${file}${hash === null ? " (deleted)" : ""}`,
    ),
  ];
  return lines(rows.map(wrap));
}

/** What was asked for, in one line: where a title says no more than the tool, with the input. */
export function callTitle({ title, tool }: Pick<Observation, "title" | "tool">, input: unknown): string {
  if (title !== tool || input === undefined) return title;
  const command = typeof input === "object" && input !== null ? Reflect.get(input, "command") : undefined;
  return `${title} ${typeof command === "string" ? command : JSON.stringify(input)}`;
}

/** One call of a session in one line. */
export function renderCall(at: string, observation: Observation, paint: Paint, input?: unknown): Shown {
  const { ok, status, tool, code, permission, metrics } = observation;
  const mark = ok ? paint("good", "✓") : paint("bad", status === "denied" ? "⊘" : "✗");
  const title = callTitle(observation, input);
  // What was refused before it began has no title but its tool's name, which stands there already.
  const isNamedTwice = observation.invocationId === undefined && title.startsWith(`${tool} `);
  const shown = isNamedTwice ? title.slice(tool.length + 1) : title;
  const { state } = settledFacts(observation);
  const changes = state === undefined ? "" : `, changes ${state}`;
  const decided = permission === undefined ? "" : `${permission.decision} by ${permission.source}${changes}`;
  return say`${paint("quiet", timeText(at))} ${mark} ${paint("strong", tool.padEnd(12))} ${oneLine(shown, 80)}  ${paint("quiet", `${code}  ${decided}  ${durationText(metrics.durationMs)}  ${observation.auditId}`)}`;
}

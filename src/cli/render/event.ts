import type { Event, EventData, EventType } from "../../contract/events/index.ts";
import { effectText } from "./effect.ts";
import { type Paint, type Shown, say, type Tone } from "./shown.ts";
import { bytesText, oneLine, timeText } from "./table.ts";

/** One line of a timeline. */
export function renderEvent(event: Event, paint: Paint): Shown {
  const { tone = "quiet" as Tone, text } = describe(event);
  return say`${paint("quiet", `${String(event.seq).padStart(5)}  ${timeText(event.at)}`)}  ${paint(tone, event.type.padEnd(26))}  ${oneLine(text)}`;
}

interface Description {
  readonly text: string;
  readonly tone?: Tone;
}

type Describe = { readonly [Type in EventType]: (data: EventData<Type>) => string | Description };

const descriptions: Describe = {
  "session.created": (data) => `${data.workspace}, mode ${data.mode}, sandbox ${sandboxText(data.sandbox)}`,
  "session.resumed": (data) => `by ${data.by}, mode ${data.mode}, sandbox ${sandboxText(data.sandbox)}`,
  "session.status_changed": (data) => `${data.from} → ${data.to}: ${data.reason}`,
  "session.mode_changed": (data) => `${data.from} → ${data.to} by ${data.by}`,
  "session.cwd_changed": (data) => `${data.from} → ${data.to}`,
  "session.definition_changed": (data) => `${data.tool} ${data.from.version} → ${data.to?.version ?? "gone"}`,
  "user.interrupt": (data) => ({ text: data.note ?? "", tone: "warning" }),
  "context.projected": (data) => `${data.menu.length} tools on the menu ${data.menuHash.slice(0, 12)}`,
  "tool_intent.proposed": (data) => ({
    text: `${data.intentId}  ${data.tool} ${JSON.stringify(data.input)}`,
    tone: "strong",
  }),
  "tool_intent.checked": (data) => `${data.intentId}  ${data.tool} version ${data.version}`,
  "tool_intent.revised": (data) => ({
    text: `${data.intentId}  by the hook ${data.hook}: ${JSON.stringify(data.input)}`,
    tone: "warning",
  }),
  "tool_intent.refused": (data) => ({
    text: `${data.intentId}  ${data.code} in ${data.phase}: ${data.message}`,
    tone: "bad",
  }),
  "permission.decided": (data) => ({
    text: `${data.intentId}  ${data.decision} (risk ${data.risk}, by ${data.source}${data.rule === undefined ? "" : `, rule ${data.rule}`}): ${data.reason}`,
    tone: data.decision === "allow" ? "good" : data.decision === "ask" ? "warning" : "bad",
  }),
  "permission.requested": (data) => ({ text: `${data.requestId}  until ${data.expiresAt}`, tone: "warning" }),
  "permission.answered": (data) => ({
    text: `${data.requestId}  ${data.answer} by ${data.by}${data.rule === undefined ? "" : `, for ${(data.rules ?? [data.rule]).join(", ")}`}${data.message === undefined ? "" : `: ${data.message}`}`,
    tone: data.answer === "allow" ? "good" : "bad",
  }),
  "permission.rule_saved": (data) => `${data.requestId}  ${data.rules.join(", ")} in ${data.path}`,
  "tool_invocation.queued": (data) => `${data.intentId}  ${data.tool} waits for ${data.lane}`,
  "tool_invocation.started": (data) =>
    `${data.invocationId}  ${data.tool} in ${sandboxText(data.sandbox)}: ${data.command?.text ?? data.effects.map(effectText).join(", ")}`,
  "tool_invocation.progressed": (data) => `${data.invocationId}  ${data.message}`,
  "tool_invocation.ended": (data) => ({
    text: `${data.invocationId}  ${data.exit} (${data.code}) after ${Math.round(data.durationMs)} ms`,
    tone: data.exit === "ok" ? "good" : "bad",
  }),
  "job.started": (data) => `${data.jobId}  ${data.command}`,
  "job.ended": (data) => `${data.jobId}  ${data.state}, exit code ${data.exitCode ?? "none"}`,
  "artifact.stored": (data) => `${data.artifact.kind} ${bytesText(data.artifact.bytes)}  ${data.artifact.id}`,
  "artifact.read": (data) => `${data.artifact} by ${data.by}`,
  "file.read": (data) => `${data.path}  lines ${data.lines.from}–${data.lines.to} of ${data.lines.total}`,
  "file.change_planned": (data) => data.changes.map((change) => change.path).join(", "),
  "file.changed": (data) => ({
    text: `${data.change} ${data.path}${data.to === undefined ? "" : ` → ${data.to}`} (seen by ${data.seenBy})`,
    tone: "accent",
  }),
  "connection.made": (data) => ({
    text: `${data.outcome} ${data.host}:${data.port}${data.address === undefined ? "" : ` (${data.address})`}${data.reason === undefined ? "" : `: ${data.reason}`}, ${bytesText(data.bytesUp)} up, ${bytesText(data.bytesDown)} down`,
    tone: data.outcome === "connected" ? "accent" : "bad",
  }),
  "file.forgotten": (data) => data.path,
  "hook.ran": (data) => ({
    text: `${data.event}  ${[data.handler.command, ...(data.handler.args ?? [])].join(" ")}: ${data.decision ?? data.exit}${data.reason === undefined ? "" : `: ${data.reason}`}`,
    tone: data.exit === "ok" ? "quiet" : "bad",
  }),
  "tool.observed": (data) => ({
    text: `${data.intentId}  ${data.observation.code}: ${data.observation.summary}`,
    tone: data.observation.ok ? "good" : "bad",
  }),
};

export const eventTypes: readonly string[] = Object.keys(descriptions);

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(descriptions, type);
}

function describe(event: Event): Description {
  // A newer version may have written types that this one does not know; they are shown, not hidden.
  const known: ((data: never) => string | Description) | undefined = descriptions[event.type];
  const description = known === undefined ? JSON.stringify(event.data) : known(event.data as never);
  return typeof description === "string" ? { text: description } : description;
}

function sandboxText(sandbox: { readonly backend: string; readonly enforces: boolean }): string {
  return sandbox.enforces ? sandbox.backend : `${sandbox.backend} (nothing enforced)`;
}

import { type Effect, isFileEffect } from "../../contract/effect.ts";
import type { Event, EventData, EventType } from "../../contract/events/index.ts";
import { modelName } from "../../contract/model.ts";
import { type Paint, type Shown, say, type Tone } from "./shown.ts";
import { bytesText, oneLine, timeText } from "./table.ts";

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
  "session.forked": (data) => ({ text: `from ${data.from} at event ${data.seq}`, tone: "accent" }),
  "session.status_changed": (data) => `${data.from} → ${data.to}: ${data.reason}`,
  "session.mode_changed": (data) => `${data.from} → ${data.to} by ${data.by}`,
  "session.cwd_changed": (data) => `${data.from} → ${data.to}`,
  "session.definition_changed": (data) => `${data.tool} ${data.from.version} → ${data.to?.version ?? "gone"}`,
  "user.interrupt": (data) => ({ text: data.note ?? "", tone: "warning" }),
  "run.started": (data) => ({ text: `${data.runId}  ${modelName(data.model)}: ${data.goal}`, tone: "strong" }),
  "run.ended": (data) => ({
    text: `${data.runId}  ${data.stop} after ${data.turns} turns${data.detail === undefined ? "" : `: ${data.detail}`}`,
    tone: data.stop === "done" ? "good" : "warning",
  }),
  "user.message": ({ by, text, piped }) => ({
    text: `${by}: ${text}${piped === undefined ? "" : ` (with ${bytesText(piped.bytes)} piped in, kept as ${piped.artifact})`}`,
    tone: "strong",
  }),
  "context.projected": (data) =>
    `${data.menu === undefined ? "the same menu" : `${data.menu.length + (data.named?.length ?? 0)} tools on the menu`} ${data.menuHash.slice(0, 12)}${data.modelInput === undefined ? "" : `, input of ${bytesText(data.modelInput.total)}`}`,
  "context.compacted": (data) => ({
    text: `${data.reason}: events up to ${data.upTo}, ${data.tokensBefore} → ${data.tokensAfter} tokens`,
    tone: "accent",
  }),
  "model.started": (data) => `${data.turnId}  ${modelName(data.model)}`,
  "model.text": (data) => data.text,
  "model.reasoning": (data) => data.text,
  "model.usage": (data) =>
    `${data.turnId}  ${data.inputTokens} in (${data.cacheReadTokens} cached), ${data.outputTokens} out${data.server === undefined ? "" : `, for the server ${data.server}`}`,
  "model.finished": (data) => `${data.turnId}  ${data.reason}`,
  "provider.error": (data) => ({ text: `${modelName(data.model)}  ${data.kind}: ${data.message}`, tone: "bad" }),
  "provider.retry_scheduled": (data) => ({
    text: `${data.kind}, attempt ${data.attempt} in ${Math.round(data.delayMs)} ms`,
    tone: "warning",
  }),
  "provider.fallback_selected": (data) => ({
    text: `${modelName(data.from)} → ${modelName(data.to)}: ${data.reason}`,
    tone: "warning",
  }),
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
    `${data.invocationId}  ${data.tool}${data.sandbox === undefined ? "" : ` in ${sandboxText(data.sandbox)}`}: ${data.command?.text ?? data.effects.map(effectText).join(", ")}`,
  "tool_invocation.progressed": (data) => `${data.invocationId}  ${data.message}`,
  "tool_invocation.ended": (data) => ({
    text: `${data.invocationId}  ${data.exit} (${data.code}) after ${Math.round(data.durationMs)} ms`,
    tone: data.exit === "ok" ? "good" : "bad",
  }),
  "job.started": (data) => `${data.jobId}  ${data.command}`,
  "job.ended": (data) =>
    `${data.jobId}  ${data.state}, exit code ${data.exitCode ?? "none"}${data.unrecorded === undefined ? "" : `; what it changed is not on record: ${data.unrecorded}`}`,
  "artifact.stored": (data) => `${data.artifact.kind} ${bytesText(data.artifact.bytes)}  ${data.artifact.id}`,
  "artifact.read": (data) => `${data.artifact} by ${data.by}`,
  "file.read": (data) => `${data.path}  lines ${data.lines.from}–${data.lines.to} of ${data.lines.total}`,
  "file.change_planned": (data) => data.changes.map((change) => change.path).join(", "),
  "transaction.captured": ({ counts }) => ({
    text: `changed in its view: ${counts.created} created, ${counts.modified} modified, ${counts.deleted} deleted`,
    tone: "accent",
  }),
  "transaction.decided": (data) => ({
    text: `${data.decision} the changes (${data.by}): ${data.reason}`,
    tone: data.decision === "apply" ? "good" : "bad",
  }),
  "transaction.ended": (data) => ({
    text: `changes ${data.outcome}${data.failure === undefined ? "" : `: ${data.failure}`}`,
    tone: data.outcome === "failed" ? "bad" : "accent",
  }),
  "file.changed": (data) => ({
    text: `${data.change} ${data.path}${data.to === undefined ? "" : ` → ${data.to}`} (seen by ${data.seenBy}${data.attribution === "while_running" ? ", while the call ran" : ""})`,
    tone: "accent",
  }),
  "connection.made": (data) => ({
    text: `${data.server === undefined ? "" : `${data.server}  `}${data.outcome} ${data.host}:${data.port}${data.address === undefined ? "" : ` (${data.address})`}${data.reason === undefined ? "" : `: ${data.reason}`}, ${bytesText(data.bytesUp)} up, ${bytesText(data.bytesDown)} down`,
    tone: data.outcome === "connected" ? "accent" : "bad",
  }),
  "file.forgotten": (data) => data.path,
  "verification.recorded": (data) => ({
    text: `${data.kinds.join(", ")} ${data.passed ? "passed" : "failed"}: ${data.command}`,
    tone: data.passed ? "good" : "bad",
  }),
  "claim.checked": (data) => ({
    text: `${data.kind} ${data.verdict}: ${data.phrase}`,
    tone: data.verdict === "supported" ? "good" : "bad",
  }),
  "undo.planned": (data) => ({
    text: `${data.undoId}  ${data.extent}, of ${data.calls.join(", ")}: ${data.steps.map(({ path, action }) => `${action} ${path}`).join(", ")}`,
    tone: "warning",
  }),
  "undo.done": (data) => ({
    text: `${data.undoId}  ${data.outcome}, ${data.extent}${data.failure === undefined ? "" : `: ${data.failure.message}`}`,
    tone: data.outcome === "done" ? "good" : "bad",
  }),
  "hook.ran": (data) => ({
    text: `${data.event}  ${[data.handler.command, ...(data.handler.args ?? [])].join(" ")}: ${data.decision ?? data.exit}${data.reason === undefined ? "" : `: ${data.reason}`}`,
    tone: data.exit === "ok" ? "quiet" : "bad",
  }),
  "context.tools_loaded": (data) => data.tools.join(", "),
  "skill.activated": (data) =>
    `${data.name} ${data.hash.slice(0, 19)}${data.allowedTools === undefined ? "" : `, only ${data.allowedTools.join(", ")}`}`,
  "server.changed": (data) => ({
    text: `${data.server}  ${data.state}${data.protocol === undefined ? "" : `, ${data.protocol}`}, ${data.tools} tools${data.detail === undefined ? "" : `: ${data.detail}`}`,
    tone: data.state === "failed" ? "bad" : "quiet",
  }),
  "server.tool_changed": (data) => ({
    text: `${data.server}  ${data.tool} is described in other words`,
    tone: "warning",
  }),
  "server.elicited": (data) => ({ text: `${data.server} asks: ${data.message}`, tone: "warning" }),
  "server.elicitation_answered": (data) => `${data.elicitation}  ${data.action}`,
  "server.sampled": (data) =>
    `${data.server}  ${data.decision}: ${data.reason}${data.tokens === undefined ? "" : `, ${data.tokens} tokens`}`,
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

export function effectText(effect: Effect): string {
  if (isFileEffect(effect)) {
    const { written, resolved } = effect.path;
    const tree = effect.scope === "tree" ? " and below" : "";
    return `${effect.op} ${resolved}${tree}${written === resolved ? "" : ` (written ${written})`}`;
  }
  switch (effect.op) {
    case "exec":
      return `run ${effect.argv.length > 0 ? effect.argv.join(" ") : effect.program}`;
    case "connect":
      return `connect to ${effect.host}${effect.port === undefined ? "" : `:${effect.port}`}`;
    case "call":
      return `call ${effect.tool} of ${effect.server}`;
    case "delegate":
      return `delegate to ${effect.profile}`;
    case "session":
      return `session ${effect.what}`;
    case "unknown":
      return `unknown: ${effect.why}`;
  }
}

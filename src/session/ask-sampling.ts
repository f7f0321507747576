import { digestOf } from "../base/digest.ts";
import { markedLines, visibleText } from "../base/text.ts";
import { type Sampling, type SamplingAccess, type SamplingWords, samplingRule } from "../contract/server/server.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { Policy } from "../gate/policy.ts";
import { samplingStance } from "../gate/sampling-stance.ts";
import { type SessionParts, timestamp } from "./parts.ts";

interface AskingParts extends Pick<SessionParts, "log" | "desk" | "ids" | "clock" | "settings"> {
  readonly gatePolicy: Policy;
}

/** Whether a server may use the model: by a rule that names exactly this, or by a person who sees all that is sent. */
export function samplingJudge(parts: AskingParts): SamplingAccess["judge"] {
  return async (sampling, signal) => {
    const { log } = parts;
    const { decision, rule } = samplingStance(sampling.server, parts.gatePolicy, log.state.grants);
    if (decision === "deny") return { decision: "denied", why: `denied by ${rule}` };
    if (decision === "allow") return { decision: "allowed", by: `rule ${rule}` };
    if (log.state.mode === "dontAsk") return { decision: "denied", why: "nobody is asked in this mode" };
    const settled = await parts.desk.ask(newRequest(parts, sampling, rule), [], signal);
    if (!settled.ok) return { decision: "denied", why: `it could not be recorded: ${settled.failure.message}` };
    const ending = settled.value;
    switch (ending.kind) {
      case "unavailable":
        return { decision: "denied", why: "nobody could be asked" };
      case "expired":
        return { decision: "denied", why: "nobody answered in time" };
      case "withdrawn":
        return { decision: "denied", why: "the question was withdrawn with the call" };
      case "answered": {
        const { answer, by = "user" } = ending.answer;
        return answer === "allow" ? { decision: "allowed", by } : { decision: "denied", why: `declined by ${by}` };
      }
    }
  };
}

/** Tokens that are on record for a server. What was looked at once is not looked at again. */
export function sampledBefore({ log }: Pick<SessionParts, "log">): SamplingAccess["used"] {
  const tokens = new Map<string, number>();
  let from = 1;
  return (server) => {
    const { seq } = log.state;
    for (const event of log.events({ from, types: ["server.sampled"] })) {
      if (event.type !== "server.sampled") continue;
      const { server: by, tokens: used = 0 } = event.data;
      tokens.set(by, (tokens.get(by) ?? 0) + used);
    }
    from = seq + 1;
    return tokens.get(server) ?? 0;
  };
}

function newRequest(
  { ids, clock, settings }: AskingParts,
  { server, call, words, maxTokens }: Sampling,
  because: string | undefined,
): PermissionRequest {
  const rule = samplingRule(server);
  return {
    id: ids.next("req"),
    intentId: call.intentId,
    tool: call.tool,
    // Another one than the call's: an answer to this question can never start anything else.
    digest: digestOf([call.intentId, rule, words, maxTokens]),
    prompt: {
      title: `Let the server ${server} use the model?`,
      action: `The server ${server} wants the model to answer this, with ${maxTokens} tokens at most:\n${shown(words)}`,
      effects: [`uses up to ${maxTokens} tokens of the model for an answer`, `tells the server ${server} that answer`],
      risk: "R3",
      reason:
        because === undefined
          ? "a server uses the model only with somebody's agreement"
          : `${because} wants it to be asked`,
      sandbox: "The model sees these words and nothing of the conversation, and it has no tools",
      outputLimit: `The server gets ${maxTokens} tokens at most`,
      suggestedRules: [rule],
    },
    requestedAt: timestamp(clock),
    expiresAt: new Date(clock.now() + settings.limits.approvalMs).toISOString(),
  };
}

/** Every line of the server is marked as such, so that none can pass for ours. */
function shown({ system, messages }: SamplingWords): string {
  const parts = [...(system === undefined ? [] : [{ role: "system", text: system }]), ...messages];
  return parts.map(({ role, text }) => `${role}:\n${markedLines(visibleText(text))}`).join("\n");
}

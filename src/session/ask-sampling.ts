import { digestOf } from "../base/digest.ts";
import { markedLines, visibleText } from "../base/text.ts";
import { type Sampling, type SamplingAccess, samplingRule } from "../contract/server/server.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { GatePolicy } from "../gate/policy.ts";
import { samplingStance } from "../gate/rules/match-rules.ts";
import { newRequest } from "./ask.ts";
import type { AskingParts } from "./ask-host.ts";

/** Whether a server may use the model: by a rule that names exactly this, or by the user, who sees all that is sent. */
export function samplingJudge(parts: AskingParts & { readonly gatePolicy: GatePolicy }): SamplingAccess["judge"] {
  return async (sampling, signal) => {
    const { state } = parts.log;
    const denied = (why: string) => ({ decision: "denied", why }) as const;
    const { decision, rule } = samplingStance(sampling.server, parts.gatePolicy, state.grants);
    if (decision === "deny") return denied(`denied by ${rule}`);
    if (decision === "allow") return { decision: "allowed", by: `rule ${rule}` };
    if (state.mode === "dontAsk") return denied("nobody is asked in this mode");
    const settled = await parts.requests.ask(samplingRequest(parts, sampling, rule), [], signal);
    if (!settled.ok) return denied(`it could not be recorded: ${settled.failure.message}`);
    const end = settled.value;
    if (end.kind === "unavailable") return denied("nobody could be asked");
    if (end.kind === "expired") return denied("nobody answered in time");
    if (end.kind === "withdrawn") return denied("the question was withdrawn with the call");
    const { answer, by = "user" } = end.answer;
    return answer === "allow" ? { decision: "allowed", by } : denied(`declined by ${by}`);
  };
}

/** Tokens that are on record for a server. */
export function sampledBefore({ log }: Pick<AskingParts, "log">): SamplingAccess["used"] {
  return (server) => {
    let tokens = 0;
    for (const event of log.events({ types: ["server.sampled"] }))
      if (event.type === "server.sampled" && event.data.server === server) tokens += event.data.tokens ?? 0;
    return tokens;
  };
}

function samplingRequest(
  parts: AskingParts,
  { server, call, words, maxTokens }: Sampling,
  because: string | undefined,
): PermissionRequest {
  const rule = samplingRule(server);
  const { system, messages } = words;
  // Every line of the server is marked as such, so that none can pass for ours.
  const shown = [...(system === undefined ? [] : [{ role: "system", text: system }]), ...messages]
    .map(({ role, text }) => `${role}:\n${markedLines(visibleText(text))}`)
    .join("\n");
  return newRequest(parts, {
    intentId: call.intentId,
    tool: call.tool,
    // Not the call's digest: an answer to this question can never start anything else.
    digest: digestOf([call.intentId, rule, words, maxTokens]),
    prompt: {
      title: `Let the server ${server} use the model?`,
      action: `The server ${server} wants the model to answer this, with ${maxTokens} tokens at most:\n${shown}`,
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
  });
}

import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { EffectReport } from "../contract/effect.ts";
import type { ToolIntent } from "../contract/intent.ts";
import { parseHost } from "../contract/network.ts";
import type { ServerHost } from "../contract/server/admin.ts";
import type { ServerPrompt, ServerResource } from "../contract/server/server.ts";
import type { Explanation, Verdict } from "../contract/verdict.ts";
import { check } from "./call.ts";
import { identify } from "./look-up.ts";
import { type SessionParts, timestamp } from "./parts.ts";
import { askable } from "./question.ts";

/** The verdict that a call would get now. Nothing runs and nothing is recorded. */
export async function explainIntent(session: SessionParts, intent: ToolIntent): Promise<Explanation> {
  const identified = await identify(session, intent);
  if (!identified.ok) {
    const { code, message: reason, recovery } = identified.refusal;
    const notes = recovery === undefined ? [] : [recovery];
    return { decision: "deny", risk: "R0", reason, source: "refusal", code, effects: [], notes };
  }
  const walk = { session, intent, allowance: 0, interruption: session.interruption() };
  const question = await askable(walk, identified.value);
  const verdict = await session.gate.judge({ ...question, explainOnly: true });
  const checked = await check(walk, identified.value);
  if (!checked.ok && question.report.command !== undefined && checked.refusal.field === "command") {
    // No command at all: there is nothing to judge in it, and nothing that a rule could allow.
    const { code, message: reason } = checked.refusal;
    return { decision: "deny", risk: "R0", reason, source: "refusal", code, effects: [], notes: [] };
  }
  const { decision, apply, risk, reason, source, rule, ruleOrigin, parts, suggestedRules } = verdict;
  return {
    decision,
    ...(apply === undefined ? {} : { apply }),
    mode: question.mode,
    risk,
    reason,
    source,
    ...(rule === undefined ? {} : { rule }),
    ...(ruleOrigin === undefined ? {} : { ruleOrigin }),
    effects: question.report.effects,
    ...(parts === undefined ? {} : { parts }),
    ...(suggestedRules === undefined ? {} : { suggestedRules }),
    ...(question.report.narrower === undefined || decision === "deny" ? {} : { next: question.report.narrower }),
    notes: [
      "Hooks were not run.",
      ...ruleNote(verdict),
      ...networkNote(question.report),
      ...(checked.ok
        ? []
        : [`Would be refused before permission: ${checked.refusal.code}: ${checked.refusal.message}`]),
    ],
  };
}

/** Where no rule is suggested, looking for one is in vain. */
function ruleNote(verdict: Verdict): readonly string[] {
  const { decision, source, rule, reason, recovery, suggestedRules = [] } = verdict;
  if (decision === "allow" || rule !== undefined || suggestedRules.length > 0) return [];
  if (recovery !== undefined) return [`No rule speaks for this. ${recovery}`];
  // The table asks, and a rule that is wide enough may always speak: there is only none to be offered.
  if (source === "mode") return decision === "deny" ? [] : ["No rule is suggested that is as narrow as this."];
  const instead = decision === "ask" ? "a person has to agree to it each time" : `it is refused whatever rules allow`;
  return [`No rule can allow this: ${instead} (${reason}).`];
}

function networkNote({ command, effects }: EffectReport): readonly string[] {
  const hosts = effects.flatMap((effect) => (effect.op === "connect" ? (parseHost(effect.host)?.host ?? []) : []));
  if (command === undefined || !effects.some(({ op }) => op === "connect")) return [];
  const named = hosts.length === 0 ? "no host is known beforehand" : [...new Set(hosts)].join(", ");
  return [`Network only through the proxy: ${named}; any other host is asked about while the command runs.`];
}

/** Who may not be read from is not asked what there is to read. */
export function listResources(
  session: SessionParts,
  server: string,
  signal: AbortSignal,
): Promise<Outcome<readonly ServerResource[]>> {
  const read = { tool: "mcp_resources_read", input: { server, uri: "any:" } };
  return unlessDenied(session, read, (servers) => servers.listResources(server, signal));
}

export function listPrompts(
  session: SessionParts,
  server: string,
  signal: AbortSignal,
): Promise<Outcome<readonly ServerPrompt[]>> {
  const get = { tool: "mcp_prompts_get", input: { server, name: "any", values: {} } };
  return unlessDenied(session, get, (servers) => servers.listPrompts(server, signal));
}

async function unlessDenied<Entry>(
  session: SessionParts,
  use: Pick<ToolIntent, "tool" | "input">,
  list: (servers: ServerHost) => Promise<Outcome<readonly Entry[]>>,
): Promise<Outcome<readonly Entry[]>> {
  const { clock, ids, servers } = session;
  if (servers === undefined) {
    return fail("server_unavailable", "This session has no MCP servers.", { happened: "nothing" });
  }
  const intent: ToolIntent = {
    ...use,
    id: ids.next("int"),
    // Whatever is listed here is for people to choose from.
    origin: { source: "person" },
    createdAt: timestamp(clock),
  };
  const { decision } = await explainIntent(session, intent);
  return decision === "deny" ? ok([]) : list(servers);
}

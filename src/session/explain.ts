import { fail, type Outcome, ok, type Refusal } from "../contract/codes.ts";
import type { EffectReport } from "../contract/effect.ts";
import type { ToolIntent } from "../contract/intent.ts";
import { parseHost } from "../contract/network.ts";
import type { ServerHost } from "../contract/server/admin.ts";
import type { Explanation, Verdict } from "../contract/verdict.ts";
import { writesDirectly } from "../gate/prompt.ts";
import { checkPreconditions } from "./call.ts";
import { lookUp } from "./look-up.ts";
import { type CallState, newIntent, type SessionParts } from "./parts.ts";
import { questionOf } from "./question.ts";

/** The verdict that a call would get now. Nothing runs and nothing is recorded. */
export async function explainIntent(
  call: Pick<CallState, "session" | "trial">,
  intent: ToolIntent,
): Promise<Explanation> {
  const refused = ({ code, message: reason }: Refusal, notes: readonly string[] = []) =>
    ({ decision: "deny", risk: "R0", reason, source: "refusal", code, effects: [], notes }) as const;
  const identified = await lookUp({ session: call.session, intent });
  if (!identified.ok) {
    const { recovery } = identified.refusal;
    return refused(identified.refusal, recovery === undefined ? [] : [recovery]);
  }
  const question = await questionOf(call, identified.value);
  const { report, mode, view } = question;
  const verdict = await call.session.gate.judge({ ...question, explainOnly: true });
  const checked = await checkPreconditions(call, identified.value);
  // There is no command to judge, and no rule can allow it.
  if (!checked.ok && report.command !== undefined && checked.refusal.field === "command")
    return refused(checked.refusal);
  const { decision, apply, risk, reason, source, rule, ruleOrigin, parts, suggestedRules } = verdict;
  const before = checked.ok
    ? []
    : [`Would be refused before permission: ${checked.refusal.code}: ${checked.refusal.message}`];
  return {
    ...{ decision, apply, mode, risk, reason, source, rule, ruleOrigin },
    ...{ effects: report.effects, parts, suggestedRules, next: decision === "deny" ? undefined : report.narrower },
    notes: [
      "Hooks were not run.",
      ...(view === false ? [writesDirectly] : []),
      ...ruleNote(verdict),
      ...networkNote(report),
      ...before,
    ],
  };
}

function ruleNote(verdict: Verdict): readonly string[] {
  const { decision, source, rule, reason, recovery, suggestedRules = [] } = verdict;
  if (decision === "allow" || rule !== undefined || suggestedRules.length > 0) return [];
  if (recovery !== undefined) return [`No rule allows this. ${recovery}`];
  // The mode asks, and a broader rule may still allow it.
  if (source === "mode") return decision === "deny" ? [] : ["No narrow rule can be suggested for this."];
  const instead = decision === "ask" ? "the user must approve it each time" : `it is always refused`;
  return [`No rule can allow this: ${instead} (${reason}).`];
}

function networkNote({ command, effects }: EffectReport): readonly string[] {
  const hosts = effects.flatMap((effect) => (effect.op === "connect" ? (parseHost(effect.host)?.host ?? []) : []));
  if (command === undefined || !effects.some(({ op }) => op === "connect")) return [];
  const named = hosts.length === 0 ? "no host is allowed in advance" : [...new Set(hosts)].join(", ");
  return [`Network only through the proxy: ${named}; you are asked about other hosts while the command runs.`];
}

/** A server that must not be used this way is not queried. */
export async function listUnlessDenied<Entry>(
  session: SessionParts,
  use: Pick<ToolIntent, "tool" | "input">,
  list: (servers: ServerHost) => Promise<Outcome<readonly Entry[]>>,
): Promise<Outcome<readonly Entry[]>> {
  const { servers } = session.tools;
  if (servers === undefined)
    return fail("server_unavailable", "This session has no MCP servers.", { happened: "nothing" });
  // The user chooses from this list.
  const intent = newIntent(session, { ...use, origin: { source: "person" } });
  const { decision } = await explainIntent({ session, trial: {} }, intent);
  return decision === "deny" ? ok([]) : list(servers);
}

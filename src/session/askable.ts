import type { EffectReport } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { HookAnswer } from "../contract/hook.ts";
import type { IdentifiedIntent } from "../contract/intent.ts";
import { messageOf } from "../contract/message-of.ts";
import { assessRisk } from "../effects/assess-risk.ts";
import { type Viewpoint, workspaceFacts } from "./journey.ts";
import { effectView } from "./views.ts";

/** The question that the gate is asked about a call, as things stand now. */
export async function askable<Call extends IdentifiedIntent>(
  { journey }: { readonly journey: Viewpoint },
  checked: Call,
  hooked?: HookAnswer,
): Promise<GateQuestion<Call>> {
  const workspace = workspaceFacts(journey);
  const report = await reportEffects(journey, checked);
  const confinement = await serverConfinement(journey, checked, report);
  const context = { roots: workspace.roots, home: workspace.home, stateDirectory: journey.stateDirectory };
  return {
    checked,
    report,
    assessment: assessRisk(report, context),
    mode: journey.log.state.mode,
    grants: journey.log.state.grants,
    workspace,
    sandbox: journey.sandbox.description,
    ...(confinement === undefined ? {} : { confinement }),
    ...(hooked === undefined ? {} : { hooked }),
  };
}

/** Of a tool of ours that asks something of servers. Tools of servers say it themselves. */
async function serverConfinement(
  { servers }: Viewpoint,
  { tool }: IdentifiedIntent,
  { effects }: EffectReport,
): Promise<string | undefined> {
  if (servers === undefined || tool.confinement !== undefined) return undefined;
  const called = new Set(effects.flatMap((effect) => (effect.op === "call" ? [effect.server] : [])));
  const held = await Promise.all([...called].map((server) => servers.confinement(server)));
  return held.filter((words) => words !== undefined).join(" ") || undefined;
}

async function reportEffects(journey: Viewpoint, { tool, input }: IdentifiedIntent): Promise<EffectReport> {
  try {
    const report = await tool.effects(input as never, effectView(journey));
    return withFlags(report, {
      readOnly: tool.readOnly(input as never),
      destructive: tool.destructive(input as never),
    });
  } catch (error) {
    return { effects: [{ op: "unknown", why: `its effects could not be determined: ${messageOf(error)}` }] };
  }
}

/** What a tool says of a call beside its effects can only make the verdict stricter. */
function withFlags(
  report: EffectReport,
  flags: { readonly readOnly: boolean; readonly destructive: boolean },
): EffectReport {
  const changes = report.effects.some(({ op }) => op === "write" || op === "delete" || op === "exec");
  if (flags.readOnly && changes) {
    const why = "the tool says that it only reads, and declares a change";
    return { ...report, effects: [...report.effects, { op: "unknown", why }] };
  }
  // A deletion that the effects name is judged as one already, and a rule can speak for it.
  const named = report.effects.some(({ op }) => op === "delete");
  if (!flags.destructive || named || report.raiseTo === "R5") return report;
  return { raisedBecause: "the tool calls it destructive", ...report, raiseTo: "R4" };
}

import { dirname } from "node:path";
import { messageOf } from "../base/text.ts";
import {
  type EffectReport,
  type FileEffect,
  isFileEffect,
  isInsideAny,
  isNeverShown,
  isOfSystem,
  kernelTrees,
} from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { IdentifiedIntent } from "../contract/intent.ts";
import type { WorkspaceFacts } from "../contract/ports.ts";
import { isInScratch } from "../contract/ports.ts";
import type { HookAnswer } from "../contract/verdict.ts";
import { assessRisk } from "../effects/assess-risk.ts";
import { touchesNothing } from "../effects/devices.ts";
import { needsPlainFiles } from "../gate/git-commands.ts";
import { pathPlaces } from "./closed-path.ts";
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
  return {
    checked,
    report,
    assessment: assessRisk(report, pathPlaces(journey)),
    mode: journey.log.state.mode,
    grants: journey.log.state.grants,
    workspace,
    sandbox: journey.sandbox.description,
    ...(confinement === undefined ? {} : { confinement }),
    ...(report.command === undefined ? {} : await viewOf(journey, report, workspace)),
    ...(hooked === undefined ? {} : { hooked }),
    ...(journey.kept === undefined ? {} : { reopened: true }),
  };
}

/**
 * Foreground commands that may write run on a view, wherever one can be mounted. What they say that they change outside
 * the workspace needs a view of the directory around it.
 */
async function viewOf(
  { changes: tried, log, metadata, sandbox, settings }: Viewpoint,
  report: EffectReport,
  { roots, scratch }: WorkspaceFacts,
): Promise<Pick<GateQuestion, "view" | "beside">> {
  const { background, effects } = report;
  const { use, tryInPlan } = settings.transactions;
  if (tried === undefined && log.state.mode === "plan" && !tryInPlan) return {};
  const changes = effects.filter(({ op }) => op !== "read" && op !== "list" && op !== "session");
  if (changes.length === 0) return {};
  // A program on a view could print what git keeps of hidden files.
  const isDirect = background || use === "off" || settings.secrets.hideCommitted;
  if (isDirect || needsPlainFiles({ report })) return { view: false };
  const isOutside = (effect: FileEffect) =>
    !isInsideAny(effect.path.resolved, roots) && !isInScratch(effect, scratch) && !touchesNothing(effect);
  const outside = changes.filter(isFileEffect).filter(isOutside);
  const beside = outside.map(({ path }) => directoryAround(path.resolved, metadata));
  if (beside.some((directory) => !canBeViewed(directory, roots))) return { view: false };
  const support = await sandbox.views?.();
  if (support === undefined || support.kind === "none") return { view: false };
  return { view: true, ...(beside.length === 0 ? {} : { beside }) };
}

function directoryAround(path: string, metadata: Viewpoint["metadata"]): string {
  let directory = dirname(path);
  while (directory !== "/" && metadata.lstat(directory)?.kind !== "directory") directory = dirname(directory);
  return directory;
}

function canBeViewed(directory: string, roots: readonly string[]): boolean {
  return !isNeverShown(directory) && !isOfSystem(directory) && !isInsideAny(directory, [...kernelTrees, ...roots]);
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

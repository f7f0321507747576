import { dirname } from "node:path";
import { messageOf } from "../base/text.ts";
import { fail, type Refusal } from "../contract/codes.ts";
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
import { type EffectView, isInScratch, type PreconditionView, type WorkspaceFacts } from "../contract/ports.ts";
import type { HookAnswer } from "../contract/verdict.ts";
import { assessRisk } from "../effects/assess-risk.ts";
import { classifyPath } from "../effects/classify-path.ts";
import { touchesNothing } from "../effects/devices.ts";
import { resolvePath } from "../effects/resolve-path.ts";
import { needsPlainFiles } from "../gate/git-commands.ts";
import { type SessionParts, type VerdictParts, workspaceFacts } from "./parts.ts";
import { pathPlaces } from "./paths.ts";

/** The question that the gate is asked about a call, as things stand now. */
export async function askable<Call extends IdentifiedIntent>(
  { session }: { readonly session: VerdictParts },
  checked: Call,
  hooked?: HookAnswer,
): Promise<GateQuestion<Call>> {
  const workspace = workspaceFacts(session);
  const report = await reportEffects(session, checked);
  const confinement = await serverConfinement(session, checked, report);
  return {
    checked,
    report,
    assessment: assessRisk(report, pathPlaces(session)),
    mode: session.log.state.mode,
    grants: session.log.state.grants,
    workspace,
    sandbox: session.sandbox.description,
    ...(confinement === undefined ? {} : { confinement }),
    ...(report.command === undefined ? {} : await viewOf(session, report, workspace)),
    ...(hooked === undefined ? {} : { hooked }),
    ...(session.kept === undefined ? {} : { reopened: true }),
  };
}

/**
 * Foreground commands that may write run on a view, wherever one can be mounted. What they say that they change outside
 * the workspace needs a view of the directory around it.
 */
async function viewOf(
  { changes: tried, log, metadata, sandbox, settings }: VerdictParts,
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

function directoryAround(path: string, metadata: VerdictParts["metadata"]): string {
  let directory = dirname(path);
  while (directory !== "/" && metadata.lstat(directory)?.kind !== "directory") directory = dirname(directory);
  return directory;
}

function canBeViewed(directory: string, roots: readonly string[]): boolean {
  return !isNeverShown(directory) && !isOfSystem(directory) && !isInsideAny(directory, [...kernelTrees, ...roots]);
}

/** Of a tool of ours that asks something of servers. Tools of servers say it themselves. */
async function serverConfinement(
  { servers }: VerdictParts,
  { tool }: IdentifiedIntent,
  { effects }: EffectReport,
): Promise<string | undefined> {
  if (servers === undefined || tool.confinement !== undefined) return undefined;
  const called = new Set(effects.flatMap((effect) => (effect.op === "call" ? [effect.server] : [])));
  const held = await Promise.all([...called].map((server) => servers.confinement(server)));
  return held.filter((words) => words !== undefined).join(" ") || undefined;
}

async function reportEffects(session: VerdictParts, { tool, input }: IdentifiedIntent): Promise<EffectReport> {
  try {
    const report = await tool.effects(input as never, effectView(session));
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

export function effectView(session: VerdictParts): EffectView {
  const workspace = workspaceFacts(session);
  return {
    workspace,
    resolve: (written, from) =>
      resolvePath(written, { metadata: session.metadata, base: from ?? workspace.root, home: workspace.home }),
    ...(session.metadata.entries === undefined ? {} : { entries: session.metadata.entries }),
    gitObjects: session.gitObjects,
    ...(session.skills === undefined ? {} : { skills: session.skills }),
  };
}

/** Answers nothing that the gate might protect: no metadata outside the roots, no content of unread files. */
export function preconditionView(session: SessionParts): PreconditionView {
  const { resolve, workspace } = effectView(session);
  const { baselines } = session.log.state;
  return {
    workspace,
    resolve,
    facts(path) {
      if (!isInsideAny(path.resolved, workspace.roots)) return undefined;
      const kind = classifyPath(path.resolved, pathPlaces(session));
      if (kind === "secret" || kind === "state") return undefined;
      try {
        const stat = session.metadata.lstat(path.resolved);
        return stat === undefined ? { exists: false } : { exists: true, stat };
      } catch {
        return undefined;
      }
    },
    baseline: (path) => baselines.get(path),
    async content(path) {
      if (!baselines.has(path))
        return fail("runtime_precondition_failed", `${path} must be read before it can be changed.`);
      return session.files.tagged("precondition").read(path);
    },
    artifactSize: (id) => session.artifacts.size(id),
    job: (id) => session.jobs.get(id),
  };
}

/** Why commands write to the workspace itself; `undefined` where they run as transactions. */
export async function whyDirect({
  sandbox,
  settings,
}: Pick<VerdictParts, "sandbox" | "settings">): Promise<string | undefined> {
  if (settings.transactions.use === "off") return "transactions.use is off";
  if (settings.secrets.hideCommitted) return "secrets.hideCommitted is on";
  const support = await sandbox.views?.();
  if (support === undefined) return `the sandbox backend is ${sandbox.description.backend}`;
  return support.kind === "none" ? support.reason : undefined;
}

export function directNotice(why: string): string {
  return `Commands do not run as transactions (${why}). They write to the workspace directly, and you are asked before they run.`;
}

/** Of a command that was only to be tried. */
export async function notTried(
  view: Pick<VerdictParts, "sandbox" | "settings">,
  report: EffectReport,
): Promise<Refusal> {
  const general = await whyDirect(view);
  const why = general ?? ownReason(report);
  const message = `The command cannot be tried on a view of the workspace: ${why}.`;
  const recovery = general === undefined ? { recovery: "Run it with `gauntlet call bash`; you are asked first." } : {};
  return { phase: "schedule", code: "sandbox_unavailable", message, happened: "nothing", ...recovery };
}

function ownReason(report: EffectReport): string {
  if (report.background) return "it runs in the background";
  if (needsPlainFiles({ report })) return "git would rename a directory or link files, which a view does not allow";
  return "it changes something outside the workspace";
}

import { dirname } from "node:path";
import { messageOf } from "../base/text.ts";
import type { CommandTrial } from "../contract/app/door.ts";
import type { KeptFacts } from "../contract/changes.ts";
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
import type { IdentifiedIntent, ToolIntent } from "../contract/intent.ts";
import { type EffectView, isInScratch, type PreconditionView, type WorkspaceFacts } from "../contract/ports.ts";
import type { VisibilityContext } from "../contract/tool.ts";
import type { HookAnswer } from "../contract/verdict.ts";
import { assessRisk } from "../effects/assess-risk.ts";
import { touchesNothing } from "../effects/devices.ts";
import { resolvePath } from "../effects/resolve-path.ts";
import { needsPlainFiles } from "../gate/git-commands.ts";
import type { SessionParts, VerdictParts } from "./parts.ts";
import { isClosed, pathPlaces } from "./paths.ts";

export async function questionOf<Call extends IdentifiedIntent>(
  asking: { readonly session: VerdictParts; readonly trial?: CommandTrial; readonly allowance?: number },
  checked: Call,
  hooked?: HookAnswer,
): Promise<GateQuestion<Call>> {
  const { session, trial = {}, allowance } = asking;
  const workspace = workspaceFacts(session);
  const report = await reportEffects(session, checked);
  const confinement = await serverConfinement(session, checked, report);
  const { mode, grants } = session.log.state;
  return {
    ...{ checked, report, mode, grants, workspace, confinement, allowance, hooked },
    assessment: assessRisk(report, pathPlaces(session)),
    sandbox: session.execution.sandbox.description,
    ...(report.command && (await viewOf(session, trial, report, workspace))),
    ...(trial.kept && { reopened: true }),
  };
}

export function workspaceFacts({
  log,
  places,
  settings,
}: Pick<VerdictParts, "settings"> & Parameters<typeof pathPlaces>[0]): WorkspaceFacts {
  const { workspace, roots, cwd } = log.state;
  const { ignoreGlobs, npmRegistry, repository } = settings;
  return {
    ...{ root: workspace, roots, cwd, home: places.home, ignoreGlobs, npmRegistry, scratch: places.scratch },
    ...(repository !== undefined && roots.includes(repository) && { repository }),
  };
}

export function visibilityContext(
  { log, tools, execution, settings }: Pick<VerdictParts, "log" | "tools" | "execution" | "settings">,
  intent?: Pick<ToolIntent, "origin">,
): VisibilityContext {
  const { mode, phase, roots, skill, loadedTools: loaded } = log.state;
  const { deferAbove: above, deferShare: share } = settings.tools;
  const deferral = tools.contextTokens && { loaded, contextTokens: tools.contextTokens(), above, share };
  return {
    ...{ mode, phase, sandbox: execution.sandbox.description, hasWorkspace: roots.length > 0 },
    ...(skill && { skill }),
    ...(tools.skills?.some && { hasSkills: true }),
    ...(intent?.origin.source === "person" && { forPerson: true }),
    ...(deferral && { deferral, deferring: tools.registry.isDeferring(deferral) }),
  };
}

export function effectView(session: VerdictParts): EffectView {
  const workspace = workspaceFacts(session);
  const { metadata, gitObjects } = session.places;
  return {
    workspace,
    resolve: (written, from) => resolvePath(written, { metadata, base: from ?? workspace.root, home: workspace.home }),
    entries: metadata.entries,
    gitObjects,
    skills: session.tools.skills,
  };
}

/** Must not reveal anything that the gate may protect: no metadata outside the roots, no content of unread files. */
export function preconditionView(session: SessionParts): PreconditionView {
  const { resolve, workspace } = effectView(session);
  const { baselines } = session.log.state;
  return {
    workspace,
    resolve,
    facts({ resolved }) {
      if (!isInsideAny(resolved, workspace.roots) || isClosed(session)(resolved)) return undefined;
      try {
        const stat = session.places.metadata.lstat(resolved);
        return { exists: stat !== undefined, stat };
      } catch {
        return undefined;
      }
    },
    baseline: (path) => baselines.get(path),
    async content(path) {
      if (!baselines.has(path))
        return fail("runtime_precondition_failed", `${path} must be read before it can be changed.`);
      return session.execution.files.tagged("precondition").read(path);
    },
    artifactSize: (id) => session.storage.artifacts.size(id),
    job: (id) => session.execution.jobs.get(id),
  };
}

/**
 * Foreground commands that may write run on a view if one can be mounted. A path that they declare outside the
 * workspace needs a view of the directory around it.
 */
async function viewOf(
  { log, places, execution, settings }: VerdictParts,
  { changes: tried }: CommandTrial,
  report: EffectReport,
  { roots, scratch }: WorkspaceFacts,
): Promise<Pick<GateQuestion, "view" | "beside">> {
  const { use, tryInPlan } = settings.transactions;
  if (tried === undefined && log.state.mode === "plan" && !tryInPlan) return {};
  const changes = report.effects.filter(({ op }) => op !== "read" && op !== "list" && op !== "session");
  if (changes.length === 0) return {};
  // A program on a view could print hidden files from git's store.
  const isDirect = report.background || use === "off" || settings.secrets.hideCommitted;
  if (isDirect || needsPlainFiles({ report })) return { view: false };
  const isOutside = (effect: FileEffect) =>
    !isInsideAny(effect.path.resolved, roots) && !isInScratch(effect, scratch) && !touchesNothing(effect);
  const outside = changes.filter(isFileEffect).filter(isOutside);
  const beside = outside.map(({ path }) => {
    let directory = dirname(path.resolved);
    while (directory !== "/" && places.metadata.lstat(directory)?.kind !== "directory") directory = dirname(directory);
    return directory;
  });
  const isViewable = (directory: string) =>
    !isNeverShown(directory) && !isOfSystem(directory) && !isInsideAny(directory, [...kernelTrees, ...roots]);
  if (!beside.every(isViewable)) return { view: false };
  const support = await execution.sandbox.views?.();
  if (support === undefined || support.kind === "none") return { view: false };
  return { view: true, ...(beside.length > 0 && { beside }) };
}

/** Why commands write to the workspace itself; `undefined` where they run as transactions. */
export async function whyDirect({
  sandbox,
  settings,
}: Pick<VerdictParts, "settings"> & Pick<VerdictParts["execution"], "sandbox">): Promise<string | undefined> {
  if (settings.transactions.use === "off") return "transactions.use is off";
  if (settings.secrets.hideCommitted) return "secrets.hideCommitted is on";
  const support = await sandbox.views?.();
  if (support === undefined) return `the sandbox backend is ${sandbox.description.backend}`;
  return support.kind === "none" ? support.reason : undefined;
}

export function directNotice(why: string): string {
  return `Commands do not run as transactions (${why}). They write to the workspace directly, and you are asked before they run.`;
}

export function takenBackNotice(kept: readonly KeptFacts[] = []): readonly string[] {
  const found = kept.filter(({ takenBack }) => takenBack !== undefined);
  return found.map(({ id, takenBack, workspace }) => {
    const what = `A crash cut off applying the changes of a command in ${workspace}, and they were taken back`;
    return `${what}: ${takenBack} To look at them, run: gauntlet try diff ${id}. To delete them: gauntlet try discard ${id}`;
  });
}

export async function notTried({ execution, settings }: VerdictParts, report: EffectReport): Promise<Refusal> {
  const general = await whyDirect({ sandbox: execution.sandbox, settings });
  const own = report.background
    ? "it runs in the background"
    : needsPlainFiles({ report })
      ? "git would rename a directory or link files, which a view does not support"
      : "it changes files outside the workspace";
  const message = `The command cannot be tried on a view of the workspace: ${general ?? own}.`;
  const recovery =
    general === undefined ? "`gauntlet explain --shell` says whether `gauntlet call bash` may run it." : undefined;
  return { phase: "schedule", code: "sandbox_unavailable", message, happened: "nothing", recovery };
}

/** For our own tools that reach servers. Tools of servers have their own confinement. */
async function serverConfinement(
  { tools: { servers } }: VerdictParts,
  { tool }: IdentifiedIntent,
  { effects }: EffectReport,
): Promise<string | undefined> {
  if (servers === undefined || tool.confinement !== undefined) return undefined;
  const called = new Set(effects.flatMap((effect) => (effect.op === "call" ? [effect.server] : [])));
  const held = await Promise.all([...called].map((server) => servers.confinement(server)));
  return held.filter((words) => words !== undefined).join(" ") || undefined;
}

/** What a tool declares about a call besides its effects can only make the verdict stricter. */
async function reportEffects(session: VerdictParts, { tool, input }: IdentifiedIntent): Promise<EffectReport> {
  try {
    const report = await tool.effects(input as never, effectView(session));
    const ops = new Set(report.effects.map(({ op }) => op));
    if (tool.readOnly(input as never) && (ops.has("write") || ops.has("delete") || ops.has("exec"))) {
      const why = "the tool claims to be read-only but declares a change";
      return { ...report, effects: [...report.effects, { op: "unknown", why }] };
    }
    // A declared deletion is already judged as one, and a rule can allow it.
    if (!tool.destructive(input as never) || ops.has("delete") || report.raiseTo === "R5") return report;
    return { raisedBecause: "the tool calls it destructive", ...report, raiseTo: "R4" };
  } catch (error) {
    return { effects: [{ op: "unknown", why: `its effects could not be determined: ${messageOf(error)}` }] };
  }
}

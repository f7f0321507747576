import type { Event, EventData, EventType } from "../contract/events/index.ts";
import type { SessionId } from "../contract/ids.ts";
import { addUsage, noUsage } from "../contract/model.ts";
import type { ActiveSkill, SessionState } from "../contract/state.ts";
import { planIn, planTool } from "../contract/state.ts";
import type { PermissionPrompt } from "../contract/verdict.ts";
import { chainStart } from "./envelope.ts";

export function initialState(id: SessionId): SessionState {
  return {
    id,
    status: "idle",
    workspace: "",
    roots: [],
    cwd: "",
    mode: "default",
    phase: "",
    grants: [],
    baselines: new Map(),
    definitions: new Map(),
    menuHash: "",
    loadedTools: [],
    plan: [],
    skill: null,
    openIntents: new Map(),
    openInvocations: new Map(),
    openJobs: new Map(),
    pending: new Map(),
    changedFiles: new Map(),
    task: "",
    run: null,
    usage: { ...noUsage, costUsd: 0, unpriced: 0 },
    lastChange: 0,
    verifications: new Map(),
    counts: { intents: 0, observations: 0, refused: 0, failed: 0 },
    seq: 0,
    head: chainStart,
  };
}

/** Total: an unexpected event changes only `seq` and `head`. Raise `reducerVersion` with every change of behaviour. */
export function reduce(state: SessionState, event: Event): void {
  state.seq = event.seq;
  state.head = event.hash;
  // Types may come from a later version or from an imported session.
  if (!Object.hasOwn(folds, event.type)) return;
  const fold = folds[event.type] as ((state: SessionState, data: unknown, event: Event) => void) | undefined;
  fold?.(state, event.data, event);
}

/** A checkpoint of another version is not used. */
export const reducerVersion = 8;

type Folds = { readonly [Type in EventType]?: (state: SessionState, data: EventData<Type>, event: Event) => void };

const folds: Folds = {
  "session.created": (state, { workspace, roots, mode }) =>
    void Object.assign(state, { workspace, roots, cwd: workspace, mode }),
  "session.resumed": (state, { mode }) => {
    state.mode = mode;
  },
  "session.forked": (state) => {
    state.grants = [];
  },
  "session.status_changed": (state, { to }) => {
    state.status = to;
  },
  "session.mode_changed": (state, { to }) => {
    state.mode = to;
  },
  "session.cwd_changed": (state, { to }) => {
    state.cwd = to;
  },
  "session.definition_changed": ({ definitions }, { tool, to }) => {
    if (to === undefined) definitions.delete(tool);
    else definitions.set(tool, to);
  },
  "context.projected": (state, { menuHash, phase, menu = [] }) => {
    state.menuHash = menuHash;
    if (phase !== undefined) state.phase = phase;
    for (const { name, version, schemaHash } of menu) {
      if (!state.definitions.has(name)) state.definitions.set(name, { version, schemaHash });
    }
  },
  "context.tools_loaded": (state, { tools }) => {
    state.loadedTools = [...new Set([...state.loadedTools, ...tools])];
  },
  "skill.activated": (state, skill) => {
    state.skill = takenUp(skill, state.skill);
  },
  "user.message": (state, { by }) => {
    if (by !== "runtime") state.skill = null;
  },
  "user.interrupt": ({ pending }) => pending.clear(),

  "tool_intent.proposed": ({ openIntents, counts }, { intentId, tool }, { at }) => {
    openIntents.set(intentId, { intentId, tool, proposedAt: at });
    counts.intents += 1;
  },
  "tool_intent.checked": ({ openIntents }, { intentId, tool }) => {
    const open = openIntents.get(intentId);
    if (open !== undefined) openIntents.set(intentId, { ...open, tool });
  },
  "tool_intent.refused": ({ counts }) => {
    counts.refused += 1;
  },
  "tool_invocation.started": (state, { invocationId, intentId, tool, effects }, { at }) => {
    const open = state.openIntents.get(intentId);
    if (open !== undefined) open.invocationId = invocationId;
    state.openInvocations.set(invocationId, { invocationId, intentId, tool, startedAt: at, effects });
  },
  "file.change_planned": ({ openInvocations }, { invocationId, changes }) => {
    const open = openInvocations.get(invocationId);
    if (open !== undefined) open.planned = changes;
  },
  "tool_invocation.ended": ({ openInvocations }, { invocationId }) => void openInvocations.delete(invocationId),
  "job.started": ({ openJobs }, job) => void openJobs.set(job.jobId, job),
  "job.ended": ({ openJobs }, { jobId }) => void openJobs.delete(jobId),
  "tool.observed": (state, { intentId, observation: { ok, invocationId, tool, data } }) => {
    if (tool === planTool && ok) state.plan = planIn(data) ?? state.plan;
    state.openIntents.delete(intentId);
    state.counts.observations += 1;
    if (!ok && invocationId !== undefined) state.counts.failed += 1;
  },

  "permission.requested": (
    { pending },
    { requestId: id, intentId, tool, digest, requestedAt, expiresAt, cwd, ...rest },
  ) => {
    const prompt = rest.prompt as PermissionPrompt & Record<string, unknown>;
    const place = cwd === undefined ? {} : { cwd };
    pending.set(id, { id, ...place, intentId, tool, digest, prompt, requestedAt, expiresAt });
  },
  "permission.answered": (state, { rule, rules = rule === undefined ? [] : [rule], ...answered }) => {
    state.pending.delete(answered.requestId);
    if (answered.answer === "allow" && answered.remember === "session") addGrants(state, { ...answered, rules });
  },
  "permission.rule_saved": addGrants,

  "file.read": ({ baselines }, { invocationId: _, ...baseline }) => void baselines.set(baseline.path, baseline),
  "file.changed": (state, { path, change, before, after, to }, { seq }) => {
    state.lastChange = seq;
    const gone = change === "deleted" || change === "moved";
    state.changedFiles.set(path, gone ? null : (after ?? unknownHash));
    if (gone) state.baselines.delete(path);
    if (change === "moved" && to !== undefined) state.changedFiles.set(to, after ?? before ?? unknownHash);
  },
  "file.forgotten": ({ baselines }, { path }) => void baselines.delete(path),

  "run.started": (state, { goal, runId }, { at }) => {
    if (state.task === "") state.task = firstLine(goal);
    state.run = { runId, goal, startedAt: at, turns: 0 };
  },
  "run.ended": (state) => {
    state.run = null;
  },
  "model.finished": ({ run }) => {
    if (run !== null) run.turns += 1;
  },
  "model.usage": (state, { costUsd, ...usage }) => {
    const { usage: before } = state;
    state.usage = {
      ...addUsage(before, usage),
      costUsd: before.costUsd + (costUsd ?? 0),
      unpriced: before.unpriced + (costUsd === undefined ? 1 : 0),
    };
  },
  "verification.recorded": (state, verification) => {
    for (const kind of verification.kinds) state.verifications.set(kind, verification);
    if (verification.ownChange === state.lastChange) state.lastChange = verification.afterChange;
  },
};

/** Changed, but not hashed: never equal to any content. */
const unknownHash = "";

/** A skill that starts while another is active can only narrow the tools further. */
function takenUp(skill: ActiveSkill, before: ActiveSkill | null): ActiveSkill {
  if (before === null) return skill;
  const { within = [], ...last } = before;
  const limits = [...within, last].filter(
    ({ allowedTools, hash }) => allowedTools !== undefined && hash !== skill.hash,
  );
  return limits.length === 0 ? skill : { ...skill, within: limits };
}

interface Agreed {
  readonly requestId: string;
  readonly rules: readonly string[];
  readonly cwd?: string;
  readonly expiresAt?: string;
}

function addGrants({ grants }: SessionState, { requestId: request, rules, cwd, expiresAt }: Agreed): void {
  for (const rule of rules) {
    if (grants.some((grant) => grant.rule === rule && grant.cwd === cwd && grant.expiresAt === expiresAt)) continue;
    const limits = { ...(cwd === undefined ? {} : { cwd }), ...(expiresAt === undefined ? {} : { expiresAt }) };
    grants.push({ rule, request, ...limits });
  }
}

const longestTask = 200;

function firstLine(goal: string): string {
  const line = goal.trim().split("\n", 1)[0]?.trim() ?? "";
  return line.length <= longestTask ? line : `${line.slice(0, longestTask).toWellFormed()}…`;
}

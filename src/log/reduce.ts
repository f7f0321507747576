import type { Event } from "../contract/events/index.ts";
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

/** Total: an event that does not fit changes only `seq` and `head`. Raise `reducerVersion` with every change of behaviour. */
export function reduce(state: SessionState, event: Event): void {
  state.seq = event.seq;
  state.head = event.hash;
  foldSession(state, event);
  foldCall(state, event);
  foldPermission(state, event);
  foldFiles(state, event);
  foldRun(state, event);
}

/** A checkpoint of another version is not used. */
export const reducerVersion = 8;

function foldSession(state: SessionState, event: Event): void {
  switch (event.type) {
    case "session.created":
      state.workspace = event.data.workspace;
      state.roots = event.data.roots;
      state.cwd = event.data.workspace;
      state.mode = event.data.mode;
      return;
    case "session.resumed":
      state.mode = event.data.mode;
      return;
    case "session.forked":
      state.grants = [];
      return;
    case "session.status_changed":
      state.status = event.data.to;
      return;
    case "session.mode_changed":
      state.mode = event.data.to;
      return;
    case "session.cwd_changed":
      state.cwd = event.data.to;
      return;
    case "session.definition_changed":
      if (event.data.to === undefined) state.definitions.delete(event.data.tool);
      else state.definitions.set(event.data.tool, event.data.to);
      return;
    case "context.projected":
      state.menuHash = event.data.menuHash;
      if (event.data.phase !== undefined) state.phase = event.data.phase;
      for (const { name, version, schemaHash } of event.data.menu ?? []) {
        if (!state.definitions.has(name)) state.definitions.set(name, { version, schemaHash });
      }
      return;
    case "context.tools_loaded":
      state.loadedTools = [...new Set([...state.loadedTools, ...event.data.tools])];
      return;
    case "skill.activated":
      state.skill = takenUp(event.data, state.skill);
      return;
    case "user.message":
      if (event.data.by !== "runtime") state.skill = null;
      return;
    case "user.interrupt":
      state.pending.clear();
      return;
  }
}

/** Activated while another is active, a skill can only narrow further. */
function takenUp(skill: ActiveSkill, before: ActiveSkill | null): ActiveSkill {
  if (before === null) return skill;
  const { within = [], ...last } = before;
  const limits = [...within, last].filter(
    ({ allowedTools, hash }) => allowedTools !== undefined && hash !== skill.hash,
  );
  return limits.length === 0 ? skill : { ...skill, within: limits };
}

function foldCall(state: SessionState, event: Event): void {
  switch (event.type) {
    case "tool_intent.proposed": {
      const { intentId, tool } = event.data;
      state.openIntents.set(intentId, { intentId, tool, proposedAt: event.at });
      state.counts.intents += 1;
      return;
    }
    case "tool_intent.checked": {
      const open = state.openIntents.get(event.data.intentId);
      if (open !== undefined) state.openIntents.set(open.intentId, { ...open, tool: event.data.tool });
      return;
    }
    case "tool_intent.refused":
      state.counts.refused += 1;
      return;
    case "tool_invocation.started": {
      const { invocationId, intentId, tool, effects } = event.data;
      const open = state.openIntents.get(intentId);
      if (open !== undefined) open.invocationId = invocationId;
      state.openInvocations.set(invocationId, { invocationId, intentId, tool, startedAt: event.at, effects });
      return;
    }
    case "file.change_planned": {
      const open = state.openInvocations.get(event.data.invocationId);
      if (open !== undefined) open.planned = event.data.changes;
      return;
    }
    case "tool_invocation.ended":
      state.openInvocations.delete(event.data.invocationId);
      return;
    case "job.started":
      state.openJobs.set(event.data.jobId, event.data);
      return;
    case "job.ended":
      state.openJobs.delete(event.data.jobId);
      return;
    case "tool.observed": {
      const { ok, invocationId, tool, data } = event.data.observation;
      if (tool === planTool && ok) state.plan = planIn(data) ?? state.plan;
      state.openIntents.delete(event.data.intentId);
      state.counts.observations += 1;
      if (!ok && invocationId !== undefined) state.counts.failed += 1;
      return;
    }
  }
}

function foldPermission(state: SessionState, event: Event): void {
  switch (event.type) {
    case "permission.requested": {
      const { requestId, intentId, tool, digest, requestedAt, expiresAt, cwd } = event.data;
      const prompt = event.data.prompt as PermissionPrompt & Record<string, unknown>;
      const place = cwd === undefined ? {} : { cwd };
      state.pending.set(requestId, { id: requestId, ...place, intentId, tool, digest, prompt, requestedAt, expiresAt });
      return;
    }
    case "permission.answered": {
      const { requestId, answer, remember, rule, rules = rule === undefined ? [] : [rule] } = event.data;
      state.pending.delete(requestId);
      if (answer === "allow" && remember === "session") foldGrants(state, { ...event.data, rules });
      return;
    }
    case "permission.rule_saved":
      foldGrants(state, event.data);
      return;
  }
}

function foldGrants(
  state: SessionState,
  agreed: {
    readonly requestId: string;
    readonly rules: readonly string[];
    readonly cwd?: string;
    readonly expiresAt?: string;
  },
): void {
  const { requestId, rules, cwd, expiresAt } = agreed;
  for (const rule of rules) {
    if (state.grants.some((grant) => grant.rule === rule && grant.cwd === cwd && grant.expiresAt === expiresAt))
      continue;
    state.grants.push({
      rule,
      request: requestId,
      ...(cwd === undefined ? {} : { cwd }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    });
  }
}

function foldFiles(state: SessionState, event: Event): void {
  switch (event.type) {
    case "file.read": {
      const { invocationId: _, ...baseline } = event.data;
      state.baselines.set(baseline.path, baseline);
      return;
    }
    case "file.changed": {
      const { path, change, before, after, to } = event.data;
      state.lastChange = event.seq;
      const gone = change === "deleted" || change === "moved";
      state.changedFiles.set(path, gone ? null : (after ?? unknownHash));
      if (gone) state.baselines.delete(path);
      if (change === "moved" && to !== undefined) state.changedFiles.set(to, after ?? before ?? unknownHash);
      return;
    }
    case "file.forgotten":
      state.baselines.delete(event.data.path);
      return;
  }
}

const longestTask = 200;

function firstLine(goal: string): string {
  const line = goal.trim().split("\n", 1)[0]?.trim() ?? "";
  return line.length <= longestTask ? line : `${line.slice(0, longestTask).toWellFormed()}…`;
}

function foldRun(state: SessionState, event: Event): void {
  switch (event.type) {
    case "run.started":
      if (state.task === "") state.task = firstLine(event.data.goal);
      state.run = { runId: event.data.runId, goal: event.data.goal, startedAt: event.at, turns: 0 };
      return;
    case "run.ended":
      state.run = null;
      return;
    case "model.finished":
      if (state.run !== null) state.run.turns += 1;
      return;
    case "model.usage": {
      const { costUsd } = event.data;
      state.usage = {
        ...addUsage(state.usage, event.data),
        costUsd: state.usage.costUsd + (costUsd ?? 0),
        unpriced: state.usage.unpriced + (costUsd === undefined ? 1 : 0),
      };
      return;
    }
    case "verification.recorded":
      for (const kind of event.data.kinds) state.verifications.set(kind, event.data);
      if (event.data.ownChange === state.lastChange) state.lastChange = event.data.afterChange;
      return;
  }
}

/** Changed, but not hashed: equal to no content. */
const unknownHash = "";

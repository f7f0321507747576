import path from "node:path";
import type { SkillFacts } from "../contract/app/skill.ts";
import { isInsideAny, permitsFile } from "../contract/effect.ts";
import type { IdentifiedIntent } from "../contract/intent.ts";
import type { Progress, ToolContext, ToolMenu } from "../contract/ports.ts";
import { permitsSession, sessionEffects } from "../contract/verdict.ts";
import { type Journal, notPermitted, whileRunning } from "../execution/journal.ts";
import {
  narrowArtifacts,
  narrowFiles,
  narrowJobs,
  narrowServers,
  narrowSkills,
  type RunningCall,
} from "../execution/narrow-ports.ts";
import { narrowProcesses } from "../execution/narrow-processes.ts";
import type { Hold, ToolInvocation } from "../execution/run-invocation.ts";
import { hostAsker } from "./ask-while-running.ts";
import type { ChangedCall } from "./change-requests.ts";
import { settleChanges } from "./changes.ts";
import type { SessionParts } from "./parts.ts";
import { isClosed, notableChange } from "./paths.ts";
import { effectView, questionOf, visibilityContext, whyDirect, workspaceFacts } from "./question.ts";

interface ContextOptions extends Omit<ChangedCall, "invocationId"> {
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly hold: Hold;
}

export function toolContext(
  session: SessionParts,
  invocation: ToolInvocation,
  { journal, signal, hold, ...call }: ContextOptions,
): ToolContext {
  const { log, settings, tools, execution, storage, places } = session;
  const { artifacts, mask } = storage;
  const { jobs, sandbox, scan, ripgrepPath } = execution;
  const { clock } = session.runtime;
  const { permit, id: invocationId, checked } = invocation;
  const workspace = workspaceFacts(session);
  const { resolve } = effectView(session);
  const report = progressRecorder(session, invocation);
  const progress: ToolContext["progress"] = (update) => void (journal.over || report(update));
  const running: RunningCall = { permit, journal, invocationId, artifacts, record: (drafts) => log.append(drafts) };
  const watching = { scan, notable: notableChange(session), recorded: () => log.state.changedFiles };
  const processes = narrowProcesses({
    ...{ ...running, ...watching, sandbox, jobs, ripgrepPath, clock, signal, progress, mask, scratch: places.scratch },
    askHost: hostAsker(session, invocation),
    needsView: call.trial.changes !== undefined || settings.transactions.use === "on",
    kept: call.trial.kept?.id,
    whyDirect: () => whyDirect({ sandbox, settings }),
    settleChanges: (transaction, end) =>
      hold(() => settleChanges(session, { ...call, invocationId }, transaction, end)),
  });
  const underWay = { invocationId, intentId: checked.intent.id, tool: checked.tool.name };
  return {
    ...{ invocationId, workspace, resolve, clock, signal, progress, sandbox: sandbox.description },
    isClosed: isClosed(session),
    secretsIn: storage.secretsIn,
    files: whileRunning(narrowFiles({ ...running, files: execution.files.tagged(invocationId) }), journal),
    processes: whileRunning(processes, journal),
    artifacts: narrowArtifacts(running),
    jobs: narrowJobs(jobs, running),
    menu: narrowMenu(session, running),
    servers: narrowServers(tools.servers, { ...running, ...watching, underWay }),
    skills: narrowSkills(tools.skills, running, (skill) => isOpenSkill(session, checked, skill)),
    session: narrowSession(session, running),
  };
}

function narrowSession(session: SessionParts, { permit, journal, invocationId }: RunningCall): ToolContext["session"] {
  const { state } = session.log;
  const { roots, cwd } = workspaceFacts(session);
  const { resolve } = effectView(session);
  return {
    baseline: (file) => state.baselines.get(file),
    recordBaseline(baseline) {
      const { path: file } = baseline;
      if (!permitsFile(permit, "read", file) && !permitsFile(permit, "write", file))
        return void notPermitted(journal, `Vouching for ${file}`);
      journal.facts.push({ type: "file.read", data: { invocationId, ...baseline } });
    },
    forgetBaseline: (file) => void journal.facts.push({ type: "file.forgotten", data: { path: file } }),
    followSkill({ name, hash, allowedTools }) {
      if (!permitsSession(permit, sessionEffects.followSkill(name)))
        return void notPermitted(journal, `Following the skill ${name}`);
      const data = { name, hash, allowedTools: allowedTools && [...allowedTools] };
      journal.facts.push({ type: "skill.activated", data });
    },
    setWorkingDirectory(directory) {
      if (directory === cwd) return directory;
      if (!isInsideAny(directory, roots)) return undefined;
      // A command reported it: only the directory that it resolves to is accepted.
      const reached = resolve(directory);
      if (!reached.ok || reached.value.resolved !== directory || reached.value.kind !== "directory") return undefined;
      journal.facts.push({ type: "session.cwd_changed", data: { from: cwd, to: directory } });
      return directory;
    },
  };
}

const recordEveryMs = 5_000;

function progressRecorder(
  { log, runtime, storage: { redact } }: SessionParts,
  { id: invocationId, checked }: ToolInvocation,
): (update: Progress) => void {
  let recordedAt = Number.NEGATIVE_INFINITY;
  return (update) => {
    const { bytes, tail } = update;
    const message = redact(update.message);
    const progress = { ...update, message, ...(tail !== undefined && { tail: redact(tail) }) };
    runtime.notify({ kind: "progressed", intentId: checked.intent.id, progress });
    const now = runtime.clock.now();
    if (now - recordedAt < recordEveryMs) return;
    recordedAt = now;
    log.append([{ type: "tool_invocation.progressed", data: { invocationId, message, bytes } }]);
  };
}

/**
 * A project's skill is the content of a file: it is listed only if reading that file is allowed, even if an active
 * skill removes the tools that read files.
 */
async function isOpenSkill(
  session: SessionParts,
  call: IdentifiedIntent,
  { origin, directory }: SkillFacts,
): Promise<boolean> {
  if (origin === "user") return true;
  const tool = session.tools.registry.find("read")?.tool;
  if (tool === undefined) return false;
  const question = await questionOf({ session }, { ...call, tool, input: { path: path.join(directory, "SKILL.md") } });
  return (await session.gate.judge({ ...question, explainOnly: true })).decision === "allow";
}

/** A server that does not answer must not delay the tools of the others. */
const longestWaitMs = 3_000;

export function narrowMenu(
  session: SessionParts,
  { permit, journal }: Pick<RunningCall, "permit" | "journal">,
): ToolMenu {
  const { registry, servers } = session.tools;
  return {
    deferred() {
      registry.refresh();
      return registry.menu(visibilityContext(session)).filter(({ visible, deferrable }) => visible && deferrable);
    },
    async arriving() {
      if (servers === undefined) return [];
      const enough = Promise.withResolvers<void>();
      const timer = setTimeout(enough.resolve, longestWaitMs);
      await Promise.race([servers.settled(), enough.promise]);
      clearTimeout(timer);
      return servers.status().flatMap(({ name, state }) => (state === "connecting" ? [name] : []));
    },
    load(names) {
      if (journal.over) return;
      if (!permitsSession(permit, sessionEffects.loadTools)) notPermitted(journal, "Loading tools");
      else journal.facts.push({ type: "context.tools_loaded", data: { tools: [...names] } });
    },
  };
}

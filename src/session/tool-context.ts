import path from "node:path";
import type { SkillFacts } from "../contract/app/skill.ts";
import type { Transaction } from "../contract/changes.ts";
import { isInsideAny, permitsFile } from "../contract/effect.ts";
import type { IdentifiedIntent } from "../contract/intent.ts";
import type { CommandEnd, Progress, ToolContext, ToolMenu } from "../contract/ports.ts";
import type { CallUnderWay } from "../contract/server/server.ts";
import { type Permit, permitsSession, sessionEffects } from "../contract/verdict.ts";
import { type Journal, notPermitted } from "../execution/journal.ts";
import { narrowFiles } from "../execution/narrow-files.ts";
import { narrowProcesses } from "../execution/narrow-processes.ts";
import { narrowServers } from "../execution/narrow-servers.ts";
import { narrowArtifacts, narrowJobs, narrowSkills } from "../execution/narrow-session.ts";
import type { Hold, ToolInvocation } from "../execution/run-invocation.ts";
import { whileRunning } from "../execution/while-running.ts";
import { hostAsker } from "./ask-host.ts";
import { type SettledCall, settleChanges } from "./changes.ts";
import { type SessionParts, visibilityContext, workspaceFacts } from "./parts.ts";
import { isClosed, notableChange } from "./paths.ts";
import { askable, effectView, whyDirect } from "./question.ts";

/** Everything a running tool can reach, narrowed to its permit. */
export function toolContext(
  session: SessionParts,
  invocation: ToolInvocation,
  {
    journal,
    signal,
    hold,
    ...call
  }: { readonly journal: Journal; readonly signal: AbortSignal; readonly hold: Hold } & Omit<
    SettledCall,
    "invocationId"
  >,
): ToolContext {
  const { artifacts, clock, jobs, log, ripgrepPath, sandbox, scan } = session;
  const { permit, id: invocationId } = invocation;
  const workspace = workspaceFacts(session);
  const { resolve } = effectView(session);
  const report = progressRecorder(session, invocation);
  const progress: ToolContext["progress"] = (update) => void (journal.over || report(update));
  const files = narrowFiles({
    files: session.files.tagged(invocationId),
    permit,
    journal,
    artifacts,
    invocationId,
    record: log.append.bind(log),
  });
  const running = { permit, journal, invocationId, scratch: session.scratch };
  const watching = {
    scan,
    notable: notableChange(session),
    recorded: () => log.state.changedFiles,
  };
  const settling = { ...call, invocationId };
  const asking = {
    askHost: hostAsker(session, invocation),
    record: log.append.bind(log),
    needsView: session.changes !== undefined || session.settings.transactions.use === "on",
    ...(session.kept === undefined ? {} : { kept: session.kept.id }),
    whyDirect: () => whyDirect(session),
    settleChanges: (transaction: Transaction, end?: CommandEnd) =>
      hold(() => settleChanges(session, settling, transaction, end)),
  };
  return {
    invocationId,
    workspace,
    resolve,
    isClosed: isClosed(session),
    secretsIn: session.secretsIn,
    files: whileRunning(files, journal),
    processes: whileRunning(
      narrowProcesses({
        ...{ ...running, ...asking, ...watching, artifacts, sandbox, jobs, ripgrepPath, clock, signal, progress },
        ...(session.mask === undefined ? {} : { mask: session.mask }),
      }),
      journal,
    ),
    artifacts: narrowArtifacts(artifacts, { permit, journal, invocationId }),
    jobs: narrowJobs(jobs, permit, journal),
    menu: narrowMenu(session, { permit, journal }),
    servers: narrowServers(session.servers, { ...running, ...watching, underWay: callUnderWay(invocation) }),
    skills: narrowSkills(session.skills, { permit, journal, isOpen: skillOpenness(session, invocation.checked) }),
    session: {
      baseline: (path) => log.state.baselines.get(path),
      recordBaseline(baseline) {
        const { path } = baseline;
        if (!permitsFile(permit, "read", path) && !permitsFile(permit, "write", path)) {
          notPermitted(journal, `Vouching for ${path}`);
          return;
        }
        journal.facts.push({ type: "file.read", data: { invocationId, ...baseline } });
      },
      forgetBaseline: (path) => void journal.facts.push({ type: "file.forgotten", data: { path } }),
      followSkill({ name, hash, allowedTools }) {
        const named = permitsSession(permit, sessionEffects.followSkill(name));
        if (!named) return void notPermitted(journal, `Following the skill ${name}`);
        const narrowed = allowedTools === undefined ? {} : { allowedTools: [...allowedTools] };
        journal.facts.push({ type: "skill.activated", data: { name, hash, ...narrowed } });
      },
      setWorkingDirectory(path) {
        if (path === workspace.cwd) return path;
        if (!isInsideAny(path, workspace.roots)) return undefined;
        // The path is what a command claimed: only the one that it really leads to is taken.
        const reached = resolve(path);
        if (!reached.ok || reached.value.resolved !== path || reached.value.kind !== "directory") return undefined;
        journal.facts.push({ type: "session.cwd_changed", data: { from: workspace.cwd, to: path } });
        return path;
      },
    },
    sandbox: sandbox.description,
    clock,
    signal,
    progress,
  };
}

function callUnderWay({ id, checked: { intent, tool } }: ToolInvocation): CallUnderWay {
  return { invocationId: id, intentId: intent.id, tool: tool.name };
}

/** Between two recorded steps of one invocation; listeners hear of every step. */
const recordEveryMs = 5_000;

export function progressRecorder(session: SessionParts, invocation: ToolInvocation): (update: Progress) => void {
  let recordedAt = Number.NEGATIVE_INFINITY;
  return (update) => {
    const { bytes, tail } = update;
    const message = session.redact(update.message);
    const progress = { ...update, message, ...(tail === undefined ? {} : { tail: session.redact(tail) }) };
    session.notify({ kind: "progressed", intentId: invocation.checked.intent.id, progress });
    const now = session.clock.now();
    if (now - recordedAt < recordEveryMs) return;
    recordedAt = now;
    const data = { invocationId: invocation.id, message, ...(bytes === undefined ? {} : { bytes }) };
    session.log.append([{ type: "tool_invocation.progressed", data }]);
  };
}

/**
 * May a call be told of a skill? What one of the project says of itself is content of a file: where reading that is
 * not allowed, no list has it either. The person's own were put there to be read.
 */
export function skillOpenness(session: SessionParts, call: IdentifiedIntent): (skill: SkillFacts) => Promise<boolean> {
  return async ({ origin, directory }) => {
    if (origin === "user") return true;
    const tool = session.registry.find("read")?.tool;
    if (tool === undefined) return false;
    const input = { path: path.join(directory, "SKILL.md") };
    const question = await askable({ session }, { ...call, tool, input });
    const { decision } = await session.gate.judge({ ...question, explainOnly: true });
    return decision === "allow";
  };
}

/** One server that does not answer must not hold up what the others have. */
const patienceMs = 3_000;

/** What is offered may only be loaded by a call whose permit says so. */
export function narrowMenu(
  session: SessionParts,
  { permit, journal }: { readonly permit: Permit; readonly journal: Journal },
): ToolMenu {
  return {
    deferred() {
      session.registry.refresh();
      return session.registry
        .menu(visibilityContext(session))
        .filter(({ visible, deferrable }) => visible && deferrable);
    },
    async arriving() {
      const { servers } = session;
      if (servers === undefined) return [];
      const enough = Promise.withResolvers<void>();
      const patience = setTimeout(enough.resolve, patienceMs);
      await Promise.race([servers.settled(), enough.promise]);
      clearTimeout(patience);
      return servers.status().flatMap(({ name, state }) => (state === "connecting" ? [name] : []));
    },
    load(names) {
      if (journal.over) return;
      if (!permitsSession(permit, sessionEffects.loadTools)) notPermitted(journal, "Loading tools");
      else journal.facts.push({ type: "context.tools_loaded", data: { tools: [...names] } });
    },
  };
}

import type { Transaction } from "../contract/changes.ts";
import { isInsideAny, permitsFile } from "../contract/effect.ts";
import type { CommandEnd, ToolContext } from "../contract/ports.ts";
import type { CallUnderWay } from "../contract/server/server.ts";
import { permitsSession, sessionEffects } from "../contract/verdict.ts";
import { type Journal, notPermitted } from "../execution/journal.ts";
import { narrowFiles } from "../execution/narrow-files.ts";
import { narrowProcesses } from "../execution/narrow-processes.ts";
import { narrowServers } from "../execution/narrow-servers.ts";
import { narrowArtifacts, narrowJobs, narrowSkills } from "../execution/narrow-session.ts";
import type { Hold, ToolInvocation } from "../execution/run-invocation.ts";
import { whileRunning } from "../execution/while-running.ts";
import { hostAsker } from "./ask-host.ts";
import { isClosed } from "./closed-path.ts";
import { type Journey, workspaceFacts } from "./journey.ts";
import { narrowMenu } from "./narrow-menu.ts";
import { notableChange } from "./notable-change.ts";
import { skillOpenness } from "./open-skills.ts";
import { progressRecorder } from "./record-progress.ts";
import { type SettledCall, settleChanges } from "./settle-changes.ts";
import { effectView } from "./views.ts";
import { whyDirect } from "./why-direct.ts";

/** Everything a running tool can reach, narrowed to its permit. */
export function toolContext(
  journey: Journey,
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
  const { artifacts, clock, jobs, log, ripgrepPath, sandbox, scan } = journey;
  const { permit, id: invocationId } = invocation;
  const workspace = workspaceFacts(journey);
  const { resolve } = effectView(journey);
  const report = progressRecorder(journey, invocation);
  const progress: ToolContext["progress"] = (update) => void (journal.over || report(update));
  const files = narrowFiles({
    files: journey.files.tagged(invocationId),
    permit,
    journal,
    artifacts,
    invocationId,
    record: log.append.bind(log),
  });
  const running = { permit, journal, invocationId, scratch: journey.scratch };
  const watching = {
    scan,
    notable: notableChange(journey),
    recorded: () => log.state.changedFiles,
  };
  const settling = { ...call, invocationId };
  const asking = {
    askHost: hostAsker(journey, invocation),
    record: log.append.bind(log),
    needsView: journey.changes !== undefined || journey.settings.transactions.use === "on",
    ...(journey.kept === undefined ? {} : { kept: journey.kept.id }),
    whyDirect: () => whyDirect(journey),
    settleChanges: (transaction: Transaction, end?: CommandEnd) =>
      hold(() => settleChanges(journey, settling, transaction, end)),
  };
  return {
    invocationId,
    workspace,
    resolve,
    isClosed: isClosed(journey),
    secretsIn: journey.secretsIn,
    files: whileRunning(files, journal),
    processes: whileRunning(
      narrowProcesses({
        ...{ ...running, ...asking, ...watching, artifacts, sandbox, jobs, ripgrepPath, clock, signal, progress },
        ...(journey.mask === undefined ? {} : { mask: journey.mask }),
      }),
      journal,
    ),
    artifacts: narrowArtifacts(artifacts, { permit, journal, invocationId }),
    jobs: narrowJobs(jobs, permit, journal),
    menu: narrowMenu(journey, { permit, journal }),
    servers: narrowServers(journey.servers, { ...running, ...watching, underWay: callUnderWay(invocation) }),
    skills: narrowSkills(journey.skills, { permit, journal, isOpen: skillOpenness(journey, invocation.checked) }),
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

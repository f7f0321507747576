import { isInsideAny } from "../contract/path-scope.ts";
import type { ToolContext } from "../contract/ports.ts";
import type { Journal } from "../execution/journal.ts";
import { narrowFiles } from "../execution/narrow-files.ts";
import { narrowProcesses } from "../execution/narrow-processes.ts";
import type { ToolInvocation } from "../execution/run-invocation.ts";
import { type Journey, workspaceFacts } from "./journey.ts";
import { progressRecorder } from "./record-progress.ts";
import { effectView } from "./views.ts";

/** Everything a running tool can reach, narrowed to its permit. */
export function toolContext(
  journey: Journey,
  invocation: ToolInvocation,
  journal: Journal,
  signal: AbortSignal,
): ToolContext {
  const { artifacts, clock, jobs, log, sandbox } = journey;
  const { permit, id: invocationId } = invocation;
  const workspace = workspaceFacts(journey);
  const progress = progressRecorder(journey, invocation);
  const artifactsRead = new Set<string>();
  return {
    invocationId,
    workspace,
    resolve: effectView(journey).resolve,
    files: narrowFiles({
      files: journey.files.tagged(invocationId),
      permit,
      journal,
      artifacts,
      invocationId,
      record: log.append.bind(log),
    }),
    processes: narrowProcesses({ ...journey, permit, journal, signal, invocationId, progress }),
    artifacts: {
      size: (id) => artifacts.size(id),
      read(id, range) {
        if (!artifactsRead.has(id))
          journal.facts.push({ type: "artifact.read", data: { artifact: id, by: invocationId } });
        artifactsRead.add(id);
        return artifacts.read(id, range);
      },
    },
    jobs,
    session: {
      baseline: (path) => log.state.baselines.get(path),
      recordBaseline: (baseline) => void journal.facts.push({ type: "file.read", data: { invocationId, ...baseline } }),
      forgetBaseline: (path) => void journal.facts.push({ type: "file.forgotten", data: { path } }),
      setWorkingDirectory(path) {
        if (path === workspace.cwd || !isInsideAny(path, workspace.roots)) return;
        if (journey.metadata.lstat(path)?.kind !== "directory") return;
        journal.facts.push({ type: "session.cwd_changed", data: { from: workspace.cwd, to: path } });
      },
    },
    sandbox: sandbox.description,
    clock,
    signal,
    progress,
  };
}

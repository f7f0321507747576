import { existsSync } from "node:fs";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import type { DoctorCheck } from "../contract/app/app.ts";
import type { Outcome } from "../contract/codes.ts";
import { examineMachine } from "../host/examine-machine.ts";
import type { Places } from "../host/state/find-places.ts";
import type { LogStore } from "../log/open-store.ts";
import { examineServers } from "../mcp/config/list-servers.ts";
import { examineProxy, examineSandbox } from "../sandbox/examine-sandbox.ts";
import { directNotice, takenBackNotice, whyDirect } from "../session/question.ts";
import type { Machine } from "../session/recover.ts";
import { examineHooks } from "../settings/examine-hooks.ts";
import { examineUsableModels } from "./agent.ts";
import type { Policy } from "./policy.ts";

export interface DoctorParts {
  readonly fix: boolean;
  readonly policy: Outcome<Policy>;
  readonly machine: Machine;
  readonly places: Places;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly openState: () => Outcome<LogStore>;
}

export async function examineAll(parts: DoctorParts): Promise<readonly DoctorCheck[]> {
  const { policy, machine, places, environment } = parts;
  const examined = await examineMachine({
    fix: parts.fix,
    gauntletHome: places.gauntletHome,
    openState: parts.openState,
    ripgrepPath: rgPath,
    policy: policy.ok
      ? {
          ok: true,
          backend: policy.value.settings.sandbox.backend,
          sandbox: policy.value.sandbox.description,
          notices: policy.value.settings.notices,
        }
      : policy,
  });
  if (!policy.ok) return examined;
  const { sandbox, settings } = policy.value;
  const search = (environment.PATH ?? "").split(path.delimiter).filter((directory) => directory !== "");
  return [
    ...examined,
    ...(await examineSandbox(sandbox, { ...settings.sandbox, root: places.workspace })),
    await examineTransactions(policy.value),
    await examineProxy(sandbox.description),
    examineHooks(settings.hooks, { ...places, search, exists: existsSync }),
    examineServers(settings, environment),
    ...(await examineUsableModels({ ...machine, settings, environment, workspace: places.workspace })),
  ];
}

const viewWords = {
  privileged: "privileged: commands that may write run on a view of the workspace, and you approve their changes",
  unprivileged:
    "unprivileged: commands that may write run on a view of the workspace, and you approve their changes; " +
    "programs that rename a directory copy it instead or fail",
} as const;

async function examineTransactions({ sandbox, settings }: Policy): Promise<DoctorCheck> {
  const name = "transactions";
  const why = await whyDirect({ sandbox, settings });
  const support = why === undefined ? await sandbox.views?.() : undefined;
  const takenBack = takenBackNotice(sandbox.kept?.list());
  if (takenBack.length > 0) return { name, state: "warning", detail: takenBack.join("\n") };
  if (support !== undefined && support.kind !== "none") return { name, state: "ok", detail: viewWords[support.kind] };
  const { use } = settings.transactions;
  if (use === "on") return { name, state: "missing", detail: `commands that may write are refused: ${why}` };
  return { name, state: use === "off" ? "absent" : "warning", detail: directNotice(why ?? "") };
}

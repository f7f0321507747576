import type { Refusal } from "../contract/codes.ts";
import type { EffectReport } from "../contract/effect.ts";
import { needsPlainFiles } from "../gate/git-commands.ts";
import type { Viewpoint } from "./journey.ts";

/** Why commands write to the workspace itself; `undefined` where they run as transactions. */
export async function whyDirect({
  sandbox,
  settings,
}: Pick<Viewpoint, "sandbox" | "settings">): Promise<string | undefined> {
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
export async function notTried(view: Pick<Viewpoint, "sandbox" | "settings">, report: EffectReport): Promise<Refusal> {
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

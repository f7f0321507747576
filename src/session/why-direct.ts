import type { Refusal } from "../contract/codes.ts";
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
export async function notTried(view: Pick<Viewpoint, "sandbox" | "settings">): Promise<Refusal> {
  const why = (await whyDirect(view)) ?? "it runs in the background or writes outside the workspace";
  const message = `The command cannot be tried on a view of the workspace: ${why}.`;
  return { phase: "schedule", code: "sandbox_unavailable", message, happened: "nothing" };
}

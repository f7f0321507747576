import type { RunReport, RunStop } from "../../contract/app/agent.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";

const ofStop: Readonly<Record<RunStop, ExitCode>> = {
  done: exitCodes.done,
  max_turns: exitCodes.failed,
  budget: exitCodes.failed,
  interrupted: exitCodes.interrupted,
  provider_error: exitCodes.providerFailed,
  hook_stopped: exitCodes.denied,
  log_unavailable: exitCodes.failed,
};

/** How `run` ends. What the model says about its work decides nothing. */
export function runExitCode(report: RunReport, options: { readonly requireVerification: boolean }): ExitCode {
  if (report.stop !== "done") return ofStop[report.stop];
  if (report.unanswered.length > 0) return exitCodes.approvalNeeded;
  return options.requireVerification && whyUnverified(report) !== undefined ? exitCodes.failed : exitCodes.done;
}

/** Something is claimed that no check shows, or was changed and has not passed every check that saw it as it is now. */
export function whyUnverified({
  claims,
  changed,
  unlisted = 0,
  verifications,
  lastChange,
}: RunReport): string | undefined {
  const unproven = claims.find(({ verdict }) => verdict !== "supported");
  if (unproven !== undefined) return `a claim is ${unproven.verdict}: ${unproven.reason}`;
  if (changed.length + unlisted === 0) return undefined;
  const current = verifications.filter(({ afterChange }) => afterChange === lastChange);
  if (current.length === 0) return "files were changed, and no check ran after the last change.";
  const failed = current.find(({ passed }) => !passed);
  return failed === undefined ? undefined : `\`${failed.command}\` failed after the last change.`;
}

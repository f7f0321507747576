import type { RunReport, RunStop } from "../../contract/agent.ts";
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
  return options.requireVerification && !isVerified(report) ? exitCodes.failed : exitCodes.done;
}

/** Nothing is claimed that no check shows, and what was changed has passed every check that saw it as it is now. */
function isVerified({ claims, changed, verifications, lastChange }: RunReport): boolean {
  if (claims.some(({ verdict }) => verdict !== "supported")) return false;
  if (changed.length === 0) return true;
  const current = verifications.filter(({ afterChange }) => afterChange === lastChange);
  return current.length > 0 && current.every(({ passed }) => passed);
}

import type { Code } from "../contract/codes.ts";
import type { Observation } from "../contract/observation.ts";

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  approvalNeeded: 4,
  providerFailed: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const { done, failed, usage, denied, approvalNeeded, interrupted } = exitCodes;

/** How the command ends when a call, or the way to it, ended with this code. */
export const exitCodeOf: Readonly<Record<Code, ExitCode>> = {
  ok: done,
  bad_request: usage,
  unknown_tool: usage,
  tool_not_visible: denied,
  tool_not_loaded: usage,
  schema_invalid: usage,
  runtime_precondition_failed: failed,
  file_not_found: failed,
  text_not_found: failed,
  ambiguous_target: failed,
  stale_file_baseline: failed,
  policy_denied: denied,
  hook_denied: denied,
  user_denied: denied,
  approval_unavailable: approvalNeeded,
  approval_expired: approvalNeeded,
  timeout: failed,
  cancelled: interrupted,
  interrupted: interrupted,
  tool_failed: failed,
  command_failed: failed,
  sandbox_unavailable: failed,
  effect_not_permitted: denied,
  server_unavailable: failed,
  budget_exceeded: failed,
  output_invalid: failed,
  log_unavailable: failed,
};

export function exitCodeOfObservation(observation: Observation): ExitCode {
  return observation.ok ? exitCodes.done : exitCodeOf[observation.code];
}

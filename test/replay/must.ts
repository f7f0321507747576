import type { Failure, Outcome } from "../../src/contract/codes.ts";

export function must<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
  return outcome.value;
}

export function failureOf(outcome: Outcome<unknown>): Failure {
  if (outcome.ok) throw new Error("This was expected to fail");
  return outcome.failure;
}

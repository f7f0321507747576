import type { Outcome } from "../../../src/contract/codes.ts";

export function must<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

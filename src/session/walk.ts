import type { Refusal } from "../contract/codes.ts";
import type { CheckedIntent, ToolIntent } from "../contract/intent.ts";
import type { Concurrency } from "../contract/tool.ts";
import type { ToolSource } from "../contract/tool-facts.ts";
import type { Journey } from "./journey.ts";

/** What belongs to one walk beside the session's parts. */
export interface Walk {
  readonly journey: Journey;
  readonly intent: ToolIntent;
  /** Where the tools come from that are known to whoever proposed it. Absent: all are. */
  readonly sources?: readonly ToolSource[];
  /** Characters this call may give to the model, out of the turn's budget. */
  readonly allowance: number;
  /** Aborts when the user interrupts anywhere between the proposal and the end. */
  readonly interruption: AbortSignal;
}

export const cancelledBeforeStart: Refusal = {
  phase: "schedule",
  code: "cancelled",
  message: "The call was cancelled before it started.",
  happened: "nothing",
};

/** A tool that cannot say how it may run runs alone. */
export function laneOf({ tool, input }: Pick<CheckedIntent, "tool" | "input">): Concurrency {
  try {
    return tool.concurrency(input as never);
  } catch {
    return "exclusive";
  }
}

/** A tool that cannot describe its call is shown by its name. */
export function titleOf({ tool, input }: Pick<CheckedIntent, "tool" | "input">): string {
  try {
    return tool.describeCall(input as never);
  } catch {
    return tool.name;
  }
}

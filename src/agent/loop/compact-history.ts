import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { preCompact } from "../../gate/hooks/occasion.ts";
import type { CompactionPlan, WantedCompaction } from "../context/context-policy.ts";
import type { LoopParts } from "./run.ts";

/** Planned first, so that no hook is asked about what would not happen; done only once every hook has been heard. */
export async function compactHistory(
  { context, journey, notify }: Pick<LoopParts, "context" | "journey" | "notify">,
  wanted: WantedCompaction,
): Promise<Outcome<CompactionPlan>> {
  const { reason } = wanted;
  const interruption = journey.interruption();
  const plan = context.planCompaction(wanted);
  if (!plan.ok) return plan;
  const told = await journey.hooks?.tell(preCompact(reason === "asked" ? "manual" : "auto"));
  if (interruption.aborted) return fail("interrupted", "It was interrupted before anything was summed up.");
  if (told?.decision === "deny") return fail("hook_denied", told.reason);
  const made = context.compact(reason, plan.value);
  if (!made.ok) return made;
  notify({ kind: "compacted", ...made.value });
  return ok(plan.value);
}

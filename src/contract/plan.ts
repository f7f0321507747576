import { z } from "zod";
import { lazy } from "./lazy.ts";

/** The model's list of what is to be done. Its own words: nothing is believed because it stands there as done. */
export const planItem = lazy(() =>
  z.strictObject({
    content: z.string().min(1).max(500),
    status: z.enum(["pending", "in_progress", "completed"]),
    priority: z.exactOptional(z.enum(["high", "medium", "low"])),
  }),
);
export type PlanItem = z.infer<ReturnType<typeof planItem>>;

export const planTool = "todo";

/** The list that a call of the tool left, out of its recorded data. */
export function planIn(data: Readonly<Record<string, unknown>> | undefined): readonly PlanItem[] | undefined {
  const parsed = z.array(planItem()).safeParse(data?.items);
  return parsed.success ? parsed.data : undefined;
}

import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { type PlanItem, planItem, planTool } from "../../contract/state.ts";
import { defineTool } from "../../contract/tool.ts";
import { summarizer } from "../summary.ts";

const input = lazy(() => z.strictObject({ items: z.array(planItem()).max(50).describe("The whole list, in order") }));
type TodoInput = z.infer<ReturnType<typeof input>>;

const marks = { completed: "[x]", in_progress: "[>]", pending: "[ ]" } as const;

/** Keeps the todo list visible to the user and outside of compaction. */
export const todo = defineTool<TodoInput, readonly PlanItem[]>({
  name: planTool,
  version: "1",
  description: "Tracks the steps of a longer task. Each call replaces the list.",
  family: "session",
  risks: ["read"],
  searchHint: "plan tasks steps list",
  aliases: ["TodoWrite", "todo_write", "update_plan"],
  inputAliases: { todos: "items", plan: "items" },
  input,
  requiresWorkspace: false,
  readOnly: () => true,
  effects: () => ({ effects: [{ op: "session", what: "change the list of steps" }] }),
  describeCall: ({ items }) => `Steps: ${done(items)} of ${items.length} done`,
  run: async ({ items }) => ({ ok: true, data: items }),
  summarize: summarizer(
    () => "Steps",
    (items) => ({
      summary: items.length === 0 ? "The list is empty." : `${done(items)} of ${items.length} steps done.`,
      model: [],
      user: items.map(({ content, status }) => `${marks[status]} ${content}`).join("\n"),
      data: { items },
    }),
  ),
});

function done(items: readonly PlanItem[]): number {
  return items.filter(({ status }) => status === "completed").length;
}

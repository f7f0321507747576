import type { EventDraft } from "../../contract/events/index.ts";
import type { GateQuestion } from "../../contract/gate.ts";
import type { HookAnswer, HookRemark } from "../../contract/verdict.ts";
import type { Journal } from "../../execution/journal.ts";
import type { ExecutionEnd, ToolInvocation } from "../../execution/run-invocation.ts";
import { recordChanges } from "../../execution/watch-changes.ts";
import { postToolUse } from "../../gate/hooks/occasion.ts";
import type { Walk } from "../walk.ts";

/** What hooks left behind that follow a tool. */
export interface AfterTool {
  readonly remarks: readonly HookRemark[];
  readonly records: readonly EventDraft[];
  readonly stop?: string;
}

/** They see what the tool returned before anything is cut off, and cannot undo that it ran. Never rejects. */
export async function runHooksAfter(
  { journey, interruption }: Walk,
  ended: {
    readonly question: GateQuestion;
    readonly invocation: ToolInvocation;
    readonly journal: Journal;
    readonly startedAt: number;
    readonly endedAt: number;
    readonly end: ExecutionEnd;
  },
): Promise<AfterTool> {
  const { hooks } = journey;
  if (hooks === undefined || interruption.aborted) return { remarks: [], records: [] };
  const { journal, invocation } = ended;
  const occasion = postToolUse(ended.question, ended.end.result, ended.endedAt - ended.startedAt);
  const call = { invocationId: invocation.id, signal: interruption };
  const { answer, records, changed } = await hooks.run(occasion, call);
  recordChanges({ journal, invocationId: invocation.id }, changed);
  const feedback = answer.decision === "deny" ? [{ hook: occasion.event, text: answer.reason }] : [];
  return {
    remarks: [...feedback, ...(answer.remarks ?? [])],
    records,
    ...(answer.stop === undefined ? {} : { stop: answer.stop }),
  };
}

/** Everything that hooks around a call want the model to know. */
export function saidByHooks(
  hooked: HookAnswer | undefined,
  after: AfterTool,
): { readonly remarks: readonly HookRemark[]; readonly stop?: string } {
  const { revision, remarks = [] } = hooked ?? {};
  const changed = revision && {
    hook: revision.hook,
    text: `The input of this call was changed before it was judged: ${JSON.stringify(revision.input)}`,
  };
  const stop = after.stop ?? hooked?.stop;
  return {
    remarks: [...(changed === undefined ? [] : [changed]), ...remarks, ...after.remarks],
    ...(stop === undefined ? {} : { stop }),
  };
}

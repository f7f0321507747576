import type { GateQuestion, HookAnswer } from "../contract/gate.ts";
import { allow, deny, type Finding, messageOf, verdictOf } from "./finding.ts";
import type { Policy } from "./policy.ts";
import { composePrompt } from "./prompt.ts";
import { confinementOf } from "./risk-table.ts";

/** A hook that fails or answers anything unknown has refused. */
export async function askHook(question: GateQuestion, { hooks }: Policy): Promise<HookAnswer> {
  if (hooks === undefined || question.explainOnly) return { decision: "none" };
  try {
    return checkedAnswer(await hooks.preToolUse(question));
  } catch (error) {
    return { decision: "deny", reason: `a hook failed: ${messageOf(error)}` };
  }
}

/** A classifier that fails has not decided, and none decides for what nothing confines. */
export async function askClassifier(question: GateQuestion, { classifier }: Policy): Promise<Finding | undefined> {
  if (classifier === undefined || confinementOf(question) === "none") return undefined;
  try {
    const { decision, reason } = await classifier.classify(question);
    if (decision === "allow") return allow(reason, "classifier");
    return decision === "deny" ? deny(reason, "classifier") : undefined;
  } catch {
    return undefined;
  }
}

/** The hook that stands in for a person; `undefined` leaves the question to one. */
export async function askPermissionHook(
  question: GateQuestion,
  policy: Policy,
  asked: Finding,
): Promise<Finding | undefined> {
  const { hooks } = policy;
  if (hooks?.permissionRequest === undefined || question.explainOnly) return undefined;
  try {
    const prompt = composePrompt(question, verdictOf(question, policy, asked));
    const answer = checkedAnswer(await hooks.permissionRequest(question, prompt));
    if (answer.decision === "allow") return allow(answer.reason, "hook");
    return answer.decision === "deny" ? deny(answer.reason, "hook", { code: "hook_denied" }) : undefined;
  } catch (error) {
    return deny(`a hook failed: ${messageOf(error)}`, "hook", { code: "hook_denied" });
  }
}

function checkedAnswer(answer: HookAnswer): HookAnswer {
  const known = ["none", "allow", "ask", "deny"].includes(answer?.decision);
  return known ? answer : { decision: "deny", reason: "a hook gave no answer that is known" };
}

import { messageOf } from "../base/text.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { HookAnswer, PermissionPrompt } from "../contract/verdict.ts";
import { allow, deny, type GateFinding } from "./finding.ts";
import type { GatePolicy } from "./policy.ts";
import { confinementOf } from "./risk-table.ts";

const defaultClassifierMs = 10_000;

export async function askHook(question: GateQuestion, { hooks }: GatePolicy): Promise<HookAnswer> {
  if (hooks === undefined || question.explainOnly) return { decision: "none" };
  return checkedAnswer(() => hooks.preToolUse(question));
}

export async function askPermissionHook(
  question: GateQuestion,
  { hooks }: GatePolicy,
  promptOf: () => PermissionPrompt,
): Promise<HookAnswer> {
  if (hooks?.permissionRequest === undefined || question.explainOnly || question.answered) return { decision: "none" };
  return checkedAnswer(async () => hooks.permissionRequest?.(question, promptOf()));
}

export async function askClassifier(
  question: GateQuestion,
  { classifier, classifierMs = defaultClassifierMs }: GatePolicy,
): Promise<GateFinding | undefined> {
  if (classifier === undefined || confinementOf(question) === "none") return undefined;
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, classifierMs, undefined);
    });
    const answer = await Promise.race([classifier.classify(question, over.signal), late]);
    if (answer?.decision === "allow") return allow(answer.reason, "classifier");
    return answer?.decision === "deny" ? deny(answer.reason, "classifier") : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    over.abort("decided");
  }
}

async function checkedAnswer(ask: () => Promise<HookAnswer | undefined>): Promise<HookAnswer> {
  try {
    const answer = await ask();
    const known = answer !== undefined && ["none", "allow", "ask", "deny"].includes(answer?.decision);
    return known ? answer : { decision: "deny", reason: "a hook returned an unknown answer" };
  } catch (error) {
    return { decision: "deny", reason: `a hook failed: ${messageOf(error)}` };
  }
}

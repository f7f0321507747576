import { digestOf } from "../base/digest.ts";
import { messageOf } from "../base/text.ts";
import type { PathException } from "../contract/effect.ts";
import type { ChangesVerdict, CheckedQuestion, Gate, GateQuestion } from "../contract/gate.ts";
import type { PermissionAnswer, Permit, Verdict } from "../contract/verdict.ts";
import { exceptionsOf } from "./closed-paths.ts";
import { askPermissionHook } from "./consult.ts";
import { judge } from "./judge.ts";
import { judgeChanges } from "./judge-changes.ts";
import type { GatePolicy } from "./policy.ts";
import { composePrompt } from "./prompt.ts";
import { namesServerTool } from "./rules/rule.ts";
import { canonicalTool } from "./rules/tool-names.ts";
import { profileOf } from "./sandbox-profile.ts";

/** The only maker of permits. Verdicts and permits are known by identity: a copy is worth nothing. */
export function createGate(policy: GatePolicy): Gate {
  const judged = new WeakMap<Verdict, GateQuestion>();
  const unused = new WeakSet<Permit>();
  const judgedChanges = new WeakMap<ChangesVerdict, string>();

  function issue(question: CheckedQuestion, exceptions: readonly PathException[]): Permit {
    const { checked, report } = question;
    const permit: Permit = Object.freeze({
      intentId: checked.intent.id,
      digest: checked.digest,
      effects: report.effects,
      exceptions,
      ...(report.command === undefined ? {} : { command: report.command }),
      sandbox: profileOf(question, policy, exceptions),
      expiresAt: policy.clock.now() + policy.approvalMs,
    });
    unused.add(permit);
    return permit;
  }

  function expectJudged(question: GateQuestion, verdict: Verdict, decision: Verdict["decision"]): void {
    const original = judged.get(verdict);
    if (original === undefined) throw new Error("The verdict was not issued by this gate");
    if (verdict.decision !== decision)
      throw new Error(`A verdict of ${verdict.decision} cannot be turned into a permit`);
    if (original.explainOnly || question.explainOnly) throw new Error("An explanation cannot be turned into a permit");
    if (!isSameCall(original, question)) throw new Error("The verdict belongs to another call");
  }

  return {
    async judge(question) {
      const verdict = await judge(question, policy).catch((error: unknown) => failed(question, error));
      judged.set(verdict, question);
      return verdict;
    },
    prompt: composePrompt,
    permit(question, verdict) {
      expectJudged(question, verdict, "allow");
      return issue(question, verdict.exceptions);
    },
    permitAnswered(question, verdict, answer: PermissionAnswer) {
      expectJudged(question, verdict, "ask");
      if (answer.answer !== "allow") throw new Error("The user denied the call");
      // The answer may have taken long, so closed paths are looked up again.
      return issue(question, exceptionsOf(question, policy));
    },
    redeem(permit) {
      return unused.delete(permit) && permit.expiresAt > policy.clock.now();
    },
    judgeChanges(question) {
      try {
        const verdict = judgeChanges(question, policy);
        judgedChanges.set(verdict, question.digest);
        return verdict;
      } catch (error) {
        const reason = `the decision failed, so the call is denied: ${messageOf(error)}`;
        return { decision: "deny", reason, source: "tool_limit", firm: true, apply: [], dropped: [], notable: [] };
      }
    },
    askHookAboutChanges: (question, prompt) => askPermissionHook(question, policy, () => prompt),
    redeemChanges(verdict, { digest, keep, answers }) {
      const judged = judgedChanges.get(verdict);
      judgedChanges.delete(verdict);
      if (judged !== digest || verdict.decision === "deny") return false;
      const agreed = answers.flatMap(({ changes, answer }) => (answer.answer === "allow" ? changes : []));
      const asked = new Set(verdict.notable.map(({ change }) => change));
      const allowed = new Set([
        ...agreed,
        ...(verdict.decision === "allow" ? verdict.apply.filter((change) => !asked.has(change)) : []),
      ]);
      return keep.every((change) => allowed.has(change));
    },
    bareDenied(toolName) {
      const name = canonicalTool(toolName);
      const rule = policy.rules.find(({ action, target }) => {
        if (action !== "deny") return false;
        if (target.kind === "tool") return target.names.includes(name);
        if (target.kind === "path") return target.tools.includes(name);
        if (target.kind === "server") return namesServerTool(target, name);
        return target.kind === "command" && target.pattern.kind === "every" && name === "bash";
      });
      return rule?.text;
    },
  };
}

function isSameCall(a: GateQuestion, b: GateQuestion): boolean {
  if (a.checked.digest !== b.checked.digest || a.checked.intent.id !== b.checked.intent.id) return false;
  return a.report === b.report || touches(a) === touches(b);
}

function touches({ report }: GateQuestion): string {
  return digestOf([report.effects, report.command ?? null]);
}

function failed({ assessment }: GateQuestion, error: unknown): Verdict {
  return {
    decision: "deny",
    reason: `the decision failed, so the call is denied: ${messageOf(error)}`,
    source: "tool_limit",
    code: "policy_denied",
    risk: assessment.risk,
    firm: true,
    exceptions: [],
  };
}

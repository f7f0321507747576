import { firstOf } from "../base/async.ts";
import {
  type FileEffect,
  isBesideStart,
  isFileEffect,
  isInside,
  isInsideAny,
  kernelTrees,
  type Risk,
} from "../contract/effect.ts";
import { classWords, type EffectRisk, type GateQuestion } from "../contract/gate.ts";
import { hostPath, isInScratch, isScratch } from "../contract/ports.ts";
import { requestEffects } from "../contract/server/server.ts";
import type { HookAnswer, Verdict } from "../contract/verdict.ts";
import { exceptionsOf } from "./closed-paths.ts";
import { askClassifier, askHook, askPermissionHook } from "./consult.ts";
import { allow, ask, deny, type GateFinding, verdictOf } from "./finding.ts";
import { appliesPatch } from "./git-commands.ts";
import type { GatePolicy } from "./policy.ts";
import { composePrompt } from "./prompt.ts";
import { confinementOf, decideByRisk } from "./risk-table.ts";
import {
  type Coverage,
  coverageOf,
  guardReason,
  isOpened,
  mayChange,
  pathsOf,
  unreadReason,
} from "./rules/match-rules.ts";
import type { CompiledRule } from "./rules/rule.ts";
import { openingRules, outsideRecovery, suggestRules } from "./rules/suggest-rules.ts";
import { untrustedScript } from "./skill-scripts.ts";

/** The order of decisions. One text for all modes; the first step that decides ends it. */
export async function judge(question: GateQuestion, policy: GatePolicy): Promise<Verdict> {
  const { mode } = question;
  let hook: HookAnswer = question.hooked ?? { decision: "none" };
  const conclude = (finding: GateFinding) => withHook(verdictOf(question, policy, finding), question, hook);

  // 1. Deny rules and built-in denials, in every mode.
  const forbidden =
    denyRule(question, policy) ??
    forbiddenEffect(question) ??
    secretByAnotherName(question, policy) ??
    untrustedScript(question, policy);
  if (forbidden !== undefined) return conclude(forbidden);

  // 2. Hooks run on every call. A hook may change the input; the changed call is judged separately.
  if (question.hooked === undefined) hook = await askHook(question, policy);
  if (hook.decision === "deny") return conclude(hookDenial(hook));
  if (hook.revision !== undefined && question.hooked === undefined) {
    const reason = `the hook ${hook.revision.hook} changed the input, and the changed call has not been judged`;
    return conclude(deny(reason, "hook", { code: "hook_denied" }));
  }

  // 3. Plan mode only reads. Changes in a view are discarded.
  if (mode === "plan" && !question.view && !onlyReads(question)) {
    return conclude(deny("plan mode is read-only", "mode"));
  }

  if (question.reopened) return conclude(allow("the command has already run; its changes are judged", "mode"));

  // 4. Questions that only the user may answer.
  const coverage = coverageOf(question, policy);
  const tabled = byRisk(question, coverage);
  const firm = firmAsk(question, policy, hook);
  if (firm !== undefined) {
    // A rule of the user may turn a denial into a question; a project or a hook can only make it stricter.
    const isWished = firm.rule !== undefined && firm.source !== "project";
    return tabled.decision === "deny" && !isWished ? conclude(tabled) : toPerson(settleFirm(question, firm));
  }

  // 5. Allow rules and grants.
  const [rule] = coverage.used;
  if (rule !== undefined && coverage.uncovered.length === 0 && !coverage.raised) return conclude(allowedBy(rule));

  // 6. Risk and mode.
  if (tabled.decision !== "ask") return conclude(tabled);

  // A server's tool is untrusted: only rules, grants and the user can allow it.
  if (isForServer(question)) return toPerson(settleFirm(question, tabled));

  // 7. A hook, then the classifier, may decide the rest.
  if (hook.decision === "allow") return conclude(allow(hook.reason, "hook"));
  const classified = await askClassifier(question, policy);
  if (classified !== undefined) return conclude(classified);

  // 8. Everything else asks the user.
  if (mode === "bypass") return conclude(allow(`bypass mode: ${tabled.reason}`, "mode"));
  if (mode === "dontAsk") return conclude(unanswerable(tabled));
  return toPerson(tabled);

  async function toPerson(asked: GateFinding): Promise<Verdict> {
    if (asked.decision !== "ask") return conclude(asked);
    const answer = await askPermissionHook(question, policy, () => composePrompt(question, conclude(asked)));
    if (answer.stop !== undefined) hook = { ...hook, stop: answer.stop };
    if (answer.decision === "deny") return conclude(hookDenial(answer));
    return conclude(answer.decision === "allow" && !asked.firm ? allow(answer.reason, "hook") : asked);
  }
}

function hookDenial({ reason, failed }: Extract<HookAnswer, { readonly reason: string }>): GateFinding {
  return deny(reason, "hook", { code: "hook_denied", failedHooks: failed });
}

function withHook(verdict: Verdict, { hooked }: GateQuestion, hook: HookAnswer): Verdict {
  const { revision, remarks, stop } = hook;
  if (revision === undefined && remarks === undefined && stop === undefined) return verdict;
  if (revision !== undefined && hooked === undefined) return { ...verdict, hooked: hook, revision };
  const changed = revision === undefined ? "" : `; the hook ${revision.hook} changed the input`;
  return { ...verdict, reason: `${verdict.reason}${changed}`, hooked: hook };
}

function denyRule(question: GateQuestion, policy: GatePolicy): GateFinding | undefined {
  const found = firstGuard("deny", question, policy);
  return found && deny(`${found.rule.text} denies it: ${found.reason}`, found.rule.source, { rule: found.rule.text });
}

function firstGuard(action: "deny" | "ask", question: GateQuestion, policy: GatePolicy) {
  return firstOf(policy.rules, (rule) => {
    if (rule.action !== action) return undefined;
    const reason = guardReason(rule, question, policy) ?? unreadReason(rule, question, policy);
    return reason === undefined ? undefined : { rule, reason };
  });
}

function forbiddenEffect(question: GateQuestion): GateFinding | undefined {
  const { assessment, report } = question;
  if (assessment.risk !== "R5") return undefined;
  const source = report.raiseTo === "R5" ? "tool_limit" : "path_boundary";
  return deny(assessment.reasons.join("; "), source, outsideRecovery(question));
}

function secretByAnotherName({ report, workspace }: GateQuestion, policy: GatePolicy): GateFinding | undefined {
  const found = report.effects
    .filter(isFileEffect)
    .find(({ path }) => path.hardLinked && policy.isSecretByAnotherName(path.resolved, workspace.roots));
  return found && deny(`${found.path.resolved} is another name of a secret`, "path_boundary");
}

function isForServer({ checked, report }: GateQuestion): boolean {
  const isRequest = (tool: string) => Object.values(requestEffects).some((name) => name === tool);
  return checked.tool.source === "mcp" || report.effects.some((one) => one.op === "call" && isRequest(one.tool));
}

function onlyReads({ report }: GateQuestion): boolean {
  return report.effects.every(({ op }) => op === "read" || op === "list" || op === "session");
}

function firmAsk(question: GateQuestion, policy: GatePolicy, hook: HookAnswer): GateFinding | undefined {
  const ruled = firstGuard("ask", question, policy);
  if (ruled !== undefined) {
    return ask(`${ruled.rule.text} asks for it: ${ruled.reason}`, ruled.rule.source, { rule: ruled.rule.text });
  }
  const outside = outsideWrites(question, policy);
  if (outside[0] !== undefined) return ask(outside[0].reason, "path_boundary", openingRules(outside, question));
  // In a view the question comes after the change.
  const path = question.view ? undefined : (writeBeside(question) ?? protectedPath(question, policy));
  if (path !== undefined) return ask(path, "path_boundary");
  if (!holdsExceptions(question, policy))
    return ask("files that must stay hidden cannot be hidden from it", "path_boundary");
  if (policy.hidesCommitted && appliesPatch(question))
    return ask("a patch can copy a hidden file to a visible name", "path_boundary");
  const { alwaysAsk, asksBecause, name, requiresUser } = question.checked.tool;
  if (alwaysAsk)
    return ask(asksBecause?.reason ?? `${name} always asks`, "tool_limit", { recovery: asksBecause?.recovery });
  if (requiresUser) return ask(`${name} needs the user`, "tool_limit");
  return hook.decision === "ask" ? ask(hook.reason, "hook") : undefined;
}

function outsideWrites(question: GateQuestion, policy: GatePolicy): readonly EffectRisk[] {
  const { assessment, workspace } = question;
  const isOutside = ({ effect }: EffectRisk) =>
    effect.op === "write" &&
    !isInScratch(effect, workspace.scratch) &&
    !isInsideAny(effect.path.resolved, [...workspace.roots, ...kernelTrees]) &&
    !isOpened(effect.path.resolved, question, policy);
  return assessment.parts.flatMap(({ effects }) => effects).filter(isOutside);
}

function writeBeside({ report, workspace }: GateQuestion): string | undefined {
  const changes = report.effects.filter(isFileEffect).filter(({ op }) => op === "write" || op === "delete");
  const found = changes.find(({ path }) => isBesideStart(path.resolved, workspace));
  return found && `${verb(found)} ${found.path.resolved}, outside the directory that the session started in`;
}

function protectedPath(question: GateQuestion, policy: GatePolicy): string | undefined {
  const changes = question.report.effects
    .filter(isFileEffect)
    .filter(({ op }) => op === "write" || op === "delete")
    .filter((effect) => !isInScratch(effect, question.workspace.scratch));
  for (const effect of changes) {
    const found = pathsOf(effect, question)
      .map(policy.classify)
      .find((one) => one !== undefined);
    if (found !== undefined) return `${verb(effect)} ${effect.path.resolved}, which is ${classWords[found]}`;
    if (effect.scope !== "tree" || effect.path.kind !== "directory") continue;
    const { resolved } = effect.path;
    const free = question.workspace.roots.filter((root) => isInside(root, resolved));
    const [inside] = [
      ...policy.findProtected(resolved),
      ...policy.findSecrets(resolved),
      ...free.flatMap((root) => policy.findAbsent(root, { git: false })),
    ];
    if (inside !== undefined) return `${verb(effect)} ${resolved}, which contains or may contain ${inside}`;
  }
  return copiedTree(question, policy);
}

/** Copying a tree can create protected configuration at a path that is not protected yet. */
function copiedTree(question: GateQuestion, policy: GatePolicy): string | undefined {
  const { report, workspace } = question;
  for (const { effects } of report.parts ?? [report]) {
    const { scratch } = workspace;
    const trees = effects.filter(isFileEffect).filter(({ scope }) => scope === "tree");
    const writes = effects.filter(isFileEffect).filter((one) => one.op === "write" && !isInScratch(one, scratch));
    const leads = (effect: FileEffect) => pathsOf(effect, question).some((path) => policy.leadsToClass?.(path));
    const place = trees.length > 0 ? writes.find(leads) : undefined;
    if (place !== undefined) return `writes ${place.path.resolved}, which may contain protected configuration`;
    const target = writes.find(({ scope }) => scope === "tree");
    const isSource = ({ op, path }: FileEffect) =>
      path.kind === "directory" && (op === "read" || (op === "delete" && isScratch(path.resolved, scratch)));
    const sources = target === undefined ? [] : trees.filter(isSource);
    const [inside] = sources.flatMap(({ path }) => policy.findProtected(hostPath(path.resolved, scratch)));
    if (inside !== undefined) return `writes ${target?.path.resolved}with the content of ${inside}`;
  }
  return undefined;
}

function verb(effect: FileEffect): string {
  return effect.op === "delete" ? "removes" : "writes";
}

function settleFirm({ mode }: GateQuestion, firm: GateFinding): GateFinding {
  const asked = { ...firm, firm: true };
  return mode === "dontAsk" ? unanswerable(asked) : asked;
}

function allowedBy(rule: CompiledRule): GateFinding {
  return allow(`${rule.text} allows it`, rule.source, { rule: rule.text });
}

function byRisk(question: GateQuestion, coverage: Coverage): GateFinding {
  const { assessment, mode, sandbox } = question;
  const suggestion = suggestRules(question, coverage);
  const risky = coverage.uncovered.find((entry) => entry.part?.needsSavedRule);
  if (risky?.part !== undefined) {
    return deny(`${risky.part.text}: ${risky.part.reason}; only a saved allow rule can permit it`, "mode", suggestion);
  }
  const risk = remainingRisk(question, question.view ? withoutContained(coverage, question) : coverage);
  const confinement = confinementOf(question);
  const decision = decideByRisk(risk, mode, confinement);
  const isStricter = confinement === "none" || decision !== decideByRisk(risk, mode, "sandbox");
  const lack = confinement === "direct" ? "its changes are applied directly" : `no sandbox: ${sandbox.detail}`;
  const reason = `${reasonsFor(risk, question, coverage)}${isStricter ? `; ${lack}` : ""}`;
  if (decision !== "allow") return (decision === "deny" ? deny : ask)(reason, "mode", suggestion);
  const [rule] = coverage.used;
  if (question.view) return allow("its changes are reviewed when it has ended", "mode");
  return rule !== undefined && assessment.risk > risk ? allowedBy(rule) : allow(reason, "mode");
}

function withoutContained(coverage: Coverage, question: GateQuestion): Coverage {
  const isContained = ({ effect, risk }: Coverage["uncovered"][number]) =>
    mayChange(effect, question) && (!isFileEffect(effect) || risk !== "R5");
  return { ...coverage, uncovered: coverage.uncovered.filter((entry) => !isContained(entry)) };
}

function remainingRisk({ report }: GateQuestion, { uncovered, raised }: Coverage): Risk {
  const risks = uncovered.map((entry) => entry.risk);
  if (raised && report.raiseTo !== undefined) risks.push(report.raiseTo);
  return risks.reduce<Risk>((high, next) => (next > high ? next : high), "R0");
}

function reasonsFor(risk: Risk, { report }: GateQuestion, { uncovered, raised }: Coverage): string {
  const reasons = uncovered.filter((entry) => entry.risk === risk).map((entry) => entry.reason);
  if (raised && report.raiseTo === risk) reasons.push(report.raisedBecause ?? "the tool requires approval");
  return [...new Set(reasons)].join("; ") || "it touches nothing outside the session";
}

/** Only the built-in sandbox can hide single files from a program; ports always refuse them. */
function holdsExceptions(question: GateQuestion, policy: GatePolicy): boolean {
  if (question.report.command === undefined || question.sandbox.backend === "bubblewrap") return true;
  return exceptionsOf(question, policy).length === 0;
}

function unanswerable(asked: GateFinding): GateFinding {
  const reason = `dontAsk mode never asks: ${asked.reason}`;
  return { ...asked, decision: "deny", reason, source: "mode", code: "approval_unavailable" };
}

import { type Effect, type EffectPart, isFileEffect, isInsideAny, type Risk } from "../contract/effect.ts";
import type { EffectRisk, GateQuestion } from "../contract/gate.ts";
import type { RuleText } from "../contract/settings.ts";
import { allowsCommand, type CommandPattern, isWholeCommand } from "./command-pattern.ts";
import { compileRules } from "./compile-rules.ts";
import { matchesPath } from "./path-pattern.ts";
import type { Policy } from "./policy.ts";
import { type CompiledRule, isLive, matchesHost, matchesServer } from "./rule.ts";
import { namesTool } from "./tool-names.ts";

export interface Uncovered extends EffectRisk {
  readonly part?: EffectPart;
}

export interface Coverage {
  readonly uncovered: readonly Uncovered[];
  readonly byPart: readonly (readonly CompiledRule[])[];
  readonly used: readonly CompiledRule[];
  readonly raised: boolean;
}

/** What allow rules and grants leave over. Every effect has to be covered by itself: no rule smuggles in another. */
export function coverageOf(question: GateQuestion, policy: Policy): Coverage {
  const { report, assessment } = question;
  const parts = report.parts ?? [];
  const now = policy.clock.now();
  const rules = [...policy.rules, ...grantRules(question)].filter(
    (rule) => rule.action === "allow" && isLive(rule, now),
  );
  const used = new Map<CompiledRule, Risk>();
  const raised = report.raiseTo !== undefined;
  const whole = rules.find((rule) => coversCall(rule, question));
  if (whole !== undefined && !parts.some((part) => part.needsSavedRule && whole.layer === "session")) {
    return { uncovered: [], byPart: parts.map(() => [whole]), used: [whole], raised: false };
  }
  const byPart: (readonly CompiledRule[])[] = [];
  const uncovered = parts.flatMap((part, index) => {
    const risks = assessment.parts[index]?.effects ?? unassessed(part.effects);
    const ownUse = new Map<CompiledRule, Risk>();
    const left = leftOver(risks, rules, question, ownUse, part);
    byPart.push([...ownUse.keys()]);
    for (const [rule, risk] of ownUse) if (risk > (used.get(rule) ?? "")) used.set(rule, risk);
    return left;
  });
  if (report.parts === undefined) uncovered.push(...leftOver(assessment.effects, rules, question, used));
  const byNeed = [...used].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0)).map(([rule]) => rule);
  return { uncovered, byPart, used: byNeed, raised };
}

function leftOver(
  risks: readonly EffectRisk[],
  rules: readonly CompiledRule[],
  question: GateQuestion,
  used: Map<CompiledRule, Risk>,
  part?: EffectPart,
): Uncovered[] {
  const left: Uncovered[] = [];
  const owner = part === undefined ? {} : { part };
  const saved = part?.needsSavedRule ? rules.filter((rule) => rule.layer !== "session") : rules;
  for (const risk of risks) {
    const rule = saved.find((candidate) => coversEffect(candidate, risk.effect, question, part));
    if (rule === undefined) left.push({ ...risk, ...owner });
    else if (risk.risk > (used.get(rule) ?? "")) used.set(rule, risk.risk);
  }
  return left;
}

function unassessed(effects: readonly Effect[]): readonly EffectRisk[] {
  return effects.map((effect) => ({ effect, risk: "R5", reason: "it was not assessed" }));
}

function coversCall({ target, layer, cwd }: CompiledRule, { report, checked, workspace }: GateQuestion): boolean {
  if (target.kind === "tool") {
    const inside = report.effects.every(
      (effect) => !isFileEffect(effect) || isInsideAny(effect.path.resolved, workspace.roots),
    );
    return inside && namesTool(target.names, checked.tool);
  }
  const { command } = report;
  if (target.kind !== "command" || command === undefined) return false;
  if (layer === "session" && cwd !== command.cwd.resolved) return false;
  return isWholeCommand(target.pattern, command.text);
}

function coversEffect(
  { target, layer, cwd }: CompiledRule,
  effect: Effect,
  question: GateQuestion,
  part: EffectPart | undefined,
): boolean {
  switch (target.kind) {
    case "command":
      // A person agreed to a command where it stood: the same words elsewhere may run something else.
      if (part === undefined || (layer === "session" && (cwd === undefined || cwd !== part.cwd))) {
        return false;
      }
      return allowsCommand(target.pattern, part) && isWithinReach(target.pattern, effect, question);
    case "path": {
      if (!isFileEffect(effect)) return false;
      // A file that only changes its name is not lost: that is a change like any other.
      const moves = part === undefined ? question.report.moves : part.moves;
      const op = effect.op === "delete" && moves ? "write" : effect.op;
      if (!target.ops.includes(op)) return false;
      if (target.pattern !== undefined) return matchesPath(target.pattern, effect.path.resolved);
      return isInsideAny(effect.path.resolved, question.workspace.roots);
    }
    case "host":
      return effect.op === "connect" && matchesHost(target, effect.host);
    case "server":
      return effect.op === "call" && matchesServer(target, effect);
    case "tool":
    case "broken":
      return false;
  }
}

/** A rule for a program does not open places outside the workspace, unless it writes the command out. */
function isWithinReach(pattern: CommandPattern, effect: Effect, { workspace }: GateQuestion): boolean {
  return pattern.kind === "exact" || !isFileEffect(effect) || isInsideAny(effect.path.resolved, workspace.roots);
}

export function mayChange(effect: Effect, { workspace }: GateQuestion): boolean {
  if (effect.op === "exec" || effect.op === "unknown") return true;
  return (effect.op === "write" || effect.op === "delete") && isInsideAny(effect.path.resolved, workspace.roots);
}

export function isOpened(path: string, question: GateQuestion, policy: Policy): boolean {
  const now = policy.clock.now();
  return [...policy.rules, ...grantRules(question)].some(
    ({ action, layer, target, ...rule }) =>
      action === "allow" &&
      layer !== "project" &&
      isLive(rule, now) &&
      target.kind === "path" &&
      target.ops.includes("write") &&
      target.pattern !== undefined &&
      matchesPath(target.pattern, path),
  );
}

export function grantRules({ grants, workspace }: GateQuestion): readonly CompiledRule[] {
  if (grants.length === 0) return [];
  const places = { workspace: workspace.root, home: workspace.home };
  return grants.flatMap(({ rule, request, cwd, expiresAt }) => {
    const ends = expiresAt === undefined ? {} : { expires: expiresAt };
    const text: RuleText = {
      text: rule,
      action: "allow",
      layer: "session",
      origin: request,
      match: [],
      noMatch: [],
      ...ends,
    };
    const { rules } = compileRules([text], places);
    return cwd === undefined ? rules : rules.map((compiled) => ({ ...compiled, cwd }));
  });
}

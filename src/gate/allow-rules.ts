import { type Effect, type EffectPart, isFileEffect, type Risk } from "../contract/effect.ts";
import type { EffectRisk, GateQuestion } from "../contract/gate.ts";
import { isInsideAny } from "../contract/path-scope.ts";
import { allowsCommand, type CommandPattern, isWholeCommand } from "./command-pattern.ts";
import { compileRules } from "./compile-rules.ts";
import { matchesPath } from "./path-pattern.ts";
import type { Policy } from "./policy.ts";
import { type CompiledRule, matchesHost } from "./rule.ts";
import { namesTool } from "./tool-names.ts";

/** One thing of a call that no allow rule and no grant speaks for. */
export interface Uncovered extends EffectRisk {
  readonly part?: EffectPart;
}

export interface Coverage {
  readonly uncovered: readonly Uncovered[];
  /** The rules that speak for the rest, the ones that were needed most first. */
  readonly used: readonly CompiledRule[];
  /** Set when the call as a whole is raised and no rule names it as a whole. */
  readonly raised: boolean;
}

/** What allow rules and grants leave over. Every effect has to be covered by itself: no rule smuggles in another. */
export function coverageOf(question: GateQuestion, policy: Policy): Coverage {
  const { report, assessment } = question;
  const rules = [...policy.rules, ...grantRules(question, policy)].filter((rule) => rule.action === "allow");
  const used = new Map<CompiledRule, Risk>();
  const raised = report.raiseTo !== undefined;
  const whole = rules.find((rule) => coversCall(rule, question));
  if (whole !== undefined && !(report.parts ?? []).some((part) => part.needsSavedRule && whole.layer === "session")) {
    return { uncovered: [], used: [whole], raised: false };
  }
  const uncovered = (report.parts ?? []).flatMap((part, index) => {
    const risks = assessment.parts[index]?.effects ?? unassessed(part.effects);
    return leftOver(risks, rules, question, used, part);
  });
  if (report.parts === undefined) uncovered.push(...leftOver(assessment.effects, rules, question, used));
  const byNeed = [...used].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0)).map(([rule]) => rule);
  return { uncovered, used: byNeed, raised };
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

/** Rules that speak for a call by name: a bare tool inside the workspace, or a command written out completely. */
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
  { target, layer }: CompiledRule,
  effect: Effect,
  question: GateQuestion,
  part: EffectPart | undefined,
): boolean {
  switch (target.kind) {
    case "command":
      // A person agreed to a command as it stood, not to a part of another one that may run elsewhere.
      if (layer === "session") return false;
      return (
        part !== undefined && allowsCommand(target.pattern, part) && isWithinReach(target.pattern, effect, question)
      );
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
      return effect.op === "call" && effect.server === target.server && (target.tool ?? effect.tool) === effect.tool;
    case "tool":
    case "broken":
      return false;
  }
}

/** A rule for a program does not open places outside the workspace, unless it writes the command out. */
function isWithinReach(pattern: CommandPattern, effect: Effect, { workspace }: GateQuestion): boolean {
  return pattern.kind === "exact" || !isFileEffect(effect) || isInsideAny(effect.path.resolved, workspace.roots);
}

function grantRules({ grants, workspace }: GateQuestion, { clock }: Policy): readonly CompiledRule[] {
  if (grants.length === 0) return [];
  const live = grants.filter((grant) => grant.expiresAt === undefined || Date.parse(grant.expiresAt) > clock.now());
  const places = { workspace: workspace.root, home: workspace.home };
  return live.flatMap(({ rule, request, cwd }) => {
    const text = { text: rule, action: "allow", layer: "session", origin: request, match: [], noMatch: [] } as const;
    const { rules } = compileRules([text], places);
    return cwd === undefined ? rules : rules.map((compiled) => ({ ...compiled, cwd }));
  });
}

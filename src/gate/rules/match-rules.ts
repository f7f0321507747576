import { basename, resolve } from "node:path/posix";
import { firstOf } from "../../base/async.ts";
import {
  type Effect,
  type EffectPart,
  type FileEffect,
  isFileEffect,
  isInsideAny,
  type Risk,
} from "../../contract/effect.ts";
import type { EffectRisk, GateQuestion } from "../../contract/gate.ts";
import { samplingEffect, samplingRule } from "../../contract/server/server.ts";
import type { Grant } from "../../contract/verdict.ts";
import type { GatePolicy } from "../policy.ts";
import { allowsCommand, type CommandPattern, guardsCommand, isWholeCommand } from "./command-pattern.ts";
import { compileRules } from "./compile-rules.ts";
import { matchesPath, mayEndWith, mayMatchBelow } from "./path-pattern.ts";
import {
  type CompiledRule,
  isLive,
  matchesHost,
  matchesServer,
  mayBeCalled,
  namesServerTool,
  pathRules,
} from "./rule.ts";
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

/**
 * Effects that no allow rule or grant covers. Each effect must be covered separately: one rule never implies another.
 */
export function coverageOf(question: GateQuestion, policy: GatePolicy): Coverage {
  const { report, assessment } = question;
  const { parts = [] } = report;
  const rules = liveRules(question, policy).filter(({ action }) => action === "allow");
  const whole = rules.find((rule) => coversCall(rule, question));
  if (whole !== undefined && !parts.some((part) => part.needsSavedRule && whole.layer === "session")) {
    return { uncovered: [], byPart: parts.map(() => [whole]), used: [whole], raised: false };
  }
  const used = new Map<CompiledRule, Risk>();
  const uncovered: Uncovered[] = [];
  const cover = (risks: readonly EffectRisk[], part?: EffectPart): readonly CompiledRule[] => {
    const own = new Set<CompiledRule>();
    const saved = part?.needsSavedRule ? rules.filter((rule) => rule.layer !== "session") : rules;
    for (const risk of risks) {
      const rule = saved.find((candidate) => coversEffect(candidate, risk.effect, question, part));
      if (rule === undefined) uncovered.push({ ...risk, part });
      else {
        own.add(rule);
        if (risk.risk > (used.get(rule) ?? "")) used.set(rule, risk.risk);
      }
    }
    return [...own];
  };
  const byPart = parts.map((part, index) => cover(assessment.parts[index]?.effects ?? unassessed(part.effects), part));
  if (report.parts === undefined) cover(assessment.effects);
  const byNeed = [...used].sort(([, a], [, b]) => b.localeCompare(a)).map(([rule]) => rule);
  return { uncovered, byPart, used: byNeed, raised: report.raiseTo !== undefined };
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
      // The user approved a command in one directory: the same words elsewhere may run something else.
      if (part === undefined || (layer === "session" && (cwd === undefined || cwd !== part.cwd))) {
        return false;
      }
      return allowsCommand(target.pattern, part) && isWithinReach(target.pattern, effect, question);
    case "path": {
      if (!isFileEffect(effect)) return false;
      // Renaming a file does not lose it, so it counts as an ordinary change.
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

/** A rule for a program does not open paths outside the workspace, unless it spells out the whole command. */
function isWithinReach(pattern: CommandPattern, effect: Effect, { workspace }: GateQuestion): boolean {
  return pattern.kind === "exact" || !isFileEffect(effect) || isInsideAny(effect.path.resolved, workspace.roots);
}

export function mayChange(effect: Effect, { workspace }: GateQuestion): boolean {
  if (effect.op === "exec" || effect.op === "unknown") return true;
  return (effect.op === "write" || effect.op === "delete") && isInsideAny(effect.path.resolved, workspace.roots);
}

/** The user opened the path: with a user rule, or with an answer for this session. */
export function isOpened(path: string, question: GateQuestion, policy: GatePolicy): boolean {
  return pathRules(liveRules(question, policy), { action: "allow", op: "write", now: policy.clock.now() }).some(
    ({ rule, pattern }) => rule.layer !== "project" && pattern !== undefined && matchesPath(pattern, path),
  );
}

/** Does a rule of the user allow reading exactly this file, by its name? A wildcard opens no secret. */
export function namesSecret(rules: readonly CompiledRule[], path: string, now: number): boolean {
  return pathRules(rules, { action: "allow", op: "read", now }).some(
    ({ rule: { layer, text }, pattern }) =>
      layer !== "project" &&
      pattern !== undefined &&
      !/[*?[{]/.test(text) &&
      text.replace(/\)$/, "").endsWith(basename(path)) &&
      matchesPath(pattern, path),
  );
}

/** Rules and grants that are in force. */
export function liveRules({ grants, workspace }: GateQuestion, { rules, clock }: GatePolicy): readonly CompiledRule[] {
  const now = clock.now();
  const places = { workspace: workspace.root, home: workspace.home };
  const granted = grants.flatMap(({ rule: text, request: origin, cwd, expiresAt: expires }) => {
    const rule = { text, origin, expires, action: "allow", layer: "session", match: [], noMatch: [] } as const;
    return compileRules([rule], places).rules.map((compiled) => ({ ...compiled, cwd }));
  });
  return [...rules, ...granted].filter((rule) => isLive(rule, now));
}

/** Why a deny or ask rule is about this call; `undefined` when it is not. */
export function guardReason(rule: CompiledRule, question: GateQuestion, policy: GatePolicy): string | undefined {
  const { target } = rule;
  const { report, checked } = question;
  if (!isLive(rule, policy.clock.now())) return undefined;
  switch (target.kind) {
    case "broken":
      return `the rule is invalid: ${target.why}`;
    case "tool":
      return namesTool(target.names, checked.tool) ? `it names ${checked.tool.name}` : undefined;
    case "path":
      return firstOf(report.effects, (effect) => {
        if (isFileEffect(effect)) {
          return target.ops.includes(effect.op) ? pathReason(rule, effect, question, policy) : undefined;
        }
        // Every program reads something. Writing, unlike reading, can be forbidden by the sandbox.
        const runs = effect.op === "exec" || effect.op === "unknown";
        const everything = target.pattern === undefined && target.ops.includes("read");
        return runs && everything ? "it covers every file that a program may read" : undefined;
      });
    case "command": {
      const { pattern } = target;
      const part = partsOf(question).find((candidate) => guardsCommand(pattern, candidate));
      if (part !== undefined) return `it matches ${part.text}`;
      const { command } = report;
      const isWhole = command !== undefined && (pattern.kind === "every" || isWholeCommand(pattern, command.text));
      return isWhole ? "it matches the whole command" : undefined;
    }
    case "host":
      return firstOf(report.effects, (effect) =>
        effect.op === "connect" && matchesHost(target, effect.host) ? `it matches ${effect.host}` : undefined,
      );
    case "server":
      if (namesServerTool(target, checked.tool.name)) return `it names ${checked.tool.name}`;
      return firstOf(report.effects, (effect) =>
        effect.op === "call" && (matchesServer(target, effect) || mayBeCalled(target, effect))
          ? `it matches ${effect.server}`
          : undefined,
      );
  }
}

/** Where a part could not be analysed, any command that its text mentions may be the one that runs. */
export function unreadReason({ target, ...rule }: CompiledRule, { report }: GateQuestion, policy: GatePolicy) {
  const unread = report.effects.filter(({ op }) => op === "unknown");
  const { command } = report;
  if (target.kind !== "command" || command === undefined || unread.length === 0) return undefined;
  if (!isLive(rule, policy.clock.now())) return undefined;
  const whole: EffectPart = { text: command.text, effects: unread, reason: "it could not be analysed" };
  return guardsCommand(target.pattern, whole) ? "it matches text in a part that could not be analysed" : undefined;
}

function partsOf({ report }: GateQuestion): readonly EffectPart[] {
  if (report.parts !== undefined) return report.parts;
  if (report.command === undefined) return [];
  const effects: readonly Effect[] = [...report.effects, { op: "unknown", why: "it was not inspected" }];
  return [{ text: report.command.text, effects, reason: "it was not inspected" }];
}

/** The resolved path and the path as written: a rule about either applies. */
export function pathsOf(effect: FileEffect, { workspace }: GateQuestion): readonly string[] {
  const { resolved, written } = effect.path;
  const home = written === "~" || written.startsWith("~/") ? workspace.home + written.slice(1) : written;
  return [resolved, resolve(workspace.root, home), resolve(workspace.cwd, home)];
}

function pathReason(
  rule: CompiledRule,
  effect: FileEffect,
  question: GateQuestion,
  policy: GatePolicy,
): string | undefined {
  const pattern = rule.target.kind === "path" ? rule.target.pattern : undefined;
  const { resolved } = effect.path;
  if (pattern === undefined || pathsOf(effect, question).some((path) => matchesPath(pattern, path))) {
    return `it covers ${resolved}`;
  }
  if (effect.scope === "file" || !mayMatchBelow(pattern, resolved)) return undefined;
  // Inside a tree that is only read, a denied path becomes an exception of the permit.
  const reads = effect.op === "read" || effect.op === "list";
  if (reads && rule.action === "deny") return undefined;
  // The rule is checked against its real changes after it has ended.
  if (!reads && question.view) return undefined;
  if (effect.op === "write") return `it covers something that could be written below ${resolved}`;
  const [found] = policy.find(resolved, (name, path) => mayEndWith(pattern, name) && matchesPath(pattern, path));
  return found === undefined ? undefined : `it covers ${found}`;
}

export interface SamplingStance {
  readonly decision: "allow" | "ask" | "deny";
  readonly rule?: string;
}

/** The strictest live rule or grant about sampling for this server. A wildcard allows none. */
export function samplingStance(
  server: string,
  { rules, clock }: Pick<GatePolicy, "rules" | "clock">,
  grants: readonly Grant[],
): SamplingStance {
  const now = clock.now();
  const live = rules.filter((rule) => isLive(rule, now));
  const guards = ({ target }: CompiledRule) =>
    target.kind === "broken" || (target.kind === "server" && matchesServer(target, { server, tool: samplingEffect }));
  const allows = ({ target }: CompiledRule) =>
    target.kind === "server" && target.server === server && target.tool === samplingEffect;
  for (const decision of ["deny", "ask", "allow"] as const) {
    const matches = decision === "allow" ? allows : guards;
    const found = live.find((rule) => rule.action === decision && matches(rule));
    if (found !== undefined) return { decision, rule: found.text };
  }
  const granted = grants.find(
    ({ rule, expiresAt }) => rule === samplingRule(server) && (expiresAt === undefined || now < Date.parse(expiresAt)),
  );
  return { decision: granted === undefined ? "ask" : "allow", rule: granted?.rule };
}

import { resolve } from "node:path/posix";
import { firstOf } from "../../base/async.ts";
import { type Effect, type EffectPart, type FileEffect, isFileEffect } from "../../contract/effect.ts";
import type { GateQuestion } from "../../contract/gate.ts";
import type { GatePolicy } from "../policy.ts";
import { guardsCommand, isWholeCommand } from "./command-pattern.ts";
import { matchesPath, mayEndWith, mayMatchBelow } from "./path-pattern.ts";
import { type CompiledRule, isLive, matchesHost, matchesServer, mayBeCalled, namesServerTool } from "./rule.ts";
import { namesTool } from "./tool-names.ts";

/** Why a deny or ask rule is about this call; `undefined` when it is not. */
export function guardReason(rule: CompiledRule, question: GateQuestion, policy: GatePolicy): string | undefined {
  const { target } = rule;
  const { report, checked } = question;
  if (!isLive(rule, policy.clock.now())) return undefined;
  switch (target.kind) {
    case "broken":
      return `the rule cannot be read: ${target.why}`;
    case "tool":
      return namesTool(target.names, checked.tool) ? `it names ${checked.tool.name}` : undefined;
    case "path":
      return firstOf(report.effects, (effect) => {
        if (isFileEffect(effect)) {
          return target.ops.includes(effect.op) ? pathReason(rule, effect, question, policy) : undefined;
        }
        // Nothing can be run that reads nothing. Writing, on the other hand, the sandbox can forbid.
        const runs = effect.op === "exec" || effect.op === "unknown";
        const everything = target.pattern === undefined && target.ops.includes("read");
        return runs && everything ? "it covers whatever a program would read" : undefined;
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
  const whole: EffectPart = { text: command.text, effects: unread, reason: "it was not understood" };
  return guardsCommand(target.pattern, whole) ? "it matches something in what could not be followed" : undefined;
}

function partsOf({ report }: GateQuestion): readonly EffectPart[] {
  if (report.parts !== undefined) return report.parts;
  if (report.command === undefined) return [];
  const effects: readonly Effect[] = [...report.effects, { op: "unknown", why: "it was not looked into" }];
  return [{ text: report.command.text, effects, reason: "it was not looked into" }];
}

/** What a path means and what it says: a rule about either binds. */
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
  // What it really changed is held against the rule when it has ended.
  if (!reads && question.view) return undefined;
  if (effect.op === "write") return `it covers something that could be written below ${resolved}`;
  const [found] = policy.find(resolved, (name, path) => mayEndWith(pattern, name) && matchesPath(pattern, path));
  return found === undefined ? undefined : `it covers ${found}`;
}

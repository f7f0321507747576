import { basename, join, resolve } from "node:path/posix";
import {
  aSecret,
  type Effect,
  type EffectPart,
  type FileEffect,
  isFileEffect,
  isInside,
  isInsideAny,
  isOfSystem,
  isOwnOfSandbox,
  type PathException,
} from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { isInScratch } from "../contract/ports.ts";
import { guardsCommand, isWholeCommand } from "./command-pattern.ts";
import { matchesPath, mayEndWith, mayMatchBelow } from "./path-pattern.ts";
import type { Policy } from "./policy.ts";
import { type CompiledRule, isLive, matchesHost, matchesServer, mayBeCalled, namesServerTool } from "./rule.ts";
import { namesTool } from "./tool-names.ts";

/** Why a deny or ask rule is about this call; `undefined` when it is not. */
export function guardReason(rule: CompiledRule, question: GateQuestion, policy: Policy): string | undefined {
  const { target } = rule;
  const { report, checked } = question;
  if (!isLive(rule, policy.clock.now())) return undefined;
  switch (target.kind) {
    case "broken":
      return `the rule cannot be read: ${target.why}`;
    case "tool":
      return namesTool(target.names, checked.tool) ? `it names ${checked.tool.name}` : undefined;
    case "path":
      return firstReason(report.effects, (effect) => {
        if (isFileEffect(effect)) {
          return target.ops.includes(effect.op) ? pathReason(rule, effect, question, policy) : undefined;
        }
        // Nothing can be run that reads nothing. Writing, on the other hand, the sandbox can forbid.
        const runs = effect.op === "exec" || effect.op === "unknown";
        const everything = target.pattern === undefined && target.ops.includes("read");
        return runs && everything ? "it covers whatever a program would read" : undefined;
      });
    case "command": {
      const parts = partsOf(question);
      const { pattern } = target;
      const whole =
        report.command !== undefined && (pattern.kind === "every" || isWholeCommand(pattern, report.command.text));
      const part = parts.find((candidate) => guardsCommand(pattern, candidate));
      if (part !== undefined) return `it matches ${part.text}`;
      return whole ? "it matches the whole command" : undefined;
    }
    case "host":
      return firstReason(report.effects, (effect) =>
        effect.op === "connect" && matchesHost(target, effect.host) ? `it matches ${effect.host}` : undefined,
      );
    case "server":
      if (namesServerTool(target, checked.tool.name)) return `it names ${checked.tool.name}`;
      return firstReason(report.effects, (effect) =>
        effect.op === "call" && (matchesServer(target, effect) || mayBeCalled(target, effect))
          ? `it matches ${effect.server}`
          : undefined,
      );
  }
}

/**
 * Where something of a text was not understood, whatever command stands anywhere in it may be the one that runs:
 * a function that may have been defined, the body of a loop over words that nobody knows.
 */
export function unreadReason({ target, ...rule }: CompiledRule, { report }: GateQuestion, policy: Policy) {
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
  policy: Policy,
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

/** Does a rule of the user allow reading exactly this file, by its name? A wildcard opens no secret. */
export function namesSecret(rules: readonly CompiledRule[], path: string, now: number): boolean {
  return rules.some(
    (rule) =>
      rule.action === "allow" &&
      rule.layer !== "project" &&
      rule.target.kind === "path" &&
      rule.target.ops.includes("read") &&
      rule.target.pattern !== undefined &&
      isLive(rule, now) &&
      !/[*?[{]/.test(rule.text) &&
      rule.text.replace(/\)$/, "").endsWith(basename(path)) &&
      matchesPath(rule.target.pattern, path),
  );
}

export function isDenied(op: FileEffect["op"], path: string, policy: Policy): boolean {
  const now = policy.clock.now();
  return policy.rules.some(
    (rule) =>
      rule.action === "deny" &&
      rule.target.kind === "path" &&
      rule.target.ops.includes(op) &&
      isLive(rule, now) &&
      (rule.target.pattern === undefined || matchesPath(rule.target.pattern, path)),
  );
}

export function deniedBelow(
  op: FileEffect["op"],
  directory: string,
  policy: Policy,
): ReadonlyMap<string, CompiledRule> {
  const found = new Map<string, CompiledRule>();
  const now = policy.clock.now();
  const patterns = policy.rules.flatMap((rule) => {
    const { target } = rule;
    if (rule.action !== "deny" || target.kind !== "path" || !target.ops.includes(op) || !isLive(rule, now)) return [];
    const { pattern } = target;
    return pattern === undefined || !mayMatchBelow(pattern, directory) ? [] : [{ rule, pattern }];
  });
  if (patterns.length === 0) return found;
  policy.find(directory, (name, path) => {
    const hit = patterns.find(({ pattern }) => mayEndWith(pattern, name) && matchesPath(pattern, path));
    if (hit !== undefined) found.set(path, hit.rule);
    return hit !== undefined;
  });
  return found;
}

export function exceptionsOf({ report, sandbox, workspace }: GateQuestion, policy: Policy): readonly PathException[] {
  // A confined command finds the whole tree where it lists a directory, and never the ones that a sandbox has itself.
  const confined = report.command !== undefined && sandbox.backend === "bubblewrap";
  const isListed = ({ scope, path }: FileEffect) =>
    scope === "file" && confined && !isInsideAny(path.resolved, workspace.roots) && !isOfSystem(path.resolved);
  const read = report.effects
    .filter(isFileEffect)
    .filter((effect) => effect.op === "read" || effect.op === "list")
    .filter((effect) => !isInScratch(effect, workspace.scratch));
  const directories = read.filter(
    ({ path }) => path.kind === "directory" && !(confined && isOwnOfSandbox(path.resolved)),
  );
  const trees = outermost(directories.filter(({ scope }) => scope === "tree").map(({ path }) => path.resolved));
  const listed = directories.filter(isListed).map(({ path }) => path.resolved);
  const shown = [...workspace.roots, ...read.map(({ path }) => path.resolved)];
  const which = report.command === undefined ? "asked" : "hidden";
  return [
    ...trees.flatMap((directory) => closedBelow(directory, policy, which)),
    ...listed
      .filter((directory) => !isInsideAny(directory, trees))
      .flatMap((directory) => closedToListing(directory, { shown, policy })),
  ];
}

const mostCovered = 300;

function closedToListing(
  directory: string,
  { shown, policy }: { readonly shown: readonly string[]; readonly policy: Policy },
): readonly PathException[] {
  const entries = policy.entries?.(directory) ?? [];
  if (policy.entries === undefined || entries.length > mostCovered) return closedBelow(directory, policy);
  const isListed = shown.includes(directory);
  return entries.flatMap(({ name, kind }): readonly PathException[] => {
    const path = join(directory, name);
    if (shown.includes(path)) return [];
    if (shown.some((place) => isInside(place, path))) return closedToListing(path, { shown, policy });
    const isClosed = ["secret", "state"].includes(policy.classify(path) ?? "") || isDenied("read", path, policy);
    if (isListed && kind !== "directory" && !isClosed) return [];
    return [{ path, scope: "tree", reason: isClosed ? aSecret : "only names were asked for" }];
  });
}

/** Everything below a directory that stays closed to reading, each once and without what lies below it. */
export function closedBelow(
  directory: string,
  policy: Policy,
  which?: Parameters<Policy["findSecrets"]>[1],
): readonly PathException[] {
  const found = new Map<string, PathException>();
  for (const path of policy.findSecrets(directory, which)) found.set(path, { path, scope: "tree", reason: aSecret });
  for (const [path, { text: rule }] of deniedBelow("read", directory, policy))
    found.set(path, { path, scope: "tree", reason: `denied by ${rule}`, rule });
  return outermost([...found.keys()]).flatMap((path) => found.get(path) ?? []);
}

export function outermost(paths: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const path of [...new Set(paths)].sort(byComponents)) {
    const last = kept.at(-1);
    if (last === undefined || !isInside(path, last)) kept.push(path);
  }
  return kept;
}

function byComponents(a: string, b: string): number {
  const [left, right] = [a.replaceAll("/", "\0"), b.replaceAll("/", "\0")];
  return left < right ? -1 : left > right ? 1 : 0;
}

function firstReason(effects: readonly Effect[], reason: (effect: Effect) => string | undefined): string | undefined {
  for (const effect of effects) {
    const found = reason(effect);
    if (found !== undefined) return found;
  }
  return undefined;
}

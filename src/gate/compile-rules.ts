import { resolve } from "node:path/posix";
import type { RuleText } from "../contract/settings.ts";
import { guardsCommand } from "./command-pattern.ts";
import { overbroad } from "./overbroad.ts";
import { parseRule } from "./parse-rule.ts";
import { matchesPath, type PatternPlaces } from "./path-pattern.ts";
import {
  type CompiledRule,
  expiryOf,
  isLive,
  matchesHost,
  type RuleProblem,
  type RuleTarget,
  sourceOf,
} from "./rule.ts";
import { relationsOf } from "./rule-relations.ts";

/**
 * Rules as written, turned onto effects. A rule that can never match, contradicts its own examples or is too
 * broad for where it stands is an error; an allow rule with an error is dropped, a deny or ask with an error
 * counts for everything until it is mended. What has ended by `now`, contradicts a refusal or stands twice is
 * pointed out.
 */
export function compileRules(
  rules: readonly RuleText[],
  places: PatternPlaces,
  now = Number.NEGATIVE_INFINITY,
): { readonly rules: readonly CompiledRule[]; readonly problems: readonly RuleProblem[] } {
  const compiled: CompiledRule[] = [];
  const problems: RuleProblem[] = [];
  const live: { readonly rule: RuleText; readonly compiled: CompiledRule }[] = [];
  for (const rule of rules) {
    const { target, found } = compileRule(rule, places);
    problems.push(...found);
    if (target === undefined) continue;
    const { text, action, layer, origin, expires } = rule;
    const ends = expires === undefined ? {} : { expiresAt: expiryOf(expires) };
    const one: CompiledRule = { text, action, layer, source: sourceOf(layer), origin, target, ...ends };
    compiled.push(one);
    if (isLive(one, now)) live.push({ rule, compiled: one });
    else problems.push({ rule, level: "warning", message: `it has expired (${expires}) and has no effect` });
  }
  return { rules: compiled, problems: [...problems, ...relationsOf(live)] };
}

interface Compiled {
  readonly target: RuleTarget | undefined;
  readonly found: readonly RuleProblem[];
}

function compileRule(rule: RuleText, places: PatternPlaces): Compiled {
  const guards = rule.action !== "allow";
  const parsed = parseRule(rule.text, places, guards);
  if ("problem" in parsed) return broken(rule, parsed.problem);
  const { target } = parsed;
  const contradiction = checkExamples(rule, target, places);
  if (contradiction !== undefined) return broken(rule, contradiction);
  if (rule.expires !== undefined && Number.isNaN(expiryOf(rule.expires))) {
    return broken(rule, `${JSON.stringify(rule.expires)} is no date`);
  }

  const warnings: string[] = parsed.warning === undefined ? [] : [parsed.warning];
  if (rule.action === "allow") {
    const broad = overbroad(target, places);
    if (broad !== undefined && rule.layer === "project") return broken(rule, `too broad for a project: ${broad}`);
    if (broad !== undefined) warnings.push(`very broad: ${broad}`);
    if (rule.layer === "project" && rule.trusted !== true) {
      const message = "a project file can only narrow: this allow rule has no effect until it is trusted";
      return { target: undefined, found: [...warn(rule, warnings), { rule, level: "warning", message }] };
    }
  }
  return { target, found: warn(rule, warnings) };
}

function warn(rule: RuleText, messages: readonly string[]): readonly RuleProblem[] {
  return messages.map((message) => ({ rule, level: "warning", message }));
}

function broken(rule: RuleText, message: string): Compiled {
  const target: RuleTarget | undefined = rule.action === "allow" ? undefined : { kind: "broken", why: message };
  return { target, found: [{ rule, level: "error", message }] };
}

function checkExamples(rule: RuleText, target: RuleTarget, places: PatternPlaces): string | undefined {
  const missed = rule.match.find((example) => !matchesExample(target, example, places));
  if (missed !== undefined) return `it does not match its own example ${JSON.stringify(missed)}`;
  const caught = rule.noMatch.find((example) => matchesExample(target, example, places));
  return caught === undefined ? undefined : `it matches ${JSON.stringify(caught)}, which it says it does not`;
}

function matchesExample(target: RuleTarget, example: string, { workspace, home }: PatternPlaces): boolean {
  switch (target.kind) {
    case "path": {
      const path = example.startsWith("~/") ? `${home}${example.slice(1)}` : resolve(workspace, example);
      return target.pattern === undefined || matchesPath(target.pattern, path);
    }
    case "command": {
      const words = example.split(/\s+/);
      return guardsCommand(target.pattern, { text: example, words, effects: [], reason: "" });
    }
    case "host":
      return matchesHost(target, example);
    case "tool":
      return target.names.includes(example);
    case "server":
      return example === ["mcp", target.server, ...(target.tool === undefined ? [] : [target.tool])].join("__");
    case "broken":
      return false;
  }
}

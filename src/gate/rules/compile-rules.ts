import { resolve } from "node:path/posix";
import { nearest } from "../../base/nearest.ts";
import type { PathClass } from "../../contract/gate.ts";
import type { RuleText } from "../../contract/settings.ts";
import { compileCommand, guardsCommand } from "./command-pattern.ts";
import { type LintedRule, overbroad, relationsOf } from "./lint-rules.ts";
import { compilePath, matchesPath, type PatternPlaces, writtenPaths } from "./path-pattern.ts";
import { type CompiledRule, expiryOf, isLive, matchesHost, type RuleProblem, type RuleTarget } from "./rule.ts";
import { canonicalTool, isKnownTool, knownToolNames, toolFamily } from "./tool-names.ts";

/** Invalid allow rules are dropped; invalid deny and ask rules apply to everything until they are fixed. */
export function compileRules(
  rules: readonly RuleText[],
  places: PatternPlaces,
  now = Number.NEGATIVE_INFINITY,
): { readonly rules: readonly CompiledRule[]; readonly problems: readonly RuleProblem[] } {
  const compiled: CompiledRule[] = [];
  const problems: RuleProblem[] = [];
  const live: LintedRule[] = [];
  for (const rule of rules) {
    const { text, action, layer, origin, expires } = rule;
    const warn = (message: string) => problems.push({ rule, level: "warning", message });
    const parsed = parseRule(text, places, action !== "allow");
    const why = "problem" in parsed ? parsed.problem : faultOf(rule, parsed.target, places);
    if (why !== undefined) problems.push({ rule, level: "error", message: why });
    else for (const message of warningsOf(rule, parsed, places)) warn(message);
    if (action === "allow" && (why !== undefined || isUntrusted(rule))) continue;
    const target: RuleTarget =
      "problem" in parsed || why !== undefined ? { kind: "broken", why: why ?? "" } : parsed.target;
    const source = layer === "user_project" ? "user" : layer;
    const expiresAt = expires === undefined ? undefined : expiryOf(expires);
    const one: CompiledRule = { text, action, layer, source, origin, target, expiresAt };
    compiled.push(one);
    if (isLive(one, now)) live.push({ rule, compiled: one });
    else warn(`it has expired (${expires}) and has no effect`);
  }
  return { rules: compiled, problems: [...problems, ...relationsOf(live)] };
}

function isUntrusted({ layer, trusted }: RuleText): boolean {
  return layer === "project" && trusted !== true;
}

function faultOf(rule: RuleText, target: RuleTarget, places: PatternPlaces): string | undefined {
  const contradiction = checkExamples(rule, target, places);
  if (contradiction !== undefined) return contradiction;
  const { action, expires, layer } = rule;
  if (expires !== undefined && Number.isNaN(expiryOf(expires))) return `${JSON.stringify(expires)} is not a date`;
  const broad = action === "allow" && layer === "project" ? overbroad(target, places) : undefined;
  return broad && `too broad for a project: ${broad}`;
}

function warningsOf(rule: RuleText, parsed: ParsedRule | UnreadableRule, places: PatternPlaces): readonly string[] {
  if ("problem" in parsed) return [];
  const warnings = parsed.warning === undefined ? [] : [parsed.warning];
  if (rule.action !== "allow") return warnings;
  const broad = overbroad(parsed.target, places);
  if (broad !== undefined) warnings.push(`very broad: ${broad}`);
  if (isUntrusted(rule)) warnings.push("allow rules of a project have no effect until you trust them (gauntlet trust)");
  return warnings;
}

function checkExamples(rule: RuleText, target: RuleTarget, places: PatternPlaces): string | undefined {
  const missed = rule.match.find((example) => !matchesExample(target, example, places));
  if (missed !== undefined) return `it does not match its own example ${JSON.stringify(missed)}`;
  const caught = rule.noMatch.find((example) => matchesExample(target, example, places));
  return caught === undefined ? undefined : `it matches ${JSON.stringify(caught)}, which noMatch lists`;
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

export interface ParsedRule {
  readonly target: RuleTarget;
  readonly warning?: string;
}

type UnreadableRule = { readonly problem: string };

/** `Tool`, `Tool(pattern)`, `mcp__server__tool`. `guards` is true for deny and ask. */
export function parseRule(text: string, places: PatternPlaces, guards: boolean): ParsedRule | UnreadableRule {
  const trimmed = text.trim();
  if (trimmed.startsWith("mcp__")) return parseServer(trimmed, guards);
  const found = /^([A-Za-z][A-Za-z0-9_-]*)(?:\((.*)\))?$/s.exec(trimmed);
  if (found === null) return { problem: "write a rule as Tool or Tool(pattern)" };
  const [, name = "", content] = found;
  const tool = canonicalTool(name);
  if (content === undefined) return parseBare(name, tool, guards);
  if (content.trim() === "") return { problem: `the brackets are empty; write ${name} for every call` };
  switch (tool) {
    case "bash": {
      const pattern = compileCommand(content);
      return "problem" in pattern ? pattern : { target: { kind: "command", pattern } };
    }
    case "read":
    case "edit":
    case "delete": {
      const pattern = compilePath(content.trim(), places, guards);
      if ("problem" in pattern) return pattern;
      return { target: { kind: "path", ops: operations(tool, guards), pattern, tools: [] } };
    }
    case "web_fetch":
      return parseHost(content.trim(), guards);
  }
  return { problem: isKnownTool(name) ? deadForm(name, tool) : unknownTool(name) };
}

function parseBare(name: string, tool: string, guards: boolean): ParsedRule {
  if (tool === "bash") return { target: { kind: "command", pattern: { kind: "every" } } };
  if (tool === "read" || tool === "edit" || tool === "delete") {
    return { target: { kind: "path", ops: operations(tool, guards), tools: toolFamily(tool) } };
  }
  const target: RuleTarget = { kind: "tool", names: [tool] };
  return isKnownTool(name) ? { target } : { target, warning: unknownTool(name) };
}

function operations(tool: "read" | "edit" | "delete", guards: boolean) {
  if (tool === "read") return ["read", "list"] as const;
  if (tool === "delete") return ["delete"] as const;
  return guards ? (["write", "delete"] as const) : (["write"] as const);
}

function parseServer(text: string, guards: boolean): ParsedRule | UnreadableRule {
  const [, server, tool = ""] = /^mcp__(?!__)(\*|[A-Za-z0-9_.-]+?)(?:__(.*))?$/s.exec(text) ?? [];
  if (server === undefined || (server === "*" && tool !== ""))
    return { problem: "write a rule for a server as mcp__server or mcp__server__tool" };
  if (server === "*" && !guards) return { problem: "an allow rule names one server: mcp__server or mcp__server__tool" };
  return { target: { kind: "server", server, tool: tool === "" || tool === "*" ? undefined : tool } };
}

function parseHost(content: string, guards: boolean): ParsedRule | UnreadableRule {
  const found = /^domain:(\*\.)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)\.?$/i.exec(content);
  if (found === null) return { problem: "write a rule for the network as WebFetch(domain:example.com)" };
  const [, wild, host = ""] = found;
  // A deny rule includes sub-domains of the host; an allow rule does so only with `*.`.
  return { target: { kind: "host", host: host.toLowerCase(), below: guards || wild !== undefined } };
}

function unknownTool(name: string): string {
  const [meant] = nearest(name, ruleNames);
  return `no built-in tool is named ${name}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

const ruleNames = knownToolNames.filter((name) => /^[A-Z]/.test(name));

function deadForm(name: string, tool: string): string {
  const instead = toolFamily("edit").includes(tool) ? "Edit" : toolFamily("read").includes(tool) ? "Read" : undefined;
  return instead === undefined
    ? `${name}(…) can never match: rules match what a call touches, not its parameters; write ${name}`
    : `${name}(…) can never match: use ${instead}(…) for paths`;
}

/** Why a rule is never saved for later sessions, even if the user approved it. */
export function whyNotSaved(
  text: string,
  places: PatternPlaces,
  classify: (path: string) => PathClass | undefined,
): string | undefined {
  const parsed = parseRule(text, places, false);
  if ("problem" in parsed) return `${text} is invalid: ${parsed.problem}`;
  const { target } = parsed;
  const broad = overbroad(target, places);
  if (broad !== undefined) return `${text} is too broad: ${broad}`;
  if (target.kind !== "path") return undefined;
  const content = text.slice(text.indexOf("(") + 1, -1);
  const closed = writtenPaths(content, places).find((path) => classify(path) !== undefined);
  return closed === undefined ? undefined : `${text} covers ${closed}, which is protected`;
}

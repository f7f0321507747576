import type { RuleText } from "../contract/settings.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { type CompiledRule, matchesHost, type RuleProblem } from "./rule.ts";

interface Entry {
  readonly rule: RuleText;
  readonly compiled: CompiledRule;
}

export function relationsOf(entries: readonly Entry[]): readonly RuleProblem[] {
  const guards = entries.filter(({ rule }) => rule.action !== "allow");
  const problems: RuleProblem[] = [];
  const seen = new Map<string, Entry>();
  for (const entry of entries) {
    const { rule } = entry;
    const key = `${rule.action} ${rule.text}`;
    const twin = seen.get(key);
    if (twin === undefined) seen.set(key, entry);
    else if (!isPassing(rule) && !isPassing(twin.rule)) {
      problems.push({ rule, level: "warning", message: `it stands twice (also in ${twin.rule.origin})` });
    }
    if (rule.action !== "allow") continue;
    const guard = guards.find((other) => swallows(other.compiled, entry.compiled));
    if (guard !== undefined) problems.push({ rule, level: "warning", message: swallowed(guard.rule) });
  }
  return problems;
}

function isPassing({ layer }: RuleText): boolean {
  return layer === "command_line" || layer === "session";
}

function swallowed({ action, text, origin }: RuleText): string {
  return action === "deny"
    ? `it has no effect: ${text} in ${origin} denies all of it, and deny always wins`
    : `it has no effect: ${text} in ${origin} asks for all of it, and ask comes before allow`;
}

function swallows(guard: CompiledRule, allowed: CompiledRule): boolean {
  const { target: outer } = guard;
  const { target: inner } = allowed;
  if (outer.kind === "command" && inner.kind === "command") return coversCommand(outer.pattern, inner.pattern);
  if (outer.kind === "path" && inner.kind === "path") {
    const sameOps = inner.ops.every((op) => outer.ops.includes(op));
    return sameOps && (outer.pattern === undefined || guard.text === allowed.text);
  }
  if (outer.kind === "tool" && inner.kind === "tool") return inner.names.every((name) => outer.names.includes(name));
  if (outer.kind === "host" && inner.kind === "host") return matchesHost(outer, inner.host);
  if (outer.kind === "server" && inner.kind === "server") {
    const sameServer = outer.server === "*" || outer.server === inner.server;
    return sameServer && (outer.tool === undefined || outer.tool === inner.tool);
  }
  return false;
}

function coversCommand(outer: CommandPattern, inner: CommandPattern): boolean {
  if (outer.kind === "every") return true;
  if (outer.kind === "wildcard") return inner.kind === "wildcard" && inner.text === outer.text;
  const words = inner.kind === "prefix" || inner.kind === "exact" ? inner.words : undefined;
  if (words === undefined || outer.words === undefined) return false;
  if (outer.kind === "exact" && (inner.kind !== "exact" || words.length !== outer.words.length)) return false;
  return outer.words.every((word, index) => word === words[index]);
}

import { nearest } from "../../base/nearest.ts";
import { clip, messageOf } from "../../base/text.ts";
import type { HookEvent, HookSetting } from "../../contract/settings.ts";
import type { GatePolicy } from "../policy.ts";
import { compileRules } from "../rules/compile-rules.ts";
import { guardReason } from "../rules/match-rules.ts";
import type { PatternPlaces } from "../rules/path-pattern.ts";
import type { CompiledRule } from "../rules/rule.ts";
import { knownToolNames } from "../rules/tool-names.ts";
import type { Occasion } from "./occasion.ts";

export interface CompiledHook {
  readonly setting: HookSetting;
  readonly label: string;
  readonly timeoutMs: number;
  /** A timeout, a crash or an invalid answer blocks the action. */
  readonly failureBlocks: boolean;
  readonly matches: (occasion: Occasion) => boolean;
}

const defaultTimeoutMs = 60_000;
const longestLabel = 80;

const afterTools: readonly HookEvent[] = ["PostToolUse", "PostToolUseFailure"];
const aboutCalls: readonly HookEvent[] = ["PreToolUse", "PermissionRequest", ...afterTools];
const withoutNames: readonly HookEvent[] = ["UserPromptSubmit", "Stop"];

export interface HookProblem {
  readonly level: "error" | "warning";
  readonly key: "matcher" | "if" | "writes";
  readonly message: string;
}

interface UsableHook {
  readonly matches: (names: readonly string[]) => boolean;
  /** Only calls that this rule matches. */
  readonly filter: CompiledRule | undefined;
}

/** Hooks on these events decide whether the action may continue. */
export function isGating(event: HookEvent): boolean {
  return event === "PreToolUse" || event === "PermissionRequest" || event === "UserPromptSubmit";
}

export function compileHooks(
  settings: readonly HookSetting[],
  places: PatternPlaces,
  policy: GatePolicy,
): { readonly hooks: readonly CompiledHook[]; readonly problems: readonly string[] } {
  const hooks: CompiledHook[] = [];
  const problems: string[] = [];
  for (const setting of settings) {
    const { event, handler, origin } = setting;
    const label = clip([handler.command, ...(handler.args ?? [])].join(" ").trim().split("\n")[0] ?? "", longestLabel);
    const usable = readHook(setting, places);
    if ("message" in usable) {
      problems.push(`${event} hook ${JSON.stringify(label)} (${origin}): ${usable.message}`);
      continue;
    }
    const { matches, filter } = usable;
    hooks.push({
      setting,
      label,
      timeoutMs: handler.timeout === undefined ? defaultTimeoutMs : handler.timeout * 1_000,
      failureBlocks: handler.onFailure === undefined ? isGating(event) : handler.onFailure === "block",
      matches: ({ event: happened, names, question }) =>
        happened === event &&
        matches(names) &&
        (filter === undefined || (question !== undefined && guardReason(filter, question, policy) !== undefined)),
    });
  }
  return { hooks, problems };
}

/** Why the matcher cannot be used, or that it matches no known tool. */
export function inspectHook(setting: HookSetting, places: PatternPlaces): HookProblem | undefined {
  const usable = readHook(setting, places);
  if ("message" in usable) return usable;
  const { event, matcher = "" } = setting;
  // The tools of servers and packages are not known here.
  if (!aboutCalls.includes(event) || matcher.includes("mcp__") || usable.matches(knownToolNames)) return undefined;
  const [meant] = nearest(matcher, knownToolNames);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return { level: "warning", key: "matcher", message: `${JSON.stringify(matcher)} matches no built-in tool${hint}` };
}

function readHook(setting: HookSetting, places: PatternPlaces): UsableHook | HookProblem {
  const wrong = (key: HookProblem["key"], message: string): HookProblem => ({ level: "error", key, message });
  if (setting.handler.writes && !afterTools.includes(setting.event))
    return wrong("writes", "only a hook that runs after a tool may write");
  const matches = compileMatcher(setting);
  if (typeof matches === "string") return wrong("matcher", matches);
  const filter = readFilter(setting, places);
  return typeof filter === "string" ? wrong("if", filter) : { matches, filter };
}

function compileMatcher({ event, matcher = "" }: HookSetting): ((names: readonly string[]) => boolean) | string {
  if (matcher === "" || matcher === "*") return () => true;
  if (withoutNames.includes(event)) return `${event} does not support a matcher`;
  try {
    // Compiled alone first: unbalanced brackets could otherwise escape the anchored group below.
    void new RegExp(matcher);
    const whole = new RegExp(`^(?:${matcher})$`);
    return (names) => names.some((name) => whole.test(name));
  } catch (error) {
    return messageOf(error);
  }
}

function readFilter(
  { event, handler, layer, origin }: HookSetting,
  places: PatternPlaces,
): CompiledRule | string | undefined {
  if (handler.if === undefined) return undefined;
  if (!aboutCalls.includes(event)) return `"if" matches tool calls, and ${event} is not about a tool call`;
  // Matched like a deny rule: a possible match counts.
  const text = { text: handler.if, action: "ask", layer, origin, match: [], noMatch: [] } as const;
  const { rules, problems } = compileRules([text], places);
  const [rule] = rules;
  const wrong = problems.find(({ level }) => level === "error")?.message;
  return wrong === undefined && rule !== undefined ? rule : `"if": ${wrong ?? "not a valid rule"}`;
}

import { nearest } from "../../base/nearest.ts";
import { clip, messageOf } from "../../base/text.ts";
import type { HookEvent, HookSetting } from "../../contract/settings.ts";
import { compileRules } from "../compile-rules.ts";
import { guardReason } from "../guard-rules.ts";
import type { PatternPlaces } from "../path-pattern.ts";
import type { Policy } from "../policy.ts";
import type { CompiledRule } from "../rule.ts";
import { knownToolNames } from "../tool-names.ts";
import { isGating } from "./hook-answer.ts";
import type { Occasion } from "./occasion.ts";

export interface CompiledHook {
  readonly setting: HookSetting;
  readonly label: string;
  readonly timeoutMs: number;
  /** A time-out, a crash and an answer that cannot be read keep what it watches from going on. */
  readonly failureBlocks: boolean;
  readonly matches: (occasion: Occasion) => boolean;
}

const defaultTimeoutMs = 60_000;
const longestLabel = 80;

const afterTools: readonly HookEvent[] = ["PostToolUse", "PostToolUseFailure"];
const aboutCalls: readonly HookEvent[] = ["PreToolUse", "PermissionRequest", ...afterTools];
const withoutNames: readonly HookEvent[] = ["UserPromptSubmit", "Stop"];

/** A hook that could never run, or would run where it must not, is a mistake to be told at once. */
export function compileHooks(
  settings: readonly HookSetting[],
  places: PatternPlaces,
  policy: Policy,
): { readonly hooks: readonly CompiledHook[]; readonly problems: readonly string[] } {
  const hooks: CompiledHook[] = [];
  const problems: string[] = [];
  for (const setting of settings) {
    const compiled = compileHook(setting, places, policy);
    if (typeof compiled !== "string") hooks.push(compiled);
    else problems.push(`${setting.event} hook ${JSON.stringify(labelOf(setting))} (${setting.origin}): ${compiled}`);
  }
  return { hooks, problems };
}

export interface HookProblem {
  readonly level: "error" | "warning";
  readonly key: "matcher" | "if" | "writes";
  readonly message: string;
}

export function inspectHook(setting: HookSetting, places: PatternPlaces): HookProblem | undefined {
  const tooEarly = writesTooEarly(setting);
  if (tooEarly !== undefined) return { level: "error", key: "writes", message: tooEarly };
  const matches = compileMatcher(setting);
  if (typeof matches === "string") return { level: "error", key: "matcher", message: matches };
  const filter = readFilter(setting, places);
  if (typeof filter === "string") return { level: "error", key: "if", message: filter };
  const { event, matcher = "" } = setting;
  // The tools of servers and packages are not known here.
  if (!aboutCalls.includes(event) || matcher.includes("mcp__") || matches(knownToolNames)) return undefined;
  const [meant] = nearest(matcher, knownToolNames);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return { level: "warning", key: "matcher", message: `${JSON.stringify(matcher)} matches no built-in tool${hint}` };
}

function writesTooEarly({ event, handler }: HookSetting): string | undefined {
  return handler.writes && !afterTools.includes(event) ? "only a hook that runs after a tool may write" : undefined;
}

function compileHook(setting: HookSetting, places: PatternPlaces, policy: Policy): CompiledHook | string {
  const { event, handler } = setting;
  const tooEarly = writesTooEarly(setting);
  if (tooEarly !== undefined) return tooEarly;
  const matchesName = compileMatcher(setting);
  if (typeof matchesName === "string") return matchesName;
  const matchesCall = compileFilter(setting, places, policy);
  if (typeof matchesCall === "string") return matchesCall;
  return {
    setting,
    label: labelOf(setting),
    timeoutMs: handler.timeout === undefined ? defaultTimeoutMs : handler.timeout * 1_000,
    // One that is to agree and fails has not agreed.
    failureBlocks: handler.onFailure === undefined ? isGating(event) : handler.onFailure === "block",
    matches: (occasion) => occasion.event === event && matchesName(occasion.names) && matchesCall(occasion),
  };
}

function compileMatcher({ event, matcher = "" }: HookSetting): ((names: readonly string[]) => boolean) | string {
  if (matcher === "" || matcher === "*") return () => true;
  if (withoutNames.includes(event)) return `${event} has nothing that a matcher could be compared with`;
  try {
    // By itself first: brackets that only balance inside ours would undo the anchors.
    void new RegExp(matcher);
    const whole = new RegExp(`^(?:${matcher})$`);
    return (names) => names.some((name) => whole.test(name));
  } catch (error) {
    return messageOf(error);
  }
}

function compileFilter(
  setting: HookSetting,
  places: PatternPlaces,
  policy: Policy,
): ((occasion: Occasion) => boolean) | string {
  const rule = readFilter(setting, places);
  if (rule === undefined) return () => true;
  if (typeof rule === "string") return rule;
  return ({ question }) => question !== undefined && guardReason(rule, question, policy) !== undefined;
}

function readFilter(
  { event, handler, layer, origin }: HookSetting,
  places: PatternPlaces,
): CompiledRule | string | undefined {
  if (handler.if === undefined) return undefined;
  if (!aboutCalls.includes(event)) return `"if" is a rule about calls, and ${event} is about none`;
  // As a refusal is read: what may match does.
  const text = { text: handler.if, action: "ask", layer, origin, match: [], noMatch: [] } as const;
  const { rules, problems } = compileRules([text], places);
  const [rule] = rules;
  const wrong = problems.find(({ level }) => level === "error")?.message;
  return wrong === undefined && rule !== undefined ? rule : `"if": ${wrong ?? "it is no rule"}`;
}

function labelOf({ handler }: HookSetting): string {
  const text = [handler.command, ...(handler.args ?? [])].join(" ").trim().split("\n")[0] ?? "";
  return clip(text, longestLabel);
}

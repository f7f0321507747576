import type { HookEvent, HookSetting } from "../../contract/settings.ts";
import { compileRules } from "../compile-rules.ts";
import { guardReason } from "../guard-rules.ts";
import type { PatternPlaces } from "../path-pattern.ts";
import type { Policy } from "../policy.ts";
import type { Occasion } from "./occasion.ts";

/** A hook that can be used as it stands. */
export interface CompiledHook {
  readonly setting: HookSetting;
  /** As a person would recognise it. */
  readonly label: string;
  readonly timeoutMs: number;
  /** A time-out, a crash and an answer that cannot be read keep what it watches from going on. */
  readonly failureBlocks: boolean;
  readonly matches: (occasion: Occasion) => boolean;
}

const defaultTimeoutMs = 60_000;
const longestLabel = 80;

/** They decide whether something may go on, so one that fails has not agreed. */
const gating: readonly HookEvent[] = ["PreToolUse", "PermissionRequest", "UserPromptSubmit"];
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

function compileHook(setting: HookSetting, places: PatternPlaces, policy: Policy): CompiledHook | string {
  const { event, handler } = setting;
  if (handler.writes && !afterTools.includes(event)) return "only a hook that runs after a tool may write";
  const matchesName = compileMatcher(setting);
  if (typeof matchesName === "string") return matchesName;
  const matchesCall = compileFilter(setting, places, policy);
  if (typeof matchesCall === "string") return matchesCall;
  return {
    setting,
    label: labelOf(setting),
    timeoutMs: handler.timeout === undefined ? defaultTimeoutMs : handler.timeout * 1_000,
    failureBlocks: handler.onFailure === undefined ? gating.includes(event) : handler.onFailure === "block",
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
    return error instanceof Error ? error.message : String(error);
  }
}

function compileFilter(
  { event, handler, layer, origin }: HookSetting,
  places: PatternPlaces,
  policy: Policy,
): ((occasion: Occasion) => boolean) | string {
  if (handler.if === undefined) return () => true;
  if (!aboutCalls.includes(event)) return `"if" is a rule about calls, and ${event} is about none`;
  // As a refusal is read: what may match does.
  const text = { text: handler.if, action: "ask", layer, origin, match: [], noMatch: [] } as const;
  const { rules, problems } = compileRules([text], places);
  const [rule] = rules;
  const wrong = problems.find(({ level }) => level === "error")?.message;
  if (wrong !== undefined || rule === undefined) return `"if": ${wrong ?? "it is no rule"}`;
  return ({ question }) => question !== undefined && guardReason(rule, question, policy) !== undefined;
}

function labelOf({ handler }: HookSetting): string {
  const text = [handler.command, ...(handler.args ?? [])].join(" ").trim().split("\n")[0] ?? "";
  return text.length > longestLabel ? `${text.slice(0, longestLabel - 1)}…` : text;
}

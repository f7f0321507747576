import { type JsonPlace, readJsonText } from "../../base/json.ts";
import type { PolicyCheck, PolicyProblem } from "../../contract/app/policy.ts";
import {
  type HookSetting,
  hookEvents,
  type RuleText,
  type SettingsFile,
  settingsFile,
} from "../../contract/settings.ts";
import { inspectHook } from "../../gate/hooks/compile-hooks.ts";
import { compileRules } from "../../gate/rules/compile-rules.ts";
import type { PatternPlaces } from "../../gate/rules/path-pattern.ts";
import { inspectWith, type TextProblem } from "../../settings/parse-settings-text.ts";
import { absolutePath, ruleText } from "../../settings/resolve-setting.ts";
import type { IdleRule } from "./idle-rules.ts";

export interface CheckedFile {
  readonly file: string;
  readonly text: string;
  readonly places: PatternPlaces;
  /** Stricter for a project file: a rule that is too broad for it is an error. */
  readonly project: boolean;
  readonly now: number;
  readonly exists: (path: string) => boolean;
  readonly idle: (rules: readonly RuleText[]) => Promise<readonly IdleRule[]>;
}

/** All problems of a policy: errors when it is loaded, and rules that never take effect. */
export async function checkPolicy(checked: CheckedFile): Promise<PolicyCheck> {
  const { file, text } = checked;
  const json = readJsonText(text);
  const read = inspectWith(settingsFile(), text);
  const ofText = read.ok ? [] : read.problems.map(fromText);
  if (!json.ok) return { file, ok: false, rules: 0, problems: ofText };
  const settings = read.ok ? read.value : readableParts(json.value);
  const rules = rulesIn(settings, checked);
  const problems = [
    ...ofText,
    ...(await ruleProblems(rules, checked, json.placeOf)),
    ...hookProblems(settings, checked, json.placeOf),
    ...widening(settings, checked, json.placeOf),
  ].sort(byPlace);
  return { file, ok: problems.every(({ level }) => level !== "error"), rules: rules.length, problems };
}

interface ReadableParts {
  readonly permissions?: {
    readonly [Action in RuleText["action"]]?: readonly (Written | undefined)[];
  } & Pick<NonNullable<SettingsFile["permissions"]>, "defaultMode" | "additionalDirectories">;
  readonly hooks?: { readonly [Event in HookSetting["event"]]?: readonly (HookGroup | undefined)[] };
}

type Written = NonNullable<NonNullable<SettingsFile["permissions"]>["allow"]>[number];
type HookGroup = NonNullable<NonNullable<SettingsFile["hooks"]>["PreToolUse"]>[number];

function readableParts(value: unknown): ReadableParts {
  const read = (section: "permissions" | "hooks", key: string) =>
    listOf(member(member(value, section), key)).map(
      (entry) => settingsFile().safeParse({ [section]: { [key]: [entry] } }).data,
    );
  const rules = (action: RuleText["action"]) =>
    read("permissions", action).map((file) => file?.permissions?.[action]?.[0]);
  const groups = (event: HookSetting["event"]) => read("hooks", event).map((file) => file?.hooks?.[event]?.[0]);
  return {
    permissions: { deny: rules("deny"), ask: rules("ask"), allow: rules("allow") },
    hooks: Object.fromEntries(hookEvents.map((event) => [event, groups(event)])),
  };
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

interface PlacedRule {
  readonly rule: RuleText;
  readonly field: string;
}

function rulesIn(
  { permissions = {} }: ReadableParts,
  { file, project }: Pick<CheckedFile, "file" | "project">,
): readonly PlacedRule[] {
  const layer = project ? "project" : "user";
  return (["deny", "ask", "allow"] as const).flatMap((action) =>
    (permissions[action] ?? []).flatMap((written, index) => {
      if (written === undefined) return [];
      // Judged as if it were trusted, to see its effect then.
      const trusted = project && action === "allow" ? ({ trusted: true } as const) : {};
      const rule: RuleText = { ...ruleText(written, { action, layer, origin: file }), ...trusted };
      return [{ rule, field: `permissions.${action}[${index}]` }];
    }),
  );
}

export function brokenRule(
  settings: SettingsFile,
  checked: Pick<CheckedFile, "file" | "project" | "places">,
): string | undefined {
  const rules = rulesIn(settings, checked).map(({ rule }) => rule);
  const broken = compileRules(rules, checked.places).problems.find(({ level }) => level === "error");
  return broken === undefined ? undefined : `${broken.rule.text}: ${broken.message}`;
}

async function ruleProblems(
  placed: readonly PlacedRule[],
  { places, now, idle }: CheckedFile,
  placeOf: (field: string) => JsonPlace,
): Promise<readonly PolicyProblem[]> {
  const rules = placed.map(({ rule }) => rule);
  const found = compileRules(rules, places, now).problems;
  const sound = rules.filter((rule) => !found.some((problem) => problem.rule === rule));
  const without = (await idle(sound)).map(({ rule, why }) => ({ rule, level: "warning" as const, message: why }));
  return [...found, ...without].map(({ rule, level, message }) => {
    const field = placed.find((entry) => entry.rule === rule)?.field ?? "";
    return { level, message, ...at(field, placeOf), rule: rule.text, action: rule.action };
  });
}

/** A hook that would stop every start is an error; one that never runs is a warning. */
function hookProblems(
  { hooks = {} }: ReadableParts,
  { file, project, places }: CheckedFile,
  placeOf: (field: string) => JsonPlace,
): readonly PolicyProblem[] {
  const layer = project ? "project" : "user";
  return hookEvents.flatMap((event) =>
    (hooks[event] ?? []).flatMap((group, groupIndex) =>
      (group?.hooks ?? []).flatMap((handler, index): readonly PolicyProblem[] => {
        const found = inspectHook({ event, matcher: group?.matcher, handler, layer, origin: file }, places);
        if (found === undefined) return [];
        const { level, key, message } = found;
        const place = `hooks.${event}[${groupIndex}]`;
        const field = key === "matcher" ? `${place}.matcher` : `${place}.hooks[${index}].${key}`;
        return [{ level, message, ...at(field, placeOf), rule: key === "if" ? handler.if : undefined }];
      }),
    ),
  );
}

function widening(
  { permissions = {} }: ReadableParts,
  { places, exists }: CheckedFile,
  placeOf: (field: string) => JsonPlace,
): readonly PolicyProblem[] {
  const { defaultMode, additionalDirectories = [] } = permissions;
  const warn = (field: string, message: string): PolicyProblem => ({
    level: "warning",
    message,
    ...at(field, placeOf),
  });
  const absent = additionalDirectories.flatMap((written, index) => {
    const directory = absolutePath(written, places);
    if (exists(directory)) return [];
    return [warn(`permissions.additionalDirectories[${index}]`, `${directory} does not exist here`)];
  });
  const bypass = "bypass: everything that no rule denies runs without a question";
  return defaultMode === "bypass" ? [warn("permissions.defaultMode", bypass), ...absent] : absent;
}

function at(field: string, placeOf: (field: string) => JsonPlace): Pick<PolicyProblem, "field" | "line" | "column"> {
  return { field, ...placeOf(field) };
}

function fromText({ problem, field, place }: TextProblem): PolicyProblem {
  return { level: "error", message: problem, ...(field && { field }), ...place };
}

function byPlace(a: PolicyProblem, b: PolicyProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

import path from "node:path";
import {
  type HookSetting,
  hookEvents,
  type RuleSetting,
  type RuleText,
  type SettingsFile,
} from "../contract/settings.ts";
import type { Places } from "../host/state/find-places.ts";

export type PathBases = Pick<Places, "workspace" | "home">;

export function absolutePath(written: string, { workspace, home }: PathBases): string {
  if (written === "~") return home;
  if (written.startsWith("~/")) return path.join(home, written.slice(2));
  return path.resolve(workspace, written);
}

export function ruleText(written: RuleSetting, place: Pick<RuleText, "action" | "layer" | "origin">): RuleText {
  const { rule: text, match = [], noMatch = [], expires } = typeof written === "string" ? { rule: written } : written;
  return { text, ...place, match, noMatch, expires };
}

/** The hooks of one file, in the order of events and then as written. */
export function hooksOf(
  hooks: NonNullable<SettingsFile["hooks"]>,
  place: Pick<HookSetting, "layer" | "origin">,
): readonly HookSetting[] {
  return hookEvents.flatMap((event) =>
    (hooks[event] ?? []).flatMap(({ matcher, hooks: handlers }) =>
      handlers.map((handler) => ({ event, matcher, handler, ...place })),
    ),
  );
}

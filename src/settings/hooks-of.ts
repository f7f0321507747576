import { type HookSetting, hookEvents, type SettingsFile } from "../contract/settings.ts";

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

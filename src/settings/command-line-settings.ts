import type { DoorOptions } from "../contract/door.ts";
import type { SettingsFile } from "../contract/settings.ts";

/** What the flags of one session add to the settings of the embedding program. */
export function commandLineSettings(base: SettingsFile, door: DoorOptions): SettingsFile {
  const given = base.permissions ?? {};
  return {
    ...base,
    permissions: {
      ...given,
      allow: [...(given.allow ?? []), ...(door.allow ?? [])],
      deny: [...(given.deny ?? []), ...(door.deny ?? [])],
      additionalDirectories: [...(given.additionalDirectories ?? []), ...(door.addDirectories ?? [])],
      ...(door.mode === undefined ? {} : { defaultMode: door.mode }),
    },
  };
}

import type { DoorOptions } from "../contract/app/door.ts";
import type { SettingsFile } from "../contract/settings.ts";
import { modes } from "../contract/verdict.ts";

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

const lists = ["allow", "ask", "deny", "additionalDirectories"];

/** Settings that flags can express need no full schema, which is slow to build. */
export function isPlain({ permissions, ...others }: SettingsFile): boolean {
  if (typeof permissions !== "object" || permissions === null || Object.keys(others).length > 0) return false;
  return Object.entries(permissions).every(([key, value]: [string, unknown]) =>
    key === "defaultMode" ? modes.some((mode) => mode === value) : lists.includes(key) && isTextList(value),
  );
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

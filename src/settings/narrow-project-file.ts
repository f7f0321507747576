import type { SettingsFile } from "../contract/settings.ts";

export interface NarrowedFile {
  readonly file: SettingsFile;
  /** What the file asked for and did not get. */
  readonly dropped: readonly string[];
}

/**
 * What a repository may say: deny, ask, hide, and lower a limit. Everything else in its settings would widen
 * what a stranger's commit can do, so it is dropped by name. `limits.storeBytes` is among it because a small
 * quota would prune evidence.
 */
export function narrowProjectFile(file: SettingsFile): NarrowedFile {
  const { ask, deny, ...permissions } = file.permissions ?? {};
  const { storeBytes, ...limits } = file.limits ?? {};
  const dropped = [
    ...named("permissions", permissions),
    ...named("sandbox", file.sandbox),
    ...named("limits", storeBytes === undefined ? {} : { storeBytes }),
    ...named("log", file.log),
    ...named("features", file.features),
  ];
  return {
    file: {
      permissions: { ...(ask === undefined ? {} : { ask }), ...(deny === undefined ? {} : { deny }) },
      ...(file.workspace === undefined ? {} : { workspace: file.workspace }),
      limits,
    },
    dropped,
  };
}

const shownCharacters = 160;

function named(section: string, values: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.entries(values)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .map(([key, value]) => {
      const written = JSON.stringify(value);
      return `${section}.${key} ${written.length > shownCharacters ? `${written.slice(0, shownCharacters)}…` : written}`;
    });
}

import type { SettingsFile } from "../contract/settings.ts";

/**
 * Without trust, a repository may only deny, ask, hide and lower limits. Everything else needs trust or is dropped.
 * `limits.storeBytes` is dropped because a small quota would prune evidence.
 */
export function narrowProjectFile(file: SettingsFile) {
  const { ask, deny, allow = [], additionalDirectories = [], ...permissions } = file.permissions ?? {};
  const { storeBytes, ...limits } = file.limits ?? {};
  const dropped = [
    ...named("permissions", permissions),
    ...named("sandbox", file.sandbox),
    ...named("transactions", file.transactions),
    ...named("network", file.network),
    ...named("limits", storeBytes === undefined ? {} : { storeBytes }),
    ...named("models", modelSettings(file)),
    ...named("run", file.run),
    ...named("context", file.context),
    ...named("verification", file.verification),
    ...named("log", file.log),
    ...named("tools", file.tools),
    ...named("features", file.features),
    ...(file.trust === undefined ? [] : ["trust"]),
  ];
  return {
    file: {
      permissions: { ...(ask === undefined ? {} : { ask }), ...(deny === undefined ? {} : { deny }) },
      ...(file.workspace === undefined ? {} : { workspace: file.workspace }),
      limits,
    },
    /** Takes effect only if a user trusts it. */
    offered: { allow, additionalDirectories, hooks: file.hooks ?? {}, servers: file.mcpServers ?? {} },
    dropped,
  };
}

export type OfferedSettings = ReturnType<typeof narrowProjectFile>["offered"];

/** A commit must not choose who receives the conversation. */
function modelSettings({ model, fallbackModels, preferModel, effort, providers }: SettingsFile) {
  const all = { model, fallbackModels, preferModel, effort, providers };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
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

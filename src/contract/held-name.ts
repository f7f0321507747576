import type { Settings } from "./settings.ts";

/**
 * Why no server from elsewhere gets this name, in a sentence without its end: managed policy gives it out, or somebody
 * switched off what had it. For every other name whoever opens a session has the last word.
 */
export function heldName(
  name: string,
  settings: Pick<Settings, "brokenServers" | "idleServers" | "layers" | "servers">,
): string | undefined {
  const { brokenServers, idleServers, layers, servers } = settings;
  const off = idleServers.find(({ entry, because }) => because === "disabled" && entry.name === name);
  if (off !== undefined) return `${off.entry.origin} switches that name off`;
  const managed = layers.find((layer) => layer.name === "managed")?.path;
  const isHeld = [...servers, ...brokenServers].some((one) => one.name === name && one.origin === managed);
  return isHeld ? `${managed} has one of the same name` : undefined;
}

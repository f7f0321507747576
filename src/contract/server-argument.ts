import type { ServerEntry } from "./server.ts";

/** How a command about a server has to name it: one of a file that somebody named is found only with that file. */
export function serverArgument({ name, origin, named }: Pick<ServerEntry, "name" | "origin" | "named">): string {
  if (named === undefined) return name;
  return `${name} --config ${/^[\w./-]+$/.test(origin) ? origin : JSON.stringify(origin)}`;
}

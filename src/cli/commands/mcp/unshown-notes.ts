import type { App } from "../../../contract/app/app.ts";
import type { AddedServer } from "../../../contract/server/desk.ts";

/** An entry that does not start as it is written: its sandbox does not show what its own command names. */
export async function unshownNotes(app: App, { file, scope, setting }: AddedServer): Promise<readonly string[]> {
  if (!("command" in setting)) return [];
  const read = setting.sandbox?.read;
  // Of a person's own entry all of it is shown, unless the entry says what is.
  if (scope !== "project" && read === undefined) return [];
  const unshown = await app.servers.unshown(setting, scope);
  if (!unshown.ok || unshown.value.length === 0) return [];
  const wanted = JSON.stringify([...(read ?? []), ...unshown.value]);
  return [
    `its sandbox does not show ${unshown.value.join(" and ")}, which its command names; it does with "sandbox": { "read": ${wanted} } in ${file}`,
  ];
}

import { isFileEffect } from "../contract/effect.ts";
import type { NamedPlace, WorkspaceFacts } from "../contract/ports.ts";
import type { Permit } from "../contract/verdict.ts";
import { type Declares, declaredChanges } from "../effects/declared-changes.ts";

/** What a permitted call said that it would change. */
export function declaredBy(
  { effects, command }: Pick<Permit, "effects" | "command">,
  { roots }: Pick<WorkspaceFacts, "roots">,
): { readonly declares: Declares; readonly named: readonly NamedPlace[] } {
  const cwd = command === undefined ? {} : { cwd: command.cwd.resolved };
  const changing = effects.filter(isFileEffect).filter(({ op }) => op === "write" || op === "delete");
  return {
    declares: declaredChanges({ effects, roots, ...cwd }),
    named: changing.map(({ path, scope }) => ({ path: path.resolved, scope })),
  };
}

import { isFileEffect } from "../contract/effect.ts";
import { isInsideAny } from "../contract/path-scope.ts";
import type { NamedPlace, WorkspaceFacts } from "../contract/ports.ts";
import type { Permit } from "../contract/verdict.ts";
import { type Declares, declaredChanges } from "../effects/declared-changes.ts";

/** What a permitted call said that it would change. */
export function declaredBy(
  { effects, command, sandbox }: Pick<Permit, "effects" | "command" | "sandbox">,
  { roots }: Pick<WorkspaceFacts, "roots">,
): { readonly declares: Declares; readonly named: readonly NamedPlace[] } {
  const run = command === undefined ? {} : { text: command.text, cwd: command.cwd.resolved };
  const books = sandbox.opened === undefined ? [] : sandbox.writable.filter((path) => !isInsideAny(path, roots));
  const changing = effects.filter(isFileEffect).filter(({ op }) => op === "write" || op === "delete");
  return {
    declares: declaredChanges({ effects, roots, books, ...run }),
    named: changing.map(({ path, scope }) => ({ path: path.resolved, scope })),
  };
}

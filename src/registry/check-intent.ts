import type { Refusal } from "../contract/codes.ts";
import type { CheckedIntent, IdentifiedIntent } from "../contract/intent.ts";
import type { PreconditionView } from "../contract/ports.ts";
import type { VisibilityContext } from "../contract/tool.ts";
import { notVisible, visibilityOf } from "./registry.ts";

export type Checked =
  | { readonly ok: true; readonly value: CheckedIntent }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Can this be done now? Runs when the call may start, so that it sees what earlier calls left behind,
 * and before permission, so that a bad call never asks a person.
 */
export async function checkIntent(
  identified: IdentifiedIntent,
  visibility: VisibilityContext,
  view: PreconditionView,
): Promise<Checked> {
  const { tool } = identified;
  const shown = visibilityOf(tool, visibility);
  if (!shown.visible) return { ok: false, refusal: notVisible(tool, shown) };
  const failure = await tool.preconditions?.(identified.input as never, view);
  if (failure !== undefined) return { ok: false, refusal: { ...failure, phase: "validate" } };
  return { ok: true, value: identified as CheckedIntent };
}

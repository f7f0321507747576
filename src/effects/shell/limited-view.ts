import { fail, type Outcome } from "../../contract/codes.ts";
import type { PathRef } from "../../contract/effect.ts";
import type { EffectView } from "../../contract/ports.ts";

/** What may be spent on one text. Once it is `reached`, nothing of the text is understood. */
export interface Limits {
  commands: number;
  /** Paths that are followed. */
  paths: number;
  /** Names that patterns are compared with. */
  names: number;
  /** Characters of values and words that are put together, kept and compared. */
  characters: number;
  reached: boolean;
}

/** The same view, which looks at every path once and stops looking when the limits are reached. */
export function limitedView(view: EffectView, limits: Limits): EffectView {
  const followed = new Map<string, Outcome<PathRef>>();
  const resolve = (written: string, from?: string): Outcome<PathRef> => {
    const key = `${from ?? ""}\0${written}`;
    const known = followed.get(key);
    if (known !== undefined) return known;
    limits.paths -= 1;
    if (limits.paths < 0) {
      limits.reached = true;
      return fail("runtime_precondition_failed", "there is more to look at than is worth it");
    }
    const found = view.resolve(written, from);
    followed.set(key, found);
    return found;
  };
  const { entries: list } = view;
  if (list === undefined) return { ...view, resolve };
  const listed = new Map<string, ReturnType<typeof list>>();
  const entries = (directory: string) => {
    const found = limits.reached ? [] : (listed.get(directory) ?? list(directory));
    listed.set(directory, found);
    limits.names -= found.length + 1;
    if (limits.names < 0) limits.reached = true;
    return found;
  };
  return { ...view, resolve, entries };
}

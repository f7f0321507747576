import { dirname } from "node:path/posix";
import { type EffectPart, type FileEffect, isFileEffect } from "../contract/effect.ts";

/**
 * Paths are followed before the text runs. Behind a link that the text itself makes a change happens elsewhere by
 * then, and not where it was judged. What a link leads to counts as read already.
 */
export function changesThroughOwnLink(parts: readonly EffectPart[]): string | undefined {
  const makers = parts.filter(({ words }) => /^(?:.*\/)?ln$/.test(words?.[0] ?? ""));
  for (const maker of makers.slice(0, 64)) {
    const links = new Set(changesOf(maker).flatMap(({ op, path }) => (op === "write" ? [path.resolved] : [])));
    const changes = parts.filter((part) => part !== maker).flatMap(changesOf);
    const through = changes.find((change) => leadsThrough(change, links));
    if (through !== undefined) return `goes through a link that it makes, to ${through.path.written}`;
  }
  return undefined;
}

function changesOf({ effects }: EffectPart): readonly FileEffect[] {
  return effects.filter(isFileEffect).filter(({ op }) => op === "write" || op === "delete");
}

/** Who removes a link leaves what it leads to. */
function leadsThrough({ op, path }: FileEffect, links: ReadonlySet<string>): boolean {
  let at = op === "delete" ? dirname(path.resolved) : path.resolved;
  for (; at !== "/"; at = dirname(at)) if (links.has(at)) return true;
  return false;
}

import { dirname } from "node:path/posix";
import { type EffectPart, type FileEffect, isFileEffect } from "../../contract/effect.ts";

/**
 * Paths are followed before the text runs. Behind a link that the text itself makes a change happens elsewhere by
 * then, and not where it was judged. What a link leads to counts as read already.
 */
export function changesThroughOwnLink(parts: readonly EffectPart[]): string | undefined {
  const links = linksOf(parts);
  if (links.size === 0) return undefined;
  for (const part of parts) {
    const through = changesOf(part).find((change) => leadsThrough(change, part, links));
    if (through !== undefined) return `goes through a link that it makes, to ${through.path.written}`;
  }
  return undefined;
}

type Links = ReadonlyMap<string, readonly EffectPart[]>;

function linksOf(parts: readonly EffectPart[]): Links {
  const made = parts.filter(makesLink).flatMap((part) =>
    changesOf(part)
      .filter(({ op }) => op === "write")
      .map(({ path }) => ({ path: path.resolved, part })),
  );
  // Two makers of one link are enough to tell whether another one than a given part made it.
  const makers = new Map<string, readonly EffectPart[]>();
  for (const { path, part } of made) makers.set(path, [...(makers.get(path) ?? []).slice(-1), part]);
  return makers;
}

function makesLink({ words }: EffectPart): boolean {
  return /^(?:.*\/)?ln$/.test(words?.[0] ?? "");
}

function changesOf({ effects }: EffectPart): readonly FileEffect[] {
  return effects.filter(isFileEffect).filter(({ op }) => op === "write" || op === "delete");
}

/** Who removes a link leaves what it leads to. */
function leadsThrough({ op, path }: FileEffect, part: EffectPart, links: Links): boolean {
  let at = op === "delete" ? dirname(path.resolved) : path.resolved;
  for (; at !== "/"; at = dirname(at)) {
    if (links.get(at)?.some((maker) => maker !== part)) return true;
  }
  return false;
}

import { isInside } from "../contract/effect.ts";

/** A command has a home of its own: what it is shown of the person's is found there as well, or `~/…` would mean nothing. */
export interface HomeName {
  readonly path: string;
  readonly target: string;
}

export function homeNames(
  shown: readonly string[],
  homes: {
    readonly person: string;
    readonly own: string;
    /** Files that the command's own home has already. */
    readonly taken: readonly string[];
  },
): readonly HomeName[] {
  const inHome = shown.filter((path) => path !== homes.person && isInside(path, homes.person));
  const outermost = inHome.filter((path) => !inHome.some((other) => other !== path && isInside(path, other)));
  return [...new Set(outermost)]
    .map((target) => ({ path: `${homes.own}${target.slice(homes.person.length)}`, target }))
    .filter(({ path }) => !homes.taken.some((file) => isInside(file, path) || isInside(path, file)));
}

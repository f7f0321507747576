import { join } from "node:path/posix";
import { compileName } from "./name-glob.ts";

export function hasPattern(word: string): boolean {
  return /[*?[]/.test(word);
}

/** As a shell matches a path, and other programs that take `**` for any number of directories. */
export function pathMatch(pattern: string): (path: string) => boolean {
  const wanted = pattern
    .split("/")
    .map((component) => ({ deep: component === "**", matches: componentMatch(component) }));
  /** `**` may stand for nothing. */
  const withSkipped = (places: readonly number[]): readonly number[] => {
    const all = new Set(places);
    for (const at of all) if (wanted[at]?.deep) all.add(at + 1);
    return [...all];
  };
  return (path) => {
    let places = withSkipped([0]);
    for (const name of path.split("/")) {
      const fitting = places.filter((at) => wanted[at]?.matches(name));
      if (fitting.length === 0) return false;
      places = withSkipped(fitting.map((at) => (wanted[at]?.deep ? at : at + 1)));
    }
    return places.includes(wanted.length);
  };
}

/** As a shell matches one component of a path: a dot at its beginning only by a dot. */
function componentMatch(pattern: string): (name: string) => boolean {
  // Classes of characters are not told apart.
  const { matches } = compileName(pattern.replace(/\[\[.*\]\]/, "*"));
  return (name) => matches(name) && (!name.startsWith(".") || /^[.[\\]/.test(pattern));
}

const most = 20_000;

/** The paths that a shell may put in the place of a pattern; `undefined` where there are too many. */
export function expandPattern(
  pattern: string,
  from: string,
  namesIn: (directory: string) => readonly string[],
): readonly string[] | undefined {
  let found: readonly string[] = [pattern.startsWith("/") ? "/" : from];
  for (const component of pattern.split("/")) {
    const matches = hasPattern(component) ? componentMatch(component) : undefined;
    const next: string[] = [];
    for (const directory of found) {
      const names = matches === undefined ? [component] : namesIn(directory).filter(matches);
      for (const name of names) next.push(join(directory, name));
      if (next.length > most) return undefined;
    }
    found = next;
  }
  return found;
}

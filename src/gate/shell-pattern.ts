import { compileName } from "../base/name-glob.ts";

export function hasPattern(word: string): boolean {
  return /[*?[]/.test(word);
}

export function pathMatch(pattern: string): (path: string) => boolean {
  const wanted = pattern
    .split("/")
    .map((component) => ({ deep: component === "**", matches: componentMatch(component) }));
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

function componentMatch(pattern: string): (name: string) => boolean {
  // Classes of characters are not told apart.
  const { matches } = compileName(pattern.replace(/\[\[.*\]\]/, "*"));
  return (name) => matches(name) && (!name.startsWith(".") || /^[.[\\]/.test(pattern));
}

import { compileName, type NameGlob } from "../../base/name-glob.ts";
import { isInside } from "../../contract/effect.ts";

/** Like gitignore. Matching is linear in pattern times path, also for hostile patterns. */
export interface PathPattern {
  readonly base: string;
  readonly alternatives: readonly (readonly PathStep[])[];
  readonly folded: boolean;
}

type PathStep = "any" | NameGlob;

export interface PatternPlaces {
  readonly workspace: string;
  readonly home: string;
}

const mostAlternatives = 64;

/** `folded` makes letter case and Unicode forms count as the same: right for refusing, wrong for allowing. */
export function compilePath(
  text: string,
  places: PatternPlaces,
  folded: boolean,
): PathPattern | { readonly problem: string } {
  if (text === "") return { problem: "the path is empty" };
  if (text.startsWith("!")) return { problem: "a rule cannot be negated; write it under another action" };
  if (/[\0\n\r]/.test(text)) return { problem: "the path contains a line end or NUL" };
  if (/^~[^/]/.test(text)) return { problem: "only ~/ means a home directory" };
  const { base, rest } = split(text, places);
  if (rest.split("/").includes("..")) return { problem: "the path contains ..; write an absolute path with //" };
  const expanded = expandBraces(rest);
  if (expanded.length > mostAlternatives) return { problem: `more than ${mostAlternatives} alternatives` };
  const alternatives = expanded.map((one) => stepsOf(one, folded, isAnchored(text)));
  return { base: folded ? fold(base) : base, alternatives, folded };
}

export function matchesPath(pattern: PathPattern, path: string): boolean {
  const names = namesBelow(pattern, path);
  return names !== undefined && pattern.alternatives.some((steps) => walk(steps, names) === "match");
}

export function mayMatchBelow(pattern: PathPattern, directory: string): boolean {
  const names = namesBelow(pattern, directory);
  if (names !== undefined) return pattern.alternatives.some((steps) => walk(steps, names) === "open");
  return isInside(pattern.base, pattern.folded ? fold(directory) : directory);
}

export function mayEndWith({ alternatives, folded }: PathPattern, name: string): boolean {
  const compared = folded ? fold(name) : name;
  return alternatives.some((steps) => {
    const last = steps.findLast((step) => step !== "any");
    return last === undefined || last.matches(compared);
  });
}

export function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]{},!]/g, "\\$&").replace(/\s$/, "[$&]");
}

export function writtenPaths(text: string, places: PatternPlaces): readonly string[] {
  const { base, rest } = split(text.trim(), places);
  return expandBraces(rest).map((path) => `${base === "/" ? "" : base}/${path.replace(/\\(.)/g, "$1")}`);
}

function split(text: string, { workspace, home }: PatternPlaces): { readonly base: string; readonly rest: string } {
  if (text.startsWith("//")) return { base: "/", rest: text.slice(2) };
  if (text.startsWith("~")) return { base: home, rest: text.slice(2) };
  if (text.startsWith("./")) return { base: workspace, rest: text.slice(2) };
  return { base: workspace, rest: text.startsWith("/") ? text.slice(1) : text };
}

function isAnchored(text: string): boolean {
  return text.replace(/\/+$/, "").includes("/") || text.startsWith("~") || text.startsWith("/") || text === ".";
}

function stepsOf(rest: string, folded: boolean, anchored: boolean): readonly PathStep[] {
  const names = rest.split("/").filter((name) => name !== "" && name !== ".");
  const steps = names.map((name): PathStep => (name === "**" ? "any" : compileName(folded ? fold(name) : name)));
  return anchored ? steps : ["any", ...steps];
}

function namesBelow({ base, folded }: PathPattern, path: string): readonly string[] | undefined {
  const compared = folded ? fold(path) : path;
  if (!isInside(compared, base)) return undefined;
  return compared
    .slice(base.length)
    .split("/")
    .filter((name) => name !== "");
}

function walk(steps: readonly PathStep[], names: readonly string[]): "match" | "open" | "none" {
  let positions = reachable(steps, [0]);
  for (const name of names) {
    if (positions.has(steps.length)) return "match";
    const next: number[] = [];
    for (const position of positions) {
      const step = steps[position];
      if (step === "any") next.push(position);
      else if (step?.matches(name)) next.push(position + 1);
    }
    positions = reachable(steps, next);
  }
  if (positions.has(steps.length)) return "match";
  return positions.size > 0 ? "open" : "none";
}

function reachable(steps: readonly PathStep[], from: readonly number[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (let position of from) {
    found.add(position);
    while (steps[position] === "any") {
      position += 1;
      found.add(position);
    }
  }
  return found;
}

function expandBraces(text: string): readonly string[] {
  const done: string[] = [];
  const waiting = [text];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const found = /^((?:[^\\{]|\\.)*)\{((?:[^\\{}]|\\.)*,(?:[^\\{}]|\\.)*)\}(.*)$/s.exec(next);
    if (found === null) done.push(next);
    else {
      const [, head = "", inner = "", tail = ""] = found;
      for (const choice of inner.split(/(?<!\\),/).reverse()) waiting.push(`${head}${choice}${tail}`);
    }
    if (done.length + waiting.length > mostAlternatives) return [...done, ...waiting];
  }
  return done;
}

/** Upper case first: some letters become two (`ß`, `SS`), and some have two small forms. */
function fold(text: string): string {
  if (plain.test(text)) return text.toLowerCase();
  return text.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

const plain = /^[\x20-\x7e]*$/;

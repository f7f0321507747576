import { dirname, join } from "node:path";
import { compileName } from "../../base/name-glob.ts";
import { isInside } from "../../contract/effect.ts";
import { readSmallText } from "../files/read-small-text.ts";

/** Knows names and patterns for single names; anything else counts as not ignored. Negated lines take precedence. */
export function createGitIgnored(roots: readonly string[]): (directory: string) => boolean {
  const files = new Map<string, readonly Line[]>();
  const linesIn = (directory: string): readonly Line[] => {
    const known = files.get(directory) ?? readLines(join(directory, ".gitignore"));
    files.set(directory, known);
    return known;
  };
  return (directory) => {
    const root = roots.find((one) => isInside(directory, one));
    if (root === undefined || root === directory) return false;
    const found: { readonly line: Line; readonly names: readonly string[] }[] = [];
    for (let above = dirname(directory); isInside(above, root); above = dirname(above)) {
      const names = directory.slice(above.length + 1).split("/");
      found.push(...linesIn(above).map((line) => ({ line, names })));
      if (above === root) break;
    }
    const fits = (wanted: Partial<Line>) =>
      found.some(
        ({ line, names }) =>
          line.takesBack === (wanted.takesBack ?? false) &&
          (wanted.isPattern === undefined || line.isPattern === wanted.isPattern) &&
          isAbout(line, names),
      );
    return !fits({ takesBack: true }) && (fits({ isPattern: false }) || fits({ isPattern: true }));
  };
}

interface Line {
  readonly names: readonly ((name: string) => boolean)[];
  readonly isPattern: boolean;
  readonly anchored: boolean;
  readonly takesBack: boolean;
}

function readLines(file: string): readonly Line[] {
  return (textOf(file) ?? "").split("\n").flatMap((text) => {
    const line = text.trim();
    if (line === "" || line.startsWith("#")) return [];
    const takesBack = line.startsWith("!");
    const pattern = (takesBack ? line.slice(1) : line).replace(/\/$/, "");
    const anyDepth = pattern.startsWith("**/");
    const plain = pattern.replace(/^(?:\*\*)?\//, "").replace(/\/\*{1,2}$/, "");
    const names = plain.split("/").map((name) => compileName(name).matches);
    return [{ names, isPattern: /[*?[]/.test(plain), anchored: !anyDepth && pattern.includes("/"), takesBack }];
  });
}

/** One that takes something back counts wherever it might reach: what lies below is then not all ignored. */
function isAbout({ names, anchored, takesBack }: Line, path: readonly string[]): boolean {
  const from = (at: number) => path.slice(at);
  const starts = anchored ? [0] : path.map((_, at) => at);
  if (takesBack) return starts.some((at) => fits(names.slice(0, from(at).length), from(at).slice(0, names.length)));
  return starts.some((at) => from(at).length >= names.length && fits(names, from(at).slice(0, names.length)));
}

function fits(names: Line["names"], path: readonly string[]): boolean {
  return names.length === path.length && names.every((matches, at) => matches(path[at] ?? ""));
}

function textOf(file: string): string | undefined {
  try {
    return readSmallText(file);
  } catch {
    return undefined;
  }
}

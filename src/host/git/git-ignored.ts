import { dirname, join } from "node:path";
import { compileName } from "../../base/name-glob.ts";
import { isInside } from "../../contract/effect.ts";
import { readBounded } from "../files/read-small-text.ts";

/** Knows names and patterns for single names; anything else counts as not ignored. Negated lines take precedence. */
export function createGitIgnored(roots: readonly string[]): (directory: string) => boolean {
  const files = new Map<string, readonly IgnoreLine[]>();
  const linesIn = (directory: string): readonly IgnoreLine[] => {
    const known = files.get(directory) ?? readLines(join(directory, ".gitignore"));
    files.set(directory, known);
    return known;
  };
  return (directory) => {
    const root = roots.find((one) => isInside(directory, one));
    if (root === undefined || root === directory) return false;
    let ignored = false;
    for (let above = dirname(directory); isInside(above, root); above = dirname(above)) {
      const names = directory.slice(above.length + 1).split("/");
      const about = linesIn(above).filter((line) => isAbout(line, names));
      if (about.some(({ takesBack }) => takesBack)) return false;
      ignored ||= about.length > 0;
      if (above === root) break;
    }
    return ignored;
  };
}

const longestFile = 1024 * 1024;

interface IgnoreLine {
  readonly names: readonly ((name: string) => boolean)[];
  readonly anchored: boolean;
  readonly takesBack: boolean;
}

function readLines(file: string): readonly IgnoreLine[] {
  return (readBounded(file, longestFile)?.toString("utf8") ?? "").split("\n").flatMap((text) => {
    const line = text.trim();
    if (line === "" || line.startsWith("#")) return [];
    const takesBack = line.startsWith("!");
    const pattern = (takesBack ? line.slice(1) : line).replace(/\/$/, "");
    const anyDepth = pattern.startsWith("**/");
    const plain = pattern.replace(/^(?:\*\*)?\//, "").replace(/\/\*{1,2}$/, "");
    const names = plain.split("/").map((name) => compileName(name).matches);
    return [{ names, anchored: !anyDepth && pattern.includes("/"), takesBack }];
  });
}

/** A negated line counts wherever it might match: then not everything below is ignored. */
function isAbout({ names, anchored, takesBack }: IgnoreLine, path: readonly string[]): boolean {
  const from = (at: number) => path.slice(at);
  const starts = anchored ? [0] : path.map((_, at) => at);
  if (takesBack) return starts.some((at) => fits(names.slice(0, from(at).length), from(at).slice(0, names.length)));
  return starts.some((at) => from(at).length >= names.length && fits(names, from(at).slice(0, names.length)));
}

function fits(names: IgnoreLine["names"], path: readonly string[]): boolean {
  return names.length === path.length && names.every((matches, at) => matches(path[at] ?? ""));
}

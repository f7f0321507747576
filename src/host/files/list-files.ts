import path from "node:path";
import { entriesIn } from "./look.ts";

const skipped = new Set(
  ".git .hg .svn node_modules dist build target vendor coverage __pycache__ .venv .next .cache".split(" "),
);

/** Relative paths of files below a directory, nearest first, and no more than so many. Links are not followed. */
export function listFiles(
  root: string,
  options: { readonly most: number; keep(name: string, file: string): boolean },
): readonly string[] {
  const found: string[] = [];
  let level = [""];
  while (level.length > 0 && found.length < options.most) {
    const next: string[] = [];
    for (const directory of level) {
      for (const entry of entriesIn(path.join(root, directory))) {
        const name = directory === "" ? entry.name : `${directory}/${entry.name}`;
        if (entry.isDirectory() && !skipped.has(entry.name)) next.push(name);
        else if (entry.isFile() && options.keep(entry.name, path.join(root, name)) && found.length < options.most)
          found.push(name);
      }
    }
    level = next;
  }
  return found;
}

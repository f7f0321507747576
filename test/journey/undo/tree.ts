import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";

/** Everything below a directory as text: kind, permissions and content, but for what `except` names. */
export function treeOf(root: string, except: readonly string[] = []): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = (directory: string) => {
    for (const name of readdirSync(directory).toSorted()) {
      const file = path.join(directory, name);
      const shown = path.relative(root, file);
      if (except.includes(shown)) continue;
      const stats = lstatSync(file);
      const mode = (stats.mode & 0o777).toString(8);
      if (stats.isSymbolicLink()) found[shown] = `link to ${readlinkSync(file)}`;
      else if (stats.isDirectory()) {
        found[shown] = `directory ${mode}`;
        walk(file);
      } else found[shown] = `file ${mode} ${readFileSync(file, "latin1")}`;
    }
  };
  walk(root);
  return found;
}

import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import type { AttackWorld } from "./attack-world.ts";

/** Every entry of a world by its path, with kind, permissions and content. */
export type TreeImage = ReadonlyMap<string, string>;

export function takeImage({ base }: AttackWorld): TreeImage {
  const image = new Map<string, string>();
  look(base, "");

  function look(directory: string, prefix: string): void {
    for (const name of namesIn(directory)) {
      const relative = `${prefix}${name}`;
      const file = path.join(directory, name);
      const stat = lstatSync(file);
      if (stat.isDirectory()) look(file, `${relative}/`);
      if (isOwnRecord(relative)) continue;
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) image.set(relative, `link to ${readlinkSync(file)}`);
      else if (stat.isDirectory()) image.set(relative, `directory ${mode}`);
      else if (stat.isFile()) image.set(relative, `file ${mode} ${readFileSync(file, "latin1")}`);
      else image.set(relative, `special ${mode}`);
    }
  }
  return image;
}

/** What an attempt has shut is opened again. Its mode is known by then. */
function namesIn(directory: string): readonly string[] {
  if ((lstatSync(directory).mode & 0o700) !== 0o700) chmodSync(directory, 0o700);
  return readdirSync(directory);
}

/** What the runtime writes by itself. Settings and what a person trusts are not part of it. */
function isOwnRecord(relative: string): boolean {
  return /^state(\/|$)/.test(relative) && !/^state\/(settings\.json|projects\b)/.test(relative);
}

/** How a world should look, kept up to date with what the test itself does to it. */
export function expectedImage(world: AttackWorld) {
  const image = new Map(takeImage(world));
  return {
    image: image as TreeImage,
    during(change: (world: AttackWorld) => void): void {
      const before = takeImage(world);
      change(world);
      const after = takeImage(world);
      for (const name of changedPaths(before, after)) {
        const entry = after.get(name);
        if (entry === undefined) image.delete(name);
        else image.set(name, entry);
      }
    },
  };
}

export function changedPaths(before: TreeImage, after: TreeImage): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((name) => before.get(name) !== after.get(name)).sort();
}

export function setIdFiles(image: TreeImage): readonly string[] {
  return [...image].filter(([, entry]) => /^file [2467]\d{3} /.test(entry)).map(([name]) => name);
}

/** Git's own business once somebody agreed to a git command. */
const gitData = /^(index(\.lock)?|objects|refs|logs|HEAD|ORIG_HEAD|FETCH_HEAD|COMMIT_EDITMSG)(\/|$)/i;
const believed =
  /^(\.claude|\.cursor|\.gauntlet|\.gemini|\.codex|\.vscode|\.idea|\.husky|\.mcp\.json|mcp\.json|\.envrc|\.env|\.npmrc|\.yarnrc|\.yarnrc\.yml|\.bashrc|\.profile|\.zshenv|\.gitmodules|\.gitattributes|\.gitconfig)$/i;

/** Written without the product's own tables: what some program believes as soon as it is there. */
export function isProtected(relative: string): boolean {
  if (!relative.startsWith("app/")) return true;
  const names = relative.slice("app/".length).split("/");
  if (names.some((name) => believed.test(name))) return true;
  if (/^app\/\.github\/workflows(\/|$)/i.test(relative)) return true;
  const [top, ...rest] = names;
  return top?.toLowerCase() === ".git" && rest.length > 0 && !gitData.test(rest.join("/"));
}

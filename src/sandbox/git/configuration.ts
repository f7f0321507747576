import { lstatSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

/** What the configuration of a repository may make git run, as far as its text tells. Errs on the side of yes. */
export interface NamedPrograms {
  readonly externalDiff: boolean;
  readonly diffDrivers: boolean;
  readonly filters: boolean;
  /** Anything at all that is not known to be harmless. */
  readonly any: boolean;
}

/** Sections that name no program, or only programs that the environment takes away again. */
const plainSections = new Set(
  "advice am apply blame branch clean clone color column commit core extensions feature fetch fsck gc gui i18n index init lfs log maintenance merge notes pack pull push rebase receive remote rerere sequence stash status tag transfer user worktree".split(
    " ",
  ),
);

/** Settings in those sections that run something, or make git look elsewhere. */
const redirecting = /\b(?:worktree|driver|uploadpack|receivepack|vcs|promisor|partialclone|proxy)\s*=/i;

export function namedPrograms(root: string): NamedPrograms {
  const directory = commonDirectory(root);
  return programsIn(["config", "config.worktree"].map((name) => readText(join(directory, name))).join("\n"));
}

function programsIn(text: string): NamedPrograms {
  const headers = [...text.matchAll(/\[\s*([\w.-]+)[^\]]*\]/g)].map(([, name = ""]) => name.toLowerCase());
  // An included file is not followed.
  const includes = headers.some((name) => name.startsWith("include"));
  const named = (section: string) => includes || headers.some((name) => name.split(".")[0] === section);
  const externalDiff = includes || /^\s*external\b|\]\s*external\b/im.test(text);
  return {
    externalDiff,
    diffDrivers: named("diff"),
    filters: named("filter"),
    any: externalDiff || headers.some((name) => !plainSections.has(name)) || redirecting.test(text),
  };
}

export interface Submodule {
  readonly name: string;
  /** Looking for changes in it could run something. */
  readonly runs: boolean;
}

export function submodulesOf(root: string): readonly Submodule[] {
  const text = readText(join(root, ".gitmodules"));
  const headers = [...text.matchAll(/\[\s*submodule\s+"((?:[^"\\\n]|\\.)*)"\s*\]([^[]*)/gi)];
  return headers.map(([, quoted = "", body = ""]) => {
    const name = quoted.replaceAll(/\\(.)/g, "$1");
    const path = /^\s*path\s*=\s*(.*?)\s*$/im.exec(body)?.[1] ?? "";
    return { name, runs: mayRun(root, name, path) };
  });
}

/** Its repository is where git puts it, and its configuration is plain. */
function mayRun(root: string, name: string, path: string): boolean {
  const module = join(root, ".git/modules", name);
  const tree = resolve(root, path);
  const link = /^gitdir: (.+)$/m.exec(readText(join(tree, ".git")))?.[1];
  const there = lstatSync(join(tree, ".git"), { throwIfNoEntry: false }) !== undefined;
  if (!there) return false;
  if (link === undefined || resolve(tree, link) !== module) return true;
  return programsIn(["config", "config.worktree"].map((file) => readText(join(module, file))).join("\n")).filters;
}

/** Where the configuration lies: `.git`, or for a linked worktree the repository that it belongs to. */
function commonDirectory(root: string): string {
  const git = join(root, ".git");
  const linked = /^gitdir: (.+)$/m.exec(readText(git))?.[1];
  if (linked === undefined) return git;
  const own = resolve(root, linked);
  return resolve(own, readText(join(own, "commondir")).trim() || ".");
}

/** Links are followed, as git follows them. */
function readText(path: string): string {
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return "";
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

import { lstatSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { GitDirectories } from "../../contract/ports.ts";
import { readText } from "../read-text.ts";

/** What the configuration of a repository may make git run, as far as its text tells. Errs on the side of yes. */
export interface NamedPrograms {
  readonly externalDiff: boolean;
  readonly diffDrivers: boolean;
  readonly filters: boolean;
  readonly mergeDrivers: boolean;
  /** For a remote that is a directory, what runs at the other end runs here. */
  readonly otherEnds: boolean;
  /** Anything at all that is not known to be harmless. */
  readonly any: boolean;
}

/** Sections that name no program, or only programs that the environment takes away again. */
const plainSections = new Set(
  "advice am apply blame branch clean clone color column commit core extensions feature fetch fsck gc gui i18n index init lfs log maintenance merge notes pack pull push rebase receive remote rerere sequence stash status tag transfer user worktree".split(
    " ",
  ),
);

/** Settings in those sections that run something, make git look elsewhere, or have it take text from a file. */
const redirecting =
  /\b(?:worktree|driver|recentobjectshook|uploadpack|receivepack|vcs|promisor|partialclone|proxy|template|skiplist|\w*file)\s*=/i;

export function namedPrograms(root: string): NamedPrograms {
  return programsIn(configurationOf(root));
}

/** The names of those that newer versions of git take from the configuration, beside those in a directory. */
export function hooksOf(root: string): readonly string[] {
  const header = /\[\s*hook(?:\s+"((?:[^"\\\n]|\\.)*)"|\.([\w.-]+))\s*\]/gi;
  const names = [...configurationOf(root).matchAll(header)].map(
    ([, quoted, dotted]) => quoted?.replaceAll(/\\(.)/g, "$1") ?? dotted?.toLowerCase() ?? "",
  );
  return [...new Set(names)];
}

function configurationOf(root: string): string {
  const { own, common } = directoriesOf(root);
  const files = [join(common, "config"), join(common, "config.worktree"), join(own, "config.worktree")];
  return [...new Set(files)].map(readText).join("\n");
}

function programsIn(text: string): NamedPrograms {
  // One look at each bracket: the text is as long as somebody likes.
  const headers = text.split("[").flatMap((part, at) => (at === 0 ? [] : headerName(part)));
  // An included file is not followed.
  const includes = headers.some((name) => name.startsWith("include"));
  const named = (section: string) => includes || headers.some((name) => name.split(".")[0] === section);
  const externalDiff = includes || /(?:^|\])[^\S\n]*external\b/im.test(text);
  return {
    externalDiff,
    diffDrivers: named("diff"),
    filters: named("filter"),
    mergeDrivers: includes || (named("merge") && /\b(?:driver|default)\b/i.test(text)),
    otherEnds: includes || /\b(?:uploadpack|receivepack)\b/i.test(text),
    any: externalDiff || headers.some((name) => !plainSections.has(name)) || redirecting.test(text),
  };
}

function headerName(text: string): readonly string[] {
  const [name] = /^[\w.-]{1,256}/.exec(text.trimStart()) ?? [];
  return name === undefined ? [] : [name.toLowerCase()];
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
    const path = /^[^\S\n]*path\s*=(.*)$/im.exec(body.slice(0, longestBody))?.[1]?.trim() ?? "";
    return { name, runs: mayRun(root, name, path) };
  });
}

const longestBody = 16 * 1024;

/** Its repository is where git puts it, and its configuration is plain. */
function mayRun(root: string, name: string, path: string): boolean {
  const module = join(directoriesOf(root).own, "modules", name);
  const tree = resolve(root, path);
  const link = /^gitdir: (.+)$/m.exec(readText(join(tree, ".git")))?.[1];
  const there = lstatSync(join(tree, ".git"), { throwIfNoEntry: false }) !== undefined;
  if (!there) return false;
  if (link === undefined || resolve(tree, link) !== module) return true;
  return programsIn(["config", "config.worktree"].map((file) => readText(join(module, file))).join("\n")).filters;
}

/** Where git finds the text of the next commit. */
const textPlaces = [".", "rebase-apply", "rebase-merge", "sequencer"];

/** A link among the files that git takes text from could lead to one that is closed: it would stand in the commit. */
export function takesTextElsewhere(root: string): boolean {
  const { own } = directoriesOf(root);
  return textPlaces.some((place) => {
    const directory = join(own, place);
    if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
    return readdirSync(directory, { withFileTypes: true }).some((entry) => entry.isSymbolicLink());
  });
}

/** Whether the directory of a repository leads on to another one. */
export function sharesAnother(directory: string): boolean {
  const path = join(directory, "commondir");
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined && readText(path).trim() !== ".";
}

/** `.git`, or what the `.git` file of a linked worktree leads to, whether or not that is shown to a command. */
function directoriesOf(root: string): GitDirectories {
  const git = join(root, ".git");
  const linked = /^gitdir: (.+)$/m.exec(readText(git))?.[1];
  if (linked === undefined) return { own: git, common: git };
  const own = resolve(root, linked);
  return { own, common: resolve(own, readText(join(own, "commondir")).trim() || ".") };
}

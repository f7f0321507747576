import { basename, dirname, join } from "node:path/posix";
import { isInsideAny } from "../contract/effect.ts";
import type { LinkedRepository } from "../contract/gate.ts";
import type { GitDirectories, Metadata, WorkspaceScan } from "../contract/ports.ts";
import { foldName, namesOf } from "./path-class-index.ts";
import { resolvePath } from "./resolve-path.ts";

/** A repository that git would believe, wherever its parts lie. */
interface FoundRepository {
  readonly whole: string;
  readonly closed: readonly string[];
  /** What git runs or follows in there, made already or not: it stays as it is while git runs, too. */
  readonly believed: readonly string[];
}

interface RepositoryView {
  readonly roots: readonly string[];
  /** May also give directories that cannot be looked into: they may hold a repository. */
  readonly find: WorkspaceScan["find"];
  readonly metadata: Metadata;
  readonly readText: (path: string) => string | undefined;
}

const believedNames = ["commondir", "config", "config.worktree", "hooks", "info", "modules"];
/** These too, but git has to be able to make them. */
const believedOnceMade = ["worktrees", "objects/info/alternates"];
const repositoryNames = new Set([...believedNames, "worktrees", "objects", "refs"]);
/** Every name that is kept free costs a stand-in. Beyond this many, repositories are closed as a whole. */
const mostOpened = 64;

/** Every repository below a root: `.git` directories, what `.git` files and links lead to, and bare ones. */
export function repositoriesBelow(root: string, view: RepositoryView): readonly FoundRepository[] {
  const entries = view.find(root, isRepositoryName).filter((path) => !isInRepository(dirname(path)));
  const heads = view.find(root, isHeadName);
  const bare = heads.filter(isHead).map((path) => dirname(path));
  const unseen = [
    ...entries.filter((path) => !isRepositoryName(basename(path))),
    ...heads.filter((path) => !isHead(path)),
  ];
  const found = [
    ...unseen.map(closedAsWhole),
    ...entries.filter((path) => !unseen.includes(path)).flatMap((entry) => repositoriesAt(entry, view)),
    ...bare
      .filter((directory) => !isInRepository(directory) && isRepository(directory, view.metadata))
      // Tests push into one of their own: what git only stores there stays open.
      .map((whole) => ({ whole, closed: believedIn(whole, view), believed: believedIn(whole, view) })),
  ];
  if (found.length <= mostOpened) return found;
  const own = view.roots.map((one) => join(one, ".git"));
  return found.map((repository) => (own.includes(repository.whole) ? repository : closedAsWhole(repository.whole)));
}

export function objectStoresBelow(root: string, { find, metadata }: RepositoryView): readonly string[] {
  const bare = find(root, isHeadName)
    .filter((path) => isHead(path) && !isInRepository(path))
    .map((path) => join(dirname(path), "objects"));
  return [...find(root, isStoreName), ...bare.filter((path) => metadata.lstat(path) !== undefined)];
}

/** Would a change here make a repository, or touch what git believes in one that is not called `.git`? */
export function isRepositoryPart(path: string, { roots, metadata }: Pick<RepositoryView, "roots" | "metadata">) {
  if (!isInsideAny(path, roots)) return false;
  if (basename(path) === "HEAD") return true;
  for (let inner = path; !roots.includes(inner) && inner !== "/"; inner = dirname(inner)) {
    const beside = join(dirname(inner), "HEAD");
    if (repositoryNames.has(basename(inner)) && metadata.lstat(beside) !== undefined) return true;
  }
  return false;
}

function isRepositoryName(name: string): boolean {
  return foldName(name) === ".git";
}

function closedAsWhole(path: string): FoundRepository {
  return { whole: path, closed: [path], believed: [path] };
}

function repositoriesAt(entry: string, view: RepositoryView): readonly FoundRepository[] {
  const kind = view.metadata.lstat(entry)?.kind;
  if (kind === "directory") {
    return [{ whole: entry, closed: [entry], believed: believedIn(entry, view) }, ...sharedBy(entry, view)];
  }
  // A mount cannot cover a link: what holds it stays as it is instead, unless that is a whole root.
  const holder = kind === "symlink" && !view.roots.includes(dirname(entry)) ? dirname(entry) : entry;
  const target = kind === "symlink" ? view.metadata.readlink(entry) : named(entry, /^gitdir: (.+)$/m, view);
  return [closedAsWhole(holder), ...repositoryAt(target, dirname(entry), view)];
}

/** Git reads the configuration of a linked worktree in the repository that it names. */
function sharedBy(directory: string, view: RepositoryView): readonly FoundRepository[] {
  const target = named(join(directory, "commondir"), /^(.+)$/m, view);
  return target === undefined || target === "." ? [] : repositoryAt(target, directory, view, { shared: true });
}

/** What a link or a file leads to, as far as a command could write there. What lies in a `.git` is closed with that. */
function repositoryAt(
  target: string | undefined,
  from: string,
  view: RepositoryView,
  { shared = false } = {},
): readonly FoundRepository[] {
  if (target === undefined || target === "") return [];
  const found = resolvePath(target.startsWith("/") ? target : `${from}/${target}`, { ...view, base: "/", home: "/" });
  if (!found.ok || !isInsideAny(found.value.resolved, view.roots)) return [];
  const { kind, resolved } = found.value;
  const believed = kind === "directory" ? believedIn(resolved, view) : [resolved];
  const isCovered = isInRepository(resolved) || view.roots.includes(resolved);
  const here = isCovered ? [] : [{ whole: resolved, closed: [resolved], believed }];
  return shared || kind !== "directory" ? here : [...here, ...sharedBy(resolved, view)];
}

function believedIn(directory: string, { metadata }: Pick<RepositoryView, "metadata">): readonly string[] {
  const isThere = (name: string) => metadata.lstat(join(directory, name)) !== undefined;
  if (!isThere("HEAD")) return [];
  return [...believedNames, ...believedOnceMade.filter(isThere)].map((name) => join(directory, name));
}

function isRepository(directory: string, metadata: Metadata): boolean {
  return ["config", "objects", "refs", "commondir"].some((name) => metadata.lstat(join(directory, name)) !== undefined);
}

function named(file: string, form: RegExp, { metadata, readText }: RepositoryView): string | undefined {
  if (metadata.lstat(file)?.kind !== "file") return undefined;
  try {
    return form.exec(readText(file) ?? "")?.[1]?.trim();
  } catch {
    return undefined;
  }
}

function isHeadName(name: string): boolean {
  return name === "HEAD";
}

function isHead(path: string): boolean {
  return isHeadName(basename(path));
}

function isStoreName(name: string, path: string): boolean {
  return name === "objects" && isInRepository(path);
}

function isInRepository(path: string): boolean {
  return namesOf(path).includes(".git");
}

const believedFiles = [".mcp.json", ".envrc"];
/**
 * Directories by something in them: what stands in for one is an empty directory then, which git passes over. An empty
 * file would be news to it, and in the place of a repository it would stop it.
 */
const believedDirectories =
  ".claude/settings.json .agents/skills .cursor/rules .vscode/settings.json .husky/pre-commit .gauntlet/settings.json".split(
    " ",
  );

interface AbsenceView extends Pick<Metadata, "lstat"> {
  /** Is what is there only keeping the name free for somebody else, who may take it away at any time? */
  readonly isStandIn: (path: string) => boolean;
}

export function absentProtected(
  root: string,
  { lstat, isStandIn }: AbsenceView,
  { git }: { readonly git: boolean },
): readonly string[] {
  const isAbsent = (name: string) => {
    const path = join(root, name);
    return lstat(path) === undefined || isStandIn(path);
  };
  const directories = [...believedDirectories, ...(git ? [] : [".git/HEAD"])];
  const absent = [...believedFiles.filter(isAbsent), ...directories.filter((name) => isAbsent(dirname(name)))];
  return absent.map((name) => join(root, name));
}

/** What git shares between trees, and writes. What else a tree has, its index or a rebase, is its own. */
const written = ["objects", "refs", "reftable", "logs", "rr-cache", "lfs"];
/**
 * What it only reads there: without the index of the main tree a clean-up would remove what is staged. Nothing else is
 * shown: a bare repository may have the trees of others in it. The sandbox has an `info` of its own.
 */
const read = "HEAD config config.worktree index packed-refs shallow description hooks worktrees".split(" ");
/** Of a tree's own directory, what git believes. It looks for hooks and attributes only in what is shared. */
const believedOfTree = ["commondir", "gitdir", "config.worktree", "modules"];

export function linkedRepository(
  { own, common }: GitDirectories,
  { roots, metadata }: { readonly roots: readonly string[]; readonly metadata: Pick<Metadata, "lstat"> },
): LinkedRepository {
  const shown = isInsideAny(common, roots);
  const there = (names: readonly string[]) =>
    shown ? [] : names.map((name) => join(common, name)).filter((path) => isPlain(path, metadata));
  const believed = ["objects/info/alternates", "logs/HEAD"].map((name) => join(common, name));
  return {
    ...(shown ? {} : { directory: common }),
    readable: [...there(read), ...there(written)],
    // Git makes the log of references with its first line.
    writable: [
      own,
      ...there(written),
      ...(shown || isThere(join(common, "logs"), metadata) ? [] : [join(common, "logs")]),
    ],
    believed: [
      ...believedOfTree.map((name) => join(own, name)),
      ...(shown ? [] : believed.filter((path) => isThere(path, metadata))),
    ],
    opened: [own],
  };
}

function isThere(path: string, metadata: Pick<Metadata, "lstat">): boolean {
  return metadata.lstat(path) !== undefined;
}

function isPlain(path: string, metadata: Pick<Metadata, "lstat">): boolean {
  const kind = metadata.lstat(path)?.kind;
  return kind === "file" || kind === "directory";
}

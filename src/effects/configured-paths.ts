import { dirname, join, resolve } from "node:path/posix";
import { isInside, isInsideAny } from "../contract/effect.ts";
import type { Metadata } from "../contract/ports.ts";

interface ConfigurationView {
  readonly roots: readonly string[];
  readonly home: string;
  /** Of the repository of a root: its `.git`, and for a linked worktree also what all trees share. */
  readonly gitDirectories: readonly string[];
  readonly metadata: Pick<Metadata, "lstat">;
  readonly readText: (path: string) => string | undefined;
}

const plainKeys =
  /^(?:url|pushurl|fetch|push|merge|remote|pushremote|rebase|description|worktree|name|email|bare|.*branch.*|.*base)$/;
/** Settings that name a file, a directory or a program, also by a single word. */
const namingKeys =
  /path|file|dir|template|program|command|cmd|hook|driver|clean|smudge|process|textconv|external|editor|pager|helper|askpass|fsmonitor|update|tool|browser|proxy/;
const plainValue = /^(?:true|false|yes|no|on|off|auto|always|never|\d+)$/i;
const hookNames =
  "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push post-rewrite pre-auto-gc reference-transaction fsmonitor-watchman post-index-change sendemail-validate".split(
    " ",
  );
const mostFiles = 32;

/**
 * What git configuration names inside the workspace: hooks, included files, filters, templates. Whoever writes there
 * decides what the person's next git command does, outside of any sandbox.
 */
export function configuredPaths(root: string, view: ConfigurationView): readonly string[] {
  const { home, readText } = view;
  const files = new Set(
    [
      ...view.gitDirectories.flatMap((directory) => [join(directory, "config"), join(directory, "config.worktree")]),
      join(home, ".gitconfig"),
      join(home, ".config/git/config"),
      "/etc/gitconfig",
    ].filter((file) => view.metadata.lstat(file) !== undefined),
  );
  // A hook may be a link to a file of the workspace.
  const hooks = view.gitDirectories.flatMap((directory) => hookNames.map((name) => join(directory, "hooks", name)));
  const named = new Set(hooks.filter((hook) => view.metadata.lstat(hook)?.kind === "symlink"));
  for (const file of files) {
    if (files.size > mostFiles) return [root];
    let text: string;
    try {
      text = readText(file) ?? "";
    } catch {
      return [root];
    }
    for (const { key, words } of settingsIn(text)) {
      for (const path of words.flatMap((word) => placesOf(word, key, [root, dirname(file)], view))) {
        if (key === "path" && isInsideAny(path, view.roots) && view.metadata.lstat(path)?.kind === "file")
          files.add(path);
        for (const one of isInside(root, path) ? hookNames.map((name) => join(path, name)) : [path]) {
          if (isInsideAny(one, view.roots)) named.add(one);
        }
      }
    }
  }
  return [...named];
}

interface Setting {
  readonly key: string;
  readonly words: readonly string[];
}

/** Line by line. A line that goes on is read as one of its own, with the same key. */
function settingsIn(text: string): readonly Setting[] {
  let key = "";
  let section = "";
  return text.split("\n").flatMap((line): readonly Setting[] => {
    section = /^\s*\[\s*([\w-]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const [, name, value = line] = /^[^=\]]*?\]?[ \t]*([A-Za-z][\w-]*)[ \t]*=(.*)$/.exec(line) ?? [];
    if (name !== undefined) key = /^\s*"?!/.test(value) ? "command" : name.toLowerCase();
    if ((plainKeys.test(key) && section !== "alias") || /^\s*(?:[#;[]|$)/.test(value)) return [];
    // Of `$(...)/x` only a shell knows the directory. It is usually the top of the worktree.
    const filled = value.replace(/\$(?:HOME|\{HOME\})\//g, " ~/").replace(/(?:[)`}]|\$\w+)[\\"']*\/+/g, " ./");
    // A path with blanks is in quotes, or is the whole value.
    const long = [value, value.replace(/[#;].*/, "")].map((whole) => whole.replaceAll('"', ""));
    const words = [...filled.split(/[\s"'`;|&()<>\\=]+/), ...long, ...filled.split(/[\\"']+/)];
    return [{ key, words: words.map((word) => word.trim()) }];
  });
}

function placesOf(word: string, key: string, from: readonly string[], { home, metadata }: ConfigurationView) {
  const bare = word.replace(/^!/, "").replace(/^~(?=\/)/, home);
  if (bare === "" || bare.startsWith("-") || plainValue.test(bare)) return [];
  const naming = namingKeys.test(key);
  const places = from.map((directory) => resolve(directory, bare));
  const plain = /^\.{1,2}$/.test(bare) ? key !== "hookspath" : !(bare.includes("/") || naming);
  if (plain) return [];
  // A word of a command without a slash is a path only if something is there.
  const certain = /path|file|template|dir/.test(key) || (naming && /^\S*\/\S*$/.test(bare));
  return places.filter((path) => certain || metadata.lstat(path) !== undefined);
}

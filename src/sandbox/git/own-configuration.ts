import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../contract/effect.ts";
import { readText } from "../../host/files/read-small-text.ts";

export interface OwnConfiguration {
  readonly text: string;
  readonly excludes: string;
}

/** None of these names a program, a credential, a key, another host or a file. */
const harmless: Readonly<Record<string, string>> = {
  user: "name email useconfigonly",
  author: "name email",
  committer: "name email",
  init: "defaultbranch",
  core: "abbrev autocrlf commentchar eol quotepath safecrlf whitespace",
  merge: "autostash conflictstyle directoryrenames ff log renamelimit renames stat",
  pull: "ff rebase",
  push: "autosetupremote default followtags",
  rebase: "abbreviatecommands autosquash autostash missingcommitscheck stat updaterefs",
  fetch: "all prune prunetags",
  branch: "autosetupmerge autosetuprebase sort",
  tag: "sort",
  versionsort: "suffix",
  diff: "algorithm colormoved colormovedws context indentheuristic interhunkcontext mnemonicprefix noprefix relative renamelimit renames statgraphwidth wordregex",
  status: "aheadbehind branch relativepaths short showstash showuntrackedfiles",
  log: "abbrevcommit date decorate excludedecoration follow mailmap",
  format: "pretty",
  commit: "cleanup verbose",
  stash: "showincludeuntracked showpatch showstat",
  rerere: "autoupdate enabled",
  apply: "ignorewhitespace whitespace",
  blame: "coloring date markignoredlines markunblamablelines showemail",
  grep: "column extendedregexp fullname linenumber patterntype",
  checkout: "defaultremote guess",
};
const wholeSections = new Set(["advice", "color", "column", "pretty"]);
const longest = 64 * 1024;

type SettingEntry = readonly [key: string, value: string | undefined];

export function ownGitConfiguration(
  home: string,
  { git, workspace }: { readonly git: string | undefined; readonly workspace: string | undefined },
): OwnConfiguration {
  const places = [join(home, ".config/git/config"), join(home, ".gitconfig")].filter(existsSync);
  if (git === undefined) return { text: "", excludes: "" };
  const read = (file: string) => readEntries(git, file, home);
  const entries = places.flatMap((file) => {
    const own = read(file);
    return [...own, ...conditionalFiles(own, home, workspace).flatMap(read)];
  });
  const named = entries.findLast(([key]) => key === "core.excludesfile")?.[1];
  const excludes = readText(named === undefined ? join(home, ".config/git/ignore") : inHome(named, home));
  return { text: entries.filter(isHarmless).map(asText).join(""), excludes: excludes.slice(0, longest) };
}

/** Git reads it with its includes, which runs nothing. */
function readEntries(git: string, file: string, home: string): readonly SettingEntry[] {
  try {
    const listed = execFileSync(git, ["config", "--file", file, "--includes", "--null", "--list"], {
      cwd: "/",
      env: { HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 2_000,
      maxBuffer: longest * 16,
    });
    return listed.split("\0").flatMap((entry): readonly SettingEntry[] => {
      const [, key = "", value] = /^([^\n]+)(?:\n([\s\S]*))?$/.exec(entry) ?? [];
      return key === "" ? [] : [[key, value]];
    });
  } catch {
    return [];
  }
}

/** `includeIf "gitdir:~/work/"` depends on the repository, but git read the file outside of any repository. */
function conditionalFiles(
  entries: readonly SettingEntry[],
  home: string,
  workspace: string | undefined,
): readonly string[] {
  return entries.flatMap(([key, value]) => {
    const directory = /^includeif\.gitdir:(.+)\/(?:\*\*)?\.path$/.exec(key)?.[1];
    if (directory === undefined || value === undefined || workspace === undefined) return [];
    return isInside(workspace, inHome(directory, home)) ? [inHome(value, home)] : [];
  });
}

function inHome(path: string, home: string): string {
  return path.startsWith("~/") ? join(home, path.slice(2)) : path;
}

function isHarmless([key, value]: SettingEntry): boolean {
  const section = key.slice(0, key.indexOf("."));
  if (section === "alias") return value !== undefined && !value.trimStart().startsWith("!");
  if (wholeSections.has(section)) return true;
  // A subsection configures a branch, a driver or a tool, which affects more than the output format.
  return harmless[section]?.split(" ").includes(key.slice(section.length + 1)) === true;
}

function asText([key, value]: SettingEntry): string {
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  const subsection = first === last ? "" : ` ${quoted(key.slice(first + 1, last))}`;
  const assigned = value === undefined ? "" : ` = ${quoted(value).replaceAll("\n", "\\n")}`;
  return `[${key.slice(0, first)}${subsection}]\n\t${key.slice(last + 1)}${assigned}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

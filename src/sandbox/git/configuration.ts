import { lstatSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { GitDirectories } from "../../contract/ports.ts";
import { readText } from "../../host/files/read-small-text.ts";
import { plainConfiguration } from "./plain-configuration.ts";

interface NamedPrograms {
  readonly any: boolean;
  readonly externalDiff: boolean;
  readonly mergeDrivers: boolean;
  readonly otherEnds: boolean;
}

/** Included files are not followed: they may name anything. */
export function namedPrograms(root: string): NamedPrograms {
  const text = configurationOf(root);
  const names = (what: RegExp) => /\[\s*include/i.test(text) || what.test(text);
  return {
    any: !plainConfiguration(text).whole,
    externalDiff: names(/(?:^|\])[^\S\n]*external\b/im),
    mergeDrivers: names(/\b(?:driver|default)\b/i) && names(/\[\s*merge\b/i),
    otherEnds: names(/\b(?:uploadpack|receivepack)\b/i),
  };
}

function hooksOf(root: string): readonly string[] {
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

interface Submodule {
  readonly name: string;
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

/** Its repository is at git's usual path, and its configuration is plain. */
function mayRun(root: string, name: string, path: string): boolean {
  const module = join(directoriesOf(root).own, "modules", name);
  const tree = resolve(root, path);
  const link = /^gitdir: (.+)$/m.exec(readText(join(tree, ".git")))?.[1];
  const there = lstatSync(join(tree, ".git"), { throwIfNoEntry: false }) !== undefined;
  if (!there) return false;
  if (link === undefined || resolve(tree, link) !== module) return true;
  return ["config", "config.worktree"].some((file) => !plainConfiguration(readText(join(module, file))).whole);
}

const textPlaces = [".", "rebase-apply", "rebase-merge", "sequencer"];

/**
 * A link among the files that git reads text from could point to a closed file, whose content would get into the
 * commit.
 */
export function takesTextElsewhere(root: string): boolean {
  const { own } = directoriesOf(root);
  return textPlaces.some((place) => {
    const directory = join(own, place);
    if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
    return readdirSync(directory, { withFileTypes: true }).some((entry) => entry.isSymbolicLink());
  });
}

export function sharesAnother(directory: string): boolean {
  const path = join(directory, "commondir");
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined && readText(path).trim() !== ".";
}

/** `.git` or its target, visible to commands or not. Follows links, as git does. */
function directoriesOf(root: string): GitDirectories {
  const git = join(root, ".git");
  const linked = /^gitdir: (.+)$/m.exec(readText(git))?.[1];
  if (linked === undefined) return { own: git, common: git };
  const own = resolve(root, linked);
  return { own, common: resolve(own, readText(join(own, "commondir")).trim() || ".") };
}

export interface NeutralOptions {
  readonly readOnly: boolean;
  readonly excludesFile?: string | undefined;
  readonly attributesFile?: string | undefined;
  readonly noUpkeep?: boolean;
}

// These variables win over the repository's configuration. Filters and drivers have arbitrary names: attributes
// disable them.
export function neutralGit(roots: readonly string[], options: NeutralOptions): Readonly<Record<string, string>> {
  const entries: (readonly [string, string])[] = [
    ["core.fsmonitor", "false"],
    ["core.hooksPath", "/dev/null"],
    ["core.pager", "cat"],
    ["core.sshCommand", "ssh"],
    ["core.askPass", ""],
    ["core.alternateRefsCommand", "true"],
    ["credential.helper", ""],
    ["gpg.program", "gpg"],
    ["gpg.openpgp.program", "gpg"],
    ["gpg.x509.program", "gpgsm"],
    ["gpg.ssh.program", "ssh-keygen"],
    ["gpg.ssh.defaultKeyCommand", ""],
    ["log.showSignature", "false"],
    ["protocol.ext.allow", "never"],
    ["safe.bareRepository", "explicit"],
    ["diff.ignoreSubmodules", "dirty"],
    ["diff.submodule", "short"],
    ["submodule.recurse", "false"],
    ["status.submoduleSummary", "false"],
    ...roots.flatMap(hooksOf).map((name) => [`hook.${name}.enabled`, "false"] as const),
    ...roots.flatMap(submodulesOf).map(ignoring),
    ...roots.map((root) => ["safe.directory", root] as const),
  ];
  if (options.excludesFile !== undefined) entries.push(["core.excludesFile", options.excludesFile]);
  if (options.attributesFile !== undefined) entries.push(["core.attributesFile", options.attributesFile]);
  if (options.noUpkeep) entries.push(["gc.auto", "0"]);
  // Git tries to run an empty program name and fails, so this is set only if there is one to disable.
  if (roots.some((root) => namedPrograms(root).externalDiff)) entries.push(["diff.external", ""]);
  // Here the first value wins, so the name itself cannot be removed.
  if (roots.some((root) => namedPrograms(root).otherEnds)) entries.push(["protocol.file.allow", "never"]);
  const variables = {
    GIT_CONFIG_NOSYSTEM: "1",
    // No replacement: git must read the object whose name was judged.
    GIT_NO_REPLACE_OBJECTS: "1",
    ...unattended,
    GIT_PROXY_COMMAND: "",
    ...(options.readOnly ? offline : {}),
  };
  return withEntries(variables, entries);
}

export function viewGit(roots: readonly string[], excludesFile: string | undefined): Readonly<Record<string, string>> {
  return withEntries(unattended, [
    ["credential.helper", ""],
    ["commit.gpgSign", "false"],
    ["tag.gpgSign", "false"],
    ...roots.map((root) => ["safe.directory", root] as const),
    ...(excludesFile === undefined ? [] : [["core.excludesFile", excludesFile] as const]),
  ]);
}

const unattended = { GIT_TERMINAL_PROMPT: "0", GIT_PAGER: "cat", GIT_EDITOR: "true", GIT_SEQUENCE_EDITOR: "true" };

function withEntries(
  own: Readonly<Record<string, string>>,
  entries: readonly (readonly [string, string])[],
): Readonly<Record<string, string>> {
  const variables: Record<string, string> = { ...own, GIT_CONFIG_COUNT: String(entries.length) };
  for (const [index, [key, value]] of entries.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}

/** A missing object would be fetched from a remote, with a program, both chosen by the repository. */
const offline = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none", GIT_OPTIONAL_LOCKS: "0" };

/** To find changes in a submodule git runs itself there, with the filters of that repository. */
function ignoring({ name, runs }: { readonly name: string; readonly runs: boolean }): readonly [string, string] {
  return [`submodule.${name}.ignore`, runs ? "dirty" : "none"];
}

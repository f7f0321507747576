import { resolve } from "node:path/posix";
import { isSecretName } from "../effects/classify-path.ts";
import type { ShellWord, Site } from "./program-entry.ts";

export type Spot = Pick<Site, "view" | "cwd">;

/** A pattern in two: the directory before it, and the names that have to match, one after another. */
export function splitPattern(
  pattern: string,
): { readonly directory: string; readonly names: readonly string[] } | { readonly why: string } {
  const all = pattern.split("/");
  const first = all.findIndex((name) => /[*?[]/.test(name));
  const names = all.slice(first);
  if (names.includes("..")) return { why: "climbs out of what it matches" };
  if (names.some((name) => name.startsWith(".") || name.startsWith("["))) return { why: "may match hidden files" };
  const directory = all.slice(0, first).join("/");
  return { directory: directory === "" ? (pattern.startsWith("/") ? "/" : ".") : directory, names };
}

export function patternDirectory(pattern: string, cwd: string): string | undefined {
  const found = splitPattern(pattern);
  return "why" in found || found.directory.split("/").includes("..") ? undefined : resolve(cwd, found.directory);
}

const mostDirectories = 64;

export interface MatchedLink {
  readonly path: string;
  readonly last: boolean;
}

/** Links that a pattern matches lead out of its directory. `undefined`: there are too many directories to look at. */
export function matchedLinks(pattern: string, { view, cwd }: Spot): readonly MatchedLink[] | undefined {
  const found = splitPattern(pattern);
  const start = "why" in found ? undefined : view.resolve(found.directory, cwd);
  if ("why" in found || start?.ok !== true) return undefined;
  const links: MatchedLink[] = [];
  const names = found.names.filter((one) => one !== "");
  let waiting: readonly string[] = [start.value.resolved];
  let looked = 0;
  for (const [index, name] of names.entries()) {
    const last = index === names.length - 1;
    const deeper: string[] = [];
    for (const directory of waiting) {
      looked += 1;
      if (looked > mostDirectories) return undefined;
      for (const entry of view.entries?.(directory) ?? []) {
        if (!matchesEntry(name, entry.name)) continue;
        const path = `${directory === "/" ? "" : directory}/${entry.name}`;
        if (entry.kind === "symlink") links.push({ path, last });
        else if (!last && entry.kind === "directory") deeper.push(path);
      }
    }
    waiting = deeper;
  }
  return links;
}

/** Names that begin with a dot are matched by no pattern that does not. */
function matchesEntry(pattern: string, name: string): boolean {
  return /[*?[]/.test(pattern) ? !name.startsWith(".") && matchesName(pattern, name) : pattern === name;
}

/** No name in a directory is longer, so neither is a pattern that somebody means. */
const longest = 1_024;

/**
 * At least what the shell matches. Brackets may be a set or, where a quote stood, themselves: they match anything, and
 * so does a pattern that is too long. Outside ASCII the locale says how many characters a letter is. The time is
 * bounded by pattern times name.
 */
export function matchesName(pattern: string, name: string): boolean {
  if (pattern.length > longest) return true;
  const counted = /^[\0-\x7f]*$/.test(name) ? pattern : pattern.replaceAll("?", "*");
  const [begin = "", ...parts] = counted.replace(/\[.*\]/s, "*").split("*");
  const fits = (part: string, at: number) =>
    [...part].every((sign, index) => sign === "?" || sign === name[at + index]);
  const end = parts.pop();
  if (end === undefined) return begin.length === name.length && fits(begin, 0);
  const last = name.length - end.length;
  let at = begin.length;
  if (at > last || !fits(begin, 0) || !fits(end, last)) return false;
  for (const part of parts) {
    while (at + part.length <= last && !fits(part, at)) at += 1;
    at += part.length;
    if (at > last) return false;
  }
  return true;
}

/** What people mean when they write a pattern for closed files. */
const usual = ".env .env.local .npmrc .netrc .git-credentials id_rsa id_ed25519 key.pem server.key".split(" ");

/** Would the pattern find closed files and hardly anything else? `*.env` and `.e*` would, `*.ts` and `*` would not. */
export function aimsAtClosed(pattern: string): boolean {
  if (pattern.length > 4_096) return true;
  let above = "";
  return pattern.split("/").some((name) => {
    if (name === "" || name === "." || name === "**") return false;
    const sample = name.replaceAll(/\[[^\]]*\]|[*?]/g, "x");
    above += `/${sample}`;
    const isTelling = /[*?[]/.test(name) && name.replaceAll(/\[[^\]]*\]|[*?]/g, "").length > 1;
    return isSecretName(sample, above) || (isTelling && usual.some((one) => matchesName(name.toLowerCase(), one)));
  });
}

/** Do these words pick closed files? The names that such a command prints are not taken for harmless ones. */
export function picksSecrets(words: readonly ShellWord[]): boolean {
  return words.some(({ value }) => {
    const pattern = value.slice(value.lastIndexOf("=") + 1);
    // A plain word may as well be a text that is searched for: `process.env`.
    return /(?:^|\/)(?:[.*?[]|id_)|[*?]$/.test(pattern) && aimsAtClosed(pattern);
  });
}

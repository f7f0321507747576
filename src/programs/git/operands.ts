import { type Effect, isInsideAny } from "../../contract/effect.ts";
import type { ObjectKind } from "../../contract/ports.ts";
import { aimsAtClosed } from "../match-pattern.ts";
import { pathEffect, roleEffects } from "../path-operands.ts";
import type { ShellWord } from "../program-entry.ts";
import type { GitPlace } from "./find-repository.ts";

type GitEffects = readonly Effect[] | { readonly why: string };

/** Which files a command is about. Closed ones among them print nothing; a plain path is judged by its name as well. */
export function pathspec(word: ShellWord, place: GitPlace): GitEffects {
  const { value, unknown } = word;
  if (unknown !== undefined) {
    const below = unknown.names?.every((directory) => isInsideAny(directory, [place.root])) === true;
    return below ? [] : { why: `${word.text} is known only when it runs` };
  }
  if (word.glob) return roleEffects("read", word, false, place);
  if (value.startsWith(":")) {
    return /^:(?:[!^]|\(exclude\))[^:(]*$/.test(value) ? [] : { why: `${word.text} uses the magic of git's paths` };
  }
  if (!isPattern(word)) return [pathEffect("read", word, "file", place)];
  return aimsAtClosed(value) ? { why: `${word.text} is a pattern for secret files` } : [];
}

/** A pattern of git's own, which the shell left alone. */
export function isPattern({ value, glob, unknown }: ShellWord): boolean {
  return !glob && unknown === undefined && !value.startsWith(":") && /[*?[\\]/.test(value);
}

/** `HEAD~1` names no file; `HEAD:.env` does, and so does a path that is there. */
export function revisionOrPath(word: ShellWord, place: GitPlace, kinds: readonly ObjectKind[]): GitEffects {
  if (word.unknown !== undefined) return { why: `${word.text} is known only when it runs` };
  if (word.glob) return { why: `${word.text} is an unquoted pattern` };
  if (/^:(?:[!^]|\(exclude\))/.test(word.value)) return { why: `${word.text} needs -- before it` };
  if (isPattern(word) && aimsAtClosed(word.value)) return { why: `${word.text} is a pattern for secret files` };
  const parsed = parseRevision(word.value);
  if ("why" in parsed) return parsed;
  const paths = parsed.flatMap(({ path }) => path ?? []);
  const isPath = isThere(word, place) || (paths.length === 0 && /^[/~]|^\.(?!\.)|\.\.\//.test(word.value));
  const found = [
    ...(isPath ? [pathEffect("read", word, "file", place)] : []),
    ...paths.flatMap((path) => {
      const inTree = storedPath(path, word, place);
      return kinds.includes("tree") ? [inTree] : comparedPath(inTree, path);
    }),
  ];
  const why = objectReason(parsed, kinds, place);
  return why === undefined ? found : [...found, { op: "unknown", why }];
}

/** Files that words name behind a colon, whatever else the words mean. */
export function storedPaths(words: readonly ShellWord[], place: GitPlace): readonly Effect[] {
  return words.flatMap((word) => {
    const parsed = word.unknown === undefined ? parseRevision(word.value) : [];
    return "why" in parsed
      ? []
      : parsed.flatMap(({ path }) => (path === undefined ? [] : [storedPath(path, word, place)]));
  });
}

/** Behind the colon a path starts at the root of the repository, unless it says `./`. */
function storedPath(path: string, word: ShellWord, place: GitPlace): Effect {
  const relative = /^\.\.?(?:\/|$)/.test(path);
  const value = relative ? path : `./${path}`;
  return pathEffect("read", { ...word, value, tilde: false }, "file", relative ? place : { ...place, cwd: place.root });
}

/** Of `HEAD:.docker` git compares `config.json` alone, which is no secret by that name. */
function comparedPath(effect: Effect, path: string): readonly Effect[] {
  const isFile = effect.op === "read" && effect.path.kind === "file";
  if (isFile || !path.split("/").some((name) => /^\.[^.]/.test(name))) return [effect];
  return [effect, { op: "unknown", why: `${path} may be a directory with secrets in it` }];
}

export function isThere(word: ShellWord, place: Pick<GitPlace, "view" | "cwd">): boolean {
  if (word.value === "" || word.value.startsWith("-")) return false;
  const resolved = place.view.resolve(word.value, place.cwd);
  return !resolved.ok || resolved.value.kind !== "missing";
}

export interface NamedObject {
  /** The reference that it starts from; none for what is staged. */
  readonly name?: string;
  /** What the reference was at some time. */
  readonly past: boolean;
  /** What looks like a hash in it. */
  readonly hash?: string;
  /** Behind the colon. */
  readonly path?: string;
}

/**
 * Everything that git may take the word for. It looks for two dots before it looks for a colon, and takes the word as
 * a whole where one of the halves names nothing: `HEAD:a..HEAD:b` is two files and `HEAD:a..b` perhaps one.
 */
export function parseRevision(value: string): readonly NamedObject[] | { readonly why: string } {
  const whole = parseObject(value);
  const halves = /^(.*?)\.\.\.?(.*)$/s.exec(value)?.slice(1).map(parseObject) ?? [];
  const unclear = [whole, ...halves].find((object) => "why" in object);
  if (unclear !== undefined && "why" in unclear) return unclear;
  // No name of git's begins with a slash, as the rest of `HEAD:../a` does.
  const areNames = halves.every((object) => !("name" in object) || object.name?.startsWith("/") !== true);
  return [whole, ...(areNames ? halves : [])].flatMap((object) => ("why" in object ? [] : object));
}

function parseObject(given: string): NamedObject | { readonly why: string } {
  const value = given.replace(/^\^/, "");
  if (value.startsWith(":")) {
    // `:path` and `:0:path` are the file as it is staged; `:/text` is a search and `:(…)` is magic.
    const path = /^:(?:[0-3]:)?(?![!^(/:])(.+)$/s.exec(value)?.[1];
    return path === undefined ? { why: `${value} is more than a revision or a path` } : { past: false, path };
  }
  // Braces hold dates and patterns, with colons of their own.
  let bare = value;
  for (let left = ""; left !== bare; ) {
    left = bare;
    bare = left.replace(/\{[^{}]*\}/g, (group) => "_".repeat(group.length));
  }
  const colon = bare.indexOf(":");
  const revision = colon < 0 ? value : value.slice(0, colon);
  const path = colon < 0 ? undefined : value.slice(colon + 1);
  const name = /^(?:(?!@\{)[^~^])*/.exec(revision)?.[0] ?? "";
  const hash = /^(?:.*-g)?([0-9a-f]{4,64})$/i.exec(name)?.[1];
  return { name, past: /@\{(?!(?:u|upstream|push|-\d+)\})/i.test(revision), hash, path };
}

/**
 * A hash or a tag can name the content of a secret file as well as a commit, and nothing about the words tells which.
 * The repository does. What it does not have names nothing. A path is one from the root only where it follows a commit.
 */
function objectReason(
  objects: readonly NamedObject[],
  kinds: readonly ObjectKind[],
  place: GitPlace,
): string | undefined {
  const { repository, view } = place;
  const { own, common } = repository;
  for (const { name, past, hash, path } of objects) {
    const wanted: readonly ObjectKind[] = path === undefined ? kinds : ["commit"];
    const found = hash === undefined ? [] : [{ text: hash, is: view.gitObjects?.kinds(common, hash) }];
    // Git keeps `HEAD` to commits.
    if (name !== undefined && !["", "@", "HEAD"].includes(name)) {
      const tree = own === common ? {} : { own };
      found.push({ text: name, is: view.gitObjects?.named(common, name, { past, ...tree }) });
    }
    for (const { text, is } of found) {
      if (is === undefined) return `${text} could not be looked up in the repository`;
      const other = [...is].find((kind) => !wanted.includes(kind));
      if (other !== undefined) return `${text} is a ${other}, not a commit: name it by revision and path`;
    }
  }
  return undefined;
}

const hostName = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const schemes = ["https:", "http:", "ssh:", "git:", "git+ssh:", "ssh+git:"];

/** The host of a remote. Addresses that run a helper (`ext::`) or name a local directory are not understood. */
export function remoteHost(remote: string): string | undefined {
  if (/^[\w][\w.-]*$/.test(remote)) return "the git remote";
  if (remote.includes("::")) return undefined;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(remote)) {
    const url = URL.canParse(remote) ? new URL(remote) : undefined;
    // Only of the schemes that it knows does the parser normalise the host.
    const host = url?.hostname.toLowerCase() ?? "";
    return url !== undefined && schemes.includes(url.protocol) && hostName.test(host) ? host : undefined;
  }
  const host = /^(?:[\w.+-]+@)?([^/:@]+):(?!\/\/)/.exec(remote)?.[1] ?? "";
  return hostName.test(host) ? host.toLowerCase() : undefined;
}

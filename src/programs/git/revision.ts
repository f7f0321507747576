import type { ObjectKind } from "../../contract/ports.ts";
import type { GitPlace } from "./find-repository.ts";

/** One object as a word names it. */
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
  return [whole, ...(halves.every(mayBe) ? halves : [])].flatMap((object) => ("why" in object ? [] : object));
}

/** No name of git's begins with a slash, as the rest of `HEAD:../a` does. */
function mayBe(object: NamedObject | { readonly why: string }): boolean {
  return !("name" in object) || object.name?.startsWith("/") !== true;
}

function parseObject(given: string): NamedObject | { readonly why: string } {
  const value = given.replace(/^\^/, "");
  const colon = findColon(value);
  if (colon === 0) return indexEntry(value);
  const revision = colon < 0 ? value : value.slice(0, colon);
  const name = /^(?:(?!@\{)[^~^])*/.exec(revision)?.[0] ?? "";
  const hash = /^(?:.*-g)?([0-9a-f]{4,64})$/i.exec(name)?.[1];
  return {
    name,
    past: /@\{(?!(?:u|upstream|push|-\d+)\})/i.test(revision),
    ...(hash === undefined ? {} : { hash }),
    ...(colon < 0 ? {} : { path: value.slice(colon + 1) }),
  };
}

/** Braces hold dates and patterns, with colons of their own. */
function findColon(value: string): number {
  let depth = 0;
  for (let at = 0; at < value.length; at++) {
    const letter = value.charAt(at);
    if (letter === "{") depth++;
    else if (letter === "}" && depth > 0) depth--;
    else if (letter === ":" && depth === 0) return at;
  }
  return -1;
}

/** `:path` and `:0:path` are the file as it is staged; `:/text` is a search and `:(…)` is magic. */
function indexEntry(value: string): NamedObject | { readonly why: string } {
  const path = /^:(?:[0-3]:)?(?![!^(/:])(.+)$/s.exec(value)?.[1];
  return path === undefined ? { why: `${value} is more than a revision or a path` } : { past: false, path };
}

/**
 * A hash or a tag can name the content of a secret file as well as a commit, and nothing about the words tells which.
 * The repository does. What it does not have names nothing. A path is one from the root only where it follows a commit.
 */
export function objectReason(
  objects: readonly NamedObject[],
  kinds: readonly ObjectKind[],
  place: GitPlace,
): string | undefined {
  for (const object of objects) {
    const wanted = object.path === undefined ? kinds : ["commit"];
    for (const { text, found } of kindsOf(object, place)) {
      if (found === undefined) return `what ${text} is cannot be told`;
      const other = [...found].find((kind) => !wanted.includes(kind));
      if (other !== undefined) return `${text} is a ${other} and no commit; name it by revision and path`;
    }
  }
  return undefined;
}

function kindsOf({ name, past, hash }: NamedObject, { repository: { own, common }, view }: GitPlace) {
  const byHash = hash === undefined ? [] : [{ text: hash, found: view.gitObjects?.kinds(common, hash) }];
  // Git keeps `HEAD` to commits.
  if (name === undefined || ["", "@", "HEAD"].includes(name)) return byHash;
  return [
    ...byHash,
    { text: name, found: view.gitObjects?.named(common, name, { past, ...(own === common ? {} : { own }) }) },
  ];
}

import { type Effect, isInsideAny } from "../../contract/effect.ts";
import type { ObjectKind } from "../../contract/ports.ts";
import { isDevice, pathEffect, readByRoles } from "../path-operands.ts";
import type { ProgramCall, ShellWord } from "../program-entry.ts";
import { aimsAtClosed } from "./aimed-pattern.ts";
import type { GitPlace } from "./find-repository.ts";
import { type NamedObject, objectReason, parseRevision } from "./revision.ts";

/** What the words of a call that are no flags make it touch, or why it is not understood. */
export type GitReader = (call: ProgramCall, place: GitPlace) => GitEffects;
export type GitEffects = readonly Effect[] | { readonly why: string };

/** Revisions, then paths: differences between commits. A hash must be one of a commit. */
export const history: GitReader = (call, place) => {
  if (call.flags.has("--no-index")) return compared(call, place);
  const lines = call.values.filter(({ flag }) => flag === "-L");
  return collect([
    ...lines.map(
      ({ word }) =>
        () =>
          lineRange(word, place),
    ),
    ...call.operands.map((word, index) => () => {
      if (index >= call.literalFrom) return pathspec(word, call, place);
      return revisionOrPath(word, place, ["commit"]);
    }),
  ]);
};

/** `git diff --no-index`: two files or directories, of the repository or not. */
const compared: GitReader = (call, place) =>
  collect(
    call.operands.map(
      (word) => () => refuse(word) ?? [pathEffect("read", word, isDevice(word) ? "file" : "tree", place)],
    ),
  );

/** Flags that name references without saying which. */
const anyReference = "--all --tags --remotes --glob --reflog --walk-reflogs -g".split(" ");

/** Like `history`, and prints the object itself, so that a path behind a colon is read. */
export const objects: GitReader = (call, place) => {
  const any = anyReference.find((flag) => call.flags.has(flag));
  if (any !== undefined) return { why: `${call.name} ${any} prints whatever the references lead to` };
  return collect(
    call.operands.map((word, index) => () => {
      if (index >= call.literalFrom) return pathspec(word, call, place);
      return revisionOrPath(word, place, ["commit", "tree"]);
    }),
  );
};

/** Patterns for names of files of the repository; git refuses what lies outside. Only names come out. */
export const names: GitReader = (call, place) =>
  collect(call.operands.map((word) => () => (isPattern(word) ? [] : onlyNames(pathspec(word, call, place)))));

/** Which of the words is the file depends on what is there, so each may be. */
export const file: GitReader = (call, place) =>
  collect(
    call.operands.map((word) => () => {
      const refusal = refuse(word);
      if (refusal !== undefined) return refusal;
      if (word.value.startsWith(":")) return { why: `${word.text} is no plain path` };
      return [pathEffect("read", word, "file", place)];
    }),
  );

/**
 * A tree that is no commit is searched without the attributes that keep secrets closed, so only commits may be
 * named. Behind a `--` that comes first git still takes revisions.
 */
export const searched: GitReader = (call, place) => {
  const given = call.flags.has("-e");
  if (!given && call.literalFrom === 0) return { why: "git grep with -- before the pattern" };
  const rest = given ? call.operands : call.operands.slice(1);
  const literalFrom = given ? call.literalFrom : call.literalFrom - 1;
  const [pattern] = call.operands;
  if (!given && (pattern === undefined || pattern.glob || pattern.unknown !== undefined)) {
    return { why: "git grep without a plain pattern" };
  }
  return collect(
    rest.map((word, index) => () => {
      if (index >= literalFrom) return pathspec(word, call, place);
      const isTree = /:|\^\{(?!commit\}$)|AUTO_MERGE/.test(word.value);
      if (isTree) return { why: `${word.text} may be a tree without a commit` };
      return revisionOrPath(word, place, ["commit"]);
    }),
  );
};

/** `git cat-file`: what an object is may be asked of any, what is in it only of those that a path names. */
export const stored: GitReader = (call, place) => {
  const { flags, operands } = call;
  const refused = operands.map((word) => refuse(word)).find((found) => found !== undefined);
  if (refused !== undefined) return refused;
  const [mode, ...others] = ["--batch-check", "-t", "-s", "-e", "-p"].filter((flag) => flags.has(flag));
  const [first, second, ...more] = operands;
  const unusual = { why: "git cat-file in an unusual form" };
  if (others.length > 0 || more.length > 0) return unusual;
  if (mode === "--batch-check") return first === undefined ? [] : unusual;
  if (mode !== undefined) {
    if (first === undefined || second !== undefined) return unusual;
    return mode === "-p" ? revisionOrPath(first, place, ["commit", "tree"]) : [];
  }
  if (first === undefined || second === undefined) return unusual;
  if (["commit", "tree", "tag"].includes(first.value)) return [];
  return first.value === "blob" ? revisionOrPath(second, place, ["commit", "tree"]) : unusual;
};

/** Every word names a revision, a reference or a pattern of them, and nothing of the content comes out. */
export const text: GitReader = (call) => collect(call.operands.map((word) => () => refuse(word) ?? []));

/** Patterns of references. Of a format only `%(raw)` prints the content of what is no commit and no tag. */
export const listed: GitReader = (call, place) => {
  const raw = call.values.find(
    ({ flag, word }) => flag === "--format" && (word.unknown !== undefined || /%\(\*?raw(?!:size)/.test(word.value)),
  );
  return raw === undefined ? text(call, place) : { why: `${raw.word.text} may print whatever references lead to` };
};

export const nothing: GitReader = (call) => {
  const [first] = call.operands;
  return first === undefined ? [] : { why: `${call.name} takes no operand ${first.text}` };
};

function collect(looks: readonly (() => GitEffects)[]): GitEffects {
  const found: Effect[] = [];
  for (const look of looks) {
    const one = look();
    if ("why" in one) return one;
    found.push(...one);
  }
  return found;
}

function onlyNames(found: GitEffects): GitEffects {
  if ("why" in found) return found;
  const unclear = found.find((effect) => effect.op === "unknown");
  return unclear === undefined ? [] : [unclear];
}

function refuse(word: ShellWord): { readonly why: string } | undefined {
  if (word.unknown !== undefined) return { why: `${word.text} is known only when it runs` };
  if (word.glob) return { why: `${word.text} is an unquoted pattern` };
  return undefined;
}

/**
 * Which files a command is about. Patterns only choose among the files of the repository, and closed ones among
 * them print nothing; a plain path is judged by its name as well.
 */
function pathspec(word: ShellWord, call: ProgramCall, place: GitPlace): GitEffects {
  const { value, unknown } = word;
  if (unknown !== undefined) {
    const below = unknown.names?.every((directory) => isInsideAny(directory, [place.root])) === true;
    return below ? [] : { why: `${word.text} is known only when it runs` };
  }
  if (word.glob) {
    return readByRoles({ ...call, values: [], operands: [word], literalFrom: 0 }, { rest: "read" }, place).effects;
  }
  if (value.startsWith(":")) {
    return /^:(?:[!^]|\(exclude\))[^:(]*$/.test(value) ? [] : { why: `${word.text} uses the magic of git's paths` };
  }
  if (!isPattern(word)) return [pathEffect("read", word, "file", place)];
  return aimsAtClosed(value) ? { why: `${word.text} is a pattern for files that stay closed` } : [];
}

/** A pattern of git's own, which the shell left alone. */
function isPattern({ value, glob, unknown }: ShellWord): boolean {
  return !glob && unknown === undefined && !value.startsWith(":") && /[*?[\\]/.test(value);
}

/** `HEAD~1` names no file; `HEAD:.env` does, and so does a path that is there. */
function revisionOrPath(word: ShellWord, place: GitPlace, kinds: readonly ObjectKind[]): GitEffects {
  if (word.unknown?.commit === true) return [];
  const refusal = refuse(word);
  if (refusal !== undefined) return refusal;
  if (/^:(?:[!^]|\(exclude\))/.test(word.value)) return { why: `${word.text} needs -- before it` };
  if (isPattern(word) && aimsAtClosed(word.value))
    return { why: `${word.text} is a pattern for files that stay closed` };
  const parsed = parseRevision(word.value);
  if ("why" in parsed) return parsed;
  const paths = parsed.flatMap(({ path }) => path ?? []);
  const isPath = isThere(word, place) || (paths.length === 0 && looksLikePath(word.value));
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

/**
 * What a change takes for a commit. Anything else could keep the content of a closed file under a name that says
 * nothing, so a path behind a colon is read and asked for.
 */
export function usedRevision(word: ShellWord, place: GitPlace): readonly Effect[] {
  const unclear = (why: string): Effect => ({ op: "unknown", why });
  if (word.unknown?.commit === true) return [];
  const refusal = refuse(word);
  if (refusal !== undefined) return [unclear(refusal.why)];
  const parsed = parseRevision(word.value);
  if ("why" in parsed) return [unclear(parsed.why)];
  const why = objectReason(parsed, ["commit"], place);
  const read = readPaths(parsed, word, place);
  return [
    ...read,
    ...(read.length === 0 ? [] : [unclear(`${word.text} is no commit`)]),
    ...(why === undefined ? [] : [unclear(why)]),
  ];
}

function readPaths(objects: readonly NamedObject[], word: ShellWord, place: GitPlace): readonly Effect[] {
  return objects.flatMap(({ path }) => (path === undefined ? [] : [storedPath(path, word, place)]));
}

/** Files that words name behind a colon, whatever else the words mean. */
export function storedPaths(words: readonly ShellWord[], place: GitPlace): readonly Effect[] {
  return words.flatMap((word) => {
    const parsed = word.unknown === undefined ? parseRevision(word.value) : [];
    return "why" in parsed ? [] : readPaths(parsed, word, place);
  });
}

/** Behind the colon a path starts at the root of the repository, unless it says `./`. */
function storedPath(path: string, word: ShellWord, place: GitPlace): Effect {
  const relative = /^\.\.?(?:\/|$)/.test(path);
  const value = relative ? path : `./${path}`;
  return pathEffect("read", { ...word, value, tilde: false }, "file", relative ? place : { ...place, cwd: place.root });
}

/**
 * Two trees are compared by what lies below them: of `.docker/config.json` git then sees only `config.json`, which is
 * no secret by its name. A file of the working tree is no such tree.
 */
function comparedPath(effect: Effect, path: string): readonly Effect[] {
  const isFile = effect.op === "read" && effect.path.kind === "file";
  if (isFile || !path.split("/").some((name) => /^\.[^.]/.test(name))) return [effect];
  return [effect, { op: "unknown", why: `${path} may be a directory with secrets in it` }];
}

const mostColons = 16;

/** `-L 1,20:file`, `-L :name:file`: whatever follows a colon may be the file. */
function lineRange(word: ShellWord, place: GitPlace): GitEffects {
  const refusal = refuse(word);
  if (refusal !== undefined) return refusal;
  const ends = [...word.value.matchAll(/:/g)]
    .map(({ index }) => word.value.slice(index + 1))
    .filter((end) => end !== "");
  if (ends.length === 0) return { why: `${word.text} names no file` };
  if (ends.length > mostColons) return { why: "what it names cannot be told" };
  return ends.map((value) => pathEffect("read", { ...word, value, tilde: false }, "file", place));
}

function looksLikePath(value: string): boolean {
  return value.startsWith("/") || value.startsWith("~") || /^\.(?!\.)/.test(value) || value.includes("../");
}

export function isThere(word: ShellWord, place: Pick<GitPlace, "view" | "cwd">): boolean {
  if (word.value === "" || word.value.startsWith("-")) return false;
  const resolved = place.view.resolve(word.value, place.cwd);
  return !resolved.ok || resolved.value.kind !== "missing";
}

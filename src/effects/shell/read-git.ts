import { dirname } from "node:path/posix";
import type { Effect, PathRef } from "../../contract/effect.ts";
import { isInside } from "../../contract/path-scope.ts";
import { secretQueryReason } from "../secret-query.ts";
import { pathEffect, readByRoles } from "./path-operands.ts";
import { type CommandReading, notUnderstood, type Place, type ProgramEntry } from "./program-entry.ts";
import { readArguments } from "./read-arguments.ts";
import type { ShellWord } from "./shell-tree.ts";
import { gitReads } from "./tables/git-reads.ts";
import { gitConnects, gitLosses, gitRuns } from "./tables/git-writes.ts";

/** Only `--no-pager` may stand before the sub-command: the other global flags choose configuration or programs. */
export function readGit(all: readonly ShellWord[], place: Place): CommandReading {
  const words = all.slice(all.findIndex((word) => word.value !== "--no-pager" && word.value !== "-P"));
  const [command, ...rest] = words;
  if (command === undefined || command.glob) return notUnderstood("git without a plain sub-command");
  const loss = gitLosses.find((entry) => entry.command === command.value);
  if (loss?.when(rest, (word) => isThere(word, place))) {
    const effects = changeEffects(command.value, words);
    return { effects, reason: `git ${command.value} ${loss.why}`, needsSavedRule: true };
  }
  const found = findRead(words);
  const read = found === undefined ? undefined : readForm(found, place);
  if (read !== undefined && "effects" in read) return read;
  return changeForm(command.value, words, read?.why);
}

function findRead(words: readonly ShellWord[]) {
  for (const length of [2, 1]) {
    const name = ["git", ...words.slice(0, length).map((word) => word.value)].join(" ");
    const entry = gitReads.find((candidate) => candidate.names.includes(name));
    if (entry !== undefined && words.length >= length) return { entry, name, words: words.slice(length) };
  }
  return undefined;
}

function readForm(
  found: { readonly entry: ProgramEntry; readonly name: string; readonly words: readonly ShellWord[] },
  place: Place,
): CommandReading | { readonly why: string } {
  const call = readArguments(found.entry, found.name, found.words);
  if ("why" in call) return call;
  const repository = findRepository(place);
  if ("why" in repository) return notUnderstood(repository.why);
  if (call.operands.some((word) => word.glob)) return { why: `${found.name} with an unquoted pattern` };
  const roles = typeof found.entry.operands === "function" ? {} : found.entry.operands;
  const paths = call.operands.map((word) => (roles.rest === "read" ? pathOf(word, place) : word));
  const operands = paths.filter((word): word is ShellWord => word !== undefined);
  const reading = readByRoles({ ...call, operands }, roles, place);
  const { root } = repository;
  const whole = pathEffect("read", { text: root, value: root, glob: false, tilde: false }, "tree", place);
  const secret = found.name === "git grep" ? secretQueryReason(call.operands[0]?.value ?? "") : undefined;
  return {
    effects: [whole, ...reading.effects],
    reason: `${found.name} only reads`,
    ...(secret === undefined ? {} : { raisedBecause: secret }),
  };
}

/** `HEAD~1` names no file; `HEAD:.env` does, and so does a path that is there. */
function pathOf(word: ShellWord, place: Place): ShellWord | undefined {
  const colon = word.value.lastIndexOf(":");
  if (colon >= 0) return { ...word, value: word.value.slice(colon + 1) || ".", tilde: false };
  return isThere(word, place) || looksLikePath(word.value) ? word : undefined;
}

function looksLikePath(value: string): boolean {
  return value.startsWith("/") || value.startsWith("~") || value.startsWith(".") || value.includes("../");
}

function isThere(word: ShellWord, place: Place): boolean {
  if (word.value === "" || word.value.startsWith("-")) return false;
  const resolved = place.view.resolve(word.value, place.cwd);
  return !resolved.ok || resolved.value.kind !== "missing";
}

function changeForm(command: string, words: readonly ShellWord[], why: string | undefined): CommandReading {
  const effects = changeEffects(command, words);
  if (gitConnects.includes(command)) return { effects, reason: `git ${command} talks to a remote` };
  if (gitRuns.includes(command)) return { effects, reason: `git ${command} changes the repository` };
  return notUnderstood(why ?? `git ${command} is not in the tables`);
}

function changeEffects(command: string, words: readonly ShellWord[]): readonly Effect[] {
  const exec: Effect = { op: "exec", program: "git", argv: ["git", ...words.map((word) => word.value)] };
  return gitConnects.includes(command) ? [exec, { op: "connect", host: "the git remote" }] : [exec];
}

/**
 * Git believes the first repository it meets on the way up, configuration included. Only the workspace's own
 * `.git` directory is that; a nested one, a `.git` file or a directory that looks like a bare repository is not.
 */
function findRepository({ view, cwd }: Place): { readonly root: string } | { readonly why: string } {
  const root = view.workspace.roots.find((candidate) => isInside(cwd, candidate));
  if (root === undefined) return { why: "git would run outside the workspace" };
  for (let directory = cwd; ; directory = dirname(directory)) {
    const own = entryKind(view, `${directory}/.git`);
    if (own === "directory" && directory === root) return { root };
    if (own !== "missing") return { why: `${directory} has a repository of its own` };
    const has = (name: string) => entryKind(view, `${directory}/${name}`) !== "missing";
    if (has("HEAD") && (has("objects") || has("commondir")))
      return { why: `${directory} looks like a bare repository` };
    if (directory === root) return { root };
  }
}

function entryKind(view: Place["view"], path: string): PathRef["kind"] | "link" {
  const found = view.resolve(path);
  return found.ok && found.value.resolved === path ? found.value.kind : "link";
}

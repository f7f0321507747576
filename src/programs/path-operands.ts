import { basename, resolve } from "node:path/posix";
import { type Effect, isFileEffect, isInsideAny } from "../contract/effect.ts";
import { isSecretName } from "../effects/classify-path.ts";
import { isSink, isStandardInput } from "../effects/devices.ts";
import { deleteEffect, listEffect, readEffect, writeEffect } from "../effects/file-effects.ts";
import { matchedLinks, type Spot, splitPattern } from "./match-pattern.ts";
import type { CommandReading, OperandRoles, ProgramCall, Role, ShellWord, Site } from "./program-entry.ts";
import { notUnderstood } from "./readings.ts";

export const here: ShellWord = { text: ".", value: ".", glob: false, tilde: false };

type PathScope = "file" | "tree";

/** As it will be shown and matched: relative to the workspace where the command runs there, else absolute. */
export function writtenPath(word: ShellWord, place: Spot): string {
  const { value, tilde } = word;
  if (tilde || value.startsWith("/")) return value;
  if (place.cwd === place.view.workspace.root) return value.startsWith("~") ? `./${value}` : value;
  return resolve(place.cwd, value.startsWith("~") ? `./${value}` : value);
}

export function pathEffect(
  op: "read" | "list" | "write" | "delete",
  word: ShellWord,
  scope: PathScope,
  place: Spot,
): Effect {
  if (word.unknown !== undefined) return unknown(`${word.text} is known only when it runs`);
  if (word.value === "") return unknown("an operand is empty");
  if (op === "read" && scope === "file" && isEndless(word.value)) return unknown(`${word.value} never ends`);
  return effects[op](place.view, keepLinks(word, place), scope, place.cwd);
}

const effects = { read: readEffect, list: listEffect, write: writeEffect, delete: deleteEffect } as const;

/** `sub/../x` must go through `sub` as the kernel goes, so only a path without `..` is made absolute by text. */
function keepLinks(word: ShellWord, place: Spot): string {
  const written = writtenPath(word, place);
  return word.value.split("/").includes("..") ? plainValue(word) : written;
}

function plainValue({ value, tilde }: ShellWord): string {
  return !tilde && value.startsWith("~") ? `./${value}` : value;
}

export function readByRoles(call: ProgramCall, roles: OperandRoles, place: Site): CommandReading {
  const found: Effect[] = [];
  const deep = call.entry.recursive?.some((flag) => call.flags.has(flag)) === true;
  for (const { role, word } of call.values) found.push(...roleEffects(role, word, false, place));

  const first = roles.first ?? [];
  for (const [index, word] of call.operands.entries()) {
    const role = first[index] ?? roles.rest;
    if (role === undefined) return notUnderstood(`${call.name} takes no operand ${word.text}`);
    const several = word.glob || word.unknown?.one === false;
    if (several && index < first.length)
      return notUnderstood(`${word.text} may become several operands of ${call.name}`);
    const hostile = word.glob && startsWithGlob(word.value) && index < call.literalFrom;
    if (hostile && call.entry.anyFlagReads !== true) {
      return notUnderstood(`${word.text} may become a flag of ${call.name}; write ./${word.text}`);
    }
    found.push(...roleEffects(role, word, deep, place));
  }
  if (call.operands.length <= first.length && roles.none !== undefined) {
    found.push(...roleEffects(roles.none, here, deep, place));
  }
  return { effects: found, reason: `${call.name}${verbsOf(found)}` };
}

export function roleEffects(role: Role, word: ShellWord, deep: boolean, place: Spot): readonly Effect[] {
  if (role === "text") return word.glob ? globEffects("list", word, undefined, place) : [];
  const op = role === "write" || role === "edit" ? "write" : role.startsWith("read") ? "read" : "list";
  if (word.unknown !== undefined) return unknownEffects(op, role, word, word.unknown, place);
  // A lone dash is standard input. Most programs that write make a file of that name.
  if (word.value === "-" && !word.glob && op !== "write") return [];
  if (role === "write" && isSink(word.value) && !word.glob) return [];
  const scope = (deep || role.endsWith("-tree")) && !isDevice(word) ? "tree" : "file";
  if (word.glob) return role === "write" ? [unknown(`${word.text} is expanded`)] : globEffects(op, word, scope, place);
  return [pathEffect(op, word, scope, place)];
}

/** Files that the words of a command name, whatever they are to it: those that exist, and all that are elsewhere. */
export function namedFiles(words: readonly ShellWord[], scope: PathScope, place: Spot): readonly Effect[] {
  const named = words.flatMap((word): readonly Effect[] => {
    if (word.unknown !== undefined) return [];
    if (word.glob) return roleEffects("read", word, false, place);
    const parts = [word.value, ...word.value.split(/[@=<;]/).slice(1), word.value.replace(/^-\w/, "")];
    return [...new Set(parts)]
      .map((value) => ({ ...word, value, tilde: word.tilde && value === word.value }))
      .filter((part) => part.value !== "" && !/^-|:\/\/|\s/.test(part.value) && !isDevice(part))
      .map((part) => pathEffect("read", part, scope, place));
  });
  return named.filter(
    (effect) => effect.op === "read" && (effect.path.kind !== "missing" || isElsewhere(effect, place)),
  );
}

export function isElsewhere(effect: Effect, { view }: Spot): boolean {
  if (!isFileEffect(effect)) return false;
  const { resolved } = effect.path;
  return !isInsideAny(resolved, view.workspace.roots) || isSecretName(basename(resolved), resolved);
}

/** Nothing lies below it. */
export function isDevice({ value, glob }: ShellWord): boolean {
  return !glob && (value === "/dev/null" || isStandardInput(value) || isEndless(value));
}

/** Names reach into the directories that they were found in; everything there counts. */
function unknownEffects(
  op: "read" | "list" | "write",
  role: Role,
  word: ShellWord,
  { one, names, pipe }: NonNullable<ShellWord["unknown"]>,
  place: Spot,
): readonly Effect[] {
  if (pipe && op !== "write") return [];
  if (names === undefined || role === "write") return [unknown(`${word.text} is known only when it runs`)];
  // Without any name a command that reads may take the working directory instead.
  const directories = one || role === "edit" ? names : [...new Set([...names, place.cwd])];
  return directories.map((value) =>
    pathEffect(op, { text: word.text, value, glob: false, tilde: false }, "tree", place),
  );
}

/** A pattern counts as everything below the directory before it. A link that it matches counts as its target. */
function globEffects(
  op: "read" | "list" | "write",
  word: ShellWord,
  reach: PathScope | undefined,
  place: Spot,
): readonly Effect[] {
  const found = splitPattern(word.value);
  if ("why" in found) return [unknown(`${word.text} ${found.why}`)];
  const below = pathEffect(op, { ...word, value: found.directory, glob: false }, "tree", place);
  if (reach === undefined) return [below];
  const links = matchedLinks(word.tilde ? place.view.workspace.home + word.value.slice(1) : word.value, place);
  if (links === undefined) return [below, unknown(`${word.text} matches too many files to examine`)];
  // A listing shows the link itself; what it leads to has names at most.
  const followed = op === "list" ? links.filter(({ last }) => !last) : links;
  return [
    below,
    ...followed.map(({ path: value, last }) =>
      pathEffect(op, { ...word, value, glob: false, tilde: false }, last ? reach : "tree", place),
    ),
  ];
}

function isEndless(path: string): boolean {
  return /^\/dev\/(?:zero|full|u?random)$/.test(path);
}

function startsWithGlob(value: string): boolean {
  return /^[*?[]/.test(value);
}

function unknown(why: string): Effect {
  return { op: "unknown", why };
}

function verbsOf(found: readonly Effect[]): string {
  const ops = new Set(found.map((effect) => effect.op));
  if (ops.has("unknown")) return ": some arguments could not be analysed";
  if (ops.size === 0) return " only prints";
  return ` only ${[...ops].map((op) => `${op}s`).join(" and ")}`;
}

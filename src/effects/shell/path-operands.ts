import { resolve } from "node:path/posix";
import type { Effect } from "../../contract/effect.ts";
import { deleteEffect, listEffect, readEffect, writeEffect } from "../file-effects.ts";
import type { CommandReading, OperandRoles, Place, ProgramCall, Role } from "./program-entry.ts";
import { notUnderstood } from "./program-entry.ts";
import type { ShellWord } from "./shell-tree.ts";

type Scope = "file" | "tree";

/** As it will be shown and matched: relative to the workspace where the command runs there, else absolute. */
export function writtenPath(word: ShellWord, place: Place): string {
  const { value, tilde } = word;
  if (tilde || value.startsWith("/")) return value;
  if (place.cwd === place.view.workspace.root) return value.startsWith("~") ? `./${value}` : value;
  return resolve(place.cwd, value.startsWith("~") ? `./${value}` : value);
}

export function pathEffect(
  op: "read" | "list" | "write" | "delete",
  word: ShellWord,
  scope: Scope,
  place: Place,
): Effect {
  if (word.value === "") return { op: "unknown", why: "an operand is empty" };
  return effects[op](place.view, keepLinks(word, place), scope, place.cwd);
}

const effects = { read: readEffect, list: listEffect, write: writeEffect, delete: deleteEffect } as const;

/** `sub/../x` must go through `sub` as the kernel goes, so only a path without `..` is made absolute by text. */
function keepLinks(word: ShellWord, place: Place): string {
  const written = writtenPath(word, place);
  return word.value.split("/").includes("..") ? plainValue(word) : written;
}

function plainValue({ value, tilde }: ShellWord): string {
  return !tilde && value.startsWith("~") ? `./${value}` : value;
}

/** What the roles of a table say about a call. */
export function readByRoles(call: ProgramCall, roles: OperandRoles, place: Place): CommandReading {
  const found: Effect[] = [];
  const deep = call.entry.recursive?.some((flag) => call.flags.has(flag)) === true;
  for (const { role, word } of call.values) found.push(...roleEffects(role, word, false, place));

  const first = roles.first ?? [];
  for (const [index, word] of call.operands.entries()) {
    const role = first[index] ?? roles.rest;
    if (role === undefined) return notUnderstood(`${call.name} takes no operand ${word.text}`);
    const hostile = word.glob && startsWithGlob(word.value) && index < call.literalFrom;
    if (hostile && call.entry.anyFlagReads !== true) {
      return notUnderstood(`${word.text} may become a flag of ${call.name}; write ./${word.text}`);
    }
    found.push(...roleEffects(role, word, deep, place));
  }
  if (call.operands.length <= first.length && roles.none !== undefined) {
    const here: ShellWord = { text: ".", value: ".", glob: false, tilde: false };
    found.push(...roleEffects(roles.none, here, deep, place));
  }
  return { effects: found, reason: `${call.name} only ${verbsOf(found)}` };
}

function roleEffects(role: Role, word: ShellWord, deep: boolean, place: Place): readonly Effect[] {
  if (role === "text") return word.glob ? [globEffect("list", word, place)] : [];
  // A lone dash is standard input.
  if (word.value === "-" && !word.glob) return [];
  const op = role === "write" ? "write" : role.startsWith("read") ? "read" : "list";
  if (word.glob) return [op === "write" ? unknown(`${word.text} is expanded`) : globEffect(op, word, place)];
  return [pathEffect(op, word, deep || role.endsWith("-tree") ? "tree" : "file", place)];
}

/** A pattern reaches into the directory before it; everything there counts, except what stays closed. */
function globEffect(op: "read" | "list", word: ShellWord, place: Place): Effect {
  const names = word.value.split("/");
  const first = names.findIndex((name) => /[*?[]/.test(name));
  const rest = names.slice(first);
  if (rest.includes("..")) return unknown(`${word.text} climbs out of what it matches`);
  if (rest.some((name) => name.startsWith(".") || name.startsWith("["))) {
    return unknown(`${word.text} may match hidden files`);
  }
  const directory = names.slice(0, first).join("/");
  const value = directory === "" ? (word.value.startsWith("/") ? "/" : ".") : directory;
  return pathEffect(op, { ...word, value, glob: false }, "tree", place);
}

function startsWithGlob(value: string): boolean {
  return /^[*?[]/.test(value);
}

function unknown(why: string): Effect {
  return { op: "unknown", why };
}

function verbsOf(found: readonly Effect[]): string {
  const ops = new Set(found.map((effect) => effect.op));
  if (ops.has("unknown")) return "does more than is understood";
  if (ops.size === 0) return "prints";
  return [...ops].map((op) => `${op}s`).join(" and ");
}

import { resolve } from "node:path/posix";
import { type EffectPart, type EffectReport, type FileEffect, isFileEffect } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { isInside } from "../contract/path-scope.ts";
import type { UntrustedSkills } from "../contract/skill.ts";
import { ask, deny, type Finding } from "./finding.ts";
import { compileName } from "./name-glob.ts";
import type { Policy } from "./policy.ts";

/** Scripts of a skill that nobody trusts do not run, in no mode. Reading alone is no running. */
export function untrustedScript(question: GateQuestion, { untrustedSkills: look }: Policy): Finding | undefined {
  if (look === undefined || !runsSomething(question.report)) return undefined;
  const skills = look();
  const found = namedScript(question, skills) ?? carriedScript(question.report, skills);
  if (found === undefined) return undefined;
  const { folder, text } = found;
  return deny(
    `nobody trusts the skill in ${folder} (see \`gauntlet trust\`), and ${text} would run something of it`,
    "path_boundary",
  );
}

/** Where it cannot be told that no such script runs, a person has to look at it. */
export function possibleScript(question: GateQuestion, { untrustedSkills: look }: Policy): Finding | undefined {
  if (look === undefined || !runsSomething(question.report)) return undefined;
  const skills = look();
  const found = copiedScript(question, skills) ?? reachableScript(question, skills);
  if (found === undefined) return undefined;
  const { file, text, how } = found;
  return ask(`${text} ${how} ${file}, of a skill that nobody trusts (see \`gauntlet trust\`)`, "path_boundary");
}

interface Named {
  /** What a person is told that would run it. */
  readonly text: string;
  readonly folder: string;
}

interface Possible {
  readonly text: string;
  readonly how: string;
  readonly file: string;
}

function runsSomething({ effects }: EffectReport): boolean {
  return effects.some(({ op }) => op === "exec" || op === "unknown");
}

/** Parts that run something. What is fed to a program that was not looked at may run as well. */
function runningParts({ report }: GateQuestion): readonly EffectPart[] {
  const { command, effects } = report;
  const argv = effects.flatMap((effect) => (effect.op === "exec" ? effect.argv : []));
  const parts = report.parts ?? [{ text: command?.text ?? argv.join(" "), words: argv, effects, reason: "" }];
  if (!effects.some(({ op }) => op === "unknown")) return parts.filter(runs);
  // The words of a loop belong to no part of it.
  return command === undefined
    ? parts
    : [...parts, { text: command.text, effects: [], reason: "", cwd: command.cwd.resolved }];
}

function runs({ effects }: EffectPart): boolean {
  return effects.some(({ op }) => op === "exec");
}

function namedScript(question: GateQuestion, skills: UntrustedSkills): Named | undefined {
  for (const part of runningParts(question)) {
    const from = part.cwd ?? question.workspace.cwd;
    const named = wordsOf(part).flatMap((word) =>
      hasPattern(word) ? matching(word, from, skills) : resolve(from, word),
    );
    const files = part.effects.filter(isFileEffect).map((effect) => effect.path.resolved);
    const folder = firstOf([...named, ...files], skills.leadsInto);
    if (folder !== undefined) return { folder, text: part.text };
  }
  return undefined;
}

/** Brought to another name and run from there, in one command. */
function carriedScript(report: EffectReport, skills: UntrustedSkills): Named | undefined {
  const writes = report.effects.some(({ op }) => op === "write");
  const sources = report.effects.filter(isFileEffect).filter(({ op }) => op === "read" || op === "delete");
  const folder = writes
    ? firstOf(
        sources.map(({ path }) => path.resolved),
        skills.leadsInto,
      )
    : undefined;
  return folder === undefined ? undefined : { folder, text: report.command?.text ?? "it" };
}

function copiedScript(question: GateQuestion, skills: UntrustedSkills): Possible | undefined {
  for (const part of runningParts(question)) {
    const from = part.cwd ?? question.workspace.cwd;
    const file = firstOf(
      wordsOf(part).map((word) => resolve(from, word)),
      skills.copiedFrom,
    );
    if (file !== undefined) return { text: part.text, how: "names a copy of", file };
  }
  return undefined;
}

/** What only the running shell knows may be such a script as well. */
function reachableScript({ report }: GateQuestion, skills: UntrustedSkills): Possible | undefined {
  const untrusted = skills.scripts();
  const [some] = untrusted;
  if (some === undefined) return undefined;
  for (const part of report.parts ?? []) {
    const tree = carriedTree(part, untrusted);
    if (tree !== undefined) return { text: part.text, how: "copies, beside what would run,", file: tree };
    if (!part.effects.some(({ op }) => op === "unknown")) continue;
    const ending = part.cwd === undefined ? endingLike(part, untrusted) : undefined;
    if (ending !== undefined) return { text: part.text, how: "may run", file: ending };
    if (part.openEnded === true || /[*?[$`~{]/.test(part.text)) return { text: part.text, how: "may run", file: some };
  }
  return undefined;
}

function carriedTree({ effects }: EffectPart, untrusted: readonly string[]): string | undefined {
  const files = effects.filter(isFileEffect);
  if (!files.some(({ op }) => op === "write")) return undefined;
  const trees = files.filter(({ op, scope }: FileEffect) => scope === "tree" && op !== "write");
  return untrusted.find((file) => trees.some(({ path }) => isInside(file, path.resolved)));
}

/** Nobody knows the directory: a path that one of them ends with may be that one. */
function endingLike(part: EffectPart, untrusted: readonly string[]): string | undefined {
  const endings = wordsOf(part).map((word) => `/${resolve("/", word).slice(1)}`);
  return untrusted.find((file) => endings.some((ending) => ending !== "/" && file.endsWith(ending)));
}

/** The words of a part, and what options, variables or code in them may mean. */
function wordsOf({ text, words = [] }: EffectPart): readonly string[] {
  return [...new Set([text, ...words].flatMap(pathsNamedIn))];
}

function pathsNamedIn(word: string): readonly string[] {
  const pieces = [word, ...word.split(/[\s=:,;!|&()<>{}"'`]+/)].filter((piece) => piece !== "");
  return pieces.flatMap((piece) => (/^-[A-Za-z]./.test(piece) ? [piece, piece.slice(2)] : [piece]));
}

function hasPattern(word: string): boolean {
  return /[*?[]/.test(word);
}

/** What a shell may put in the place of a pattern, and where it would look for more. */
function matching(word: string, from: string, skills: UntrustedSkills): readonly string[] {
  const components = resolve(from, word).split("/");
  const wanted = components.map(componentOf);
  const fitting = skills.entries().filter((entry) => {
    const names = entry.split("/");
    return names.length === wanted.length && names.every((name, at) => wanted[at]?.(name) === true);
  });
  return [...fitting, components.slice(0, components.findIndex(hasPattern)).join("/")];
}

/** As a shell matches one component of a path: a dot at its beginning only by a dot. */
function componentOf(pattern: string): (name: string) => boolean {
  // Classes of characters are not told apart.
  const { matches } = compileName(pattern.replace(/\[\[.*\]\]/, "*"));
  return (name) => matches(name) && (!name.startsWith(".") || /^[.[\\]/.test(pattern));
}

function firstOf<Found>(paths: readonly string[], look: (path: string) => Found | undefined): Found | undefined {
  for (const path of paths) {
    const found = look(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

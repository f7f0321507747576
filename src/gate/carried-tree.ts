import { basename, resolve } from "node:path/posix";
import { type EffectPart, type EffectReport, type FileEffect, isFileEffect } from "../contract/effect.ts";
import { isInside } from "../contract/path-scope.ts";
import { hasScriptName } from "../contract/script-names.ts";
import { runsSomething, runsWhatItNames, wordsOf } from "./running-parts.ts";
import { hasPattern } from "./shell-pattern.ts";
import { runsUnseenInput } from "./takes-program.ts";

interface Carried {
  readonly text: string;
  readonly file: string;
}

/** One of the files lies in a tree that is read, and what is written may have come from there and run. */
export function carriedTree(report: EffectReport, untrusted: readonly string[]): Carried | undefined {
  const trees = report.effects.filter(isFileEffect).filter(({ op, scope }) => scope === "tree" && op !== "write");
  const file = untrusted.find((one) => holds(trees, one));
  if (file === undefined) return undefined;
  const parts = report.parts ?? [];
  const text = report.command?.text ?? "";
  const running = parts.filter((part) => runsSomething(part) && runsWhatItNames(part));
  const run = parts
    .flatMap(filesOf)
    .filter((effect) => effect.op === "write" && running.some((part) => mayRun(part, effect)));
  const target = carriers(parts, { untrusted, nested: isNested(text) }).find(
    (effect) => run.includes(effect) || (run.some(isOther(effect)) && isSpokenOf(effect, text)),
  );
  return target === undefined ? undefined : { text, file };
}

/** One of the files lies in a tree that is read, and a program would run what it is fed. */
export function fedTree({ parts = [] }: EffectReport, untrusted: readonly string[]): Carried | undefined {
  const eater = parts.find(runsUnseenInput);
  if (eater === undefined) return undefined;
  const trees = parts
    .filter(printsContent)
    .flatMap(filesOf)
    .filter(({ op, scope }) => scope === "tree" && op === "read");
  const file = untrusted.find((one) => holds(trees, one));
  return file === undefined ? undefined : { text: eater.text, file };
}

/** These of git read everything, and print names at most. */
function printsContent({ words: [program, command = ""] = [] }: EffectPart): boolean {
  return program !== "git" || !/^(?:status|branch|tag|remote|describe|rev-parse|ls-files)$/.test(command);
}

function isOther({ path }: FileEffect): (effect: FileEffect) => boolean {
  return (effect) => effect.path.resolved !== path.resolved;
}

/** Named once more than where it is written: what is written beside it and run may run it in turn. */
function isSpokenOf({ path }: FileEffect, text: string): boolean {
  return text.split(basename(path.resolved)).length > 2;
}

interface Sources {
  readonly untrusted: readonly string[];
  /** An output may be that of several commands. */
  readonly nested: boolean;
}

/** What is written with anything that may come from them, at first hand or from one another. */
function carriers(parts: readonly EffectPart[], { untrusted, nested }: Sources): readonly FileEffect[] {
  const found = new Set<FileEffect>();
  // Each round finds another one, or ends it.
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [at, part] of parts.entries()) {
      const writer = part.words === undefined && !nested ? parts.slice(0, at).findLast(({ words }) => words) : part;
      if (writer !== undefined && isOwnContent(writer)) continue;
      for (const effect of filesOf(part)) if (effect.op === "write") found.add(effect);
    }
  }
  return [...found];

  /** What it writes is known to come from somewhere else. */
  function isOwnContent(part: EffectPart): boolean {
    const { words = [], openEnded = false } = part;
    if (openEnded || runsSomething(part) || words.includes("-")) return false;
    if (contentless.test(words[0] ?? "")) return true;
    const sources = filesOf(part).filter(({ op }) => op !== "write");
    return sources.length > 0 && !sources.some(isSuspect);
  }

  function isSuspect(source: FileEffect): boolean {
    const { kind, resolved } = source.path;
    if (kind === "special" || resolved.startsWith("/dev/")) return true;
    if (untrusted.some((file) => holds([source], file))) return true;
    return [...found].some(({ path }) => isInside(resolved, path.resolved) || isInside(path.resolved, resolved));
  }
}

/** They write nothing that they read, or only their own words. */
const contentless = /^(?:mkdir|touch|chmod|chown|rmdir|echo|printf)$/;

/** Redirections of a group, of a loop, or of the shell itself hold for more than one command. */
function isNested(text: string): boolean {
  return /[{(`]|\b(?:done|fi|esac|exec|eval)\b/.test(text);
}

/** Does a part run what is written there? By its name, or as something that programs look for themselves. */
function mayRun(part: EffectPart, { path, scope }: FileEffect): boolean {
  if (scope === "tree" || part.openEnded === true || hasPattern(part.text)) return true;
  const name = basename(path.resolved);
  if (hasScriptName(name)) return true;
  const from = part.cwd ?? "/";
  return wordsOf(part).some((word) => {
    const named = resolve(from, word);
    return basename(named) === name || (isInside(path.resolved, named) && !isInside(from, named));
  });
}

function holds(effects: readonly FileEffect[], file: string): boolean {
  return effects.some(({ scope, path }) => (scope === "tree" ? isInside(file, path.resolved) : file === path.resolved));
}

function filesOf({ effects }: EffectPart): readonly FileEffect[] {
  return effects.filter(isFileEffect);
}

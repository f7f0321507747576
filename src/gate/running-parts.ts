import { resolve } from "node:path/posix";
import type { EffectPart, EffectReport } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { takesProgram } from "./takes-program.ts";

export function runsSomething({ effects }: Pick<EffectReport, "effects">): boolean {
  return effects.some(({ op }) => op === "exec" || op === "unknown");
}

/**
 * Parts that run something. Where a program was not looked at, or runs what it is fed or what only the shell knows,
 * every other part may have a say in what that is.
 */
export function runningParts({ report }: GateQuestion): readonly EffectPart[] {
  const { command, effects } = report;
  const argv = effects.flatMap((effect) => (effect.op === "exec" ? effect.argv : []));
  const parts = report.parts ?? [{ text: command?.text ?? argv.join(" "), words: argv, effects, reason: "" }];
  if (!effects.some(({ op }) => op === "unknown") && !parts.some(takesProgram)) return parts.filter(runs);
  // The words of a loop, and what a here-document says, belong to no part.
  return command === undefined
    ? parts
    : [...parts, { text: command.text, effects: [], reason: "", cwd: command.cwd.resolved }];
}

function runs({ effects }: EffectPart): boolean {
  return effects.some(({ op }) => op === "exec");
}

/** The words of a part, and what options, variables or code in them may mean. */
export function wordsOf({ text, words = [] }: Pick<EffectPart, "text" | "words">): readonly string[] {
  return [...new Set([text, ...words].flatMap(pathsNamedIn))];
}

function pathsNamedIn(word: string): readonly string[] {
  const pieces = [word, ...word.split(/[\s=:,;!|&()<>{}"'`]+/)].filter((piece) => piece !== "");
  return pieces.flatMap((piece) => (/^-[A-Za-z]./.test(piece) ? [piece, piece.slice(2)] : [piece]));
}

/** Where a word leads that may be a path. */
export function pathOf(word: string, from: string, { home }: Pick<GateQuestion["workspace"], "home">): string {
  if (/^~\+(?=\/|$)/.test(word)) return resolve(from, `.${word.slice(2)}`);
  return /^~(?=\/|$)/.test(word) ? resolve(home, `.${word.slice(1)}`) : resolve(from, word);
}

import type { EffectPart, EffectReport } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";

export function runsSomething({ effects }: Pick<EffectReport, "effects">): boolean {
  return effects.some(({ op }) => op === "exec" || op === "unknown");
}

/** Parts that run something. What is fed to a program that was not looked at may run as well. */
export function runningParts({ report }: GateQuestion): readonly EffectPart[] {
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

/** These of git take names, and words for people, and run neither. */
export function runsWhatItNames({ words: [program, command = ""] = [] }: EffectPart): boolean {
  return program !== "git" || !/^(?:add|commit|mv|rm|restore|tag|branch|stash|reset|switch)$/.test(command);
}

/** The words of a part, and what options, variables or code in them may mean. */
export function wordsOf({ text, words = [] }: Pick<EffectPart, "text" | "words">): readonly string[] {
  return [...new Set([text, ...words].flatMap(pathsNamedIn))];
}

export function pathsNamedIn(word: string): readonly string[] {
  const pieces = [word, ...word.split(/[\s=:,;!|&()<>{}"'`]+/)].filter((piece) => piece !== "");
  return pieces.flatMap((piece) => (/^-[A-Za-z]./.test(piece) ? [piece, piece.slice(2)] : [piece]));
}

export function hasPattern(word: string): boolean {
  return /[*?[]/.test(word);
}

export function firstOf<Found>(paths: readonly string[], look: (path: string) => Found | undefined): Found | undefined {
  for (const path of paths) {
    const found = look(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

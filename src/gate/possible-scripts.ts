import { resolve } from "node:path/posix";
import { type EffectPart, isFileEffect } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { UntrustedSkills } from "../contract/skill.ts";
import { carriedTree } from "./carried-tree.ts";
import { ask, type Finding } from "./finding.ts";
import { skillNamedInCode } from "./inline-code.ts";
import type { Policy } from "./policy.ts";
import { firstOf, pathsNamedIn, runningParts, runsSomething, runsWhatItNames, wordsOf } from "./running-parts.ts";

/** Where it cannot be told that no script of a skill that nobody trusts runs, a person has to look at it. */
export function possibleScript(question: GateQuestion, { untrustedSkills: look }: Policy): Finding | undefined {
  if (look === undefined || !runsSomething(question.report)) return undefined;
  const skills = look();
  const found = copiedScript(question, skills) ?? reachableScript(question, skills);
  if (found === undefined) return undefined;
  const { file, text, how } = found;
  return ask(`${text} ${how} ${file}, of a skill that nobody trusts (see \`gauntlet trust\`)`, "path_boundary");
}

interface Possible {
  /** What a person is told that may run it. */
  readonly text: string;
  readonly how: string;
  readonly file: string;
}

function copiedScript(question: GateQuestion, skills: UntrustedSkills): Possible | undefined {
  const given = assignedIn(question.report.command?.text ?? "");
  for (const part of runningParts(question).filter(runsWhatItNames)) {
    const from = part.cwd ?? question.workspace.cwd;
    const named = [...namedBy(part, from), ...given.map((word) => resolve(from, word))];
    const copy = firstOf(named, skills.copiedFrom) ?? skills.copiedInto(from);
    if (copy === undefined) continue;
    return { text: part.text, how: copy.certain ? "names or reads a copy of" : "may run a copy of", file: copy.file };
  }
  return undefined;
}

/** `PYTHONPATH=lib python3 -m tool`: what is put in front of a program is no word of its part. */
function assignedIn(text: string): readonly string[] {
  return [...text.matchAll(/\b[A-Za-z_]\w*=(?:"([^"]*)"|'([^']*)'|(\S+))/g)].flatMap(([, double, single, plain]) =>
    pathsNamedIn(double ?? single ?? plain ?? ""),
  );
}

function namedBy(part: EffectPart, from: string): readonly string[] {
  return wordsOf(part)
    .flatMap((word) => [word, ...modulesOf(word, part)])
    .map((word) => resolve(from, word));
}

/** `-m tools.publish` is `tools/publish.py`. */
function modulesOf(word: string, { text }: EffectPart): readonly string[] {
  return /\s-\w*m/.test(text) && /^\w+(?:\.\w+)+$/.test(word) ? [word.replaceAll(".", "/")] : [];
}

/** What only the running shell knows may be such a script as well. */
function reachableScript(question: GateQuestion, skills: UntrustedSkills): Possible | undefined {
  const untrusted = skills.scripts();
  const [some] = untrusted;
  if (some === undefined) return undefined;
  const { report } = question;
  const carried = carriedTree(report, untrusted);
  if (carried !== undefined) return { ...carried, how: "copies, beside what would run," };
  for (const part of report.parts ?? []) {
    if (!part.effects.some(({ op }) => op === "unknown")) continue;
    const ending = part.cwd === undefined ? endingLike(part, untrusted) : undefined;
    if (ending !== undefined) return { text: part.text, how: "may run", file: ending };
    if (part.openEnded === true || /[*?[$`~{]/.test(part.text)) return { text: part.text, how: "may run", file: some };
  }
  return laterScript(question, skills) ?? composedScript(question, skills);
}

/** Nobody knows the directory: a path that one of them ends with may be that one. */
function endingLike(part: EffectPart, untrusted: readonly string[]): string | undefined {
  const endings = wordsOf(part).map((word) => `/${resolve("/", word).slice(1)}`);
  return untrusted.find((file) => endings.some((ending) => ending !== "/" && file.endsWith(ending)));
}

/** Nothing is there yet: what the command unpacks or checks out before may put one of them there. */
function laterScript(question: GateQuestion, skills: UntrustedSkills): Possible | undefined {
  const { effects } = question.report;
  const brings = effects.some(
    (effect) => effect.op === "unknown" || (effect.op === "write" && effect.scope === "tree"),
  );
  for (const part of runningParts(question).filter(runsWhatItNames)) {
    const named = namedBy(part, part.cwd ?? question.workspace.cwd);
    const entered = part.cwd === undefined ? effects.filter(isFileEffect).map(({ path }) => path.resolved) : [];
    const file = firstOf([...named, ...entered], (path) => skills.namedLike(path, 2));
    const bare = brings ? firstOf(named, (path) => skills.namedLike(path, 1)) : undefined;
    const like = file ?? bare;
    if (like !== undefined) return { text: part.text, how: "may run", file: like };
  }
  return undefined;
}

/** A path that code puts together. */
function composedScript(question: GateQuestion, skills: UntrustedSkills): Possible | undefined {
  for (const part of runningParts(question)) {
    const file = skillNamedInCode(part, { skills, cwd: part.cwd ?? question.workspace.cwd });
    if (file !== undefined) return { text: part.text, how: "has code that may run", file };
  }
  return undefined;
}

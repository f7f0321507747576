import { resolve } from "node:path/posix";
import { firstOf } from "../base/async.ts";
import { compileName } from "../base/name-glob.ts";
import type { UntrustedSkills } from "../contract/app/skill.ts";
import { type EffectPart, type EffectReport, isFileEffect } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { looseNames } from "../shell/command-text.ts";
import { deny, type GateFinding } from "./finding.ts";
import type { GatePolicy } from "./policy.ts";
import { compilePath, matchesPath } from "./rules/path-pattern.ts";

/** A program or script in an untrusted skill never runs. A copy of it is project code like any other. */
export function untrustedScript(question: GateQuestion, policy: GatePolicy): GateFinding | undefined {
  const { report } = question;
  if (policy.untrustedSkills === undefined || !runsSomething(report)) return undefined;
  const skills = policy.untrustedSkills();
  if (!skills.some) return undefined;
  const matching = matcher(skills, question);
  for (const part of runningParts(report)) {
    const folder = firstOf([...pathsNamedBy(part, question).flatMap(matching), ...filesOf(part)], skills.leadsInto);
    if (folder !== undefined) return denied(runsSomething(part) ? part.text : (report.command?.text ?? ""), folder);
  }
  const folder = firstOf(carriedFiles(report), skills.leadsInto);
  return folder === undefined ? undefined : denied(report.command?.text ?? "it", folder);
}

function denied(text: string, folder: string): GateFinding {
  return deny(`${text} runs a script from the untrusted skill ${folder} (see \`gauntlet trust\`)`, "path_boundary");
}

function runsSomething({ effects }: Pick<EffectReport, "effects">): boolean {
  return effects.some(({ op }) => op === "exec" || op === "unknown");
}

/** If a part runs its input or could not be analysed, any word of the command may name the program that runs. */
function runningParts({ command, effects, parts }: EffectReport): readonly EffectPart[] {
  const argv = effects.flatMap((effect) => (effect.op === "exec" ? effect.argv : []));
  const all = parts ?? [{ text: command?.text ?? argv.join(" "), words: argv, effects, reason: "" }];
  const isOpen = effects.some(({ op }) => op === "unknown") || all.some(({ runsText }) => runsText === true);
  // A redirection has no words of its own: it is the input of the program.
  if (!isOpen) return all.filter((part) => part.words === undefined || part.effects.some(({ op }) => op === "exec"));
  // The words of a loop and of a here-document are not in any part.
  return command === undefined
    ? all
    : [...all, { text: command.text, effects: [], reason: "", cwd: command.cwd.resolved }];
}

function filesOf({ effects }: Pick<EffectReport, "effects">): readonly string[] {
  return effects.filter(isFileEffect).map(({ path }) => path.resolved);
}

/** The files that a command copies or moves, and can then run. */
function carriedFiles({ effects }: EffectReport): readonly string[] {
  if (!effects.some(({ op }) => op === "write")) return [];
  return filesOf({ effects: effects.filter(({ op }) => op === "read" || op === "delete") });
}

/** Every word as a path, and every path that an option, a variable or code in it may name. */
function pathsNamedBy({ text, words = [], cwd }: EffectPart, { workspace }: GateQuestion): readonly string[] {
  const from = cwd ?? workspace.cwd;
  const pieces = [text, ...words]
    .flatMap(looseNames)
    .flatMap((piece) => (/^-[A-Za-z]./.test(piece) ? [piece, piece.slice(2)] : [piece]))
    .filter((piece) => piece !== "");
  return [...new Set(pieces)].map((piece) => {
    if (/^~\+(?=\/|$)/.test(piece)) return resolve(from, `.${piece.slice(2)}`);
    return /^~(?=\/|$)/.test(piece) ? resolve(workspace.home, `.${piece.slice(1)}`) : resolve(from, piece);
  });
}

const hasPattern = (text: string) => /[*?[]/.test(text);

/** The entries of untrusted skills that a shell word matches. */
function matcher(skills: UntrustedSkills, { workspace }: GateQuestion): (path: string) => readonly string[] {
  let entries: readonly string[] | undefined;
  return (path) => {
    if (!hasPattern(path)) return [path];
    // Named character classes count as any character.
    const names = path.replace(/\[\[.*?\]\]/g, "*").split("/");
    const pattern = compilePath(`/${names.join("/")}`, { workspace: "/", home: workspace.home }, false);
    if ("problem" in pattern) return [];
    // As in a shell, only a name that begins with a dot or a class matches a hidden one.
    const hidden = names.filter((name) => /^[.[\\]/.test(name)).map(compileName);
    const isShown = (name: string) => !name.startsWith(".") || hidden.some(({ matches }) => matches(name));
    entries ??= skills.entries();
    const matched = entries.filter((entry) => matchesPath(pattern, entry) && entry.split("/").every(isShown));
    return [...matched, names.slice(0, names.findIndex(hasPattern)).join("/")];
  };
}

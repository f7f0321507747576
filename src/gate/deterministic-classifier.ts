import { firstOf } from "../base/async.ts";
import { type EffectPart, isFileEffect, isInside } from "../contract/effect.ts";
import type { ClassifierPort, GateQuestion } from "../contract/gate.ts";
import { baseName } from "../programs/given-program.ts";
import { isProgram } from "../programs/program-kinds.ts";
import { isForkBomb } from "../shell/command-text.ts";

/** Denies obvious destruction. It never allows; everything else is left to `next` or to the user. */
export function createClassifier(next?: ClassifierPort): ClassifierPort {
  return {
    async classify(question, signal) {
      const reason = destroys(question);
      if (reason !== undefined) return { decision: "deny", reason };
      return next?.classify(question, signal) ?? { decision: "ask", reason: "the user decides" };
    },
  };
}

function destroys(question: GateQuestion): string | undefined {
  const { report, workspace } = question;
  return (
    removesFoundation(question) ??
    overwritesDevice(question) ??
    (isForkBomb(report.command?.text ?? "") ? "it is a fork bomb" : undefined) ??
    firstOf(report.parts ?? [], (part) => emptiesRoot(part) ?? formats(part) ?? opensEverything(part, workspace.home))
  );
}

/** A root, a home or a directory around the workspace. */
function removesFoundation({ report, workspace }: GateQuestion): string | undefined {
  const kept = [workspace.home, ...workspace.roots];
  const isFoundation = (path: string) => isTopLevel(path) || kept.some((one) => isInside(one, path));
  const found = report.effects
    .filter(isFileEffect)
    .find(({ op, scope, path }) => op === "delete" && scope === "tree" && isFoundation(path.resolved));
  return found && `it would delete ${found.path.resolved} and everything in it`;
}

/** The shell expands the pattern, so no effect shows it. */
function emptiesRoot({ words: [program = "", ...operands] = [] }: EffectPart): string | undefined {
  const recursive = operands.some((word) => word === "--recursive" || /^-[a-zA-Z]*[rR]/.test(word));
  return isProgram("deletesTrees", baseName(program)) && recursive && operands.some((word) => /^\/+[*.]*$/.test(word))
    ? "it would delete everything in /"
    : undefined;
}

function isTopLevel(path: string): boolean {
  return /^\/[^/]*$/.test(path);
}

const harmlessDevices = ["/dev/null", "/dev/full", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/zero"];

function overwritesDevice({ report }: GateQuestion): string | undefined {
  const written = report.effects.filter(isFileEffect).filter(({ op }) => op === "write" || op === "delete");
  const named = (report.parts ?? []).flatMap(({ words = [] }) =>
    isProgram("copiesDevices", programOf(words) ?? "")
      ? words.flatMap((word) => (word.startsWith("of=") ? [word.slice(3)] : []))
      : [],
  );
  const device = [...written.map(({ path }) => path.resolved), ...named].find(
    (path) => path.startsWith("/dev/") && !/^\/dev\/(fd|pts|shm)\//.test(path) && !harmlessDevices.includes(path),
  );
  return device === undefined ? undefined : `it would write to the device ${device}`;
}

function formats({ words = [] }: EffectPart): string | undefined {
  const program = programOf(words);
  return program !== undefined && isProgram("formats", program) ? `${program} would erase its target` : undefined;
}

function opensEverything({ words = [] }: EffectPart, home: string): string | undefined {
  const program = programOf(words);
  if (program === undefined || !isProgram("changesRights", program)) return undefined;
  const recursive = words.some((word) => word === "--recursive" || /^-[a-zA-Z]*R/.test(word));
  const target = words.slice(1).find((word) => isTopLevel(word.replace(/(?<=.)\/+\*?$/, "")) || word === home);
  return recursive && target !== undefined
    ? `it would change the permissions of everything below ${target}`
    : undefined;
}

function programOf(words: readonly string[]): string | undefined {
  const first = words.findIndex((word) => !isProgram("wraps", baseName(word)) && !word.startsWith("-"));
  return words[first] === undefined ? undefined : baseName(words[first]);
}

import type { EffectPart } from "../../contract/effect.ts";
import { isGitVerb } from "./verbs.ts";

/** Flags of git's own that take the content of a file. */
const takesFile = /^-\w*[Fft]|^--(?:file|contents|template|ignore-revs-file|no-index)(?:=|$)/;

/**
 * The masks of a command cover the closed files that are there when it starts, and links are followed then. What git
 * brings into the working tree meanwhile is open to whatever reads it in the same text.
 */
export function readsWhatGitBrings(parts: readonly EffectPart[]): string | undefined {
  const git = parts.find((part) => part.effects.some((effect) => effect.op === "exec" && bringsFiles(effect.argv)));
  if (git === undefined || !parts.some((part) => part !== git && readsFiles(part))) return undefined;
  return `${git.text} may bring closed files; read in a call of its own`;
}

/** Git itself keeps to the names of closed files, unless it is given a file, which need not be there yet. */
function readsFiles({ words = [], effects }: EffectPart): boolean {
  if (words[0] === "git") return words.some((word) => takesFile.test(word));
  return effects.some(({ op }) => op === "read");
}

function bringsFiles([program, command = "", ...words]: readonly string[]): boolean {
  if (program !== "git") return false;
  if (command === "stash") return ["pop", "apply", "branch"].includes(words[0] ?? "");
  const [flag, name, ...more] = words.filter((word) => word !== "-q" && word !== "--quiet");
  const onlyNames = name !== undefined && more.length === 0 && (flag === "-b" || flag === "-c");
  return isGitVerb("brings", command) && !onlyNames;
}

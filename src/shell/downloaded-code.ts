import { basename } from "node:path/posix";
import { type EffectPart, isFileEffect } from "../contract/effect.ts";
import { baseName, type GivenProgram, isSetting, runsInput } from "../programs/given-program.ts";
import { matchesName } from "../programs/match-pattern.ts";
import { clientNames, downloaders } from "../programs/network.ts";
import { runsBehind } from "../programs/wrappers.ts";
import type { FoundCommand } from "./walk.ts";

/** Who may run what the same text downloads needs a saved rule: nobody can look at the code first. */
export function settleDownloads(found: readonly FoundCommand[]): readonly FoundCommand[] {
  const names = found.some(({ part }) => downloads(part)) ? new Set(found.flatMap(writtenNames)) : undefined;
  const running = found.filter((one) => one.programs?.some((program) => runsDownload(program, one, names)));
  if (running.length === 0) return found;
  return found.map((one) =>
    running.includes(one) || downloads(one.part)
      ? { ...one, part: { ...one.part, reason: "runs what it downloads", needsSavedRule: true } }
      : one,
  );
}

/** `names` are last names of files that may hold what was downloaded; absent where nothing is. */
function runsDownload(
  program: GivenProgram,
  { fed, part }: FoundCommand,
  names: ReadonlySet<string> | undefined,
): boolean {
  // `deno run https://…` brings its program itself.
  if (program.from === "file" && /^https?:\/\//i.test(program.word.value)) return true;
  if (names === undefined) return false;
  if (fed === true && runsInput(program)) return true;
  if (program.from === "input") return false;
  const { value, certain, glob } = program.word;
  if (!certain) return !part.effects.every(({ op }) => op === "read");
  if (program.from === "text") return program.language === "unread" && /[$`]/.test(value);
  const name = basename(value);
  const isIt = (file: string) => file === name || file.replace(/\.(?:[cm]?[jt]sx?|node)$/, "") === name;
  return [...names].some((file) => (glob === true ? matchesName(name, file) : isIt(file)));
}

function writtenNames({ part, programs = [] }: FoundCommand): readonly string[] {
  const { words, effects, text } = part;
  const writes = effects.flatMap((effect) =>
    isFileEffect(effect) && effect.op === "write" ? [effect.path.resolved] : [],
  );
  const unclear = effects.some(({ op }) => op === "unknown") || downloads(part);
  if (writes.length === 0 && !unclear) return [];
  const given = words === undefined ? [text.replace(/^\d?[<>|&]+\s*/, "")] : words.slice(1);
  // Its own program is not what it writes.
  const own = new Set(programs.flatMap((program) => (program.from === "file" ? [program.word.value] : [])));
  return [...writes, ...given.filter((word) => /^[^-$]/.test(word) && !own.has(word))].map(lastName);
}

function lastName(word: string): string {
  return basename(word.replace(/[?#].*$/, "").replace(/^[^/]*:(?!\/\/)/, ""));
}

function downloads({ effects, words = [], text }: EffectPart): boolean {
  const among = effects.some(({ op }) => op === "connect") ? clientNames : downloaders;
  if (namesProgram(words, among)) return true;
  // What could not be carried out was not found either.
  return (
    effects.some(({ op }) => op === "unknown") && text.split(/[\s;|&()`'"<]+/).some((word) => downloaders.has(word))
  );
}

/** Of a command, or of one that runs another: `sudo -u x curl`, `A=b env curl`. */
function namesProgram(words: readonly string[], among: ReadonlySet<string>): boolean {
  for (const [at, word] of words.entries()) {
    if (among.has(baseName(word))) return true;
    const leads = runsBehind.has(baseName(word)) || isSetting(word);
    if (!leads && words[at - 1]?.startsWith("-") !== true) return false;
  }
  return false;
}

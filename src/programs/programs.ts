import { narrowerTool } from "./narrower-tool.ts";
import { network } from "./network.ts";
import { here, isElsewhere, namedFiles, readByRoles, roleEffects } from "./path-operands.ts";
import type { CommandReading, ProgramCall, ProgramEntry, ShellWord, Site } from "./program-entry.ts";
import { readArguments } from "./read-arguments.ts";
import { asksForVersion, notUnderstood } from "./readings.ts";
import { runnerPrograms } from "./runners.ts";
import { find } from "./tables/find.ts";
import { readers } from "./tables/readers.ts";
import { refused, unread } from "./tables/refused.ts";
import { scripts } from "./tables/scripts.ts";
import { search } from "./tables/search.ts";
import { writers } from "./tables/writers.ts";

const own = [...readers, ...search, ...find, ...scripts, ...writers, ...unread];

/** Programs that run nothing else unless their own entry says so. */
export const ownPrograms: ReadonlySet<string> = new Set(own.flatMap(({ names }) => names));

export const programs: readonly ProgramEntry[] = [...own, ...runnerPrograms, ...network, ...refused];

/** What a call would touch. Where it is not understood, the files that its words name count as read. */
export function readProgram(
  entry: ProgramEntry,
  name: string,
  words: readonly ShellWord[],
  place: Site,
): CommandReading {
  if (ownPrograms.has(name) && asksForVersion(words, ["--version", "--help"])) {
    return { effects: [], reason: `${name} only prints its help or version` };
  }
  const call = readArguments(entry, name, words);
  const reading = "why" in call ? unreadCall(entry, call.why, place) : readCall(call, place);
  const output = "why" in call ? undefined : entry.output?.(call);
  const next = narrowerTool(name, words, place);
  const isUnclear = ownPrograms.has(name) && reading.effects.some(({ op }) => op === "unknown");
  const named = isUnclear ? namedFiles(words, "file", place).filter((effect) => isElsewhere(effect, place)) : [];
  return { ...reading, effects: [...reading.effects, ...named], output: output ?? reading.output, next };
}

function readCall(call: ProgramCall, place: Site): CommandReading {
  const { operands } = call.entry;
  return typeof operands === "function" ? operands(call, place) : readByRoles(call, operands, place);
}

function unreadCall({ operands }: ProgramEntry, why: string, place: Site): CommandReading {
  const reading = notUnderstood(why);
  const role = typeof operands === "function" ? undefined : operands.none;
  return role ? { ...reading, effects: [...reading.effects, ...roleEffects(role, here, false, place)] } : reading;
}

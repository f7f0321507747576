import { archive } from "./archive.ts";
import { bytes } from "./bytes.ts";
import { compare } from "./compare.ts";
import { coreutilsRead } from "./coreutils-read.ts";
import { coreutilsText } from "./coreutils-text.ts";
import { fd } from "./fd.ts";
import { find } from "./find.ts";
import { network } from "./network.ts";
import { openssl } from "./openssl.ts";
import { readByRoles } from "./path-operands.ts";
import type { ProgramEntry } from "./program-entry.ts";
import { asksForVersion } from "./readings.ts";
import { refused } from "./refused.ts";
import { runnerPrograms } from "./runners.ts";
import { search } from "./search.ts";
import { sqlite } from "./sqlite.ts";
import { system } from "./system.ts";
import { textPrograms } from "./text-programs.ts";
import { viewers } from "./viewers.ts";
import { writers } from "./writers.ts";

const own = [
  ...coreutilsRead,
  ...coreutilsText,
  ...bytes,
  ...compare,
  ...search,
  ...find,
  ...fd,
  ...textPrograms,
  ...archive,
  ...system,
  ...viewers,
  ...sqlite,
  ...openssl,
  ...writers,
];

/** Programs that run nothing else unless their own entry says so. */
export const ownPrograms: ReadonlySet<string> = new Set(own.flatMap(({ names }) => names));

/** Every program and sub-command that is understood, `git` apart. */
export const programs: readonly ProgramEntry[] = [
  ...own.map(describesItself),
  ...runnerPrograms,
  ...network,
  ...refused,
];

/** Standing alone, `--version` and `--help` only print. */
function describesItself(entry: ProgramEntry): ProgramEntry {
  const words = ["--version", "--help"];
  const { operands, needs } = entry;
  return {
    ...entry,
    ...(entry.verbatim === true ? {} : { flags: [...(entry.flags ?? []), ...words] }),
    ...(needs === undefined ? {} : { needs: [...needs, ...words] }),
    operands: (call, place) => {
      if (asksForVersion(call.words, words)) return { effects: [], reason: `${call.name} only describes itself` };
      return typeof operands === "function" ? operands(call, place) : readByRoles(call, operands, place);
    },
  };
}

import type { Effect } from "../../contract/effect.ts";
import { flags, text } from "../flag-lists.ts";
import { pathEffect } from "../path-operands.ts";
import {
  type CommandReading,
  notUnderstood,
  type ProgramCall,
  type ProgramEntry,
  type ShellWord,
} from "../program-entry.ts";
import { readArguments } from "../read-arguments.ts";
import type { GitPlace } from "./find-repository.ts";

const readActions = flags("l", "list get get-all get-regexp get-urlmatch get-color get-colorbool");
const writeActions = flags("", "add unset unset-all replace-all rename-section remove-section");
/** Outside the sandbox nothing of these is seen, and inside it nothing of them may be written. */
const elsewhere = flags("", "global system worktree");

const entry: ProgramEntry = {
  names: ["git config"],
  flags: [
    ...readActions,
    ...writeActions,
    ...elsewhere,
    ...flags(
      "z",
      "local null name-only includes no-includes show-origin show-scope bool int bool-or-int path fixed-value",
    ),
  ],
  values: { ...text("--type --default"), "-f": "read", "--file": "read" },
  operands: {},
};

/** One name is asked for, a name and a value are set: `git config user.name`, `git config user.name me`. */
export function readConfig(words: readonly ShellWord[], place: GitPlace): CommandReading {
  const call = readArguments(entry, "git config", words);
  if ("why" in call) return notUnderstood(call.why);
  const seen = [...call.operands, ...call.values.map(({ word }) => word)];
  if (seen.some((word) => word.glob || word.unknown !== undefined))
    return notUnderstood("git config of an unclear name");
  const named = call.values.filter(({ role }) => role === "read");
  if (onlyReads(call)) {
    const files = named.length === 0 ? [shownFile(place)] : named.map(({ word }) => word);
    return { effects: files.map((file) => pathEffect("read", file, "file", place)), reason: "git config only reads" };
  }
  if (named.length > 0 || elsewhere.some((flag) => call.flags.has(flag))) {
    return notUnderstood("git config writes a file other than the repository's own");
  }
  return { effects: [writeConfig(place)], reason: "git config changes .git/config" };
}

export function writeConfig(place: GitPlace): Effect {
  return pathEffect("write", ownFile(place), "file", place);
}

function ownFile({ repository: { common } }: GitPlace): ShellWord {
  return { text: ".git/config", value: `${common}/config`, glob: false, tilde: false };
}

/** To a linked worktree the configuration that all trees share is shown by its own `.git`. */
function shownFile({ root, repository: { own, common } }: GitPlace): ShellWord {
  return { text: ".git/config", value: `${root}/.git${own === common ? "/config" : ""}`, glob: false, tilde: false };
}

function onlyReads({ flags: given, operands }: ProgramCall): boolean {
  if (writeActions.some((flag) => given.has(flag))) return false;
  if (readActions.some((flag) => given.has(flag))) return true;
  // Newer versions have words for it; to older ones these are no names of a setting and fail.
  const [first] = operands;
  if (first?.value === "get" || first?.value === "list") return true;
  return operands.length === 1 && first?.value.includes(".") === true;
}

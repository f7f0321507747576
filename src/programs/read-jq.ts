import { readByRoles } from "./path-operands.ts";
import { type CommandReading, notUnderstood, type Place, type ProgramCall, type ShellWord } from "./program-entry.ts";

const letters: ReadonlySet<string> = new Set("rcnesSMCajR");
const longs: ReadonlySet<string> = new Set(
  "raw-output raw-output0 compact-output null-input exit-status slurp sort-keys monochrome-output color-output ascii-output join-output tab raw-input unbuffered stream stream-errors seq".split(
    " ",
  ),
);
const refusedFlags: Readonly<Record<string, string>> = {
  "-f": "reads its program from a file",
  "--from-file": "reads its program from a file",
  "-L": "chooses where modules are read",
  "--library-path": "chooses where modules are read",
  "--run-tests": "reads tests from a file",
};

/**
 * Filters of jq neither write nor run anything, but they may import other files by name. Its flags take up to
 * two values and may stand anywhere, so the words are taken here one by one.
 */
export function readJq(call: ProgramCall, place: Place): CommandReading {
  const operands: ShellWord[] = [];
  const values: { flag: string; role: "read" | "text"; word: ShellWord }[] = [];
  let filesEnd = Number.POSITIVE_INFINITY;
  const ahead = call.words.toReversed();
  for (let word = ahead.pop(); word !== undefined; word = ahead.pop()) {
    const { value } = word;
    if (word.unknown !== undefined && (operands.length === 0 || word.unknown.names === undefined)) {
      return notUnderstood(`${word.text} may become a flag or the filter of ${call.name}`);
    }
    if (!value.startsWith("-") || value === "-") {
      operands.push(word);
      continue;
    }
    if (word.glob) return notUnderstood(`${word.text} may become any flag of ${call.name}`);
    const refused = Object.keys(refusedFlags).find((flag) => isFlag(value, flag));
    if (refused !== undefined) return notUnderstood(`${call.name} ${refused} ${refusedFlags[refused]}`);
    if (value === "--args" || value === "--jsonargs") {
      filesEnd = Math.min(filesEnd, Math.max(operands.length, 1));
    } else if (value === "--indent") {
      if (!takesWords(1)) return notUnderstood(`${value} lacks its value`);
    } else if (value === "--arg" || value === "--argjson") {
      if (!takesWords(2)) return notUnderstood(`${value} lacks its values`);
    } else if (value === "--slurpfile" || value === "--rawfile" || value === "--argfile") {
      if (!takesWords(1)) return notUnderstood(`${value} lacks its values`);
      const file = ahead.pop();
      if (file === undefined) return notUnderstood(`${value} lacks its file`);
      values.push({ flag: value, role: "read", word: file });
    } else if (!isKnown(value)) {
      return notUnderstood(`the flag ${value} of ${call.name} is not in the tables`);
    }
  }

  const [filter] = operands;
  if (filter !== undefined) {
    if (filter.glob) return notUnderstood(`the filter ${filter.text} depends on the directory`);
    const objection = jqObjection(filter.value);
    if (objection !== undefined) return notUnderstood(objection);
  }
  if (filesEnd === Number.POSITIVE_INFINITY)
    return readByRoles({ ...call, operands, values }, { first: ["text"], rest: "read" }, place);
  // What stands in front of --args is a file all the same.
  const files = operands.slice(1, filesEnd).map(() => "read" as const);
  return readByRoles({ ...call, operands, values }, { first: ["text", ...files], rest: "text" }, place);

  /** Words that are only text, whatever they hold. */
  function takesWords(count: number): boolean {
    return Array.from({ length: count }, () => ahead.pop()).every(
      (word) => word !== undefined && !word.glob && word.unknown?.one !== false,
    );
  }
}

function isFlag(value: string, flag: string): boolean {
  if (flag.startsWith("--")) return value === flag;
  return value === flag || (!value.startsWith("--") && value.includes(flag.slice(1)));
}

function isKnown(value: string): boolean {
  if (value.startsWith("--")) return longs.has(value.slice(2));
  return [...value.slice(1)].every((letter) => letters.has(letter));
}

/**
 * A filter imports only by a word of its own at its beginning: `.include` and `"include"` are names. The
 * words are refused everywhere else, which costs nothing.
 */
export function jqObjection(filter: string): string | undefined {
  const found = /(?<![.\w"$])(?:import|include|modulemeta)\b/.exec(filter);
  if (found !== null) return `the jq filter names ${found[0]}, which may read other files`;
  return /\$ENV\b|(?<![.\w"$])env\b(?!\s*:)/.test(filter) ? "the jq filter prints the environment" : undefined;
}

/** The paths and plain functions that every program named yq reads the same way. */
export function isPlainYqFilter(filter: string): boolean {
  const words = filter.replaceAll(/"[^"\\$]*"/g, '""').replaceAll(/\.[A-Za-z_][\w-]*/g, ".");
  if (!/^[\w\s.,|()[\]"=!<>:*?-]*$/.test(words)) return false;
  if (/=(?!=)/.test(words.replaceAll(/[=!<>]=/g, ""))) return false;
  return words.split(/[^A-Za-z_]+/).every((word) => word === "" || yqWords.has(word));
}

const yqWords: ReadonlySet<string> = new Set(
  "keys length select has map to_entries from_entries with_entries sort sort_by unique unique_by type first last and or not true false null contains test any all flatten add join group_by min max path paths".split(
    " ",
  ),
);

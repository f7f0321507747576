import type { Effect } from "../contract/effect.ts";
import { listed, text } from "./flag-lists.ts";
import { pathEffect } from "./path-operands.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramCall,
  type ProgramEntry,
} from "./program-entry.ts";
import { hasFlag, isLiteral } from "./readings.ts";

const formats = listed(
  "header noheader column csv json line list html markdown box table quote tabs ascii batch bail safe readonly",
);

/** Questions to a database in a file. Its own program also runs commands, reads files and loads extensions. */
export const sqlite: readonly ProgramEntry[] = [
  {
    names: ["sqlite3"],
    flags: formats.flatMap((name) => [`-${name}`, `--${name}`]),
    values: text("-separator -nullvalue -newline"),
    flagsFirst: true,
    operands: readQuestions,
  },
];

function readQuestions(call: ProgramCall, place: Place): CommandReading {
  const [database, ...questions] = call.operands;
  if (database === undefined || questions.length === 0) return notUnderstood("sqlite3 reads commands from its input");
  const unclear = [database, ...questions].find((word) => !isLiteral(word));
  if (unclear !== undefined) return notUnderstood(`what ${unclear.text} becomes is not certain`);
  if (/^file:/i.test(database.value)) return notUnderstood("sqlite3 opens an address");
  const other = questions.find(({ value }) => !onlyAsks(value));
  if (other !== undefined) return notUnderstood(`sqlite3 may do more with ${other.text}`);
  const read: readonly Effect[] = database.value === ":memory:" ? [] : [pathEffect("read", database, "file", place)];
  // Opened for writing, what an interrupted program left behind is cleared up first.
  const tidied = hasFlag(call, "-readonly", "--readonly") || read.length === 0;
  const effects = tidied ? read : [...read, pathEffect("write", database, "file", place)];
  return { effects, reason: "sqlite3 asks a database" };
}

const plainCommands = /^\.(?:tables|schema|indexes|indices|fullschema|dump)(?: [\w.%*]+)?$/;
const begins = /^\s*(?:(?:select|with|explain|values)\b|$)/i;
const plainPragma =
  /^\s*(?:pragma\s+(?:table_info|table_xinfo|table_list|index_list|index_info|foreign_key_list|database_list|user_version|schema_version|page_count|page_size|encoding|compile_options|integrity_check|quick_check|foreign_key_check)\s*(?:\(\s*["'\w]*\s*\))?\s*)$/i;
const changes = /\b(?:insert|update|delete|replace|drop|create|alter|attach|detach|vacuum|reindex|analyze|pragma)\b/i;
/** Tables that are made of files, and the pages of the database itself. */
const tablesOfFiles = /fsdir|zipfile|sqlite_dbpage|dbdata|load_extension|readfile|writefile/i;
/** What may stand in front of a bracket: words of the language, and functions that only calculate. */
const mayOpen: ReadonlySet<string> = new Set(
  listed(
    "in values as exists and or not on using when then else case from select where over filter union all by having limit offset between like is distinct count sum avg min max total abs round length substr substring lower upper trim ltrim rtrim coalesce ifnull nullif iif instr hex typeof printf format group_concat string_agg date time datetime julianday strftime unixepoch json_extract json_array_length json_type json_valid json_object json_array json_group_array row_number rank dense_rank lag lead first_value last_value cast random",
  ),
);

function onlyAsks(question: string): boolean {
  if (question.startsWith(".")) return plainCommands.test(question);
  if (/--|\/\*|[`[\]\0]/.test(question) || tablesOfFiles.test(question)) return false;
  // Each kind of quote may stand inside the other, so both are taken together.
  const bare = question.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, (found) => (found.startsWith("'") ? "''" : '""'));
  if (/['"]/.test(bare.replace(/''|""/g, ""))) return false;
  return bare.split(";").every((one) => plainPragma.test(one) || onlySelects(one));
}

function onlySelects(statement: string): boolean {
  if (!begins.test(statement) || changes.test(statement)) return false;
  const opened = [...statement.matchAll(/([\w$"']*)\s*\(/g)];
  return opened.every(([, name = ""]) => name === "" || mayOpen.has(name.toLowerCase()));
}

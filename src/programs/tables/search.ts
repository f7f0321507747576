import { secretQueryReason } from "../../effects/secret-query.ts";
import { entriesOf } from "../flag-lists.ts";
import { picksSecrets } from "../match-pattern.ts";
import { readByRoles } from "../path-operands.ts";
import type { CommandReading, ProgramCall, ProgramEntry, Site } from "../program-entry.ts";
import { flagValue, hasFlag, isLiteral, notUnderstood } from "../readings.ts";

/** Programs that look for text. Flags under which they follow links or run filters are not listed. */
export const search: readonly ProgramEntry[] = [
  ...entriesOf(
    `
  grep,egrep,fgrep -EFGPivwxclLoqshHnbaIzTZUy -r^ --extended-regexp --fixed-strings --basic-regexp --perl-regexp
    --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches
    --files-without-match --only-matching --quiet --silent --no-messages --no-filename --with-filename --line-number
    --byte-offset --recursive^ --text --null --null-data --initial-tab --line-buffered --binary --color? --colour?
    -emABCd= --regexp= --max-count= --after-context= --before-context= --context= --directories= --include= --exclude=
    --exclude-dir= --binary-files= --label= --group-separator= -f=read --file=read --exclude-from=read -# :
`,
    { anyFlagReads: true },
  ),
  ...entriesOf(`
  zgrep,zegrep,zfgrep -EFivwxclLoqshHn -emABC= :
  rg -isSFwxvclonNHIqUPa0up.b --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --ignore --files
    --count --count-matches --files-with-matches --files-without-match --json --stats --heading --no-heading
    --line-number --no-line-number --vimgrep --pretty --trim --multiline --multiline-dotall --pcre2 --smart-case
    --ignore-case --case-sensitive --fixed-strings --word-regexp --line-regexp --invert-match --only-matching
    --no-filename --with-filename --column --no-column --text --binary --type-list --passthru --null --null-data
    --quiet --no-config --no-messages --unrestricted --crlf --byte-offset --one-file-system --no-follow
    --glob-case-insensitive -egtTABCmMrjEd= --regexp= --glob= --iglob= --type= --type-not= --after-context=
    --before-context= --context= --max-count= --max-columns= --max-depth= --max-filesize= --sort= --sortr= --replace=
    --color= --colors= --threads= --encoding= --engine= --path-separator= --type-add= --type-clear= -f=read
    --file=read --ignore-file=read :
`),
].map((entry) => ({ ...entry, operands: readSearch, output: outputOf }));

function readSearch(call: ProgramCall, place: Site): CommandReading {
  const directories = flagValue(call, "-d", "--directories");
  if (directories !== undefined && call.name !== "rg" && !/^(?:skip|read)$/.test(directories.value)) {
    return notUnderstood("write grep -r instead of -d recurse");
  }
  const namesOnly = hasFlag(call, "--files", "--type-list");
  const [operand] = call.operands;
  const takesOperand = patternsIn(call) > 0;
  if (takesOperand && operand === undefined) return notUnderstood(`${call.name} has no pattern`);
  if (takesOperand && operand?.glob) return notUnderstood(`the pattern ${operand.text} depends on the directory`);

  const given = call.values.filter(({ flag }) => flag === "-e" || flag === "--regexp").map(({ word }) => word);
  const patterns = takesOperand && operand !== undefined ? [operand] : given;
  // Without operands these search the working directory, the others their input.
  const deep = call.name === "rg" || hasFlag(call, "-r", "--recursive");
  const rest = !deep ? "read" : namesOnly ? "list-tree" : "read-tree";
  const reading = readByRoles(call, { first: takesOperand ? ["text"] : [], rest, ...(deep && { none: rest }) }, place);
  const secret =
    patterns.map((word) => secretQueryReason(word.value)).find((reason) => reason !== undefined) ??
    (namesOnly ? undefined : secretFiles(call));
  return secret === undefined ? reading : { ...reading, raisedBecause: secret };
}

function patternsIn(call: ProgramCall): number {
  return hasFlag(call, "-e", "--regexp", "-f", "--file", "--files", "--type-list") ? 0 : 1;
}

/** `--include='.env*'`, `-g '*.pem'`: a search that is made for files that stay closed. */
function secretFiles(call: ProgramCall): string | undefined {
  const globs = ["--include", "-g", "--glob", "--iglob"];
  const found = call.values.find(({ flag, word }) => globs.includes(flag) && picksSecrets([word]));
  return found === undefined ? undefined : `searches secret files (${found.word.value})`;
}

const filtering =
  /^-(?:[EFGPivwxshaqmeySN]|-ignore-case|-invert-match|-extended-regexp|-max-count|-regexp|-fixed-strings|-line-buffered)$/;

function outputOf(call: ProgramCall): "names" | "input" | undefined {
  const files = call.operands.slice(patternsIn(call));
  const deep = call.name === "rg" || hasFlag(call, "-r", "--recursive");
  const filters = !hasFlag(call, "-r", "--recursive") && [...call.flags].every((one) => filtering.test(one));
  if (filters && files.length === 0) return "input";
  const listing = hasFlag(call, "--files", "-l", "--files-with-matches", "--files-without-match");
  const changed = hasFlag(
    call,
    ...["--color", "--colour", "--colors", "--label", "--json", "--stats", "-p", "--pretty", "--path-separator"],
    "--type-list",
  );
  const named = (deep || files.length > 0) && files.every((word) => word.value !== "-" || !isLiteral(word));
  return listing && named && !changed ? "names" : undefined;
}

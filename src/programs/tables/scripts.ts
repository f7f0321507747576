import { entriesOf } from "../flag-lists.ts";
import { pathEffect, readByRoles } from "../path-operands.ts";
import type { CommandReading, ProgramCall, ProgramEntry, ShellWord, Site } from "../program-entry.ts";
import { hasFlag, isLiteral, notUnderstood, type Reader } from "../readings.ts";

const readings: Readonly<Record<string, Partial<ProgramEntry>>> = {
  sed: { operands: readSed },
  awk: { operands: readAwk, flagsFirst: true },
  jq: {
    operands: withFilter((filter) => !/\$ENV\b|(?<![.\w"$])(?:import|include|modulemeta|env(?!\s*:))\b/.test(filter)),
    anyFlagReads: true,
  },
  yq: { operands: withFilter((filter) => /^[\w\s.|[\]"*-]+$/.test(filter) && !/\benv\b/.test(filter)) },
};

/** Programs whose first operand is a program in a language of its own, of which only the plain part is read. */
export const scripts: readonly ProgramEntry[] = entriesOf(`
  sed -nErsuzb --quiet --silent --regexp-extended --separate --unbuffered --null-data --zero-terminated --posix --debug
    --sandbox -i? --in-place? -el= --expression= --line-length= :
  awk,gawk,mawk,nawk -Fv= --field-separator= --assign= :
  jq -rcnesSMCajR --raw-output --compact-output --null-input --exit-status --slurp --sort-keys --monochrome-output
    --color-output --ascii-output --join-output --tab --raw-input --unbuffered --stream --seq --indent= :
  yq,yq~e,yq~eval -rcyePMCNj --raw-output --compact-output --exit-status --prettyPrint --no-doc --unwrapScalar
    --yaml-output -opI= --output-format= --input-format= --indent= :
`).map((entry) => ({ ...entry, ...readings[entry.names[0] ?? ""] }));

const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n[]|\\.|\[\^?\]?(?:[^\]/\\\n[]|\[:\w+:\])*\])+/[IM]?)`;
const pattern = String.raw`(?:(?!\k<end>)[^\\\n[]|\\.|\[\^?\]?(?:(?!\k<end>)[^\]\\\n[]|\[:\w+:\])*\])*`;
const substitution = String.raw`[sy](?<end>[/|,#@:!%_+])${pattern}\k<end>(?:(?!\k<end>)[^\\\n]|\\.)*\k<end>[gpiImM\d]*`;
const selecting = String.raw`[pPdDnN]|[qQ]\d*|:\w+|[btT] ?\w*`;
/** A command of sed that reads and writes no other file and runs nothing: `e`, `w`, `r` and flags like them are not here. */
const sedCommand = new RegExp(
  [
    String.raw`\s*(?:${address}(?:\s*,\s*(?:${address}|[+~]\d+))?\s*)?!?\s*`,
    String.raw`(?:\{|(?:[}hHgGxl=]|${selecting}|${substitution})(?=\s*(?:[;\n}]|$))|[aic](?:\\\n)?[^\n\\]+(?=\n|$))[\s;]*`,
  ].join(""),
  "y",
);

export function isPlainSedScript(script: string): boolean {
  let depth = 0;
  sedCommand.lastIndex = 0;
  while (sedCommand.lastIndex < script.length) {
    const found = sedCommand.exec(script);
    if (found === null) return false;
    depth += found[0].trimEnd().endsWith("{") ? 1 : /^\s*\}/.test(found[0]) ? -1 : 0;
  }
  return depth === 0;
}

function sedParts(call: ProgramCall): { readonly scripts: readonly ShellWord[]; readonly files: readonly ShellWord[] } {
  const given = call.values.filter(({ flag }) => flag === "-e" || flag === "--expression").map(({ word }) => word);
  if (given.length > 0) return { scripts: given, files: call.operands };
  return { scripts: call.operands.slice(0, 1), files: call.operands.slice(1) };
}

function readSed(call: ProgramCall, place: Site): CommandReading {
  const { scripts, files } = sedParts(call);
  const isPlain = scripts.length > 0 && scripts.every(isLiteral);
  if (!isPlain || !isPlainSedScript(scripts.map(({ value }) => value).join("\n")))
    return notUnderstood("the sed script could not be analysed");
  const edits = hasFlag(call, "-i", "--in-place");
  // In place it never takes the working directory or its input instead of a file.
  const operands = edits
    ? files.map((word) => (word.unknown === undefined ? word : { ...word, unknown: { ...word.unknown, one: true } }))
    : files;
  const onFiles = { ...call, operands, values: [] };
  const reading = readByRoles(onFiles, { rest: "read" }, place);
  if (!edits) return reading;
  // Everything behind -i in the same word is the suffix of the backup files.
  const suffix =
    call.words.flatMap(({ value }) => /^(?:-[nErsuzb]*i|--in-place=?)(.+)$/s.exec(value)?.[1] ?? [])[0] ?? "";
  if (!/^[\w.~-]*$/.test(suffix)) return notUnderstood("sed -i writes backup files in an unusual place");
  const backups = suffix === "" ? [] : files.map((word) => ({ ...word, value: `${word.value}${suffix}` }));
  return {
    effects: [
      ...reading.effects,
      ...readByRoles(onFiles, { rest: "edit" }, place).effects,
      ...backups.map((word) => pathEffect("write", word, "file", place)),
    ],
    reason: "sed changes files in place",
  };
}

/** Words of awk that run programs, reach files or the environment, or define what other words do. */
const awkWords =
  /\b(?:system|getline|close|fflush|ARGV|ARGC|ENVIRON|SYMTAB|FUNCTAB|function|func|extension|bindtextdomain)\b/;

export function onlyPrints(program: string): boolean {
  // In a pattern a quote would be an ordinary character, and a string may go on in the next line.
  const code = /[/\n]/.test(program) ? program : program.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  // Awks disagree about a slash in brackets and behind an increment.
  const odd = /\[[^\]]*\/|(?:\+\+|--)\s*\/|@/.test(code) || code.replaceAll("||", "").includes("|");
  return !odd && !awkWords.test(code) && !/\bprintf?\b[\s\S]*>/.test(code);
}

function readAwk(call: ProgramCall, place: Site): CommandReading {
  const [program, ...operands] = call.operands;
  if (program === undefined || !isLiteral(program) || !onlyPrints(program.value)) {
    return notUnderstood(`the program of ${call.name} could not be analysed`);
  }
  // `name=value` among the files sets a variable.
  const files = operands.filter((word) => !isLiteral(word) || !/^[A-Za-z_]\w*=/.test(word.value));
  return readByRoles({ ...call, operands: files, literalFrom: 0 }, { rest: "read" }, place);
}

/** A filter prints what it finds in its input unless it names modules or the environment. */
function withFilter(isPlain: (filter: string) => boolean): Reader {
  return (call, place) => {
    const [filter] = call.operands;
    if ((filter !== undefined && !isLiteral(filter)) || !isPlain(filter?.value ?? "")) {
      return notUnderstood(`the filter of ${call.name} could not be analysed`);
    }
    return readByRoles(call, { first: ["text"], rest: "read" }, place);
  };
}

import { flags, text } from "./flag-lists.ts";
import { pathEffect, readByRoles } from "./path-operands.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramCall,
  type ProgramEntry,
  type ShellWord,
} from "./program-entry.ts";
import { awkObjection } from "./read-awk.ts";
import { isPlainYqFilter, readJq } from "./read-jq.ts";
import { readSedScript } from "./read-sed.ts";
import { hasFlag, isLiteral, refusing } from "./readings.ts";

/** Flags of sed under which it prints lines that came in, and nothing about them. */
const linesOnly: ReadonlySet<string> = new Set(
  "-n -E -r -s -u -e --quiet --silent --regexp-extended --separate --unbuffered --expression --posix --sandbox".split(
    " ",
  ),
);

/** Programs whose first operand is a program in a language of its own. */
export const textPrograms: readonly ProgramEntry[] = [
  {
    names: ["sed"],
    flags: flags(
      "nErsuzb",
      "quiet silent regexp-extended separate unbuffered null-data zero-terminated binary posix debug sandbox",
    ),
    optional: ["-i", "--in-place"],
    values: text("-e --expression -l --line-length -f --file"),
    operands: refusing({ "-f": "reads its script from a file", "--file": "reads its script from a file" }, readSed),
    output: (call) => {
      const { scripts, files } = sedParts(call);
      const script = readSedScript(scripts.map((word) => word.value).join("\n"));
      const plain = [...call.flags].every((flag) => linesOnly.has(flag));
      return plain && files.length === 0 && scripts.every(isLiteral) && "selectsOnly" in script && script.selectsOnly
        ? "input"
        : undefined;
    },
  },
  {
    names: ["awk", "gawk", "mawk", "nawk"],
    flagsFirst: true,
    values: text("-F -v -f -i -e -l --field-separator --assign --file --source --include --load"),
    operands: refusing(
      {
        "-f": "reads its program from a file",
        "--file": "reads its program from a file",
        "-i": "loads other files",
        "--include": "loads other files",
        "-l": "loads other files",
        "--load": "loads other files",
        "-e": "has its program in an unusual place",
        "--source": "has its program in an unusual place",
      },
      readAwk,
    ),
  },
  {
    names: ["jq"],
    verbatim: true,
    operands: readJq,
    anyFlagReads: true,
  },
  {
    names: ["yq", "yq e", "yq eval"],
    flags: flags("rcyePMCNjis", "raw-output compact-output exit-status prettyPrint no-doc unwrapScalar yaml-output"),
    values: text("-o -p -I --output-format --input-format --indent"),
    operands: refusing({ "-i": "changes files in place", "-s": "may write files" }, (call, place) => {
      const [filter] = call.operands;
      if (filter === undefined || !isLiteral(filter) || !isPlainYqFilter(filter.value)) {
        return notUnderstood("the yq filter is not a plain one");
      }
      return readByRoles(call, { first: ["text"], rest: "read" }, place);
    }),
  },
  {
    names: ["xmllint"],
    flags: flags("", "format noout recover nocdata noblanks nowarning nonet pretty html"),
    values: text("--xpath --encode"),
    operands: { rest: "read" },
  },
];

function sedParts(call: ProgramCall): { readonly scripts: readonly ShellWord[]; readonly files: readonly ShellWord[] } {
  const given = call.values.filter(({ flag }) => flag === "-e" || flag === "--expression").map(({ word }) => word);
  if (given.length > 0) return { scripts: given, files: call.operands };
  return { scripts: call.operands.slice(0, 1), files: call.operands.slice(1) };
}

function readSed(call: ProgramCall, place: Place): CommandReading {
  const { scripts, files } = sedParts(call);
  if (scripts.length === 0) return notUnderstood("sed lacks its script");
  const doubtful = scripts.find((word) => !isLiteral(word));
  if (doubtful !== undefined) return notUnderstood(`the sed script ${doubtful.text} is not certain`);
  const script = readSedScript(scripts.map((word) => word.value).join("\n"));
  if ("why" in script) return notUnderstood(script.why);

  const edits = hasFlag(call, "-i", "--in-place");
  // In place it never takes the working directory or its input instead of a file.
  const onFiles = { ...call, operands: edits ? files.map(oneEach) : files, values: [] };
  const reading = readByRoles(onFiles, { rest: "read" }, place);
  if (!edits) return reading;
  const suffix = backupSuffix(call);
  if (suffix === undefined) return notUnderstood("sed -i writes backup files in an unusual place");
  const changes = readByRoles(onFiles, { rest: "edit" }, place);
  const backups =
    suffix === ""
      ? []
      : files.map((word) => pathEffect("write", { ...word, value: `${word.value}${suffix}` }, "file", place));
  return { effects: [...reading.effects, ...changes.effects, ...backups], reason: "sed changes files in place" };
}

function oneEach(word: ShellWord): ShellWord {
  return word.unknown === undefined ? word : { ...word, unknown: { ...word.unknown, one: true } };
}

/** `-i` takes everything behind it in the same word as the suffix of the backup files. */
function backupSuffix(call: ProgramCall): string | undefined {
  const suffixes = call.words.flatMap(({ value }) => /^(?:-[nErsuzb]*i|--in-place=?)(.*)$/s.exec(value)?.[1] ?? []);
  const [suffix = ""] = suffixes;
  return suffixes.every((other) => other === suffix) && /^[\w.~-]*$/.test(suffix) ? suffix : undefined;
}

function readAwk(call: ProgramCall, place: Place): CommandReading {
  const [program, ...operands] = call.operands;
  if (program === undefined) return notUnderstood(`${call.name} lacks its program`);
  if (!isLiteral(program)) return notUnderstood(`the program ${program.text} is not certain`);
  const objection = awkObjection(program.value);
  if (objection !== undefined) return notUnderstood(objection);
  // `name=value` among the files sets a variable.
  const files = operands.filter((word) => !isLiteral(word) || !/^[A-Za-z_]\w*=/.test(word.value));
  return readByRoles({ ...call, operands: files, literalFrom: 0 }, { rest: "read" }, place);
}

import { secretQueryReason } from "../effects/secret-query.ts";
import { flags, listed, text } from "./flag-lists.ts";
import { readByRoles } from "./path-operands.ts";
import { picksSecrets } from "./picks-secrets.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramCall,
  type ProgramEntry,
  type Role,
} from "./program-entry.ts";
import { flagValue, hasFlag, isLiteral, refusing } from "./readings.ts";

const grepFlags = flags(
  "EFGPivwxclLoqshHnbrRaIzTZUy",
  "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count files-with-matches files-without-match only-matching quiet silent no-messages no-filename with-filename line-number byte-offset recursive dereference-recursive text null null-data initial-tab line-buffered binary",
);

/** Programs that look for text. Their flags also follow links and run filters. */
export const search: readonly ProgramEntry[] = [
  {
    names: ["grep", "egrep", "fgrep"],
    flags: grepFlags,
    optional: ["--color", "--colour"],
    values: {
      ...text("-e --regexp -m --max-count -A -B -C --after-context --before-context --context -d --directories"),
      ...text("--include --exclude --exclude-dir --binary-files --label --group-separator"),
      "-f": "read",
      "--file": "read",
      "--exclude-from": "read",
    },
    count: true,
    operands: refusing(
      {
        "-R": "follows links out of the tree; grep -r does not",
        "--dereference-recursive": "follows links out of the tree; grep -r does not",
      },
      (call, place) => {
        const directories = flagValue(call, "-d", "--directories");
        if (directories !== undefined && !/^(?:skip|read)$/.test(directories.value)) {
          return notUnderstood("write grep -r instead of -d recurse");
        }
        return readSearch(call, place, hasFlag(call, "-r", "--recursive") ? "tree" : "operands");
      },
    ),
    recursive: ["-r", "--recursive"],
    anyFlagReads: true,
    output: grepOutput,
  },
  {
    names: ["zgrep", "zegrep", "zfgrep", "bzgrep", "xzgrep", "zstdgrep"],
    flags: flags("EFivwxclLoqshHn", ""),
    values: text("-e -m -A -B -C"),
    operands: (call, place) => readSearch(call, place, "operands"),
  },
  {
    names: ["rg"],
    flags: flags(
      "isSFwxvclonNHIqUPa0up.bzL",
      "hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent no-ignore-global no-ignore-dot no-ignore-exclude ignore files count count-matches files-with-matches files-without-match include-zero json stats heading no-heading line-number no-line-number vimgrep pretty trim multiline multiline-dotall pcre2 auto-hybrid-regex smart-case ignore-case case-sensitive fixed-strings word-regexp line-regexp invert-match only-matching no-filename with-filename column no-column no-require-git no-ignore-files no-ignore-messages sort-files stop-on-nonmatch mmap no-mmap text binary type-list passthru null null-data quiet no-config no-messages unrestricted crlf byte-offset line-buffered block-buffered max-columns-preview one-file-system no-follow follow search-zip glob-case-insensitive debug trace no-unicode no-context-separator",
    ),
    values: {
      ...text("-e --regexp -g --glob --iglob -t -T --type --type-not -A -B -C -m -M -r -j -E -d"),
      ...text("--after-context --before-context --context --max-count --max-columns --max-depth --max-filesize"),
      ...text("--sort --sortr --replace --color --colors --threads --encoding --engine --path-separator --type-add"),
      ...text("--type-clear --field-match-separator --field-context-separator --regex-size-limit --dfa-size-limit"),
      ...text("--pre --pre-glob --hostname-bin"),
      "-f": "read",
      "--file": "read",
      "--ignore-file": "read",
    },
    operands: refusing(
      {
        "--pre": "runs a program on every file",
        "--pre-glob": "runs a program on every file",
        "--hostname-bin": "runs a program",
        "-z": "starts programs that uncompress",
        "--search-zip": "starts programs that uncompress",
        "-L": "follows links out of the tree",
        "--follow": "follows links out of the tree",
      },
      (call, place) => readSearch(call, place, "tree"),
    ),
    output: (call) => {
      const plain = !hasFlag(
        call,
        "--color",
        "--colors",
        "--json",
        "--stats",
        "-p",
        "--pretty",
        "--path-separator",
        "--debug",
        "--trace",
      );
      // Behind a pipe it searches what comes in.
      const filters = [...call.flags].every((flag) => /^-[vieFSwN]$|^--invert-match$|^--ignore-case$/.test(flag));
      const patterns = hasFlag(call, "-e") ? 0 : 1;
      if (filters && call.operands.length === patterns) return "input";
      const names = hasFlag(call, "--files", "-l", "--files-with-matches", "--files-without-match");
      return plain && names && !hasFlag(call, "--type-list") ? "names" : undefined;
    },
  },
  {
    names: ["ag"],
    flags: flags(
      "afilLoQSswvcnru0",
      "all-types literal ignore-case case-sensitive smart-case files-with-matches files-without-matches only-matching word-regexp invert-match count nogroup group numbers nonumbers nocolor nobreak noheading nofilename hidden unrestricted skip-vcs-ignores column ackmate stats vimgrep recurse norecurse null",
    ),
    values: text("-A -B -C -G -m --ignore --ignore-dir --depth --max-count --file-search-regex"),
    operands: refusing({ "-f": "follows links out of the tree" }, (call, place) => readSearch(call, place, "tree")),
  },
  {
    names: ["ack", "ack-grep", "ugrep", "ast-grep", "semgrep", "comby"],
    verbatim: true,
    operands: (call) => notUnderstood(`${call.name} takes flags and rules from files of the project`),
  },
  {
    names: ["locate", "plocate", "mlocate"],
    verbatim: true,
    operands: (call) => notUnderstood(`${call.name} searches the whole machine`),
  },
];

/** `tree`: without operands it searches the working directory; `operands`: its input. */
function readSearch(call: ProgramCall, place: Place, reach: "tree" | "operands"): CommandReading {
  const given = call.values.filter(({ flag }) => flag === "-e" || flag === "--regexp").map(({ word }) => word);
  const fromFile = call.values.some(({ flag }) => flag === "-f" || flag === "--file");
  const namesOnly = hasFlag(call, "--files", "--type-list");
  const [operand] = call.operands;
  const takesOperand = given.length === 0 && !fromFile && !namesOnly;
  if (takesOperand && operand === undefined) return notUnderstood(`${call.name} lacks its pattern`);
  if (takesOperand && operand?.glob) return notUnderstood(`the pattern ${operand.text} depends on the directory`);

  const patterns = takesOperand && operand !== undefined ? [operand] : given;
  const rest: Role = reach === "operands" ? "read" : namesOnly ? "list-tree" : "read-tree";
  const first = takesOperand ? (["text"] as const) : [];
  const none = reach === "tree" ? { none: rest } : {};
  const reading = readByRoles(call, { first, rest, ...none }, place);
  const files = namesOnly ? undefined : secretFiles(call);
  const secret = patterns.map((word) => secretQueryReason(word.value)).find((reason) => reason !== undefined) ?? files;
  return secret === undefined ? reading : { ...reading, raisedBecause: secret };
}

/** `--include='.env*'`, `-g '*.pem'`: a search that is made for files that stay closed. */
function secretFiles(call: ProgramCall): string | undefined {
  const globs = ["--include", "-g", "--glob", "--iglob"];
  const found = call.values.find(({ flag, word }) => globs.includes(flag) && picksSecrets([word]));
  return found === undefined ? undefined : `searches secret files (${found.word.value})`;
}

function grepOutput(call: ProgramCall): "names" | "input" | undefined {
  const deep = hasFlag(call, "-r", "--recursive");
  const patterns = hasFlag(call, "-e", "--regexp", "-f", "--file") ? 0 : 1;
  const files = call.operands.slice(patterns);
  const coloured = hasFlag(call, "--color", "--colour");
  if (hasFlag(call, "-l", "-L", "--files-with-matches", "--files-without-match")) {
    const named = (deep || files.length > 0) && files.every((word) => word.value !== "-" || !isLiteral(word));
    return named && !coloured && !hasFlag(call, "--label") ? "names" : undefined;
  }
  const whole = listed(
    "-E -F -G -P -i -v -w -x -s -h -a -q -m -e -y --ignore-case --invert-match --extended-regexp --max-count --regexp --fixed-strings --line-buffered",
  );
  return !deep && files.length === 0 && [...call.flags].every((flag) => whole.includes(flag)) ? "input" : undefined;
}

import { secretQueryReason } from "../../secret-query.ts";
import { readByRoles } from "../path-operands.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramCall,
  type ProgramEntry,
} from "../program-entry.ts";
import { flags, text } from "./flag-lists.ts";

/** Programs that look for names and text. Their flags also follow links, run filters and delete: those are left out. */
export const search: readonly ProgramEntry[] = [
  {
    names: ["grep", "egrep", "fgrep"],
    flags: flags(
      "EFGPivwxclLoqshHnbraIzTZ",
      "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count files-with-matches files-without-match only-matching quiet silent no-messages no-filename with-filename line-number byte-offset recursive text null null-data initial-tab line-buffered",
    ),
    optional: ["--color", "--colour"],
    values: {
      ...text("-e --regexp -m --max-count -A -B -C --after-context --before-context --context"),
      ...text("--include --exclude --exclude-dir --binary-files --label"),
      "-f": "read",
      "--file": "read",
    },
    count: true,
    operands: (call, place) => readSearch(call, place, ["-r", "--recursive"]),
    recursive: ["-r", "--recursive"],
    anyFlagReads: true,
    examples: {
      match: [
        "grep foo a.txt",
        "grep -rn foo src",
        "grep -rn --include=*.ts foo .",
        "grep -e a -e b x",
        "grep 'a b' -i x",
        'grep "foo$" x',
        "grep foo",
        "grep -A3 foo x",
      ],
      noMatch: ["grep -R foo .", "grep --recurs foo", "grep -f $x foo", "grep --devices=read foo x", "grep $(id) x"],
    },
  },
  {
    names: ["rg"],
    flags: flags(
      "isSFwxvclonNHIqUPa0up.",
      "hidden no-ignore files count count-matches files-with-matches files-without-match json stats heading no-heading line-number no-line-number vimgrep pretty trim multiline multiline-dotall pcre2 smart-case ignore-case case-sensitive fixed-strings word-regexp line-regexp invert-match only-matching no-filename with-filename column text type-list passthru null quiet no-config no-messages unrestricted",
    ),
    values: {
      ...text("-e --regexp -g --glob --iglob -t -T --type --type-not -A -B -C -m -M -r -j -E"),
      ...text("--after-context --before-context --context --max-count --max-columns --max-depth --max-filesize"),
      ...text("--sort --sortr --replace --color --colors --threads --encoding --engine"),
      "-f": "read",
      "--file": "read",
    },
    operands: (call, place) => readSearch(call, place, undefined),
    examples: {
      match: [
        "rg foo",
        "rg -n foo src",
        "rg --files -g '*.ts'",
        "rg -uuu foo",
        "rg -e a -e b src tests",
        "rg foo ./*.md",
      ],
      noMatch: [
        "rg --pre cat foo",
        "rg --pre=./x foo",
        "rg --hostname-bin x foo",
        "rg -z foo",
        "rg -L foo",
        "rg foo *",
        "rg --search-zip foo",
      ],
    },
  },
  {
    names: ["find"],
    noSeparator: true,
    flags: [
      ..."-P -print -print0 -empty -prune -depth -mount -xdev -not -a -and -o -or -true -false -readable".split(" "),
      ..."-writable -executable -nouser -nogroup -ls -quit -noleaf -daystart -noignore_readdir_race".split(" "),
    ],
    values: {
      ...text(
        "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth",
      ),
      ...text(
        "-mtime -mmin -ctime -cmin -atime -amin -newermt -size -perm -user -group -uid -gid -links -inum -fstype",
      ),
      ...text("-lname -ilname -printf"),
      "-newer": "list",
      "-anewer": "list",
      "-cnewer": "list",
      "-samefile": "list",
    },
    operands: (call, place) => {
      const paths = call.operands.filter((word) => !logic.has(word.value));
      return readByRoles({ ...call, operands: paths }, { rest: "list-tree", none: "list-tree" }, place);
    },
    examples: {
      match: [
        "find . -name '*.ts'",
        "find src tests -type f -newer a",
        "find . \\( -name a -o -name b \\) -print",
        "find",
        "find . ! -name x -maxdepth 2",
      ],
      noMatch: [
        "find . -name x -delete",
        "find . -exec rm {} \\;",
        "find . -execdir ls {} +",
        "find . -ok rm {} \\;",
        "find . -fprint out",
        "find . -fls out",
        "find -files0-from x",
        "find -L . -name x",
        "find . -name *.ts",
      ],
    },
  },
];

const logic: ReadonlySet<string> = new Set(["(", ")", "!", ","]);

function readSearch(call: ProgramCall, place: Place, recursive: readonly string[] | undefined): CommandReading {
  const given = call.values.filter(({ flag }) => flag === "-e" || flag === "--regexp");
  const fromFile = call.values.some(({ flag }) => flag === "-f" || flag === "--file");
  const none = call.flags.has("--files") || call.flags.has("--type-list");
  const [operand] = call.operands;
  const takesOperand = given.length === 0 && !fromFile && !none;
  if (takesOperand && operand === undefined) return notUnderstood(`${call.name} lacks its pattern`);
  if (takesOperand && operand?.glob) return notUnderstood(`the pattern ${operand.text} depends on the directory`);

  const patterns = [
    ...given.map(({ word }) => word.value),
    ...(takesOperand && operand !== undefined ? [operand.value] : []),
  ];
  const deep = recursive === undefined || recursive.some((flag) => call.flags.has(flag));
  const reach = none && recursive === undefined ? "list" : "read";
  const rest = deep ? (`${reach}-tree` as const) : reach;
  const first = takesOperand ? (["text"] as const) : [];
  const reading = readByRoles(call, { first, rest, ...(deep ? { none: rest } : {}) }, place);
  const secret = patterns.map(secretQueryReason).find((reason) => reason !== undefined);
  return secret === undefined ? reading : { ...reading, raisedBecause: secret };
}

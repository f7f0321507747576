import { neverEnds } from "../endless.ts";
import { readByRoles } from "../path-operands.ts";
import { notUnderstood, type ProgramEntry } from "../program-entry.ts";
import { flags, listed, text } from "./flag-lists.ts";
import { hasFlag, isLiteral, passesLines, refusing } from "./readings.ts";

/** Programs that turn text into text, and the ones that make text. */
export const coreutilsText: readonly ProgramEntry[] = [
  {
    names: ["sort"],
    flags: flags(
      "bdfghiMnRrsuVzcCm",
      "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse version-sort merge stable unique zero-terminated debug",
    ),
    optional: ["--check"],
    values: {
      ...text("-k -t -S --key --field-separator --buffer-size --sort --parallel --batch-size"),
      ...text("--compress-program --files0-from --random-source -T --temporary-directory"),
      "-o": "write",
      "--output": "write",
    },
    operands: refusing(
      {
        "--compress-program": "runs a program",
        "--files0-from": "reads the names from a file",
        "--random-source": "reads another file",
        "-T": "writes into a directory of its own",
        "--temporary-directory": "writes into a directory of its own",
      },
      { rest: "read" },
    ),
    output: passesLines(
      ...listed("-b -d -f -g -h -i -M -n -R -r -s -u -V -z -k -t --key --field-separator --reverse --unique"),
    ),
    examples: {
      match: ["sort a", "sort -rn -k2 a", "sort -u ./*.txt", "sort -t , -k 1 a", "sort -o b a"],
      noMatch: [
        "sort -uo out a",
        "sort --outp=x a",
        "sort --compress-program=sh a",
        "sort -T /x a",
        "sort --files0-from=x",
        "sort *",
      ],
    },
  },
  {
    names: ["uniq"],
    flags: flags("cdDiuz", "count repeated unique ignore-case zero-terminated"),
    optional: ["--all-repeated", "--group"],
    values: text("-f -s -w --skip-fields --skip-chars --check-chars"),
    operands: (call, place) => {
      const [, output] = call.operands;
      return output === undefined
        ? readByRoles(call, { first: ["read"] }, place)
        : notUnderstood(`uniq writes its second operand ${output.text}`);
    },
    output: passesLines("-d", "-D", "-i", "-u", "-z", "-f", "-s", "-w", "--repeated", "--unique", "--ignore-case"),
    examples: { match: ["uniq -c", "uniq a", "uniq -f 1 -w 3 a"], noMatch: ["uniq a out", "uniq -x", "uniq *"] },
  },
  {
    names: ["shuf"],
    flags: flags("ezr", "echo zero-terminated repeat"),
    values: {
      ...text("-n -i --head-count --input-range --random-source"),
      "-o": "write",
      "--output": "write",
    },
    operands: refusing(
      { "--random-source": "reads another file", "-r": "may never end", "--repeat": "may never end" },
      (call, place) => readByRoles(call, hasFlag(call, "-e", "--echo") ? { rest: "text" } : { first: ["read"] }, place),
    ),
    output: passesLines("-n", "--head-count", "-z", "--zero-terminated"),
    examples: {
      match: ["shuf -n 5 a", "shuf -i 1-10", "shuf -e x y"],
      noMatch: ["shuf -eo out x", "shuf -r a", "shuf *"],
    },
  },
  {
    names: ["cut"],
    flags: flags("nsz", "complement only-delimited zero-terminated"),
    values: text("-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter"),
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["cut -d: -f1 a", "cut -c1-5", "cut -d ' ' -f 2-"], noMatch: ["cut -x a"] },
  },
  {
    names: ["tr"],
    flags: flags("cCdst", "complement delete squeeze-repeats truncate-set1"),
    operands: { first: ["text", "text"] },
    anyFlagReads: true,
    examples: { match: ["tr a-z A-Z", "tr -d '\\n'", "tr -cs 'a-z' '\\n'"], noMatch: ["tr a b c", "tr --del x"] },
  },
  {
    names: ["nl"],
    flags: flags("p", "no-renumber"),
    values: text(
      "-b -d -f -h -i -l -n -s -v -w --body-numbering --section-delimiter --footer-numbering --header-numbering --line-increment --number-format --number-separator --starting-line-number --number-width",
    ),
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["nl -b a x", "nl a", "nl -ba -w3 a"], noMatch: ["nl --x a"] },
  },
  {
    names: ["rev"],
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["rev a b", "rev"], noMatch: ["rev -x"] },
  },
  {
    names: ["fold"],
    flags: flags("bs", "bytes spaces"),
    values: text("-w --width"),
    count: true,
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["fold -w 80 a", "fold -s a", "fold -sw 72"], noMatch: ["fold -x a"] },
  },
  {
    names: ["fmt"],
    flags: flags("cstu", "crown-margin split-only tagged-paragraph uniform-spacing"),
    values: text("-w -p -g --width --prefix --goal"),
    count: true,
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["fmt -w 72 a", "fmt -80"], noMatch: ["fmt --wid 3 a"] },
  },
  {
    names: ["expand", "unexpand"],
    flags: flags("ai", "all initial first-only"),
    values: text("-t --tabs"),
    count: true,
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["expand -t 4 a", "unexpand -a a"], noMatch: ["expand -x a"] },
  },
  {
    names: ["paste"],
    flags: flags("sz", "serial zero-terminated"),
    values: text("-d --delimiters"),
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["paste -d, a b", "paste -s a", "paste -sd+"], noMatch: ["paste -x a"] },
  },
  {
    names: ["join"],
    flags: flags("iz", "ignore-case check-order nocheck-order header zero-terminated"),
    values: text("-a -e -j -o -t -v -1 -2"),
    operands: { first: ["read", "read"] },
    anyFlagReads: true,
    examples: { match: ["join a b", "join -t , -1 2 -2 1 a b"], noMatch: ["join a b c", "join --x a b"] },
  },
  {
    names: ["column"],
    flags: flags("tdeJLx", "table table-noheadings table-header-repeat json keep-empty-lines fillrows"),
    values: text(
      "-s -c -o -n -N -O -l -E -H -R -T -W --separator --output-width --output-separator --table-name --table-columns --table-order --table-columns-limit --table-hide --table-right --table-truncate --table-wrap",
    ),
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: {
      match: ["column -t a", "column -t -s , a", "column -J -N x,y a"],
      noMatch: ["column --tab a", "column -q"],
    },
  },
  {
    names: ["pr"],
    flags: flags("adFfmtTv", "across double-space form-feed merge omit-header omit-pagination"),
    values: text("-h -l -o -w -W --header --length --indent --width"),
    count: true,
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["pr -m -t a b", "pr -2 a"], noMatch: ["pr --col=2 a"] },
  },
  {
    names: ["tsort"],
    operands: { first: ["read"] },
    anyFlagReads: true,
    examples: { match: ["tsort a", "tsort"], noMatch: ["tsort a b", "tsort -w a"] },
  },
  {
    names: ["look"],
    flags: flags("adf"),
    values: text("-t"),
    operands: { first: ["text", "read"] },
    anyFlagReads: true,
    examples: { match: ["look wor", "look -f foo a"], noMatch: ["look a b c", "look -x a"] },
  },
  {
    names: ["iconv"],
    flags: flags("lc", "list"),
    values: { ...text("-f -t --from-code --to-code"), "-o": "write", "--output": "write" },
    operands: { rest: "read" },
    examples: {
      match: ["iconv -f latin1 -t utf-8 a", "iconv -l", "iconv -t utf-8 -o b a"],
      noMatch: ["iconv -x a", "iconv --out=x a"],
    },
  },
  {
    // The environment of a command is a short list made for it.
    names: ["envsubst"],
    flags: flags("v", "variables"),
    operands: { first: ["text"] },
    anyFlagReads: true,
    examples: { match: ["envsubst", "envsubst '$HOME'"], noMatch: ["envsubst a b"] },
  },
  {
    names: ["numfmt"],
    flags: flags("z", "grouping debug zero-terminated"),
    optional: ["--header"],
    values: text(
      "-d --delimiter --field --format --from --from-unit --invalid --padding --round --suffix --to --to-unit",
    ),
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["numfmt --to=iec 2048", "numfmt --field=2 --to=si"], noMatch: ["numfmt --tos=iec 1"] },
  },
  {
    names: ["seq"],
    flags: flags("w", "equal-width"),
    values: text("-f -s --format --separator"),
    count: true,
    operands: { first: ["text", "text", "text"] },
    anyFlagReads: true,
    examples: { match: ["seq 3", "seq 1 2 9", "seq -s , 5", "seq -w 1 10"], noMatch: ["seq --sep=x 3", "seq 1 2 3 4"] },
  },
  {
    names: ["factor", "expr"],
    verbatim: true,
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["factor 42", "expr 1 + 2"], noMatch: [] },
  },
  {
    names: ["bc"],
    flags: flags("lqsw", "mathlib quiet standard warn"),
    operands: { rest: "read" },
    examples: { match: ["bc -l", "bc"], noMatch: ["bc -i", "bc *"] },
  },
  {
    names: ["echo"],
    verbatim: true,
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["echo hi", "echo -n hi", "echo 'a;b'", 'echo "x > y"'], noMatch: ["echo x > .env"] },
  },
  {
    names: ["printf"],
    verbatim: true,
    operands: (call, place) => {
      const [first, second] = call.operands;
      const format = first?.value === "--" && isLiteral(first) ? second : first;
      if (format === undefined || !isLiteral(format)) return notUnderstood("the format of printf is not certain");
      if (format === first && format.value.startsWith("-")) return notUnderstood("printf with a flag sets a variable");
      if (/%[^%a-zA-Z]*[hlLjzt]*n/.test(format.value.replaceAll("%%", ""))) {
        return notUnderstood("printf %n sets a variable");
      }
      return readByRoles(call, { rest: "text" }, place);
    },
    examples: {
      match: ["printf '%s\\n' a b", "printf -- '-%s' a"],
      noMatch: ["printf -v x a", "printf", "printf -vx a", "printf %n PATH", "printf %5ln x"],
    },
  },
  {
    names: ["true", "false", ":", "exit"],
    verbatim: true,
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["true", ":", "exit 1"], noMatch: ["true > .env"] },
  },
  {
    names: ["yes"],
    verbatim: true,
    operands: () => ({ effects: [neverEnds("yes")], reason: "yes never ends" }),
    examples: { match: [], noMatch: ["yes", "yes y"] },
  },
];

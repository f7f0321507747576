import { neverEnds } from "./endless.ts";
import { flags, listed, text } from "./flag-lists.ts";
import { readByRoles } from "./path-operands.ts";
import { notUnderstood, type ProgramEntry } from "./program-entry.ts";
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
  },
  {
    names: ["cut"],
    flags: flags("nsz", "complement only-delimited zero-terminated"),
    values: text("-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter"),
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["tr"],
    flags: flags("cCdst", "complement delete squeeze-repeats truncate-set1"),
    operands: { first: ["text", "text"] },
    anyFlagReads: true,
  },
  {
    names: ["nl"],
    flags: flags("p", "no-renumber"),
    values: text(
      "-b -d -f -h -i -l -n -s -v -w --body-numbering --section-delimiter --footer-numbering --header-numbering --line-increment --number-format --number-separator --starting-line-number --number-width",
    ),
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["rev"],
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["fold"],
    flags: flags("bs", "bytes spaces"),
    values: text("-w --width"),
    count: true,
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["fmt"],
    flags: flags("cstu", "crown-margin split-only tagged-paragraph uniform-spacing"),
    values: text("-w -p -g --width --prefix --goal"),
    count: true,
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["expand", "unexpand"],
    flags: flags("ai", "all initial first-only"),
    values: text("-t --tabs"),
    count: true,
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["paste"],
    flags: flags("sz", "serial zero-terminated"),
    values: text("-d --delimiters"),
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["join"],
    flags: flags("iz", "ignore-case check-order nocheck-order header zero-terminated"),
    values: text("-a -e -j -o -t -v -1 -2"),
    operands: { first: ["read", "read"] },
    anyFlagReads: true,
  },
  {
    names: ["column"],
    flags: flags("tdeJLx", "table table-noheadings table-header-repeat json keep-empty-lines fillrows"),
    values: text(
      "-s -c -o -n -N -O -l -E -H -R -T -W --separator --output-width --output-separator --table-name --table-columns --table-order --table-columns-limit --table-hide --table-right --table-truncate --table-wrap",
    ),
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["pr"],
    flags: flags("adFfmtTv", "across double-space form-feed merge omit-header omit-pagination"),
    values: text("-h -l -o -w -W --header --length --indent --width"),
    count: true,
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["tsort"],
    operands: { first: ["read"] },
    anyFlagReads: true,
  },
  {
    names: ["look"],
    flags: flags("adf"),
    values: text("-t"),
    operands: { first: ["text", "read"] },
    anyFlagReads: true,
  },
  {
    names: ["iconv"],
    flags: flags("lc", "list"),
    values: { ...text("-f -t --from-code --to-code"), "-o": "write", "--output": "write" },
    operands: { rest: "read" },
  },
  {
    // The environment of a command is a short list made for it.
    names: ["envsubst"],
    flags: flags("v", "variables"),
    operands: { first: ["text"] },
    anyFlagReads: true,
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
  },
  {
    names: ["seq"],
    flags: flags("w", "equal-width"),
    values: text("-f -s --format --separator"),
    count: true,
    operands: { first: ["text", "text", "text"] },
    anyFlagReads: true,
  },
  {
    names: ["factor", "expr"],
    verbatim: true,
    operands: { rest: "text" },
    anyFlagReads: true,
  },
  {
    names: ["bc"],
    flags: flags("lqsw", "mathlib quiet standard warn"),
    operands: { rest: "read" },
  },
  {
    names: ["echo"],
    verbatim: true,
    operands: { rest: "text" },
    anyFlagReads: true,
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
  },
  {
    names: ["true", "false", ":", "exit"],
    verbatim: true,
    operands: { rest: "text" },
    anyFlagReads: true,
  },
  {
    names: ["yes"],
    verbatim: true,
    operands: () => ({ effects: [neverEnds("yes")], reason: "yes never ends" }),
  },
];

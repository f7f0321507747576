import { flags, text } from "./flag-lists.ts";
import { readByRoles } from "./path-operands.ts";
import { notUnderstood, type ProgramEntry } from "./program-entry.ts";
import { refusing } from "./readings.ts";

const diffFlags = flags(
  "0123456789abBcdEeilnNpqrstTuwyZ",
  "normal brief report-identical-files ed rcs side-by-side left-column suppress-common-lines show-c-function expand-tabs initial-tab suppress-blank-empty recursive no-dereference new-file unidirectional-new-file ignore-file-name-case text strip-trailing-cr ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines minimal speed-large-files paginate",
);

/** Programs that say how files differ. */
export const compare: readonly ProgramEntry[] = [
  {
    names: ["diff", "colordiff"],
    flags: diffFlags,
    optional: ["--color", "--unified", "--context"],
    values: {
      ...text("-U -C -x -I -L -W -F -D -S --exclude --label --width --ignore-matching-lines --show-function-line"),
      ...text("--tabsize --horizon-lines --palette --line-format --old-line-format --new-line-format"),
      ...text("--unchanged-line-format --old-group-format --new-group-format --changed-group-format"),
      ...text("--unchanged-group-format --starting-file --ifdef"),
      "-X": "read",
      "--exclude-from": "read",
      "--from-file": "read",
      "--to-file": "read",
    },
    operands: refusing(
      {
        "-l": "runs pr",
        "--paginate": "runs pr",
        "--from-file": "compares any number of files",
        "--to-file": "compares any number of files",
      },
      (call, place) =>
        call.name === "diff"
          ? readByRoles(call, { first: ["read", "read"] }, place)
          : notUnderstood("colordiff reads the user's settings"),
    ),
    recursive: ["-r", "--recursive"],
  },
  {
    names: ["cmp"],
    flags: flags("bls", "print-bytes silent quiet verbose"),
    values: text("-n -i --bytes --ignore-initial"),
    operands: { first: ["read", "read", "text", "text"] },
    anyFlagReads: true,
  },
  {
    names: ["comm"],
    flags: flags("123z", "check-order nocheck-order total zero-terminated"),
    values: text("--output-delimiter"),
    operands: { first: ["read", "read"] },
    anyFlagReads: true,
  },
  {
    names: ["sdiff"],
    flags: flags(
      "aiEZbWBlstdH",
      "ignore-case ignore-all-space ignore-blank-lines left-column suppress-common-lines text",
    ),
    values: text("-w -I -o --width --output --diff-program"),
    operands: refusing(
      {
        "-o": "writes a file and starts an editor",
        "--output": "writes a file and starts an editor",
        "--diff-program": "runs a program",
      },
      { first: ["read", "read"] },
    ),
  },
  {
    names: ["diff3"],
    flags: flags(
      "aAeEimTxX3",
      "show-all ed show-overlap merge text initial-tab easy-only overlap-only strip-trailing-cr",
    ),
    values: text("-L --label"),
    operands: { first: ["read", "read", "read"] },
  },
];

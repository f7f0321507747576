import { readByRoles } from "../path-operands.ts";
import { notUnderstood, type ProgramEntry } from "../program-entry.ts";
import { flags, text } from "./flag-lists.ts";
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
    examples: {
      match: [
        "diff a b",
        "diff -ru a b",
        "diff -U 5 a b",
        "diff -u3 a b",
        "diff -qr src tests",
        "diff - a",
        "diff -y -W 120 a b",
      ],
      noMatch: ["diff --to-file=x a", "diff a b c", "diff -l a b", "diff *", "colordiff a b"],
    },
  },
  {
    names: ["cmp"],
    flags: flags("bls", "print-bytes silent quiet verbose"),
    values: text("-n -i --bytes --ignore-initial"),
    operands: { first: ["read", "read", "text", "text"] },
    anyFlagReads: true,
    examples: { match: ["cmp a b", "cmp -n 5 a b", "cmp -s a b", "cmp a b 10 10"], noMatch: ["cmp --x a b"] },
  },
  {
    names: ["comm"],
    flags: flags("123z", "check-order nocheck-order total zero-terminated"),
    values: text("--output-delimiter"),
    operands: { first: ["read", "read"] },
    anyFlagReads: true,
    examples: { match: ["comm -12 a b", "comm -3 a b"], noMatch: ["comm --x a b", "comm -n a b"] },
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
    examples: {
      match: ["sdiff a b", "sdiff -s -w 100 a b"],
      noMatch: ["sdiff -o out a b", "sdiff --diff-program=x a b"],
    },
  },
  {
    names: ["diff3"],
    flags: flags(
      "aAeEimTxX3",
      "show-all ed show-overlap merge text initial-tab easy-only overlap-only strip-trailing-cr",
    ),
    values: text("-L --label"),
    operands: { first: ["read", "read", "read"] },
    examples: { match: ["diff3 a b x", "diff3 -m a b x"], noMatch: ["diff3 --diff-program=x a b x", "diff3 a b x y"] },
  },
];

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { awkObjection } from "./read-awk.ts";

describe("awk programs", () => {
  test.each([
    "{print $1}",
    "NR==1",
    'NR>10 && NR<=20 {print FILENAME ":" FNR ": " $0}',
    "$3 > 5 {n++} END {print n/NR}",
    "/a>b/ {print}",
    "!/x/ && $1 ~ /^[a-z]+$/",
    'BEGIN {FS=","; OFS="\\t"} {$1=$1; print}',
    '{a[$1]+=$2} END {for (k in a) printf "%-20s %d\\n", k, a[k]}',
    "{ if (length($0) > 80) print FNR, length }",
    "{ print (a > b) ? 1 : 2 }",
    '{ print > "/dev/stderr" }',
    '{ sub(/a/, "b"); gsub("x", "|"); print toupper(substr($0, 1, 3)) } # done',
    "/start/,/end/",
    "{s += $1 * $2 / 3} END {print s ? s : 0}",
    "{ print $1;\n print $2 }",
    "{ x = y /= 2 }",
    "/[[:space:]]x/ { next } 1",
  ])("%s only prints", (program) => {
    expect(awkObjection(program)).toBeUndefined();
  });

  test.each([
    'BEGIN{system("id")}',
    'BEGIN{system ("id")}',
    '{print > "out"}',
    "{print $1, $2 > $3}",
    '{printf("x") > "out"}',
    '{print >> "out"}',
    '{print | "sh"}',
    '{print |& "sh"}',
    '{"id" | getline}',
    '{getline < "/etc/passwd"; print}',
    'BEGIN{ARGV[1]="/etc/passwd"}',
    'BEGIN{SYMTAB["ARGC"]=2}',
    'BEGIN{print ENVIRON["HOME"]}',
    '@load "x"',
    '@include "x"',
    'function f(){system("id")} {f()}',
    "{@f()}",
    '{close("x")}',
    '{print 1,\n2 > "out"}',
    "{x++ /2/ system}",
    '{if (x) /a/ > "out"}',
    "/[/]/",
    '{print length /2/ 1 > "x"}',
    '{print "a',
    "{print `id`}",
    "{(}",
    '{print "x" > "/dev/stderr" "y"}',
    'awk::system("id")',
  ])("%s is refused", (program) => {
    expect(awkObjection(program)).toBeTypeOf("string");
  });

  test("what is accepted leaves nothing behind when awk runs it", () => {
    const directory = mkdtempSync(path.join(os.tmpdir(), "awk-"));
    writeFileSync(path.join(directory, "in"), "a b c\n1 2 3\n");
    const piece = fc.constantFrom(
      ...'print printf > >> "out" / /a/ " \' | || && system("touch out") $1 $NF ( ) { } ; , x 1 ++ -- if else ~ ! getline'.split(
        " ",
      ),
      ...'[ ] # \\ length BEGIN END /[/]/ /[ ]/ = == >= < /= /= ? : print> print(1)> {print} "/dev/stderr" x> in'.split(
        " ",
      ),
      "\n",
      " ",
      "touch out",
      "{print 1",
      "}",
    );
    let accepted = 0;
    try {
      fc.assert(
        fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
          const program = pieces.join(" ");
          for (const text of [program, pieces.join("")]) {
            if (awkObjection(text) !== undefined) continue;
            accepted++;
            spawnSync("/usr/bin/awk", [text, "in"], { cwd: directory, timeout: 5_000 });
            expect({ text, left: readdirSync(directory) }).toEqual({ text, left: ["in"] });
          }
        }),
        { numRuns: 800 },
      );
    } finally {
      rmSync(directory, { recursive: true });
    }
    expect(accepted).toBeGreaterThan(50);
  });
});

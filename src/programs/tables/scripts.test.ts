import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { onlyPrints, readSedScript } from "./scripts.ts";

describe("sed scripts", () => {
  test.each([
    ["p", true],
    ["10,20p;$d", true],
    ["/a/,/b/!d", true],
    ["0~3p", true],
    ["/x/I,+2{=;p}", false],
    ["s/a/b/g", false],
    ["s|a/b|c|2gp", false],
    ["s/[^/]*$//", undefined],
    ["s,[a-z]*/,,", false],
    [":a;N;$!ba;s/\\n/ /g", false],
    ["1!G;h;$!d", false],
    ["y/abc/xyz/", false],
    ["/a/i\\\ntext; w out", false],
    ["$a end", false],
    ["2q5", true],
    ["/a/{/b/{p}}", true],
    ["e", undefined],
    ["1e id", undefined],
    ["w out", undefined],
    ["/a/w out", undefined],
    ["r x", undefined],
    ["R x", undefined],
    ["s/a/b/e", undefined],
    ["s/a/b/gw out", undefined],
    ["s/a/b/pe", undefined],
    ["s/a\nb/c/", undefined],
    ["p}", undefined],
    ["p # c", undefined],
    ["\n/^a/,/^}/ p\n", true],
    ["{p", undefined],
    ["a\\", undefined],
    ["s/[/]/e;p/", undefined],
    ["s/a/b", undefined],
    ["v", undefined],
    ["pw out", undefined],
    ["s\\a\\b\\", undefined],
  ])("%j selects lines only: %s", (script, expected) => {
    expect(readSedScript(script)?.selectsOnly).toBe(expected);
  });

  test("sed itself finds no command that runs, reads or writes in what is accepted", () => {
    const piece = fc.constantFrom(
      ..."s/a/b/ s|x|y| s,[a]/,b, /re/ /[/]/ p d ; { } e w r W R s/a/b/e s/a/b/w [ ] / \\ | , 1 $ ! 2,3 0~2 +1 :a ba".split(
        " ",
      ),
      ..."y/ab/cd/ # I M g q5 = n N G h x l a i c \\% [^ [[:alpha:]] s# \\/ s:a:b: [\\/] s/[/b/ ]/".split(" "),
      "\n",
      " ",
      "a text",
      "i\\\n",
      " out",
    );
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const script = pieces.join("");
        if (readSedScript(script) === undefined) return;
        accepted++;
        const { stderr } = spawnSync("sed", ["--sandbox", "-n", script], {
          input: "",
          encoding: "utf8",
          timeout: 5_000,
        });
        expect({ script, stderr }).not.toMatchObject({ stderr: expect.stringContaining("sandbox") });
      }),
      { numRuns: 800 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});

describe("awk programs", () => {
  test.each([
    "{print $1}",
    '{ printf "%s|%s\\n", $1, $2 }',
    "$3 > 5 { print }",
    "NR==FNR || /a/",
    "/^a/,/^b/ { n++ } END { print n }",
    'BEGIN { FS = ":" } { sub(/x/, "y"); print }',
  ])("%s only prints", (program) => expect(onlyPrints(program)).toBe(true));

  test.each([
    '{ print > "out" }',
    '{ print "x" | "sh" }',
    '"date" | getline x',
    'BEGIN { system("id") }',
    'BEGIN { while (getline < "x") print }',
    "BEGIN { ARGV[1] = 1 }",
    "BEGIN { print ENVIRON[1] }",
    '@include "x"',
    '/"/ { print | "sh" } /"/',
    '{ print "a\\\n" | "sh" }',
    "awk::system(1)",
  ])("%s may do more", (program) => expect(onlyPrints(program)).toBe(false));

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
            if (!onlyPrints(text)) continue;
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

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPlainSedScript, onlyPrints } from "./scripts.ts";

describe("sed scripts", () => {
  test.each([
    ["p", true],
    ["10,20p;$d", true],
    ["/a/,/b/!d", true],
    ["0~3p", true],
    ["/x/I,+2{=;p}", true],
    ["s/a/b/g", true],
    ["s|a/b|c|2gp", true],
    ["s/[^/]*$//", false],
    ["s,[a-z]*/,,", true],
    [":a;N;$!ba;s/\\n/ /g", true],
    ["1!G;h;$!d", true],
    ["y/abc/xyz/", true],
    ["/a/i\\\ntext; w out", true],
    ["$a end", true],
    ["2q5", true],
    ["/a/{/b/{p}}", true],
    ["e", false],
    ["1e id", false],
    ["w out", false],
    ["/a/w out", false],
    ["r x", false],
    ["R x", false],
    ["s/a/b/e", false],
    ["s/a/b/gw out", false],
    ["s/a/b/pe", false],
    ["s/a\nb/c/", false],
    ["p}", false],
    ["p # c", false],
    ["\n/^a/,/^}/ p\n", true],
    ["{p", false],
    ["a\\", false],
    ["s/[/]/e;p/", false],
    ["s/a/b", false],
    ["v", false],
    ["pw out", false],
    ["s\\a\\b\\", false],
  ])("%j is read: %s", (script, expected) => {
    expect(isPlainSedScript(script)).toBe(expected);
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
        if (!isPlainSedScript(script)) return;
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

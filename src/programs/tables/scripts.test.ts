import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSedScript, selectedLines } from "./read-sed.ts";

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
    ["\\%x%p", true],
    [":a;N;$!ba;s/\\n/ /g", false],
    ["1!G;h;$!d", false],
    ["y/abc/xyz/", false],
    ["/a/i\\\ntext; w out", false],
    ["$a end", false],
    ["# comment w x\np", true],
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
    ["{p", undefined],
    ["a\\", undefined],
    ["s/[/]/e;p/", undefined],
    ["s/a/b", undefined],
    ["v", undefined],
    ["pw out", undefined],
    ["s\\a\\b\\", undefined],
  ])("%j selects lines only: %s", (script, expected) => {
    const reading = readSedScript(script);
    expect("why" in reading ? undefined : reading.selectsOnly).toBe(expected);
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
        if ("why" in readSedScript(script)) return;
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

  test.each([
    ["10,20p", { from: 10, to: 20 }],
    ["7p", { from: 7, to: 7 }],
    ["5,9p;9q", { from: 5, to: 9 }],
    ["5,9p;7q", undefined],
    ["9,5p", undefined],
    ["0p", undefined],
    ["$p", undefined],
    ["/a/p", undefined],
  ])("%s selects %j", (script, lines) => {
    expect(selectedLines(script)).toEqual(lines);
  });
});

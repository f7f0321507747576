import { expect, test } from "vitest";
import { makeShellProject } from "../../test/gate-matrix/shell-project.ts";

function times(count: number, text: string): string {
  return Array.from({ length: count }, () => text).join("; ");
}

const numbered = Array.from({ length: 60 }, (_none, index) => `v${index}`);

/** A few hundred bytes each that double what they hold, or what they run. The last command is what matters. */
const growing: Readonly<Record<string, string>> = {
  "a variable": `x=aaaaaaaa; ${times(40, "x=$x$x")}; cat $x`,
  "a quoted variable": `x=aaaaaaaa; ${times(40, 'x="$x$x"')}; cat "$x"`,
  "words in a variable": `x='a b c '; ${times(40, 'x="$x$x"')}; cat $x`,
  "words, again and again": `x='a b c '; ${times(14, 'x="$x$x"')}; ${times(30, "cat $x")}`,
  "what a substitution prints": `x=aaaaaaaa; ${times(40, "x=$(echo $x$x)")}; cat $x`,
  "what is fed": `x=aaaaaaaa; ${times(40, 'x=$(cat <<< "$x$x")')}; cat $x`,
  functions: `x=aaaaaaaa; f() { x=$x$x; }; ${numbered.map((name, at) => `${name}() { ${times(4, numbered[at - 1] ?? "f")}; }`).join("; ")}; v9; cat $x`,
  "loops over lists": `x=aa; ${"for a in 1 2 3 4; do ".repeat(6)}x=$x$x; ${"done; ".repeat(6)}cat $x`,
  "endless loops": `x=aaaaaaaa; ${"while [ $i ]; do ".repeat(6)}x=$x$x; y=$y$x; ${"done; ".repeat(6)}cat $x`,
  "an array": `a=(x y z); ${times(40, `a=("\${a[@]}" "\${a[@]}")`)}; cat "\${a[@]}"`,
  "replaced characters": `x=${"a".repeat(1_000)}; y="\${x//a/${"b".repeat(4_000)}}"; cat "$y$y$y$y"`,
  "a text for another shell": `x='ls;'; ${times(14, 'x="$x$x"')}; ${times(60, 'bash -c "$x"')}`,
  "a comment for another shell": `x='#aaaaaaa'; ${times(13, 'x="$x$x"')}; ${times(300, 'bash -c "$x"')}`,
  "many variables": `${numbered.map((name) => `${name}=aaaaaaaa; ${times(13, `${name}="$${name}$${name}"`)}`).join("; ")}; ${times(60, "if [ $i ]; then v1=$v2; fi")}; cat "$v1"`,
  "words that may each begin a command": `$x ${"git status ".repeat(3_000)}`,
  "words of unknown programs": `some-launcher ${"git ".repeat(700)}`,
  "substitutions in substitutions": `cat ${"$(".repeat(200)}ls${")".repeat(200)}`,
  "texts in quotes": `x='"sudo ls" '; ${times(12, 'x="$x$x"')}; ${times(2, 'some-launcher "$x"')}`,
  braces: `cat ${"{a,{b,{c,d}}}".repeat(40)}`,
};

test.each(Object.entries(growing))("%s that doubles is not followed", (_what, text) => {
  const { effects, parts } = makeShellProject().shell(text);
  expect(effects.some(({ op }) => op === "unknown")).toBe(true);
  expect(JSON.stringify(parts).length).toBeLessThan(500_000);
});

test("what stays short is followed", () => {
  const { effects } = makeShellProject().shell(`x=src; ${times(8, "y=$x/a.ts; x=$x")}; cat "$y"`);
  expect(effects.map(({ op }) => op)).toEqual(["read"]);
});

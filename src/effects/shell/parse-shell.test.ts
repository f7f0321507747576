import { spawnSync } from "node:child_process";
import os from "node:os";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeWorkspace } from "../../../test/support/workspace.ts";
import { longestCommand, parseShell } from "./parse-shell.ts";
import type { ShellNode } from "./shell-tree.ts";

function simple(node: ShellNode): readonly (readonly string[])[] {
  switch (node.kind) {
    case "simple":
      return [node.words.map((word) => word.value)];
    case "sequence":
      return node.items.flatMap((item) => simple(item.node));
    case "pipeline":
      return node.commands.flatMap(simple);
    case "group":
      return simple(node.body);
    case "opaque":
      return [["opaque"]];
  }
}

describe("the grammar", () => {
  test.each<[string, readonly (readonly string[])[]]>([
    ["ls -la", [["ls", "-la"]]],
    ["cat 'a b' \"c d\" e\\ f", [["cat", "a b", "c d", "e f"]]],
    ["a && b || c; d\ne", [["a"], ["b"], ["c"], ["d"], ["e"]]],
    ["a | b |& c", [["a"], ["b"], ["c"]]],
    ["{ a; b; }", [["a"], ["b"]]],
    ["(a; b) && c", [["a"], ["b"], ["c"]]],
    ["! a", [["a"]]],
    ["time a", [["a"]]],
    ["a # comment", [["a"]]],
    ["# only\na", [["a"]]],
    ["a \\\n b", [["a", "b"]]],
    ["a 2>&1 >/dev/null", [["a"]]],
    ["a;", [["a"]]],
    ["", []],
    ["grep 'x$' y", [["grep", "x$", "y"]]],
    ['grep "x$" y', [["grep", "x$", "y"]]],
    ["git show HEAD~1 HEAD@{1}", [["git", "show", "HEAD~1", "HEAD@{1}"]]],
    ["a 'é'", [["a", "é"]]],
    ["a ''", [["a", ""]]],
    ["a#b", [["a#b"]]],
  ])("%j", (text, expected) => {
    const parsed = parseShell(text);
    expect(parsed.syntaxError).toBeUndefined();
    expect(simple(parsed.root)).toEqual(expected);
  });

  test.each([
    "ls $(id)",
    "ls `id`",
    "ls <(id)",
    "ls $HOME",
    'ls "$x"',
    ["ls $", "{x@P}"].join(""),
    "ls {a,b}",
    "ls {1..3}",
    "ls ~root",
    "x=1 ls",
    "x=1",
    "ls &",
    "f() { ls; }",
    "for i in a; do ls; done",
    "if true; then ls; fi",
    "while ls; do ls; done",
    "case x in x) ls;; esac",
    "cat <<E\nx\nE",
    "cat <<< x",
    "[[ -f x ]]",
    "((1))",
    "coproc ls",
    "$'ls'",
    '$"ls"',
    "l* x",
    "~/ls",
    "ls\u00a0x",
    "ls\rx",
    "ls\u202e x",
    "ls\u200b",
    "l\u0455",
    "ls é",
    "ls \u2028 x",
    "\ufeffls",
    "ls \x1b[2J",
    "ls {fd}>x",
    "make prefix=~/x",
    "foo (",
    'echo "$\\\n(id)"',
    "echo 1\\\n2>&1",
    "echo 1\\\n>/dev/null",
    "ls ;; ls",
  ])("%j is not understood", (text) => {
    expect(simple(parseShell(text).root)).toContainEqual(["opaque"]);
  });

  test.each(["echo 'a", "a | | b", "if", "ls &&", "(ls", "a ) b"])("%j is an error to bash as well", (text) => {
    expect(parseShell(text).syntaxError).toEqual(expect.any(String));
    expect(spawnSync("bash", ["--noprofile", "--norc", "-n", "-c", text]).status).not.toBe(0);
  });

  test("a long text is not parsed, but its words can be found", () => {
    const parsed = parseShell(`echo ${"x ".repeat(longestCommand / 2)}; rm -rf y`);
    expect(parsed.root).toMatchObject({ kind: "opaque", inside: [{ words: expect.arrayContaining(["rm", "-rf"]) }] });
  });

  test("what hides inside is still found", () => {
    const inside = (text: string) => {
      const { root } = parseShell(text);
      return root.kind === "opaque" ? root.inside.map((command) => command.words[0]) : [];
    };
    expect(inside("ls $(rm x)")).toEqual(expect.arrayContaining(["ls", "rm"]));
    expect(inside("for i in a; do git push; done")).toEqual(["git"]);
    expect(inside("cat <(curl x)")).toEqual(expect.arrayContaining(["cat", "curl"]));
    expect(inside("f() { shutdown; }")).toEqual(["shutdown"]);
  });
});

describe("bash is the judge", () => {
  /** What bash hands to programs, word by word: the command line with every command replaced by `show`. */
  const pieces = fc.constantFrom(
    ..."a|b c|'|\"|\\|$|`| |  |\t|\n|;|&&|||#|x|'q r'|\"s t\"|\\ |\\\n|{|}|,|..|~|/|*|?|[|]|!|=|-|\\$|\\\"|é|\r|%|@|^|+|1|>|<|(|)|\"$\\\n|$(|'\\''".split(
      "|",
    ),
  );

  test("every word that we read is the word that bash passes on", () => {
    const texts = fc
      .sample(fc.array(pieces, { minLength: 1, maxLength: 9 }), { numRuns: 6000, seed: 20 })
      .map((parts) => `show ${parts.join("")}`)
      .filter((text) => {
        const { root, syntaxError } = parseShell(text);
        if (syntaxError !== undefined || root.kind !== "simple" || root.redirects.length > 0) return false;
        // Globs depend on the directory; bash runs where nothing matches, so they stay as they are.
        return root.words[0].value === "show" && !root.words.some((word) => word.glob && /[/~]/.test(word.value));
      });
    expect(texts.length).toBeGreaterThan(300);
    // NUL between arguments, SOH between commands.
    const script = ["show() { printf '%s\\0' \"$@\"; printf '\\1'; }", ...texts].join("\n");
    const { root: cwd } = makeWorkspace();
    const run = spawnSync("bash", ["--noprofile", "--norc", "-c", script], {
      cwd,
      maxBuffer: 64 << 20,
      encoding: "utf8",
    });
    const outputs = run.stdout.split("\x01").slice(0, -1);
    expect(outputs).toHaveLength(texts.length);
    for (const [index, text] of texts.entries()) {
      const { root } = parseShell(text);
      if (root.kind !== "simple") throw new Error("kept only simple commands");
      const home = os.homedir();
      const ours = root.words.slice(1).map((word) => (word.tilde ? home + word.value.slice(1) : word.value));
      const printed = ours.length === 0 ? "\0" : ours.map((word) => `${word}\0`).join("");
      expect({ text, printed: outputs[index] }).toEqual({ text, printed });
    }
  });

  test("a syntax error that we report is one to bash", () => {
    const texts = fc
      .sample(fc.array(pieces, { minLength: 1, maxLength: 8 }), { numRuns: 1500, seed: 21 })
      .map((parts) => parts.join(""));
    const rejected = texts.filter((text) => parseShell(text).syntaxError !== undefined).slice(0, 150);
    expect(rejected.length).toBeGreaterThan(50);
    for (const text of rejected) {
      const run = spawnSync("bash", ["--noprofile", "--norc", "-n", "-c", text]);
      expect({ text, rejected: run.status !== 0 }).toEqual({ text, rejected: true });
    }
  });

  test("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => void parseShell(text)),
      { numRuns: 2000 },
    );
  });
});

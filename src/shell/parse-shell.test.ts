import { spawnSync } from "node:child_process";
import os from "node:os";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeWorkspace } from "../../test/support/workspace.ts";
import { longestCommand, parseShell } from "./parse-shell.ts";
import type { ShellNode, WordTemplate } from "./tree.ts";

/** The simple commands in order, each word as far as it is text. */
function simple(node: ShellNode): readonly (readonly string[])[] {
  switch (node.kind) {
    case "simple":
      return [node.words.map(literal)];
    case "sequence":
      return node.items.flatMap((item) => simple(item.node));
    case "pipeline":
      return node.commands.flatMap(simple);
    case "group":
    case "background":
    case "for-each":
      return simple(node.body);
    case "conditional":
      return [
        ...node.branches.flatMap(({ test: first, body }) => [...simple(first), ...simple(body)]),
        ...(node.otherwise === undefined ? [] : simple(node.otherwise)),
      ];
    case "loop":
      return [...simple(node.test), ...simple(node.body)];
    case "choice":
      return node.bodies.flatMap(simple);
    case "opaque":
      return [["opaque"]];
  }
}

function literal({ text, pieces }: WordTemplate): string {
  const settled = pieces.every((piece) => piece.kind === "text" || piece.kind === "home");
  return settled ? pieces.map((piece) => (piece.kind === "text" ? piece.value : "~")).join("") : text;
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
    ["ls $(id)", [["ls", "$(id)"]]],
    ["ls `id`", [["ls", "`id`"]]],
    ["ls <(id)", [["ls", "<(id)"]]],
    ['ls $x "$x"', [["ls", "$x", '"$x"']]],
    ["ls {a,b}.ts {1..3}", [["ls", "a.ts", "b.ts", "1", "2", "3"]]],
    ["ls $'a\\tb'", [["ls", "a\tb"]]],
    ["x=1 ls", [["ls"]]],
    ["ls & ls", [["ls"], ["ls"]]],
    ["for i in a; do ls; done", [["ls"]]],
    ["for i in a b\ndo\n  ls # c\ndone", [["ls"]]],
    ["if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]],
    ["if a\nthen b\nfi", [["a"], ["b"]]],
    ["while a; do b; done < c", [["a"], ["b"]]],
    ["case x in a|b) ls;; (*) pwd ;; esac", [["ls"], ["pwd"]]],
    ["cat <<E\nx $y\nE\nls", [["cat"], ["ls"]]],
    ["cat <<'E' | wc\n$(x)\nE", [["cat"], ["wc"]]],
    ["git commit -m \"$(cat <<'E'\nit's ok)\nE\n)\"", [["git", "commit", "-m", "\"$(cat <<'E'\nit's ok)\nE\n)\""]]],
    ["cat <<< x", [["cat"]]],
    [
      "[[ -f x && $y == a* ]]",
      [
        ["test", "-f", "x"],
        ["test", "$y", "==", "a*"],
      ],
    ],
    ["((i++))", [["opaque"]]],
  ])("%j", (text, expected) => {
    const parsed = parseShell(text);
    expect(parsed.syntaxError).toBeUndefined();
    expect(simple(parsed.root)).toEqual(expected);
  });

  test.each([
    ["ls $", "{x@P}"].join(""),
    ["ls $", "{x:=y}"].join(""),
    ["ls $", "{!x}"].join(""),
    ["ls $", "{x/a/$(b)}"].join(""),
    ["ls $", "{x[$(id)]}"].join(""),
    ["ls $", "{x[`id`]}"].join(""),
    ["ls $", "{!x[0]}"].join(""),
    ["ls $", "{x[@]:y}"].join(""),
    ["ls $", "{x[@]@P}"].join(""),
    "ls $[1]",
    "ls ~root",
    "ls `echo \\`id\\``",
    "ls >(id)",
    "ls a<(id)",
    "ls {a,b",
    "ls {a}{b,c}",
    "ls $x{a,b}",
    "{ls,-l}",
    "x[$(id)]=1",
    "x[0]+=1",
    "x[0]=(1)",
    "x=([$(id)]=1)",
    "x=([a[0]]=1)",
    "x=(1) ls",
    "x+=1 ls",
    "x[0]=1 ls",
    "ls x=(1)",
    "export x=(1)",
    "readonly -a x=(1)",
    "for i; do ls; done",
    "select i in a; do ls; done",
    "case x in x) ls;& y) pwd;; esac",
    "function f { ls; }",
    "coproc ls",
    "$'ls'",
    "ls $'\\x41'",
    '$"ls"',
    "l* x",
    "~/ls",
    "cat << 'a b'\nx\na b",
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
    "ls >&x",
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
    expect(inside("ls $(rm x) ~root")).toEqual(expect.arrayContaining(["ls", "rm"]));
    expect(inside("for i; do git push; done")).toContain("git");
    expect(inside("cat <(curl x) ~root")).toEqual(expect.arrayContaining(["cat", "curl"]));
    expect(inside("function f { shutdown; }")).toEqual(["shutdown"]);
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
        const settled = root.words.every(({ pieces }) =>
          pieces.every(({ kind }) => kind === "text" || kind === "home"),
        );
        // Globs depend on the directory; bash runs where nothing matches, so they stay as they are.
        return (
          settled &&
          root.words[0]?.text === "show" &&
          !root.words.some(({ text }) => /[*?[].*[/~]|[/~].*[*?[]/s.test(text))
        );
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
      const ours = root.words.slice(1).map((word) => {
        const value = literal(word);
        return word.pieces[0]?.kind === "home" ? home + value.slice(1) : value;
      });
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

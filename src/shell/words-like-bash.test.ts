import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";

/**
 * Scripts that call nothing but `argv`, run by a restricted bash without any program on its path. Whatever bash
 * hands to `argv` must be among the words that were read from the same text.
 */
const seed = 4_711;

const plain = fc.constantFrom("a", "b1", "x.ts", "src/a", "-n", "--f=v", "1", "%s", "@", "a:b", "a=b", "+", "^", "!");
const odd = fc.constantFrom(
  ..."'q r'|\"s t\"|\\ |'|\"|\\|\\\\|#|a#b|~|~/z|é|'é'|\u00a0|\r|\u2028|''|\"\"|$|\"$\"|\\$|\"\\$a\"|'$a'|{|}|{}|{,}|,|..|[|]|*|?|'*'|\\*|=|\\\n|\t|$'t\\tu'|$'\\x41'|\"a\\\nb\"|\"`\"|'`'|!|\"!\"".split(
    "|",
  ),
);
const braces = fc.constantFrom(
  "{a,b}",
  "{1..3}",
  "{c..a}",
  "x{,y}",
  "{a,{b,c}}d",
  "{a,b}{1,2}",
  "'{a,b}'",
  "{a}",
  "{a..}",
  "{1..2..1}",
);
const variables = fc.constantFrom(
  "$a",
  '"$a"',
  "$b$a",
  '"$b-$a"',
  "pre$a",
  "$c",
  '"$c"',
  "$?",
  "$#",
  "$unset",
  '"$unset"',
);
const substitutions = fc.constantFrom(
  "$(echo q)",
  '"$(echo q r)"',
  "$(echo q r)",
  "`echo t`",
  "$((1+2))",
  '"$((a+1))"',
);
const dollar = (...written: readonly string[]) => fc.constantFrom(...written.map((text) => text.replaceAll("¤", "$")));
const wide = dollar("¤{a}", "¤{a}{b}", '"¤{c}"', "¤{#a}", "¤{a%x}", '"¤{a##*/}"', "¤{a:-z}", '"¤{b:+y}"', "¤{c^^}");
const changed = dollar(
  ...["%.*", "%%.*", "#*/", "##*/", "%/*", "%%/*", "#a", "%s", "/a/b", "//a/", ":1", ":0:2", ",,", "^", "-d", "+e"].map(
    (change) => `"¤{a${change}}"`,
  ),
);
const parameters = dollar('"¤@"', "¤@", '"x¤@"', '"¤n"', "¤((i + 1))", '"¤((8 / i))"', '"¤((2 * (i - 1)))"');
const piece = fc.oneof(
  { weight: 4, arbitrary: plain },
  odd,
  braces,
  { weight: 2, arbitrary: variables },
  substitutions,
  wide,
  changed,
  parameters,
);
const word = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(""));
const call = fc.array(word, { maxLength: 4 }).map((words) => ["argv", ...words].join(" "));
const assignment = fc
  .tuple(fc.constantFrom("a", "b", "c"), fc.oneof(word, fc.constantFrom("'x y'", "7", '"$b z"', "")))
  .map(([name, value]) => `${name}=${value}`);
const settings = fc.oneof(
  word.map((value) => `IFS= read -r a <<< ${value}`),
  word.map((value) => `read n <<< ${value}`),
  word.map((value) => `declare a=${value}`),
  fc.constantFrom("i=1", "i=0", "((i++))", "((i = 2 + 3))", "((i += 2))", "shopt -s nullglob", "unset l", "l=(a b)"),
);
const body = fc.constantFrom("plain", "it's $a", "$(echo x)", "`echo y`", "a\\$b", '"quoted"', "\ttab", "E ", "");
const document = fc
  .tuple(fc.constantFrom("E", "'E'", '"E"', "\\E"), fc.array(body, { maxLength: 3 }), call)
  .map(([delimiter, lines, command]) => `${command} <<${delimiter}\n${[...lines, "E"].join("\n")}`);
const { statement } = fc.letrec<{ statement: string; list: string }>((tie) => ({
  statement: fc.oneof(
    { depthSize: "small" },
    { weight: 6, arbitrary: call },
    { weight: 3, arbitrary: assignment },
    { weight: 2, arbitrary: settings },
    document,
    fc.constantFrom("# note 'x", "true", "! true", ":", "break", "return", "export CI=1"),
    fc.tuple(tie("list"), tie("list")).map(([yes, no]) => `if true\nthen ${yes}\nelse ${no}\nfi`),
    fc
      .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), tie("list"))
      .map(([words, inner]) => `for c in ${words.join(" ")}; do\n${inner}\ndone`),
    fc
      .tuple(word, tie("list"))
      .map(([subject, inner]) => `case ${subject} in a*|7) ${inner}\n;; *) argv other\n;; esac`),
    tie("list").map((inner) => `{ ${inner}\n}`),
    tie("list").map((inner) => `( ${inner}\n)`),
    fc
      .tuple(tie("list"), fc.constantFrom(" && ", " || ", " ; ", " \\\n&& ", " # c\n"))
      .map(([inner, glue]) => `argv l${glue}${inner}`),
  ),
  list: fc.array(tie("statement"), { minLength: 1, maxLength: 3 }).map((statements) => statements.join("\n")),
}));
const script = fc.array(statement, { minLength: 1, maxLength: 4 }).map((statements) => statements.join("\n"));

/** A word that only the running shell knows is reported as it is written. */
function matches(ours: readonly string[], theirs: readonly string[]): boolean {
  const [first, ...rest] = ours;
  if (first === undefined) return theirs.length === 0;
  if (/[$`]/.test(first)) return theirs.some((_word, index) => matches(rest, theirs.slice(index))) || matches(rest, []);
  return first === theirs[0] && matches(rest, theirs.slice(1));
}

/** Directories that exist, that do not, and links between them. */
const places = fc.constantFrom(
  "src",
  "src/deep",
  "..",
  "docs",
  ".",
  "./src",
  "gone",
  "../src",
  "src/../docs",
  "link",
  "-",
);
const move = fc.oneof(
  places.map((place) => `cd ${place}`),
  fc.constantFrom('cd "$OLDPWD"', "b=$PWD", "cd $b", "(cd src)", "cd src | cd docs", "cd src < gone", "true"),
);
const moves = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: move },
      fc.tuple(move, fc.constantFrom(" && ", " || ", "; "), move).map((parts) => parts.join("")),
      fc.tuple(move, move).map(([one, other]) => `if ${one}; then ${other}; fi`),
      fc.tuple(move, move).map(([one, other]) => `{ ${one}; ${other}; }`),
      fc.tuple(move, move).map(([one, other]) => `( ${one}; ${other}; argv "$PWD" )`),
      move.map((one) => `for c in 1 2; do ${one}; argv "$PWD"; done`),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((steps) => steps.flatMap((one) => [one, 'argv "$PWD"']).join("\n"));

describe("bash is the judge of whole scripts", () => {
  test("what bash hands to a program is among the words that were read", () => {
    const { understood, wrong } = compareWithBash(fc.sample(script, { numRuns: 6_000, seed }), ["--restricted"]);
    expect(understood).toBeGreaterThan(1_000);
    expect({ seed, wrong: wrong.slice(0, 5) }).toEqual({ seed, wrong: [] });
  });

  test("where bash stands is where it was thought to stand", () => {
    const { understood, wrong } = compareWithBash(
      fc.sample(moves, { numRuns: 2_000, seed }),
      [],
      ["src", "src/deep", "docs"],
    );
    expect(understood).toBeGreaterThan(300);
    expect({ seed, wrong: wrong.slice(0, 5) }).toEqual({ seed, wrong: [] });
  });
});

function compareWithBash(texts: readonly string[], flags: readonly string[], directories: readonly string[] = []) {
  const { shell, root, home } = makeFixture();
  for (const directory of directories) mkdirSync(path.join(root, directory), { recursive: true });
  if (directories.includes("src")) symlinkSync("src", path.join(root, "link"));
  // A leading `~` is reported as it is written; the scripts have no quoted one.
  const atHome = (one: string) => one.replace(/^~(?=\/|$)/, home);
  const scripts = path.join(path.dirname(root), "scripts");
  mkdirSync(scripts);
  const understood = texts.flatMap((text) => {
    const { parts, syntaxError } = shell(text);
    const certain = parts.every((part) => part.words !== undefined && !part.reason.includes("changed the shell"));
    return certain && syntaxError === undefined
      ? [{ text, calls: parts.flatMap(({ words }) => (words?.[0] === "argv" ? [words.slice(1).map(atHome)] : [])) }]
      : [];
  });
  for (const [index, { text }] of understood.entries()) writeFileSync(path.join(scripts, `s${index}`), text);
  const driver = [
    "argv() { printf '%s\\0' \"$@\"; printf '\\1'; }",
    "unset OLDPWD",
    `for ((n = 0; n < ${understood.length}; n++)); do ( source s$n ); printf '\\2'; done`,
  ].join("\n");
  const run = spawnSync("/bin/bash", ["--noprofile", "--norc", ...flags, "-c", driver], {
    cwd: root,
    env: { PATH: scripts, HOME: home, LC_ALL: "C.UTF-8" },
    encoding: "utf8",
    maxBuffer: 256 << 20,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const outputs = run.stdout.split("\x02").slice(0, -1);
  expect(outputs).toHaveLength(understood.length);
  const wrong = understood.flatMap(({ text, calls }, index) =>
    (outputs[index] ?? "")
      .split("\x01")
      .slice(0, -1)
      .flatMap((record) => {
        // What `cd -` prints stands in front of the first word.
        const printed = directories.length === 0 ? record : record.replace(/^(?:.*\n)+/, "");
        const theirs = printed.split("\0").slice(0, -1);
        // `printf` without arguments prints its format once, so no word looks like an empty one.
        const read = calls.some((ours) => matches(ours, theirs) || (record === "\0" && matches(ours, [])));
        return read ? [] : [{ text, theirs, calls }];
      }),
  );
  return { understood: understood.length, wrong };
}

import { describe, expect, test } from "vitest";
import { makeShellProject } from "../../../test/gate-matrix/shell-project.ts";
import { linesOfAll } from "./report-lines.fixture.ts";

type Table = Readonly<Record<string, readonly string[]>>;

describe("where a command runs", () => {
  test("a change of directory", () => {
    const project = makeShellProject();
    const table: Table = {
      "cd src": ["cd src → cd changes the directory; list src"],
      "cd src && cat a.ts": [
        "cd src → cd changes the directory; list src",
        "cat a.ts in src → cat only reads; read src/a.ts",
      ],
      "cd src; cat a.ts": [
        "cd src → cd changes the directory; list src",
        "cat a.ts in src → cat only reads; read src/a.ts",
      ],
      "cd src || cat a": [
        "cd src → cd changes the directory; list src",
        "cat a in ? → cat only reads; read a; read src/a",
      ],
      "cd src && cd .. && ls": [
        "cd src → cd changes the directory; list src",
        "cd .. in src → cd changes the directory; list .",
        "ls → ls only lists; list .",
      ],
      cd: ["cd → ? cd without an operand goes home"],
      "cd -": ["cd - → ? cd is written in an unusual way"],
      "cd ~": ["cd ~ → cd changes the directory; list HOME"],
      "cd ~/x": ["cd ~/x → cd changes the directory; list HOME/x"],
      "cd src deep": ["cd src deep → ? cd is written in an unusual way"],
      "cd -P src; ls": ["cd -P src → cd changes the directory; list src", "ls in src → ls only lists; list src"],
      "cd -P -P src; ls": ["cd -P -P src → cd changes the directory; list src", "ls in src → ls only lists; list src"],
      "cd -L src": ["cd -L src → ? cd is written in an unusual way"],
      "cd -- src; ls": ["cd -- src → cd changes the directory; list src", "ls in src → ls only lists; list src"],
      "cd -- -x": ["cd -- -x → ? cd is written in an unusual way"],
      "cd $x": ["cd $x → ? cd is written in an unusual way → open-ended"],
      'cd "$x"; ls': [
        'cd "$x" → ? cd is written in an unusual way → open-ended',
        "ls in ? → ? cd changed the shell before it",
      ],
      "cd *": ["cd * → ? cd is written in an unusual way"],
      "cd nope && ls": ["cd nope → cd changes the directory; list nope", "ls in ? → ls only lists; list .; list nope"],
      "cd nope; ls": ["cd nope → cd changes the directory; list nope", "ls in ? → ls only lists; list .; list nope"],
      "cd nope; cat a; cd sub; cat b": [
        "cd nope → cd changes the directory; list nope",
        "cat a in ? → cat only reads; read a; read nope/a",
        "cd sub in ? → cd changes the directory; list sub; list nope/sub",
        "cat b in ? → cat only reads; read b; read nope/b; read sub/b; read nope/sub/b",
      ],
      "cd package.json": ["cd package.json → ? package.json is not a directory"],
      "cd out; ls": ["cd out → ? out leads through a link", "ls in ? → ? cd changed the shell before it"],
      "cd out/x; ls": ["cd out/x → ? out/x leads through a link", "ls in ? → ? cd changed the shell before it"],
      "cd /; ls": ["cd / → cd changes the directory; list /", "ls in / → ls only lists; list /"],
      "cd /etc; cat passwd": [
        "cd /etc → cd changes the directory; list /etc",
        "cat passwd in /etc → cat only reads; read /etc/passwd",
      ],
      "cd ..; ls": ["cd .. → cd changes the directory; list ABOVE", "ls in ABOVE → ls only lists; list ABOVE"],
      "cd src/..; ls": ["cd src/.. → cd changes the directory; list .", "ls → ls only lists; list ."],
      "cd ''": ["cd '' (cd|) → ? '' cannot be followed"],
      "(cd src); ls": ["cd src → cd changes the directory; list src", "ls → ls only lists; list ."],
      "{ cd src; }; ls": ["cd src → cd changes the directory; list src", "ls in src → ls only lists; list src"],
      "cd src | ls; ls": [
        "cd src → cd changes the directory; list src",
        "ls → ls only lists; list .",
        "ls → ls only lists; list .",
      ],
      "cd src & ls": ["cd src → cd changes the directory, in the background; list src", "ls → ls only lists; list ."],
      "if cd src; then ls; fi; pwd": [
        "cd src → cd changes the directory; list src",
        "ls in src → ls only lists; list src",
        "pwd in src → pwd only prints",
      ],
      "cd src && ls || pwd; cat a": [
        "cd src → cd changes the directory; list src",
        "ls in src → ls only lists; list src",
        "pwd in ? → pwd only prints",
        "cat a in ? → cat only reads; read a; read src/a",
      ],
      "cd src >/dev/null; ls": ["cd src → cd changes the directory; list src", "ls in src → ls only lists; list src"],
      "cd src > x; ls": [
        "cd src → cd changes the directory; list src",
        "[> x] → writes by redirection; write x",
        "ls in ? → ls only lists; list .; list src",
      ],
      "cd src 2>&1; ls": ["cd src → cd changes the directory; list src", "ls in src → ls only lists; list src"],
      "cd src < x; ls": [
        "cd src → cd changes the directory; list src",
        "[< x] → reads by redirection; read x",
        "ls in ? → ls only lists; list .; list src",
      ],
      "cd a || cd b; cat c": [
        "cd a → cd changes the directory; list a",
        "cd b in ? → cd changes the directory; list b; list a/b",
        "cat c in ? → cat only reads; read c; read a/c; read b/c; read a/b/c",
      ],
      "cd src; cd ../sub; cat x": [
        "cd src → cd changes the directory; list src",
        "cd ../sub in src → cd changes the directory; list sub",
        "cat x in sub → cat only reads; read sub/x",
      ],
      "while ls; do cd src; done; cat a": [
        "ls in ? → ls only lists; list .; list src; list src/src; list src/src/src; list src/src/src/src; list src/src/src/src/src",
        "cd src in ? → cd changes the directory; list src; list src/src; list src/src/src; list src/src/src/src; list src/src/src/src/src; list src/src/src/src/src/src",
        "[loop] → ? loop: what it does differs from round to round",
        "cat a in ? → ? something that was not understood changed the shell before it",
      ],
      "for d in src sub; do cd $d; ls; cd ..; done": [
        "cd src → cd changes the directory; list src",
        "ls in src → ls only lists; list src",
        "cd .. in src → cd changes the directory; list .",
        "cd sub → cd changes the directory; list sub",
        "ls in sub → ls only lists; list sub",
        "cd .. in sub → cd changes the directory; list .",
      ],
      "true && cd src; ls": [
        "true → true only prints",
        "cd src → cd changes the directory; list src",
        "ls in ? → ls only lists; list src; list .",
      ],
      "x=1 && cd src; ls": ["cd src → cd changes the directory; list src", "ls in src → ls only lists; list src"],
      "x=$(ls) && cd src; ls": [
        "ls → ls only lists; list .",
        "cd src → cd changes the directory; list src",
        "ls in ? → ls only lists; list src; list .",
      ],
      "cd src && x=1; cat a": [
        "cd src → cd changes the directory; list src",
        "cat a in src → cat only reads; read src/a",
      ],
      "false || cd src && cat a": [
        "false → false only prints",
        "cd src → cd changes the directory; list src",
        "cat a in ? → cat only reads; read a; read src/a",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });
});

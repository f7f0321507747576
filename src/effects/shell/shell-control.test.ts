import { describe, expect, test } from "vitest";
import { makeShellProject } from "../../../test/gate-matrix/shell-project.ts";
import { linesOfAll } from "./report-lines.fixture.ts";

type Table = Readonly<Record<string, readonly string[]>>;

describe("the way through a text", () => {
  test("branches and loops", () => {
    const project = makeShellProject();
    const table: Table = {
      "if ls; then cat a; else cat b; fi; cat c": [
        "ls → ls only lists; list .",
        "cat a → cat only reads; read a",
        "cat b → cat only reads; read b",
        "cat c → cat only reads; read c",
      ],
      "if ls; then x=a; elif pwd; then x=b; else x=c; fi; cat $x": [
        "ls → ls only lists; list .",
        "pwd → pwd only prints",
        "cat c → cat only reads; read c",
        "cat a → cat only reads; read a",
        "cat b → cat only reads; read b",
      ],
      "if ls; then frob; fi; cat a": [
        "ls → ls only lists; list .",
        "frob → ? frob is not in the tables",
        "cat a → cat only reads; read a",
      ],
      "case $x in a) cat a;; b) cat b;; esac; cat c": [
        "cat a → cat only reads; read a",
        "cat b → cat only reads; read b",
        "cat c → cat only reads; read c",
      ],
      "case x in a) y=1;; *) y=2;; esac; cat $y": [
        "cat $y → cat only does more than is understood; ? $y is known only when it runs → open-ended",
      ],
      "while ls; do cat a; done; cat b": [
        "ls → ls only lists; list .",
        "cat a → cat only reads; read a",
        "cat b → cat only reads; read b",
      ],
      "until ls; do cat a; done": ["ls → ls only lists; list .", "cat a → cat only reads; read a"],
      "while ls; do break; done": ["ls → ls only lists; list .", "break → break leaves the loop"],
      "while ls; do continue; done; cat a": [
        "ls → ls only lists; list .",
        "continue → continue leaves the loop",
        "cat a → cat only reads; read a",
      ],
      "while ls; do if pwd; then x=1; break; fi; x=2; done; cat $x": [
        "ls → ls only lists; list .",
        "pwd → pwd only prints",
        "break → break leaves the loop",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "break 2": ["break 2 → ? break is written in an unusual way"],
      "break 1": ["break 1 → break leaves the loop"],
      "continue 1 2": ["continue 1 2 → ? continue is written in an unusual way"],
      "while ls; do x=$x/a; done; cat $x": [
        "ls → ls only lists; list .",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "i=0; while ls; do i=$((i+1)); done; cat f$i": [
        "ls → ls only lists; list .",
        "cat f$i → cat only does more than is understood; ? f$i is known only when it runs → open-ended",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("loops over a list", () => {
    const project = makeShellProject();
    const table: Table = {
      "for i in a b; do cat $i; done": ["cat a → cat only reads; read a", "cat b → cat only reads; read b"],
      "for i in a b; do cat $i; done; cat $i": [
        "cat a → cat only reads; read a",
        "cat b → cat only reads; read b",
        "cat b → cat only reads; read b",
      ],
      "for i in a a; do cat $i; done": ["cat a → cat only reads; read a"],
      "for i in 1 2 3 4 5 6 7 8; do cat $i; done": [
        "cat 1 → cat only reads; read 1",
        "cat 2 → cat only reads; read 2",
        "cat 3 → cat only reads; read 3",
        "cat 4 → cat only reads; read 4",
        "cat 5 → cat only reads; read 5",
        "cat 6 → cat only reads; read 6",
        "cat 7 → cat only reads; read 7",
        "cat 8 → cat only reads; read 8",
      ],
      "for i in 1 2 3 4 5 6 7 8 9; do cat $i; done": [
        "cat $i → cat only does more than is understood; ? $i is known only when it runs → open-ended",
      ],
      "for i in *.ts; do cat $i; done": ["cat $i → cat only reads; read ** → open-ended"],
      'for i in src/*.ts; do cat "$i"; done': ['cat "$i" → cat only reads; read src/** → open-ended'],
      "for i in src/*; do cat $i/x; done": ["cat $i/x → cat only reads; read src/**; read ** → open-ended"],
      'for i in */x; do cat "$i"; done': [
        'cat "$i" → cat only does more than is understood; ? "$i" is known only when it runs → open-ended',
      ],
      'for i in *; do cat "$i"; done': [
        'cat "$i" → cat only does more than is understood; ? "$i" is known only when it runs → open-ended',
      ],
      'for i in ~/*; do cat "$i"; done': ['cat "$i" → cat only reads; read HOME/** → open-ended'],
      'for i in ../*; do cat "$i"; done': [
        'cat "$i" → cat only does more than is understood; ? "$i" is known only when it runs → open-ended',
      ],
      'for i in .*; do cat "$i"; done': [
        'cat "$i" → cat only does more than is understood; ? "$i" is known only when it runs → open-ended',
      ],
      "for i in ~/a; do cat $i; done": ["cat HOME/a → cat only reads; read HOME/a"],
      "for i in $x; do cat $i; done": [
        "cat $i → cat only does more than is understood; ? $i is known only when it runs → open-ended",
      ],
      'for i in "$x"; do cat $i; done': [
        "cat $i → cat only does more than is understood; ? $i is known only when it runs → open-ended",
      ],
      "for i in $(ls); do cat $i; done": [
        "ls → ls only lists; list .",
        "cat $i → cat only reads; read ** → open-ended",
      ],
      "for i in $(seq 3); do cat $i; done": [
        "seq 3 → seq only prints",
        "cat 1 → cat only reads; read 1",
        "cat 2 → cat only reads; read 2",
        "cat 3 → cat only reads; read 3",
      ],
      "for i in $(git log --format=%h); do git show $i; done": [
        "git log --format=%h → git log only reads; read ** → as git log --format=%h",
        "git show $i → git show only reads; read ** → as git show … → open-ended",
      ],
      "for i in $(wc -l < a); do head -n $i b; done": [
        "wc -l → wc only prints",
        "[< a] → reads by redirection; read a",
        "head -n $i b → head only reads; read b → open-ended",
      ],
      "for PATH in a; do ls; done": ["[for PATH] → ? for PATH: it sets the name"],
      "for i in a b; do break; done; cat $i": [
        "break → break leaves the loop",
        "cat b → cat only reads; read b",
        "cat a → cat only reads; read a",
      ],
      "for i in a b; do if ls; then continue; fi; cat $i; done": [
        "ls → ls only lists; list .",
        "continue → continue leaves the loop",
        "cat a → cat only reads; read a",
        "cat b → cat only reads; read b",
      ],
      "for i in a b; do cd src; done; cat x": [
        "cd src → cd changes the directory; list src",
        "cd src in src → cd changes the directory; list src/src",
        "cat x in ? → cat only reads; read src/x; read src/src/x",
      ],
      "for i in; do ls; done": [
        "[for i in; do ls; done] → ? for i in; do ls; done: a loop without a list is not in the grammar",
        "ls in ? → ? for i in; do ls; done: a loop without a list is not in the grammar",
      ],
      "for i in -*; do cat $i; done": ["cat $i → cat only reads; read ** → open-ended"],
      "for i in src/-*; do cat $i; done": ["cat $i → cat only reads; read src/**; read ** → open-ended"],
      "for i in a b; do for j in c d; do cat $i/$j; done; done": [
        "cat a/c → cat only reads; read a/c",
        "cat a/d → cat only reads; read a/d",
        "cat b/c → cat only reads; read b/c",
        "cat b/d → cat only reads; read b/d",
      ],
      'for f in src/*.ts; do echo "$f" > "$f"; done': [
        'echo "$f" → echo only prints → open-ended',
        '[> "$f"] → writes by redirection; ? "$f" is not certain',
      ],
      "for f in a b; do x=$f; done; cat $x": ["cat b → cat only reads; read b"],
      "for i in a & do ls; done": [
        "[for i in a & do ls; done] → ? for i in a & do ls; done: it could not be parsed: expected 'do'",
        "for i in a & do ls; done (for|i|in|a|do|ls|done) in ? → ? for i in a & do ls; done: it could not be parsed: expected 'do'",
        "error: expected 'do'",
      ],
      "for i in 1 2; do ls & done": ["ls → ls only lists, in the background; list ."],
      "for i in *; do ls & done": [
        "ls → ls only lists, in the background; list .",
        "[&] → ? &: a loop may start any number of processes",
      ],
      "while ls; do pwd & done": [
        "ls → ls only lists; list .",
        "pwd → pwd only prints, in the background",
        "[&] → ? &: a loop may start any number of processes",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("functions", () => {
    const project = makeShellProject();
    const table: Table = {
      "f() { cat a; }; f": ["f → calls the function f", "cat a → cat only reads; read a"],
      "f() { cat $1; }; f x": ["f x → calls the function f", "cat x → cat only reads; read x"],
      "f() { cat $1 $2; }; f x": [
        "f x → calls the function f",
        "cat $1 $2 (cat|x|$2) → cat only does more than is understood; read x; ? $2 is known only when it runs → open-ended",
      ],
      'f() { cat "$@"; }; f x': ["f x → calls the function f", "cat x → cat only reads; read x"],
      "f() { cd src; }; f; ls": [
        "f → calls the function f",
        "cd src → cd changes the directory; list src",
        "ls in src → ls only lists; list src",
      ],
      "f() { x=1; }; f; cat $x": [
        "f → calls the function f",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "f() { local x=1; cat $x; }; f": [
        "f → calls the function f",
        "local x=1 → local sets x=1",
        "cat 1 → cat only reads; read 1",
      ],
      'f() { local x; cat "$x"; }; x=1; f': [
        "f → calls the function f",
        "local x → local sets x",
        "cat '' (cat|) → cat only does more than is understood; ? an operand is empty",
      ],
      "f() { return; cat a; }; f; cat b": [
        "f → calls the function f",
        "return → return leaves the function",
        "cat a → cat only reads; read a",
        "cat b → cat only reads; read b",
      ],
      "f() { return 1; }; f": ["f → calls the function f", "return 1 → return leaves the function"],
      "f() { return $?; }; f": ["f → calls the function f", "return $? → return leaves the function → open-ended"],
      "f() { return x; }; f": ["f → calls the function f", "return x → ? return is written in an unusual way"],
      "f() { f; }; f": [
        "f → calls the function f",
        "[f] → ? f: the function f is not certain",
        "f in ? → ? f: the function f is not certain",
      ],
      "f() { g; }; g() { f; }; f": [
        "f → calls the function f",
        "g → calls the function g",
        "[f] → ? f: the function f is not certain",
        "f in ? → ? f: the function f is not certain",
      ],
      "x=1 f": ["[x=1 f] → ? x=1 f: it is given x", "f in ? → ? x=1 f: it is given x"],
      "f() { ls; }; FOO=1 f": ["[FOO=1 f] → ? FOO=1 f: it is given FOO", "f in ? → ? FOO=1 f: it is given FOO"],
      "f() { ls; }; f > x": [
        "f → calls the function f",
        "ls → ls only lists; list .",
        "[> x] → writes by redirection; write x",
      ],
      "if ls; then f() { cat a; }; fi; f": [
        "ls → ls only lists; list .",
        "[f] → ? f: the function f is not certain",
        "f in ? → ? f: the function f is not certain",
      ],
      "f() { cat a; }; f() { cat b; }; f": ["f → calls the function f", "cat b → cat only reads; read b"],
      "f() { cat $1; }; f *": [
        "f * → calls the function f",
        "cat $1 → cat only does more than is understood; ? $1 is known only when it runs → open-ended",
      ],
      "f() { cat $1; }; f $x": [
        "f $x → calls the function f → open-ended",
        "cat $1 → cat only does more than is understood; ? $1 is known only when it runs → open-ended",
      ],
      'f() { cat $1; }; f "$x"': [
        'f "$x" → calls the function f → open-ended',
        "cat $1 → cat only does more than is understood; ? $1 is known only when it runs → open-ended",
      ],
      "f() { shift; cat $1; }; f a b": [
        "f a b → calls the function f",
        "shift → shift drops parameters",
        "cat $1 → cat only does more than is understood; ? $1 is known only when it runs → open-ended",
      ],
      "f() { shift 2; ls; }; f a": [
        "f a → calls the function f",
        "shift 2 → shift drops parameters",
        "ls → ls only lists; list .",
      ],
      "f() { shift x; ls; }; f a": [
        "f a → calls the function f",
        "shift x → ? shift is written in an unusual way",
        "ls in ? → ? shift changed the shell before it",
      ],
      "f() { echo $0; }; f": ["f → calls the function f", "echo $0 → echo only prints → open-ended"],
      "ls() { cat .env; }; ls": ["ls → calls the function ls", "cat .env → cat only reads; read .env"],
      "cd() { ls; }; cd src": ["cd src → calls the function cd", "ls → ls only lists; list ."],
      "f() { cat $1; }; f a; cat $1": [
        "f a → calls the function f",
        "cat a → cat only reads; read a",
        "cat $1 → cat only does more than is understood; ? $1 is known only when it runs → open-ended",
      ],
      "local x=1": ["local x=1 → ? local stands in no function"],
      "f() { local x=$y; }; f": [
        "f → calls the function f",
        "[local x=$y] → ? local x=$y: x=$y can be read in two ways",
        "local x=$y in ? → ? local x=$y: x=$y can be read in two ways",
      ],
      "f() { declare x=1; cat $x; }; f": [
        "f → calls the function f",
        "declare x=1 → declare sets x=1",
        "cat 1 → cat only reads; read 1",
      ],
      "declare x=a; cat $x": ["declare x=a → declare sets x=a", "cat a → cat only reads; read a"],
      "declare -r x=1": ["declare -r x=1 → ? declare sets -r"],
      "typeset x=a y=b; cat $x $y": [
        "typeset x=a y=b → typeset sets x=a y=b",
        "cat a b → cat only reads; read a; read b",
      ],
      declare: ["declare → ? declare sets nothing"],
      "declare x; cat $x": [
        "declare x → declare sets x",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "x=a; declare x; cat $x": ["declare x → declare sets x", "cat a → cat only reads; read a"],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("loops over lines", () => {
    const project = makeShellProject();
    const table: Table = {
      "while read x; do cat $x; done < a": [
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
        "[< a] → reads by redirection; read a",
      ],
      "ls | while read x; do cat $x; done": [
        "ls → ls only lists; list .",
        "cat $x → cat only reads; read ** → open-ended",
      ],
      'ls | while read -r x; do cat "$x"; done': [
        "ls → ls only lists; list .",
        'cat "$x" → cat only reads; read ** → open-ended',
      ],
      "find . -name '*.ts' | while read -r x; do cat \"$x\"; done": [
        "find . -name '*.ts' (find|.|-name|*.ts) → find only lists; list **",
        'cat "$x" → cat only reads; read ** → open-ended',
      ],
      "find . -print0 | while read -r -d '' x; do cat \"$x\"; done": [
        "find . -print0 → find only lists; list **",
        'cat "$x" → cat only reads; read ** → open-ended',
      ],
      'find . -print0 | while read -r x; do cat "$x"; done': [
        "find . -print0 → find only lists; list **",
        'cat "$x" → cat only does more than is understood; ? "$x" is known only when it runs → open-ended',
      ],
      "find . | while read -r -d '' x; do cat \"$x\"; done": [
        "find . → find only lists; list **",
        'cat "$x" → cat only reads; read ** → open-ended',
      ],
      'ls | while read -r -d x y; do cat "$y"; done': [
        "ls → ls only lists; list .",
        'cat "$y" → cat only does more than is understood; ? "$y" is known only when it runs → open-ended',
      ],
      'ls | while IFS= read -r x; do cat "$x"; done': [
        "ls → ls only lists; list .",
        'cat "$x" → cat only reads; read ** → open-ended',
      ],
      'ls | while IFS=: read -r x; do cat "$x"; done': [
        "ls → ls only lists; list .",
        'cat "$x" → cat only does more than is understood; ? "$x" is known only when it runs → open-ended',
      ],
      'ls | while IFS=$y read -r x; do cat "$x"; done': [
        "ls → ls only lists; list .",
        "[IFS=$y read -r x] → ? IFS=$y read -r x: it is given IFS",
        "read -r x in ? → ? IFS=$y read -r x: it is given IFS",
        'cat "$x" in ? → ? something that was not understood changed the shell before it → open-ended',
      ],
      'ls | while A=b read -r x; do cat "$x"; done': [
        "ls → ls only lists; list .",
        "[A=b read -r x] → ? A=b read -r x: it is given A",
        "read -r x in ? → ? A=b read -r x: it is given A",
        'cat "$x" in ? → ? something that was not understood changed the shell before it → open-ended',
      ],
      'ls | while read -r x y; do cat "$x"; done': [
        "ls → ls only lists; list .",
        'cat "$x" → cat only does more than is understood; ? "$x" is known only when it runs → open-ended',
      ],
      "ls | while read -r PATH; do ls; done": [
        "ls → ls only lists; list .",
        "read -r PATH in ? → ? read changed the shell before it → open-ended",
        "ls in ? → ? read changed the shell before it → open-ended",
      ],
      "ls | while read -p x y; do cat $y; done": [
        "ls → ls only lists; list .",
        "read -p x y → read sets y",
        "cat $y → cat only does more than is understood; ? $y is known only when it runs → open-ended",
      ],
      "ls | while read; do ls; done": [
        "ls → ls only lists; list .",
        "read in ? → ? read changed the shell before it → open-ended",
        "ls in ? → ? read changed the shell before it → open-ended",
      ],
      "ls | until read x; do cat $x; done": [
        "ls → ls only lists; list .",
        "read x → read sets x",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "ls | while read x < b; do cat $x; done": [
        "ls → ls only lists; list .",
        "read x → read sets x",
        "[< b] → reads by redirection; read b",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "echo a | while read -r x; do cat $x; done": ["echo a → echo only prints", "cat a → cat only reads; read a"],
      "printf 'a\\nb\\n' | while read -r x; do cat $x; done": [
        "printf 'a\\nb\\n' (printf|a\\nb\\n) → printf only prints",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "while read -r x; do cat $x; done <<E\na\nb\nE": [
        "cat a → cat only reads; read a",
        "cat b → cat only reads; read b",
      ],
      "while read -r x; do cat $x; done <<E\n a\n\\b\nE": [
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "while read -r x; do cat $x; done < <(ls src)": [
        "ls src → ls only lists; list src",
        "cat $x → cat only reads; read **; read src/** → open-ended",
      ],
      "while read -r x; do cat $x; cat; done <<< a": [
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
        "cat → cat only prints",
      ],
      "while read -r x; do cat $x; done <<< a; cat $x": [
        "cat a → cat only reads; read a",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "read() { ls; }; while read -r x; do cat $x; done < a": [
        "read -r x → calls the function read",
        "ls → ls only lists; list .",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
        "[< a] → reads by redirection; read a",
      ],
      "frob; while read -r x; do cat $x; done < a": [
        "frob → ? frob is not in the tables",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
        "[< a] → reads by redirection; read a",
      ],
      'ls | while read -r -r x; do cat "$x"; done': [
        "ls → ls only lists; list .",
        'cat "$x" → cat only reads; read ** → open-ended',
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });
});

import { describe, expect, test } from "vitest";
import { makeShellProject } from "../../../test/gate-matrix/shell-project.ts";
import { linesOfAll } from "./report-lines.fixture.ts";

/** In front of a brace it would start a substitution of ours. */
const $ = "$";

type Table = Readonly<Record<string, readonly string[]>>;

describe("what the shell itself keeps", () => {
  test("arrays", () => {
    const project = makeShellProject();
    const table: Table = {
      [`a=(x y); cat ${$}{a[0]}`]: [
        `cat ${$}{a[0]} → cat only does more than is understood; ? ${$}{a[0]} is known only when it runs → open-ended`,
      ],
      [`a=(x y); cat ${$}{a[1]}`]: [
        `cat ${$}{a[1]} → cat only does more than is understood; ? ${$}{a[1]} is known only when it runs → open-ended`,
      ],
      [`a=(x y); cat ${$}{a[2]}`]: [
        `cat ${$}{a[2]} → cat only does more than is understood; ? ${$}{a[2]} is known only when it runs → open-ended`,
      ],
      "a=(x y); cat $a": ["cat x → cat only reads; read x"],
      [`a=(x y); cat ${$}{a[@]}`]: ["cat x y → cat only reads; read x; read y"],
      [`a=(x y); cat "${$}{a[@]}"`]: ["cat x y → cat only reads; read x; read y"],
      [`a=('x y' z); cat "${$}{a[@]}"`]: ["cat 'x y' z (cat|x y|z) → cat only reads; read x y; read z"],
      [`a=('x y' z); cat ${$}{a[@]}`]: [
        `cat ${$}{a[@]} → cat only does more than is understood; ? ${$}{a[@]} is known only when it runs → open-ended`,
      ],
      [`a=(x y); cat "${$}{a[*]}"`]: [
        `cat "${$}{a[*]}" → cat only does more than is understood; ? "${$}{a[*]}" is known only when it runs → open-ended`,
      ],
      [`a=(); cat "${$}{a[@]}"`]: [
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`a=(x y); echo ${$}{#a[@]}`]: [`echo ${$}{#a[@]} → echo only prints → open-ended`],
      [`a=(x y); head -n ${$}{#a[@]} b`]: [`head -n ${$}{#a[@]} b → head only reads; read b → open-ended`],
      [`a=(x y); for i in "${$}{a[@]}"; do cat "$i"; done`]: [
        "cat x → cat only reads; read x",
        "cat y → cat only reads; read y",
      ],
      [`a=(x y); for i in "${$}{!a[@]}"; do cat "${$}{a[$i]}"; done`]: [
        `cat "${$}{a[$i]}" → cat only does more than is understood; ? "${$}{a[$i]}" is known only when it runs → open-ended`,
      ],
      [`a=(x y); a+=(z); cat "${$}{a[@]}"`]: ["cat x y z → cat only reads; read x; read y; read z"],
      [`a=x; a+=(y); cat "${$}{a[@]}"`]: [
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`a=(x); a+=y; cat "${$}{a[@]}"`]: [
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`a=(x y); a[0]=z; cat "${$}{a[@]}"`]: [
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`a=(x y); a[k]=z; cat "${$}{a[@]}"`]: [
        "[a[k]=z] → ? a[k]=z: it sets a",
        `cat "${$}{a[@]}" in ? → ? something that was not understood changed the shell before it → open-ended`,
      ],
      [`a=(x y); a[01]=z; cat "${$}{a[@]}"`]: [
        "[a[01]=z] → ? a[01]=z: it sets a",
        `cat "${$}{a[@]}" in ? → ? something that was not understood changed the shell before it → open-ended`,
      ],
      [`a=(x y); a=z; cat "${$}{a[@]}"; cat $a`]: [
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
        "cat z → cat only reads; read z",
      ],
      [`a=([0]=x [1]=y); cat "${$}{a[@]}"`]: [
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      "a=([k]=x); ls": [
        "[a=([k]=x)] → ? a=([k]=x): it sets a",
        "ls in ? → ? something that was not understood changed the shell before it",
      ],
      [`declare -A a; a[k]=x; cat "${$}{a[k]}"`]: [
        "declare -A a → declare -A makes arrays",
        `cat "${$}{a[k]}" → cat only does more than is understood; ? "${$}{a[k]}" is known only when it runs → open-ended`,
      ],
      "declare -A a; a[$y]=x; ls": [
        "declare -A a → declare -A makes arrays",
        "[a[$y]=x] → ? a[$y]=x: it sets a",
        "ls in ? → ? something that was not understood changed the shell before it",
      ],
      [`declare -a a; a=(x); cat "${$}{a[@]}"`]: [
        "declare -a a → declare -a makes arrays",
        "cat x → cat only reads; read x",
      ],
      [`a=(src/*.ts); cat "${$}{a[@]}"`]: [`cat "${$}{a[@]}" → cat only reads; read src/**; read ** → open-ended`],
      [`a=(*); cat "${$}{a[@]}"`]: [
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`a=($(ls)); cat "${$}{a[@]}"`]: [
        "ls → ls only lists; list .",
        `cat "${$}{a[@]}" → cat only reads; read ** → open-ended`,
      ],
      [`a=($x); cat "${$}{a[@]}"`]: [
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`a=("$x"); cat "${$}{a[@]}"`]: [
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`a=(x y); cd src; cat "${$}{a[@]}"`]: [
        "cd src → cd changes the directory; list src",
        "cat x y in src → cat only reads; read src/x; read src/y",
      ],
      [`a=(src/*.ts); cd src; cat "${$}{a[@]}"`]: [
        "cd src → cd changes the directory; list src",
        `cat "${$}{a[@]}" in src → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`if ls; then a=(x); else a=(y z); fi; cat "${$}{a[@]}"`]: [
        "ls → ls only lists; list .",
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`if ls; then a=(x); else a=(x); fi; cat "${$}{a[@]}"`]: [
        "ls → ls only lists; list .",
        "cat x → cat only reads; read x",
      ],
      [`if ls; then a=(x); fi; cat "${$}{a[@]}"`]: [
        "ls → ls only lists; list .",
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`a=(x); while ls; do a+=(y); done; cat "${$}{a[@]}"`]: [
        "ls → ls only lists; list .",
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`a=(x y); eval z; cat "${$}{a[@]}"`]: [
        "eval z → ? eval changes the shell",
        `cat "${$}{a[@]}" in ? → ? eval changed the shell before it → open-ended`,
      ],
      [`a=(ls -l); "${$}{a[@]}"`]: ["ls -l → ls only lists; list ."],
      [`a=(ls -l); ${$}{a[@]} src`]: ["ls -l src → ls only lists; list src"],
      [`a=(x y); cat "${$}{a[@]:1}"`]: [
        `cat "${$}{a[@]:1}" → cat only does more than is understood; ? "${$}{a[@]:1}" is known only when it runs → open-ended`,
      ],
      [`a=(x y); cat "${$}{a[@]/x/z}"`]: [
        `cat "${$}{a[@]/x/z}" → cat only does more than is understood; ? "${$}{a[@]/x/z}" is known only when it runs → open-ended`,
      ],
      "PATH=(x); ls": [
        "[PATH=(x)] → ? PATH=(x): it sets PATH",
        "ls in ? → ? something that was not understood changed the shell before it",
      ],
      "a=(x $(frob)); ls": ["frob → ? frob is not in the tables", "ls → ls only lists; list ."],
      [`cat ${$}{a[0]}`]: [
        `cat ${$}{a[0]} → cat only does more than is understood; ? ${$}{a[0]} is known only when it runs → open-ended`,
      ],
      [`cat "${$}{a[@]}"`]: [
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`echo ${$}{#a[@]}`]: [`echo ${$}{#a[@]} → echo only prints → open-ended`],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("texts that operators change", () => {
    const project = makeShellProject();
    const table: Table = {
      "a=x; a+=y; cat $a": ["cat xy → cat only reads; read xy"],
      "a=$z; a+=y; cat $a": [
        "cat $a → cat only does more than is understood; ? $a is known only when it runs → open-ended",
      ],
      "a+=y; cat $a": ["cat $a → cat only does more than is understood; ? $a is known only when it runs → open-ended"],
      "if ls; then a=x; else a=z; fi; a+=y; cat $a": [
        "ls → ls only lists; list .",
        "cat zy → cat only reads; read zy",
        "cat xy → cat only reads; read xy",
      ],
      [`a=src/a.ts; cat ${$}{a%.ts}.js`]: ["cat src/a.js → cat only reads; read src/a.js"],
      [`a=src/a.ts; ls ${$}{a%/*}`]: ["ls src → ls only lists; list src"],
      [`a=src/a.ts; cat ${$}{a##*/}`]: ["cat a.ts → cat only reads; read a.ts"],
      [`a=src/a.ts; cat ${$}{a#src/}`]: ["cat a.ts → cat only reads; read a.ts"],
      [`a=src/a.ts; cat ${$}{a/a/b}`]: ["cat src/b.ts → cat only reads; read src/b.ts"],
      [`a=src/a.ts; cat ${$}{a//s/x}`]: ["cat xrc/a.tx → cat only reads; read xrc/a.tx"],
      [`a=src/a.ts; cat ${$}{a:4}`]: ["cat a.ts → cat only reads; read a.ts"],
      [`a=src/a.ts; cat ${$}{a:0:3}`]: ["cat src → cat only reads; read src"],
      [`a=src/a.ts; cat ${$}{a^^}`]: ["cat SRC/A.TS → cat only reads; read SRC/A.TS"],
      [`a=; cat ${$}{a:-b}`]: ["cat b → cat only reads; read b"],
      [`a=x; cat ${$}{a:-b}`]: ["cat x → cat only reads; read x"],
      [`cat ${$}{a:-b}`]: [
        `cat ${$}{a:-b} → cat only does more than is understood; ? ${$}{a:-b} is known only when it runs → open-ended`,
      ],
      [`a=x; cat ${$}{a:+b}`]: ["cat b → cat only reads; read b"],
      [`a=x; head -n ${$}{#a} b`]: [`head -n ${$}{#a} b → head only reads; read b → open-ended`],
      [`a=x; cat ${$}{a%*}`]: [
        `cat ${$}{a%*} → cat only does more than is understood; ? ${$}{a%*} is known only when it runs → open-ended`,
      ],
      [`a='x y'; cat ${$}{a% y}`]: ["cat x → cat only reads; read x"],
      [`a='x y'; cat "${$}{a/ /_}"`]: [
        `cat "${$}{a/ /_}" → cat only does more than is understood; ? "${$}{a/ /_}" is known only when it runs → open-ended`,
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("parameters", () => {
    const project = makeShellProject();
    const table: Table = {
      "f() { cat \"$@\"; }; f x 'y z'": [
        "f x 'y z' (f|x|y z) → calls the function f",
        "cat x 'y z' (cat|x|y z) → cat only reads; read x; read y z",
      ],
      "f() { cat $@; }; f 'y z'": [
        "f 'y z' (f|y z) → calls the function f",
        "cat $@ → cat only does more than is understood; ? $@ is known only when it runs → open-ended",
      ],
      'f() { cat "$*"; }; f x y': [
        "f x y → calls the function f",
        'cat "$*" → cat only does more than is understood; ? "$*" is known only when it runs → open-ended',
      ],
      [`f() { cat "${$}{@:2}"; }; f x y`]: [
        "f x y → calls the function f",
        `[cat "${$}{@:2}"] → ? cat "${$}{@:2}": ${$}{@:2} is more than a plain variable`,
        `cat ${$}{@:2} in ? → ? cat "${$}{@:2}": ${$}{@:2} is more than a plain variable`,
      ],
      'f() { shift; cat "$@"; }; f x y': [
        "f x y → calls the function f",
        "shift → shift drops parameters",
        'cat "$@" → cat only does more than is understood; ? "$@" is known only when it runs → open-ended',
      ],
      "f() { for i; do cat $i; done; }; f x": [
        "f x → calls the function f",
        "[for i; do cat $i; done] → ? for i; do cat $i; done: a loop without a list is not in the grammar",
        "cat $i in ? → ? for i; do cat $i; done: a loop without a list is not in the grammar",
      ],
      'f() { for i in "$@"; do cat $i; done; }; f x y': [
        "f x y → calls the function f",
        "cat x → cat only reads; read x",
        "cat y → cat only reads; read y",
      ],
      'f() { cat "$@"; }; f *': [
        "f * → calls the function f",
        'cat "$@" → cat only does more than is understood; ? "$@" is known only when it runs → open-ended',
      ],
      'f() { cat "$@"; }; f $x': [
        "f $x → calls the function f → open-ended",
        'cat "$@" → cat only does more than is understood; ? "$@" is known only when it runs → open-ended',
      ],
      'f() { cat "$@"; }; f': [
        "f → calls the function f",
        'cat "$@" → cat only does more than is understood; ? "$@" is known only when it runs → open-ended',
      ],
      'f() { cat "$@"; }; g() { f x; cat "$@"; }; g y': [
        "g y → calls the function g",
        "f x → calls the function f",
        "cat x → cat only reads; read x",
        "cat y → cat only reads; read y",
      ],
      "bash -c 'cat \"$@\"' a b c": [
        'bash -c \'cat "$@"\' a b c (bash|-c|cat "$@"|a|b|c) → runs the commands of a text',
        "cat b c → cat only reads; read b; read c",
      ],
      "bash -c 'cat $#'": [
        "bash -c 'cat $#' (bash|-c|cat $#) → runs the commands of a text",
        "cat $# → cat only does more than is understood; ? $# is known only when it runs → open-ended",
      ],
      'cat "$@"': ['cat "$@" → cat only does more than is understood; ? "$@" is known only when it runs → open-ended'],
      'set -- x y; cat "$@"': [
        "set -- x y → ? set -- x y changes the shell",
        'cat "$@" in ? → ? set changed the shell before it → open-ended',
      ],
      "head -n $# a": ["head -n $# a → head only reads; read a → open-ended"],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("places and builtins", () => {
    const project = makeShellProject();
    const table: Table = {
      "cd src; cd -; ls": [
        "cd src → cd changes the directory; list src",
        "cd - in src → cd changes the directory; list .",
        "ls → ls only lists; list .",
      ],
      "cd src; cd sub; cd -": [
        "cd src → cd changes the directory; list src",
        "cd sub in src → cd changes the directory; list src/sub",
        "cd - in ? → ? cd is written in an unusual way; ? cd is written in an unusual way",
      ],
      "cd src; cd ..; cd -; ls": [
        "cd src → cd changes the directory; list src",
        "cd .. in src → cd changes the directory; list .",
        "cd - → cd changes the directory; list src",
        "ls in src → ls only lists; list src",
      ],
      "cd nope; cd -; ls": [
        "cd nope → cd changes the directory; list nope",
        "cd - in ? → ? cd is written in an unusual way; ? cd is written in an unusual way",
        "ls in ? → ? cd changed the shell before it; ? cd changed the shell before it",
      ],
      "cd -": ["cd - → ? cd is written in an unusual way"],
      "pushd src; ls": ["pushd src → cd changes the directory; list src", "ls in src → ls only lists; list src"],
      "pushd src; popd; ls": [
        "pushd src → cd changes the directory; list src",
        "popd in src → cd changes the directory; list .",
        "ls → ls only lists; list .",
      ],
      "pushd src; pushd ../sub; popd; ls": [
        "pushd src → cd changes the directory; list src",
        "pushd ../sub in src → cd changes the directory; list sub",
        "popd in sub → cd changes the directory; list src",
        "ls in src → ls only lists; list src",
      ],
      popd: ["popd → popd has nowhere to go"],
      pushd: ["pushd → ? pushd is written in an unusual way"],
      "pushd $x; ls": [
        "pushd $x → ? cd is written in an unusual way → open-ended",
        "ls in ? → ? pushd changed the shell before it",
      ],
      "pushd nope; ls": [
        "pushd nope → cd changes the directory; list nope",
        "ls in ? → ls only lists; list .; list nope",
      ],
      dirs: ["dirs → dirs only tells"],
      "if ls; then pushd src; fi; popd; ls": [
        "ls → ls only lists; list .",
        "pushd src → cd changes the directory; list src",
        "popd in ? → ? popd from where is not certain; ? popd from where is not certain",
        "ls in ? → ? popd changed the shell before it; ? popd changed the shell before it",
      ],
      "cd src; ls $OLDPWD": ["cd src → cd changes the directory; list src", "ls . in src → ls only lists; list ."],
      "read -r x y <<< 'a b'; cat $x $y": [
        "read -r x y → read sets x y",
        "cat $x $y → cat only does more than is understood; ? $x is known only when it runs; ? $y is known only when it runs → open-ended",
      ],
      "read -r x < a; cat $x": [
        "read -r x → read sets x",
        "[< a] → reads by redirection; read a",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "read -n 1 x; ls": ["read -n 1 x → read sets x", "ls → ls only lists; list ."],
      "read PATH; ls": [
        "read PATH → ? read is written in an unusual way",
        "ls in ? → ? read changed the shell before it",
      ],
      "read; ls": ["read → ? read is written in an unusual way", "ls in ? → ? read changed the shell before it"],
      [`mapfile -t a < b; cat "${$}{a[@]}"`]: [
        "mapfile -t a → mapfile sets a",
        "[< b] → reads by redirection; read b",
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`mapfile -t a < <(ls); cat "${$}{a[@]}"`]: [
        "ls → ls only lists; list .",
        "mapfile -t a → mapfile sets a",
        `cat "${$}{a[@]}" → cat only reads; read ** → open-ended`,
      ],
      [`readarray -t a <<< x; cat "${$}{a[@]}"`]: [
        "readarray -t a → mapfile sets a",
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      "unset a; ls": ["unset a → ? unset changes the shell", "ls in ? → ? unset changed the shell before it"],
      "unset -f f; ls": ["unset -f f → ? unset changes the shell", "ls in ? → ? unset changed the shell before it"],
      "unset PATH": ["unset PATH → ? unset changes the shell"],
      "printf -v x a; cat $x": [
        "printf -v x a → ? printf with a flag sets a variable",
        "cat $x in ? → ? printf changed the shell before it → open-ended",
      ],
      "let x=1; head -n $x a": [
        "let x=1 → ? let changes the shell",
        "head -n $x a in ? → ? let changed the shell before it → open-ended",
      ],
      "x=1; let x++; head -n $x a": [
        "let x++ → ? let changes the shell",
        "head -n $x a in ? → ? let changed the shell before it → open-ended",
      ],
      "exec 3>&1; ls": ["exec → ? exec changes the shell", "ls in ? → ? exec changed the shell before it"],
      "trap 'ls' EXIT; pwd": [
        "trap 'ls' EXIT (trap|ls|EXIT) → ? trap changes the shell",
        "pwd in ? → ? trap changed the shell before it",
      ],
      "true || ls": ["true → true only prints", "ls → ls only lists; list ."],
      "! ls; cat a": ["ls → ls only lists; list .", "cat a → cat only reads; read a"],
      "time { ls; cat a; }": ["ls → ls only lists; list .", "cat a → cat only reads; read a"],
      "X=1 npm test": [
        "[X=1 npm test] → ? X=1 npm test: it is given X → as npm test → as npm run test",
        "npm test in ? → ? X=1 npm test: it is given X → as npm test → as npm run test → as npm test → as npm run test",
      ],
      "X=$y npm test": [
        "[X=$y npm test] → ? X=$y npm test: it is given X → as npm test → as npm run test",
        "npm test in ? → ? X=$y npm test: it is given X → as npm test → as npm run test → as npm test → as npm run test",
      ],
      "X=1 ./run.sh": [
        "[X=1 ./run.sh] → ? X=1 ./run.sh: it is given X",
        "./run.sh in ? → ? X=1 ./run.sh: it is given X",
      ],
      "PATH=x npm test": [
        "[PATH=x npm test] → ? PATH=x npm test: it is given PATH → as npm test → as npm run test",
        "npm test in ? → ? PATH=x npm test: it is given PATH → as npm test → as npm run test → as npm test → as npm run test",
      ],
      "LD_PRELOAD=x npm test": [
        "[LD_PRELOAD=x npm test] → ? LD_PRELOAD=x npm test: it is given LD_PRELOAD → as npm test → as npm run test",
        "npm test in ? → ? LD_PRELOAD=x npm test: it is given LD_PRELOAD → as npm test → as npm run test → as npm test → as npm run test",
      ],
      "X=1 Y=2 node a.js": [
        "[X=1 Y=2 node a.js] → ? X=1 Y=2 node a.js: it is given X and Y",
        "node a.js in ? → ? X=1 Y=2 node a.js: it is given X and Y",
      ],
      "X=1 git status": [
        "[X=1 git status] → ? X=1 git status: it is given X → as git status",
        "git status in ? → ? X=1 git status: it is given X → as git status → as git status",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("subscripts are calculated", () => {
    const project = makeShellProject();
    const table: Table = {
      [`i='x[$(touch pwn)]'; b=(1); echo ${$}{b[i+1]}`]: [
        `[echo ${$}{b[i+1]}] → ? echo ${$}{b[i+1]}: i may hold more than a number`,
        `echo ${$}{b[i+1]} in ? → ? echo ${$}{b[i+1]}: i may hold more than a number`,
      ],
      [`i='x[$(touch pwn)]'; b=(1); echo ${$}{b[i]}`]: [
        `[echo ${$}{b[i]}] → ? echo ${$}{b[i]}: i may hold more than a number`,
        `echo ${$}{b[i]} in ? → ? echo ${$}{b[i]}: i may hold more than a number`,
      ],
      [`i='x[$(touch pwn)]'; b=(1); echo ${$}{b[$i]}`]: [
        `[echo ${$}{b[$i]}] → ? echo ${$}{b[$i]}: i may hold more than a number`,
        `echo ${$}{b[$i]} in ? → ? echo ${$}{b[$i]}: i may hold more than a number`,
      ],
      [`echo ${$}{b[$i]}`]: [
        `[echo ${$}{b[$i]}] → ? echo ${$}{b[$i]}: i may hold more than a number`,
        `echo ${$}{b[$i]} in ? → ? echo ${$}{b[$i]}: i may hold more than a number`,
      ],
      [`i='x[$(touch pwn)]'; echo "${$}{b[i]}"`]: [
        `[echo "${$}{b[i]}"] → ? echo "${$}{b[i]}": i may hold more than a number`,
        `echo "${$}{b[i]}" in ? → ? echo "${$}{b[i]}": i may hold more than a number`,
      ],
      "i='x[$(touch pwn)]'; b[i]=1": ["[b[i]=1] → ? b[i]=1: it sets b"],
      "i='x[$(touch pwn)]'; declare -A b; b[$i]=1; ls": [
        "declare -A b → declare -A makes arrays",
        "ls → ls only lists; list .",
      ],
      [`i='x[$(touch pwn)]'; echo ${$}{b[@]:i}`]: [
        `[echo ${$}{b[@]:i}] → ? echo ${$}{b[@]:i}: ${$}{b[@]:i} is more than a plain variable`,
        `echo ${$}{b[@]:i} in ? → ? echo ${$}{b[@]:i}: ${$}{b[@]:i} is more than a plain variable`,
      ],
      [`i='x[$(touch pwn)]'; echo ${$}{x:i}`]: [
        `[echo ${$}{x:i}] → ? echo ${$}{x:i}: ${$}{x:i} is more than a plain variable`,
        `echo ${$}{x:i} in ? → ? echo ${$}{x:i}: ${$}{x:i} is more than a plain variable`,
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("what outlives a change", () => {
    const project = makeShellProject();
    const table: Table = {
      "x=1; cd src; cat $x": [
        "cd src → cd changes the directory; list src",
        "cat 1 in src → cat only reads; read src/1",
      ],
      "f() { y=1; shift; cat $y; }; f a": [
        "f a → calls the function f",
        "shift → shift drops parameters",
        "cat 1 → cat only reads; read 1",
      ],
      "if ls; then cd a; cd b; cd c; cd d; cd e; fi; cat x": [
        "ls → ls only lists; list .",
        "cd a → cd changes the directory; list a",
        "cd b in ? → cd changes the directory; list b; list a/b",
        "cd c in ? → cd changes the directory; list c; list a/c; list b/c; list a/b/c",
        "cd d in ? → cd changes the directory; list d; list a/d; list b/d; list a/b/d; list c/d; list a/c/d; list b/c/d; list a/b/c/d",
        "cd e in ? → cd changes the directory; list e; list a/e; list b/e; list a/b/e; list c/e; list a/c/e; list b/c/e; list a/b/c/e; list d/e; list a/d/e; list b/d/e; list a/b/d/e; list c/d/e; list a/c/d/e; list b/c/d/e; list a/b/c/d/e",
        "cat x in ? → ? the working directory is not certain",
      ],
      "if ls; then ls; else cd a; cd b; cd c; cd d; cd e; fi; cat x": [
        "ls → ls only lists; list .",
        "ls → ls only lists; list .",
        "cd a → cd changes the directory; list a",
        "cd b in ? → cd changes the directory; list b; list a/b",
        "cd c in ? → cd changes the directory; list c; list a/c; list b/c; list a/b/c",
        "cd d in ? → cd changes the directory; list d; list a/d; list b/d; list a/b/d; list c/d; list a/c/d; list b/c/d; list a/b/c/d",
        "cd e in ? → cd changes the directory; list e; list a/e; list b/e; list a/b/e; list c/e; list a/c/e; list b/c/e; list a/b/c/e; list d/e; list a/d/e; list b/d/e; list a/b/d/e; list c/d/e; list a/c/d/e; list b/c/d/e; list a/b/c/d/e",
        "cat x in ? → ? the working directory is not certain",
      ],
      "declare -A a; if ls; then a[j]=x; fi; a[k]=y; ls": [
        "declare -A a → declare -A makes arrays",
        "ls → ls only lists; list .",
        "ls → ls only lists; list .",
      ],
      "if ls; then declare -A a; fi; a[k]=x; ls": [
        "ls → ls only lists; list .",
        "declare -A a → declare -A makes arrays",
        "[a[k]=x] → ? a[k]=x: it sets a",
        "ls in ? → ? something that was not understood changed the shell before it",
      ],
      [`b=(x); f() { cat "${$}{b[@]}"; }; f y; cat "${$}{b[@]}"`]: [
        "f y → calls the function f",
        "cat x → cat only reads; read x",
        "cat x → cat only reads; read x",
      ],
      [`f() { b=(x); }; f; cat "${$}{b[@]}"`]: [
        "f → calls the function f",
        `cat "${$}{b[@]}" → cat only does more than is understood; ? "${$}{b[@]}" is known only when it runs → open-ended`,
      ],
      [`b=(x); f() { b=(y); }; f z; cat "${$}{b[@]}"`]: [
        "f z → calls the function f",
        `cat "${$}{b[@]}" → cat only does more than is understood; ? "${$}{b[@]}" is known only when it runs → open-ended`,
      ],
      "cd src; if ls; then cd ../sub; fi; cd -; ls": [
        "cd src → cd changes the directory; list src",
        "ls in src → ls only lists; list src",
        "cd ../sub in src → cd changes the directory; list sub",
        "cd - in ? → ? cd is written in an unusual way; ? cd is written in an unusual way",
        "ls in ? → ? cd changed the shell before it; ? cd changed the shell before it",
      ],
      "cd src; if ls; then pwd; fi; cd -; ls": [
        "cd src → cd changes the directory; list src",
        "ls in src → ls only lists; list src",
        "pwd in src → pwd only prints",
        "cd - in src → cd changes the directory; list .",
        "ls → ls only lists; list .",
      ],
      "ls | while pwd; do cat; done": ["ls → ls only lists; list .", "pwd → pwd only prints", "cat → cat only prints"],
      "echo a | while pwd; do xargs cat; done": [
        "echo a → echo only prints",
        "pwd → pwd only prints",
        "xargs cat → cat only does more than is understood → open-ended",
        "cat … → cat only does more than is understood; ? … is known only when it runs → open-ended",
      ],
      "echo a | { while pwd; do ls; done; xargs cat; }": [
        "echo a → echo only prints",
        "pwd → pwd only prints",
        "ls → ls only lists; list .",
        "xargs cat → cat only reads",
        "cat a → cat only reads; read a",
      ],
      "f() { ls; }; while pwd; do f() { cat a; }; done; f": [
        "pwd → pwd only prints",
        "[f] → ? f: the function f is not certain",
        "f in ? → ? f: the function f is not certain",
      ],
      [`a=({1..60} {1..4}); echo "${$}{a[@]}"`]: [
        "echo 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 1 2 3 4 → echo only prints",
      ],
      [`a=({1..60} {1..5}); echo "${$}{a[@]}"`]: [`echo "${$}{a[@]}" → echo only prints → open-ended`],
      "x=a; while ls; do x=b; done; cat $x": [
        "ls → ls only lists; list .",
        "cat a → cat only reads; read a",
        "cat b → cat only reads; read b",
      ],
      [`a=(x); while ls; do a=(y); done; cat "${$}{a[@]}"`]: [
        "ls → ls only lists; list .",
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      "while ls; do cd src; cd ..; done; cat a": [
        "ls → ls only lists; list .",
        "cd src → cd changes the directory; list src",
        "cd .. in src → cd changes the directory; list .",
        "cat a → cat only reads; read a",
      ],
      "for i in a b; do x+=$i; done; cat $x": [
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "x=; for i in a b; do x+=$i; done; cat $x": ["cat ab → cat only reads; read ab"],
      "x=a; x+=$y; cat $x": [
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "IFS=: read -r x y; ls": ["read -r x y → read sets x y", "ls → ls only lists; list ."],
      "IFS=$z read -r x; ls": [
        "[IFS=$z read -r x] → ? IFS=$z read -r x: it is given IFS",
        "read -r x in ? → ? IFS=$z read -r x: it is given IFS",
        "ls in ? → ? something that was not understood changed the shell before it",
      ],
      "A=1 IFS=: read -r x; ls": [
        "[A=1 IFS=: read -r x] → ? A=1 IFS=: read -r x: it is given A and IFS",
        "read -r x in ? → ? A=1 IFS=: read -r x: it is given A and IFS",
        "ls in ? → ? something that was not understood changed the shell before it",
      ],
      "IFS=: ls": ["[IFS=: ls] → ? IFS=: ls: it is given IFS", "ls in ? → ? IFS=: ls: it is given IFS"],
      "f() { local x=1; g; }; g() { cat $x; }; f": [
        "f → calls the function f",
        "local x=1 → local sets x=1",
        "g → calls the function g",
        "cat 1 → cat only reads; read 1",
      ],
      [`mapfile -t a < <(ls src); cat "${$}{a[0]}"`]: [
        "ls src → ls only lists; list src",
        "mapfile -t a → mapfile sets a",
        `cat "${$}{a[0]}" → cat only reads; read **; read src/** → open-ended`,
      ],
      [`a=(*.ts); rm "${$}{a[@]}"`]: [`rm "${$}{a[@]}" → ? "${$}{a[@]}" may become a flag of rm → open-ended`],
      [`a=(src/*.ts); echo "${$}{#a[@]}" > n`]: [
        `echo "${$}{#a[@]}" → echo only prints → open-ended`,
        "[> n] → writes by redirection; write n",
      ],
      [`a=(-r src); ls "${$}{a[@]}"`]: ["ls -r src → ls only lists; list src"],
      [`a=(x y); cat z"${$}{a[@]}"`]: [
        `cat z"${$}{a[@]}" → cat only does more than is understood; ? z"${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`a=(x y); cat ${$}{a[@]}/z`]: [
        `cat ${$}{a[@]}/z → cat only does more than is understood; ? ${$}{a[@]}/z is known only when it runs → open-ended`,
      ],
      [`a=(x y); b=("${$}{a[@]}" z); cat "${$}{b[@]}"`]: ["cat x y z → cat only reads; read x; read y; read z"],
      [`a=(x y); f() { cat "$@"; }; f "${$}{a[@]}"`]: [
        "f x y → calls the function f",
        "cat x y → cat only reads; read x; read y",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("parts of words", () => {
    const project = makeShellProject();
    const table: Table = {
      [`a=(src/*.ts); cat "${$}{a[0]}"`]: [`cat "${$}{a[0]}" → cat only reads; read src/** → open-ended`],
      [`a=(src/*.ts); cat ${$}{a[0]}`]: [`cat ${$}{a[0]} → cat only reads; read src/**; read ** → open-ended`],
      [`a=($(ls)); cat "${$}{a[1]}"`]: [
        "ls → ls only lists; list .",
        `cat "${$}{a[1]}" → cat only reads; read ** → open-ended`,
      ],
      [`a=($(ls)); rm "${$}{a[1]}"`]: [
        "ls → ls only lists; list .",
        `rm "${$}{a[1]}" → ? "${$}{a[1]}" may become a flag of rm → open-ended`,
      ],
      [`a=(1 2); head -n "${$}{a[0]}" b`]: ["head -n 1 b → head only reads; read b"],
      [`a=(1 2); head -n ${$}{a[0]} b`]: [`head -n ${$}{a[0]} b → ? the value of -n may be several words → open-ended`],
      [`a=(1 '' 2); head -n ${$}{a[0]} b`]: [
        `head -n ${$}{a[0]} b → ? the value of -n may be several words → open-ended`,
      ],
      [`a=(x y); i=1; cat "${$}{a[$i]}"`]: [
        `cat "${$}{a[$i]}" → cat only does more than is understood; ? "${$}{a[$i]}" is known only when it runs → open-ended`,
      ],
      [`a=(x y); cat "${$}{a[i]}"`]: [
        `[cat "${$}{a[i]}"] → ? cat "${$}{a[i]}": i may hold more than a number`,
        `cat "${$}{a[i]}" in ? → ? cat "${$}{a[i]}": i may hold more than a number`,
      ],
      [`a=(x y); i=0; cat "${$}{a[i]}"`]: [
        `cat "${$}{a[i]}" → cat only does more than is understood; ? "${$}{a[i]}" is known only when it runs → open-ended`,
      ],
      [`a=(x y); cat "${$}{a[-1]}"`]: [
        `cat "${$}{a[-1]}" → cat only does more than is understood; ? "${$}{a[-1]}" is known only when it runs → open-ended`,
      ],
      [`declare -A a; a[k]=1; head -n "${$}{a[k]}" b`]: [
        "declare -A a → declare -A makes arrays",
        `head -n "${$}{a[k]}" b → head only reads; read b → open-ended`,
      ],
      [`declare -A a; a[k]=x; for i in "${$}{!a[@]}"; do cat "$i"; done`]: [
        "declare -A a → declare -A makes arrays",
        'cat "$i" → cat only does more than is understood; ? "$i" is known only when it runs → open-ended',
      ],
      [`a=(x y); head -n "${$}{!a[@]}" b`]: [
        `head -n "${$}{!a[@]}" b → ? the value of -n may be several words → open-ended`,
      ],
      [`echo ${$}{PIPESTATUS[0]}`]: [`echo ${$}{PIPESTATUS[0]} → echo only prints → open-ended`],
      [`ls | cat; head -n ${$}{PIPESTATUS[0]} a`]: [
        "ls → ls only lists; list .",
        "cat → cat only prints",
        `head -n ${$}{PIPESTATUS[0]} a → head only reads; read a → open-ended`,
      ],
      [`head -n ${$}{PIPESTATUS} a`]: [
        `head -n ${$}{PIPESTATUS} a → ? the value of -n may be several words → open-ended`,
      ],
      "cat ''$x": ["cat ''$x → cat only does more than is understood; ? ''$x is known only when it runs → open-ended"],
      "cat $x''": ["cat $x'' → cat only does more than is understood; ? $x'' is known only when it runs → open-ended"],
      'cat ""': [
        'cat "" (cat|) → cat only does more than is understood; ? an operand is empty',
        'next: read {"path":""}',
      ],
      "x=; cat $x''": ["cat '' (cat|) → cat only does more than is understood; ? an operand is empty"],
      "x=; cat x$x": ["cat x → cat only reads; read x"],
      "head -n 1$# a": ["head -n 1$# a → head only reads; read a → open-ended"],
      "cat v$#.ts": [
        "cat v$#.ts → cat only does more than is understood; ? v$#.ts is known only when it runs → open-ended",
      ],
      "cat -v$# a": [
        "cat -v$# a → cat only does more than is understood; ? -v$# is known only when it runs; read a → open-ended",
      ],
      "cat a-$x": ["cat a-$x → cat only does more than is understood; ? a-$x is known only when it runs → open-ended"],
      'cat "a-$x"': [
        'cat "a-$x" → cat only does more than is understood; ? "a-$x" is known only when it runs → open-ended',
      ],
      'cat -"$x"': [
        'cat -"$x" → cat only does more than is understood; ? -"$x" is known only when it runs → open-ended',
      ],
      "git log v1..$(git rev-parse HEAD)": [
        "git rev-parse HEAD → git rev-parse only reads; read ** → as git rev-parse HEAD",
        "git log v1..$(git rev-parse HEAD) → ? v1..$(git rev-parse HEAD) may become a flag of git log → as git log … → as git log … → as git log v1..$ git rev-parse HEAD → as git rev-parse HEAD → open-ended",
      ],
      "git log $(git rev-parse HEAD)..v1": [
        "git rev-parse HEAD → git rev-parse only reads; read ** → as git rev-parse HEAD",
        "git log $(git rev-parse HEAD)..v1 → git log only reads; read ** → as git log … → open-ended",
      ],
      "git log $(git rev-parse HEAD)x": [
        "git rev-parse HEAD → git rev-parse only reads; read ** → as git rev-parse HEAD",
        "git log $(git rev-parse HEAD)x → ? $(git rev-parse HEAD)x may become a flag of git log → as git log … → as git log … → as git log $ git rev-parse HEAD x → as git rev-parse HEAD x → open-ended",
      ],
      "git log x$(git rev-parse HEAD)": [
        "git rev-parse HEAD → git rev-parse only reads; read ** → as git rev-parse HEAD",
        "git log x$(git rev-parse HEAD) → ? x$(git rev-parse HEAD) may become a flag of git log → as git log … → as git log … → as git log x$ git rev-parse HEAD → as git rev-parse HEAD → open-ended",
      ],
      "git log $(git rev-parse HEAD)...": [
        "git rev-parse HEAD → git rev-parse only reads; read ** → as git rev-parse HEAD",
        "git log $(git rev-parse HEAD)... → git log only reads; read ** → as git log … → open-ended",
      ],
      "git log $(git rev-parse HEAD)$(git rev-parse HEAD)": [
        "git rev-parse HEAD → git rev-parse only reads; read ** → as git rev-parse HEAD",
        "git rev-parse HEAD → git rev-parse only reads; read ** → as git rev-parse HEAD",
        "git log $(git rev-parse HEAD)$(git rev-parse HEAD) → ? $(git rev-parse HEAD)$(git rev-parse HEAD) may become a flag of git log → as git log … → as git log … → as git log $ git rev-parse HEAD $ git rev-parse HEAD → as git rev-parse HEAD $ git rev-parse HEAD → as git rev-parse HEAD → open-ended",
      ],
      "for f in src/*; do cat $f.bak; done": ["cat $f.bak → cat only reads; read src/**; read ** → open-ended"],
      'for f in src/*; do cat "$f/.env"; done': [
        'cat "$f/.env" → cat only does more than is understood; ? "$f/.env" is known only when it runs → open-ended',
      ],
      'for f in src/*; do cat "$f.env"; done': ['cat "$f.env" → cat only reads; read src/** → open-ended'],
      'for f in src/*; do cat "sub/$f"; done': ['cat "sub/$f" → cat only reads; read sub/** → open-ended'],
      'for f in *.ts; do cat "src/.$f"; done': [
        'cat "src/.$f" → cat only does more than is understood; ? "src/.$f" is known only when it runs → open-ended',
      ],
      'for f in *.ts; do cat "./src/$f"; done': ['cat "./src/$f" → cat only reads; read src/** → open-ended'],
      'for f in *.ts; do cat "../$f"; done': [
        'cat "../$f" → cat only does more than is understood; ? "../$f" is known only when it runs → open-ended',
      ],
      'for f in *.ts; do cat "/etc/$f"; done': ['cat "/etc/$f" → cat only reads; read /etc/** → open-ended'],
      'for f in ../*.ts; do cat "src/$f"; done': [
        'cat "src/$f" → cat only does more than is understood; ? "src/$f" is known only when it runs → open-ended',
      ],
      'for f in *.ts; do cat "$f$f"; done': [
        'cat "$f$f" → cat only does more than is understood; ? "$f$f" is known only when it runs → open-ended',
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("builtins in odd forms", () => {
    const project = makeShellProject();
    const table: Table = {
      "mapfile a < b": ["mapfile a → mapfile sets a", "[< b] → reads by redirection; read b"],
      "mapfile -t < b": [
        "mapfile -t → ? mapfile is written in an unusual way → open-ended",
        "[< b] → reads by redirection; read b",
      ],
      "mapfile -t a b < c": [
        "mapfile -t a b → ? mapfile is written in an unusual way → open-ended",
        "[< c] → reads by redirection; read c",
      ],
      "mapfile -t PATH < b": [
        "mapfile -t PATH → ? mapfile is written in an unusual way → open-ended",
        "[< b] → reads by redirection; read b",
      ],
      "mapfile -n 1 a < b": ["mapfile -n 1 a → mapfile sets a", "[< b] → reads by redirection; read b"],
      [`readarray -t a < <(find src); cat "${$}{a[0]}"`]: [
        "find src → find only lists; list src/**",
        "readarray -t a → mapfile sets a",
        `cat "${$}{a[0]}" → cat only reads; read src/** → open-ended`,
      ],
      "declare -A a; mapfile -t a < b; ls": [
        "declare -A a → declare -A makes arrays",
        "mapfile -t a → ? mapfile sets an array → open-ended",
        "[< b] → reads by redirection; read b",
        "ls in ? → ? mapfile changed the shell before it",
      ],
      [`find . -print0 | { mapfile -d '' a; cat "${$}{a[@]}"; }`]: [
        "find . -print0 → find only lists; list **",
        "mapfile -d '' a (mapfile|-d||a) → mapfile sets a",
        `cat "${$}{a[@]}" → cat only does more than is understood; ? "${$}{a[@]}" is known only when it runs → open-ended`,
      ],
      [`mapfile -d '' -t a < <(find . -print0); cat "${$}{a[@]}"`]: [
        "find . -print0 → find only lists; list **",
        "mapfile -d '' -t a (mapfile|-d||-t|a) → mapfile sets a",
        `cat "${$}{a[@]}" → cat only reads; read ** → open-ended`,
      ],
      "declare -A": ["declare -A → ? declare sets arrays"],
      "declare -a a b; ls": ["declare -a a b → declare -a makes arrays", "ls → ls only lists; list ."],
      "declare -A a=(x)": ["declare -A a → declare -A makes arrays"],
      "declare -a $x": ["declare -a $x → ? declare sets $x → open-ended"],
      "a=(x); declare -A a; ls": ["declare -A a → ? declare sets a", "ls in ? → ? declare changed the shell before it"],
      "declare -x a=1": ["declare -x a=1 → ? declare sets -x"],
      "typeset -A a; a[k]=x; ls": ["typeset -A a → typeset -A makes arrays", "ls → ls only lists; list ."],
      [`f() { declare -a b; b=(x); cat "${$}{b[@]}"; }; f`]: [
        "f → calls the function f",
        "declare -a b → declare -a makes arrays",
        "cat x → cat only reads; read x",
      ],
      "sh -c 'f() { local x; cat \"$x\"; }; x=a; f'": [
        'sh -c \'f() { local x; cat "$x"; }; x=a; f\' (sh|-c|f() { local x; cat "$x"; }; x=a; f) → runs the commands of a text',
        "f → calls the function f",
        "local x → local sets x",
        "cat a → cat only reads; read a",
        "cat '' (cat|) → cat only does more than is understood; ? an operand is empty",
      ],
      "sh -c 'mapfile -t a'": [
        "sh -c 'mapfile -t a' (sh|-c|mapfile -t a) → runs the commands of a text",
        "mapfile -t a → ? mapfile changes the shell",
      ],
      "sh -c 'declare -a a'": [
        "sh -c 'declare -a a' (sh|-c|declare -a a) → runs the commands of a text",
        "[declare -a a] → ? declare -a a: not every sh knows it",
        "declare -a a in ? → ? declare -a a: not every sh knows it",
      ],
      history: ["history → history only tells"],
      "history 5": ["history 5 → history only tells"],
      "history -c": ["history -c → ? history changes the shell"],
      fc: ["fc → ? fc changes the shell"],
      "wait 1x": ["wait 1x → ? wait changes the shell"],
      "wait x1": ["wait x1 → ? wait changes the shell"],
      "jobs 1": ["jobs 1 → jobs is about jobs of this shell"],
      "hash ls cat": ["hash ls cat → hash only tells"],
      "hash l": ["hash l → hash only tells"],
      "hash ./x": ["hash ./x → ? hash changes the shell"],
      "shift 12": ["shift 12 → ? shift is written in an unusual way"],
      "shift 1a": ["shift 1a → ? shift is written in an unusual way"],
      "return 12": ["return 12 → return leaves the function"],
      "return 1x": ["return 1x → ? return is written in an unusual way"],
      "break x1": ["break x1 → ? break is written in an unusual way"],
      "set -eu -o pipefail": ["set -eu -o pipefail → set -eu -o pipefail changes no meaning"],
      "set -e; set -o errexit -u": [
        "set -e → set -e changes no meaning",
        "set -o errexit -u → set -o errexit -u changes no meaning",
      ],
      "set -eo noglob": ["set -eo noglob → ? set -eo noglob changes the shell"],
      "shopt -s globstar": ["shopt -s globstar → shopt -s globstar changes no meaning"],
      "shopt -u nullglob x": ["shopt -u nullglob x → ? shopt -u nullglob x changes the shell"],
      "x-shopt -s globstar": ["x-shopt -s globstar → ? x-shopt is not in the tables"],
      "export NODE_ENV=*": [
        "[export NODE_ENV=*] → ? export NODE_ENV=*: NODE_ENV=* can be read in two ways",
        "export NODE_ENV=* in ? → ? export NODE_ENV=*: NODE_ENV=* can be read in two ways",
      ],
      local: ["local → ? local stands in no function"],
      "cd ~/x/..; ls": ["cd ~/x/.. → ? ~/x/.. cannot be followed", "ls in ? → ? cd changed the shell before it"],
      "cd /etc/../etc; ls": [
        "cd /etc/../etc → cd changes the directory; list /etc",
        "ls in /etc → ls only lists; list /etc",
      ],
      "cd src/; ls": ["cd src/ → cd changes the directory; list src", "ls in src → ls only lists; list src"],
      "cd ./src; ls": ["cd ./src → cd changes the directory; list src", "ls in src → ls only lists; list src"],
      "cd src//; ls": ["cd src// → cd changes the directory; list src", "ls in src → ls only lists; list src"],
      "pushd src > /dev/null; popd; ls": [
        "pushd src → cd changes the directory; list src",
        "popd in src → cd changes the directory; list .",
        "ls → ls only lists; list .",
      ],
      "pushd src; cd ..; popd; ls": [
        "pushd src → cd changes the directory; list src",
        "cd .. in src → cd changes the directory; list .",
        "popd → cd changes the directory; list .",
        "ls → ls only lists; list .",
      ],
      "pushd src; (popd); ls": [
        "pushd src → cd changes the directory; list src",
        "popd in src → cd changes the directory; list .",
        "ls in src → ls only lists; list src",
      ],
      "pushd -n src; ls": [
        "pushd -n src → ? pushd is written in an unusual way",
        "ls in ? → ? pushd changed the shell before it",
      ],
      "popd +1; ls": ["popd +1 → ? popd is written in an unusual way", "ls in ? → ? popd changed the shell before it"],
      "dirs -v": ["dirs -v → ? dirs changes the shell"],
      "dirs -c": ["dirs -c → ? dirs changes the shell"],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });
});

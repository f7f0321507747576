import { describe, expect, test } from "vitest";
import { makeShellProject } from "../../../test/gate-matrix/shell-project.ts";
import { linesOfAll } from "./report-lines.fixture.ts";

type Table = Readonly<Record<string, readonly string[]>>;

describe("commands that run, feed or change others", () => {
  test("programs by their names", () => {
    const project = makeShellProject();
    const table: Table = {
      ls: ["ls → ls only lists; list .", 'next: list {"path":"."}'],
      "ls src": ["ls src → ls only lists; list src", 'next: list {"path":"src"}'],
      "cat package.json": [
        "cat package.json → cat only reads; read package.json",
        'next: read {"path":"package.json"}',
      ],
      "frob x": ["frob x → ? frob is not in the tables"],
      "cat --frob a": ["cat --frob a → ? the flag --frob of cat is not in the tables"],
      "./run.sh a b": ["./run.sh a b → runs ./run.sh of the project; exec run.sh|./run.sh|a|b"],
      "/usr/bin/cat a.ts": ["/usr/bin/cat a.ts → cat only reads; read a.ts", 'next: read {"path":"a.ts"}'],
      "/bin/ls": ["/bin/ls → ls only lists; list .", 'next: list {"path":"."}'],
      "/opt/x/cat a": ["/opt/x/cat a → ? /opt/x/cat is named by its path"],
      "src/../run.sh": ["src/../run.sh → runs src/../run.sh of the project; exec run.sh|src/../run.sh"],
      "command ls": ["command ls → ls only lists", "ls → ls only lists; list ."],
      "command -v ls": ["command -v ls → command only prints"],
      "command rm x": ["command rm x → rm deletes x", "rm x → rm deletes x; delete x"],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("builtins", () => {
    const project = makeShellProject();
    const table: Table = {
      "export x=1": ["export x=1 → ? export passes on x=1"],
      "export NODE_ENV=x": ["export NODE_ENV=x → export passes on NODE_ENV=x"],
      "export NODE_ENV": ["export NODE_ENV → export passes on NODE_ENV"],
      "export CI=1 LANG=C": ["export CI=1 LANG=C → export passes on CI=1 LANG=C"],
      export: ["export → ? export passes on nothing"],
      "export PATH=.": ["export PATH=. → ? export passes on PATH=."],
      "export -n x": ["export -n x → ? export passes on -n"],
      "export NODE_ENV=$y": [
        "[export NODE_ENV=$y] → ? export NODE_ENV=$y: NODE_ENV=$y can be read in two ways",
        "export NODE_ENV=$y in ? → ? export NODE_ENV=$y: NODE_ENV=$y can be read in two ways",
      ],
      "export NODE_ENV=a; echo $NODE_ENV": [
        "export NODE_ENV=a → export passes on NODE_ENV=a",
        "echo a → echo only prints",
      ],
      "set -e": ["set -e → set -e changes no meaning"],
      "set -euo pipefail; ls": [
        "set -euo pipefail → set -euo pipefail changes no meaning",
        "ls → ls only lists; list .",
      ],
      "set -x; set +x": ["set -x → set -x changes no meaning", "set +x → set +x changes no meaning"],
      "set -f": ["set -f → ? set -f changes the shell"],
      "set -o noglob": ["set -o noglob → ? set -o noglob changes the shell"],
      "set -- a b": ["set -- a b → ? set -- a b changes the shell"],
      set: ["set → ? set  changes the shell"],
      "set $x": ["set $x → ? set ? changes the shell → open-ended"],
      "set -e -u": ["set -e -u → set -e -u changes no meaning"],
      "shopt -s nullglob globstar; ls": [
        "shopt -s nullglob globstar → shopt -s nullglob globstar changes no meaning",
        "ls → ls only lists; list .",
      ],
      "shopt -s extglob; ls": [
        "shopt -s extglob → ? shopt -s extglob changes the shell",
        "ls in ? → ? shopt changed the shell before it",
      ],
      shopt: ["shopt → ? shopt  changes the shell"],
      return: ["return → return leaves the function"],
      shift: ["shift → shift drops parameters"],
      "hash ls": ["hash ls → hash only tells"],
      hash: ["hash → ? hash changes the shell"],
      "hash -r": ["hash -r → ? hash changes the shell"],
      "hash $x": ["hash $x → ? hash changes the shell → open-ended"],
      umask: ["umask → umask only tells"],
      "umask -S": ["umask -S → umask only tells"],
      "umask 077": ["umask 077 → ? umask changes the shell"],
      "ulimit -a": ["ulimit -a → ulimit only tells"],
      "ulimit -n": ["ulimit -n → ulimit only tells"],
      "ulimit -n 5": ["ulimit -n 5 → ? ulimit changes the shell"],
      wait: ["wait → wait is about jobs of this shell"],
      "ls & wait $!": [
        "ls → ls only lists, in the background; list .",
        "wait $! → wait is about jobs of this shell → open-ended",
      ],
      "wait %1": ["wait %1 → wait is about jobs of this shell"],
      jobs: ["jobs → jobs is about jobs of this shell"],
      "jobs -l": ["jobs -l → ? jobs changes the shell"],
      "wait x": ["wait x → ? wait changes the shell"],
      "eval ls": ["eval ls → ? eval changes the shell"],
      "exec ls": ["exec ls → ? exec changes the shell"],
      "trap x EXIT": ["trap x EXIT → ? trap changes the shell"],
      "alias x=y": ["alias x=y → ? alias changes the shell"],
      "unset x": ["unset x → ? unset changes the shell"],
      "read x": ["read x → read sets x"],
      "read x; cat $x; cat a": [
        "read x → read sets x",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
        "cat a → cat only reads; read a",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("redirections", () => {
    const project = makeShellProject();
    const table: Table = {
      "cat < a": ["cat → cat only prints", "[< a] → reads by redirection; read a"],
      "cat <> a": ["cat → cat only prints", "[<> a] → reads and writes by redirection; read a; write a"],
      "cat > a < b": [
        "cat → cat only prints",
        "[> a] → writes by redirection; write a",
        "[< b] → reads by redirection; read b",
      ],
      "cat >> a 2>> b": [
        "cat → cat only prints",
        "[>> a] → writes by redirection; write a",
        "[2>> b] → writes by redirection; write b",
      ],
      "cat 2> a 2>&1": ["cat → cat only prints", "[2> a] → writes by redirection; write a"],
      "cat > 'a b'": ["cat → cat only prints", "[> 'a b'] → writes by redirection; write a b"],
      "cat > $x": ["cat → cat only prints", "[> $x] → writes by redirection; ? $x is not certain"],
      "x=a; cat > $x": ["cat → cat only prints", "[> $x] → writes by redirection; write a"],
      "x='a b'; cat > $x": ["cat → cat only prints", "[> $x] → writes by redirection; ? $x is not certain"],
      "cat > *": ["cat → cat only prints", "[> *] → writes by redirection; ? * is not certain"],
      "cat > ~/a": ["cat → cat only prints", "[> ~/a] → writes by redirection; write HOME/a"],
      "cat >| a": ["cat → cat only prints", "[>| a] → writes by redirection; write a"],
      "cat &> a": ["cat → cat only prints", "[&> a] → writes by redirection; write a"],
      "> a": ["[> a] → writes by redirection; write a"],
      "cat < ~": ["cat → cat only prints", "[< ~] → reads by redirection; read HOME"],
      "cd src; cat > a": [
        "cd src → cd changes the directory; list src",
        "cat in src → cat only prints",
        "[> a] → writes by redirection; write src/a",
      ],
      "cd nope; cat > a": [
        "cd nope → cd changes the directory; list nope",
        "cat in ? → cat only prints",
        "[> a] → writes by redirection; write a; write nope/a",
      ],
      "frob < a": ["frob → ? frob is not in the tables → open-ended", "[< a] → reads by redirection; read a"],
      "eval x; cat > a": [
        "eval x → ? eval changes the shell",
        "cat in ? → ? eval changed the shell before it",
        "[> a] → writes by redirection; ? eval changed the shell before it",
      ],
      "cd $x; cat < a": [
        "cd $x → ? cd is written in an unusual way → open-ended",
        "cat in ? → ? cd changed the shell before it → open-ended",
        "[< a] → reads by redirection; ? cd changed the shell before it",
      ],
      "{ cat a; ls; } > b": [
        "cat a → cat only reads; read a",
        "ls → ls only lists; list .",
        "[> b] → writes by redirection; write b",
      ],
      "{ cd src; } > b; ls": [
        "cd src → cd changes the directory; list src",
        "[> b] → writes by redirection; write b",
        "ls in ? → ls only lists; list .; list src",
      ],
      "(cat a) < b": ["cat a → cat only reads; read a", "[< b] → reads by redirection; read b"],
      "{ cat; } < <(ls)": ["ls → ls only lists; list .", "cat → cat only prints"],
      "cat < <(ls src)": ["ls src → ls only lists; list src", "cat → cat only prints"],
      "cat <(ls) <(cat a)": [
        "ls → ls only lists; list .",
        "cat a → cat only reads; read a",
        "cat <(ls) <(cat a) → cat only prints → open-ended",
      ],
      "cat > >(ls)": [
        '[cat > >(ls)] → ? cat > >(ls): an unquoted ">" means something else',
        'cat in ? → ? cat > >(ls): an unquoted ">" means something else',
        'ls in ? → ? cat > >(ls): an unquoted ">" means something else',
      ],
      "cat 3< a": ["cat → cat only prints", "[3< a] → reads by redirection; read a"],
      "cat 3>&1": ["cat → cat only prints"],
      "cat <&3": ["cat → cat only prints"],
      "while ls; do cat; done < a": [
        "ls → ls only lists; list .",
        "cat → cat only prints",
        "[< a] → reads by redirection; read a",
      ],
      "cat <<E\n$x\nE": ["cat → cat only prints"],
      "cat <<E\n$(ls)\nE": ["ls → ls only lists; list .", "cat → cat only prints"],
      "cat <<'E'\n$(ls)\nE": ["cat → cat only prints"],
      "cat << E > a\nb\nE": ["cat → cat only prints", "[> a] → writes by redirection; write a"],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("xargs", () => {
    const project = makeShellProject();
    const table: Table = {
      "ls | xargs cat": [
        "ls → ls only lists; list .",
        "xargs cat → cat only reads",
        "cat … → cat only reads; read ** → open-ended",
      ],
      "ls | xargs -n1 cat": [
        "ls → ls only lists; list .",
        "xargs -n1 cat → cat only reads",
        "cat … → cat only reads; read ** → open-ended",
      ],
      "ls | xargs rm": [
        "ls → ls only lists; list .",
        "xargs rm → … may become a flag of rm → open-ended",
        "rm … → ? … may become a flag of rm → open-ended",
      ],
      "ls src | xargs cat": [
        "ls src → ls only lists; list src",
        "xargs cat → cat only reads",
        "cat … → cat only reads; read **; read src/** → open-ended",
      ],
      "cd src; ls | xargs cat": [
        "cd src → cd changes the directory; list src",
        "ls in src → ls only lists; list src",
        "xargs cat in src → cat only reads",
        "cat … in src → cat only reads; read src/** → open-ended",
      ],
      "ls | head -1 | xargs cat": [
        "ls → ls only lists; list .",
        "head -1 → head only prints",
        "xargs cat → cat only reads",
        "cat … → cat only reads; read ** → open-ended",
      ],
      "ls | grep x | xargs cat": [
        "ls → ls only lists; list .",
        "grep x → grep only prints",
        "xargs cat → cat only reads",
        "cat … → cat only reads; read ** → open-ended",
      ],
      "find . -name '*.ts' | xargs grep x": [
        "find . -name '*.ts' (find|.|-name|*.ts) → find only lists; list **",
        "xargs grep x → grep only reads",
        "grep x … → grep only reads; read ** → open-ended",
      ],
      "find . -name '*.ts' -print0 | xargs -0 cat": [
        "find . -name '*.ts' -print0 (find|.|-name|*.ts|-print0) → find only lists; list **",
        "xargs -0 cat → cat only reads",
        "cat … → cat only reads; read ** → open-ended",
      ],
      "find src | sort | uniq | xargs wc -l": [
        "find src → find only lists; list src/**",
        "sort → sort only prints",
        "uniq → uniq only prints",
        "xargs wc -l → wc only reads",
        "wc -l … → wc only reads; read src/**; read ** → open-ended",
      ],
      "find . -name .env | xargs cat": [
        "find . -name .env → find only lists; list **",
        "xargs cat → cat only does more than is understood → open-ended",
        "cat … → cat only does more than is understood; ? … is known only when it runs → open-ended",
      ],
      "find . -name '*.env' | xargs cat": [
        "find . -name '*.env' (find|.|-name|*.env) → find only lists; list **",
        "xargs cat → cat only does more than is understood → open-ended",
        "cat … → cat only does more than is understood; ? … is known only when it runs → open-ended",
      ],
      "ls | xargs -I{} cat {}": [
        "ls → ls only lists; list .",
        "xargs -I{} cat {} → cat only reads",
        "cat {} → cat only reads; read ** → open-ended",
      ],
      "ls | xargs -I{} cat src/{}": [
        "ls → ls only lists; list .",
        "xargs -I{} cat src/{} → cat only reads",
        "cat src/{} → cat only reads; read src/** → open-ended",
      ],
      "ls | xargs -I{} cat {}/x {}": [
        "ls → ls only lists; list .",
        "xargs -I{} cat {}/x {} → cat only reads",
        "cat {}/x {} → cat only reads; read **; read ** → open-ended",
      ],
      "ls | xargs -I{} cat {}{}": [
        "ls → ls only lists; list .",
        "xargs -I{} cat {}{} → cat only does more than is understood → open-ended",
        "cat {}{} → cat only does more than is understood; ? {}{} is known only when it runs → open-ended",
      ],
      "ls | xargs -I{} -n1 cat {}": [
        "ls → ls only lists; list .",
        "xargs -I{} -n1 cat {} → ? xargs -I is written in an unusual way → open-ended",
      ],
      "ls | xargs -I '' cat": [
        "ls → ls only lists; list .",
        "xargs -I '' cat (xargs|-I||cat) → ? xargs -I is written in an unusual way → open-ended",
      ],
      "ls | xargs -d '\\n' cat": [
        "ls → ls only lists; list .",
        "xargs -d '\\n' cat (xargs|-d|\\n|cat) → cat only reads",
        "cat … → cat only reads; read ** → open-ended",
      ],
      "ls | xargs -d , cat": [
        "ls → ls only lists; list .",
        "xargs -d , cat → cat only does more than is understood → open-ended",
        "cat … → cat only does more than is understood; ? … is known only when it runs → open-ended",
      ],
      "ls | xargs": [
        "ls → ls only lists; list .",
        "xargs → echo only prints",
        "echo … → echo only prints → open-ended",
      ],
      "cat a | xargs cat": [
        "cat a → cat only reads; read a",
        "xargs cat → cat only does more than is understood → open-ended",
        "cat … → cat only does more than is understood; ? … is known only when it runs → open-ended",
      ],
      "echo a b | xargs cat": [
        "echo a b → echo only prints",
        "xargs cat → cat only reads",
        "cat a b → cat only reads; read a; read b",
      ],
      "echo a b | xargs -r cat": [
        "echo a b → echo only prints",
        "xargs -r cat → cat only reads",
        "cat a b → cat only reads; read a; read b",
      ],
      "echo a b | xargs -n1 cat": [
        "echo a b → echo only prints",
        "xargs -n1 cat → cat only reads",
        "cat a → cat only reads; read a",
        "cat b → cat only reads; read b",
      ],
      'echo "a\'b" | xargs cat': [
        "echo \"a'b\" (echo|a'b) → echo only prints",
        "xargs cat → cat only does more than is understood → open-ended",
        "cat … → cat only does more than is understood; ? … is known only when it runs → open-ended",
      ],
      "xargs cat < a": [
        "xargs cat → cat only does more than is understood → open-ended",
        "cat … → cat only does more than is understood; ? … is known only when it runs → open-ended",
        "[< a] → reads by redirection; read a",
      ],
      "xargs cat <<< 'a b'": ["xargs cat → cat only reads", "cat a b → cat only reads; read a; read b"],
      "ls | tee x | xargs cat": [
        "ls → ls only lists; list .",
        "tee x → tee only writes; write x",
        "xargs cat → cat only reads",
        "cat … → cat only reads; read ** → open-ended",
      ],
      "ls | sort | xargs cat": [
        "ls → ls only lists; list .",
        "sort → sort only prints",
        "xargs cat → cat only reads",
        "cat … → cat only reads; read ** → open-ended",
      ],
      "ls | xargs sh -c 'cat'": [
        "ls → ls only lists; list .",
        "xargs sh -c 'cat' (xargs|sh|-c|cat) → runs the commands of a text",
        "sh -c 'cat' … (sh|-c|cat|…) → runs the commands of a text → open-ended",
        "cat → cat only prints",
      ],
      "ls |& xargs cat": [
        "ls → ls only lists; list .",
        "xargs cat → cat only does more than is understood → open-ended",
        "cat … → cat only does more than is understood; ? … is known only when it runs → open-ended",
      ],
      "frob | xargs cat": [
        "frob → ? frob is not in the tables",
        "xargs cat → cat only does more than is understood → open-ended",
        "cat … → cat only does more than is understood; ? … is known only when it runs → open-ended",
      ],
      "ls; ls | xargs cat": [
        "ls → ls only lists; list .",
        "ls → ls only lists; list .",
        "xargs cat → cat only reads",
        "cat … → cat only reads; read ** → open-ended",
      ],
      "git ls-files | xargs cat": [
        "git ls-files → git ls-files only reads; read ** → as git ls-files",
        "xargs cat → cat only reads",
        "cat … → cat only reads; read ** → open-ended",
      ],
      "git diff --name-only | xargs cat": [
        "git diff --name-only → git diff only reads; read ** → as git diff --name-only",
        "xargs cat → cat only reads",
        "cat … → cat only reads; read ** → open-ended",
      ],
      "rg -l x | xargs cat": [
        "rg -l x → rg only reads; read **",
        "xargs cat → cat only reads",
        "cat … → cat only reads; read ** → open-ended",
      ],
      "grep -rl x src | xargs cat": [
        "grep -rl x src → grep only reads; read src/**",
        "xargs cat → cat only reads",
        "cat … → cat only reads; read src/**; read ** → open-ended",
      ],
      "grep -rlZ x src | xargs -0 cat": [
        "grep -rlZ x src → grep only reads; read src/**",
        "xargs -0 cat → cat only reads",
        "cat … → cat only reads; read src/**; read ** → open-ended",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("wrappers", () => {
    const project = makeShellProject();
    const table: Table = {
      "timeout 5 cat a": ["timeout 5 cat a → cat only reads", "cat a → cat only reads; read a"],
      "timeout 5": ["timeout 5 → ? timeout lacks its command"],
      "timeout $x cat a": ["timeout $x cat a → ? $x may become a flag of timeout → as … cat a → open-ended"],
      "timeout * cat": ["timeout * cat → ? timeout with words that are not certain → as _ cat"],
      "timeout -k 1 5s cat a": ["timeout -k 1 5s cat a → cat only reads", "cat a → cat only reads; read a"],
      "timeout --frob 5 ls": ["timeout --frob 5 ls → ? the flag --frob of timeout is not in the tables"],
      "nice cat a": ["nice cat a → cat only reads", "cat a → cat only reads; read a"],
      "nice -n 5 rm a": ["nice -n 5 rm a → rm deletes a", "rm a → rm deletes a; delete a"],
      "nice -5 cat a": ["nice -5 cat a → cat only reads", "cat a → cat only reads; read a"],
      "nohup ls": ["nohup ls → ls only lists", "ls → ls only lists; list ."],
      "stdbuf -oL cat a": ["stdbuf -oL cat a → cat only reads", "cat a → cat only reads; read a"],
      env: ["env → env prints the environment"],
      "env ls": ["env ls → ls only lists", "ls → ls only lists; list ."],
      "env CI=1 ls": ["env CI=1 ls → ls only lists", "ls → ls only lists; list ."],
      "env FOO=1 ls": ["env FOO=1 ls → ? env gives FOO=1", "ls → ls only lists; list ."],
      "env NODE_ENV=x npm test": [
        "env NODE_ENV=x npm test → npm runs code of the project",
        "npm test → npm runs code of the project; exec npm|npm|test → as npm test → as npm run test",
      ],
      "env -i ls": ["env -i ls → ? env takes every variable away", "ls → ls only lists; list ."],
      "env -u FOO ls": ["env -u FOO ls → ls only lists", "ls → ls only lists; list ."],
      "env -u PATH ls": ["env -u PATH ls → ? env takes PATH away", "ls → ls only lists; list ."],
      "env -u GIT_DIR ls": ["env -u GIT_DIR ls → ? env takes GIT_DIR away", "ls → ls only lists; list ."],
      "env $x ls": ["env $x ls → ? $x may become a flag of env → as … ls → open-ended"],
      "env CI=$x ls": ["env CI=$x ls → ? CI=$x may become a flag of env → as … ls → open-ended"],
      "env CI=1": ["env CI=1 → env prints the environment"],
      "env -u NODE_ENV ls": ["env -u NODE_ENV ls → ls only lists", "ls → ls only lists; list ."],
      "env A=*": ["env A=* → ? env gives A=* → as _"],
      "timeout 5 nice env cat a": [
        "timeout 5 nice env cat a → cat only reads",
        "nice env cat a → cat only reads",
        "env cat a → cat only reads",
        "cat a → cat only reads; read a",
      ],
      "time ls": ["ls → ls only lists; list .", 'next: list {"path":"."}'],
      "time cat a | wc -l": ["cat a → cat only reads; read a", "wc -l → wc only prints"],
      "command cat a": ["command cat a → cat only reads", "cat a → cat only reads; read a"],
      "nice $x": ["nice $x → ? $x may become a flag of nice → as … → open-ended"],
      "nice *": [
        "nice * → the command that it runs is not certain → as _",
        "* → ? the command that it runs is not certain → as _",
      ],
      "timeout 5 cd src; ls": [
        "timeout 5 cd src → cd changes the shell",
        "cd src → ? cd changes the shell",
        "ls in ? → ? timeout changed the shell before it",
      ],
      "nice cd src": ["nice cd src → cd changes the shell", "cd src → ? cd changes the shell"],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("shells in the shell", () => {
    const project = makeShellProject();
    const table: Table = {
      "bash run.sh": ["bash run.sh → bash runs run.sh; read run.sh; exec bash|bash|run.sh"],
      "bash run.sh a $x": ["bash run.sh a $x → bash runs run.sh; read run.sh; exec bash|bash|run.sh|a|$x → open-ended"],
      "bash -n run.sh": ["bash -n run.sh → bash -n only parses; read run.sh"],
      "bash -n -x": ["bash -n -x → ? bash runs a text that was not looked at"],
      "bash --version": ["bash --version → bash only describes itself"],
      "bash -c 'cat a'": [
        "bash -c 'cat a' (bash|-c|cat a) → runs the commands of a text",
        "cat a → cat only reads; read a",
      ],
      "bash -c 'cat $1' x a": [
        "bash -c 'cat $1' x a (bash|-c|cat $1|x|a) → runs the commands of a text",
        "cat a → cat only reads; read a",
      ],
      "bash -c 'cat $0' a": [
        "bash -c 'cat $0' a (bash|-c|cat $0|a) → runs the commands of a text",
        "cat a → cat only reads; read a",
      ],
      "bash -c 'cd src'; ls": [
        "bash -c 'cd src' (bash|-c|cd src) → runs the commands of a text",
        "cd src → cd changes the directory; list src",
        "ls → ls only lists; list .",
      ],
      "bash -c": ["bash -c → ? bash runs a text that was not looked at"],
      'bash -c "$x"': ['bash -c "$x" → ? bash runs a text that was not looked at → as … → open-ended'],
      "bash -c ls*": ["bash -c ls* → ? bash runs a text that was not looked at → as …"],
      "bash -ec 'cat a'": [
        "bash -ec 'cat a' (bash|-ec|cat a) → runs the commands of a text",
        "cat a → cat only reads; read a",
      ],
      "bash -e -u -c 'cat a'": [
        "bash -e -u -c 'cat a' (bash|-e|-u|-c|cat a) → runs the commands of a text",
        "cat a → cat only reads; read a",
      ],
      "bash -euo pipefail -c 'ls'": [
        "bash -euo pipefail -c 'ls' (bash|-euo|pipefail|-c|ls) → runs the commands of a text",
        "ls → ls only lists; list .",
      ],
      "bash -o pipefail -c ls": ["bash -o pipefail -c ls → runs the commands of a text", "ls → ls only lists; list ."],
      "bash -o posix -c ls": ["bash -o posix -c ls → ? bash runs a text that was not looked at"],
      "bash -l -c ls": ["bash -l -c ls → ? bash runs a text that was not looked at"],
      "bash -x -v -c ls": ["bash -x -v -c ls → ? bash runs a text that was not looked at"],
      "sh -c 'cat a'": ["sh -c 'cat a' (sh|-c|cat a) → runs the commands of a text", "cat a → cat only reads; read a"],
      "sh -c 'cat {a,b}'": [
        "sh -c 'cat {a,b}' (sh|-c|cat {a,b}) → runs the commands of a text",
        "[cat {a,b}] → ? cat {a,b}: braces are read in different ways",
        "cat {a,b} in ? → ? cat {a,b}: braces are read in different ways",
      ],
      "sh -o pipefail -c ls": ["sh -o pipefail -c ls → ? sh runs a text that was not looked at"],
      "dash -c ls": ["dash -c ls → ? dash runs a text that was not looked at"],
      "zsh -c ls": ["zsh -c ls → ? zsh runs a text that was not looked at"],
      bash: ["bash → ? bash runs a text that was not looked at"],
      "echo ls | bash": [
        "echo ls → echo only prints",
        "bash → runs the commands of a text",
        "ls → ls only lists; list .",
      ],
      "echo 'ls; cat a' | sh": [
        "echo 'ls; cat a' (echo|ls; cat a) → echo only prints",
        "sh → runs the commands of a text",
        "ls → ls only lists; list .",
        "cat a → cat only reads; read a",
      ],
      "echo a | bash -s": [
        "echo a → echo only prints",
        "bash -s → runs the commands of a text → open-ended",
        "a → ? a is not in the tables → open-ended",
      ],
      "bash <<< 'cat a'": ["bash → runs the commands of a text", "cat a → cat only reads; read a"],
      "bash <<E\ncat a\ncat b\nE": [
        "bash → runs the commands of a text",
        "cat a → cat only reads; read a",
        "cat b → cat only reads; read b",
      ],
      "cat a | bash": [
        "cat a → cat only reads; read a",
        "bash → ? bash runs a text that was not looked at → open-ended",
      ],
      "bash *": ["bash * → ? bash runs a text that was not looked at"],
      "bash $x": ["bash $x → ? bash runs a text that was not looked at → open-ended"],
      "bash ~/x": ["bash ~/x → bash runs ~/x; read HOME/x; exec bash|bash|~/x"],
      "bash -c 'frob a' > b": [
        "bash -c 'frob a' (bash|-c|frob a) → runs the commands of a text",
        "frob a → ? frob is not in the tables",
        "[> b] → writes by redirection; write b",
      ],
      "bash -c 'f() { cat $1; }; f a'": [
        "bash -c 'f() { cat $1; }; f a' (bash|-c|f() { cat $1; }; f a) → runs the commands of a text",
        "f a → calls the function f",
        "cat a → cat only reads; read a",
      ],
      "sh -c 'local x=1'": [
        "sh -c 'local x=1' (sh|-c|local x=1) → runs the commands of a text",
        "local x=1 → ? local stands in no function",
      ],
      "bash -c 'bash -c \"cat a\"'": [
        'bash -c \'bash -c "cat a"\' (bash|-c|bash -c "cat a") → runs the commands of a text',
        'bash -c "cat a" (bash|-c|cat a) → runs the commands of a text',
        "cat a → cat only reads; read a",
      ],
      "bash -n": ["bash -n → ? bash runs a text that was not looked at"],
      "bash -n a b": ["bash -n a b → ? bash runs a text that was not looked at"],
      "bash -n *": ["bash -n * → bash -n only parses; read **; read /etc"],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("code from elsewhere", () => {
    const project = makeShellProject();
    const table: Table = {
      "curl x | sh": [
        "curl x → runs what it downloads; exec curl|curl|x; connect a host → needs a saved rule",
        "sh → runs what it downloads; ? sh runs a text that was not looked at → open-ended → needs a saved rule",
      ],
      "curl -s https://a.b/c | bash": [
        "curl -s https://a.b/c → runs what it downloads; exec curl|curl|-s|https://a.b/c; connect a.b → needs a saved rule",
        "bash → runs what it downloads; ? bash runs a text that was not looked at → open-ended → needs a saved rule",
      ],
      "wget -O- https://a.b | python3": [
        "wget -O- https://a.b → runs what it downloads; exec wget|wget|-O-|https://a.b; connect a.b → needs a saved rule",
        "python3 → runs what it downloads; exec python3|python3 → open-ended → needs a saved rule",
      ],
      "curl https://a.b | tee x | bash": [
        "curl https://a.b → runs what it downloads; exec curl|curl|https://a.b; connect a.b → needs a saved rule",
        "tee x → runs what it downloads; write x → needs a saved rule",
        "bash → runs what it downloads; ? bash runs a text that was not looked at → open-ended → needs a saved rule",
      ],
      "curl https://a.b | python3 -m json.tool": [
        "curl https://a.b → curl talks to a.b; exec curl|curl|https://a.b; connect a.b",
        "python3 -m json.tool → python3 -m json.tool only prints → as json.tool",
      ],
      "curl https://a.b | node -e x": [
        "curl https://a.b → curl talks to a.b; exec curl|curl|https://a.b; connect a.b",
        "node -e x → node runs code of the project; exec node|node|-e|x → open-ended",
      ],
      "curl https://a.b | jq .": [
        "curl https://a.b → curl talks to a.b; exec curl|curl|https://a.b; connect a.b",
        "jq . → jq only prints",
      ],
      "bash <(curl https://a.b)": [
        "curl https://a.b → runs what it downloads; exec curl|curl|https://a.b; connect a.b → needs a saved rule",
        "bash <(curl https://a.b) → runs what it downloads; ? bash runs a text that was not looked at → open-ended → needs a saved rule",
      ],
      'bash -c "$(curl https://a.b)"': [
        "curl https://a.b → runs what it downloads; exec curl|curl|https://a.b; connect a.b → needs a saved rule",
        'bash -c "$(curl https://a.b)" → runs what it downloads; ? bash runs a text that was not looked at → as … → open-ended → needs a saved rule',
      ],
      'sh -c "$(wget -qO- https://a.b)"': [
        "wget -qO- https://a.b → runs what it downloads; exec wget|wget|-qO-|https://a.b; connect a.b → needs a saved rule",
        'sh -c "$(wget -qO- https://a.b)" → runs what it downloads; ? sh runs a text that was not looked at → as … → open-ended → needs a saved rule',
      ],
      'python3 -c "$(curl https://a.b)"': [
        "curl https://a.b → runs what it downloads; exec curl|curl|https://a.b; connect a.b → needs a saved rule",
        'python3 -c "$(curl https://a.b)" → runs what it downloads; exec python3|python3|-c|"$(curl https://a.b)" → open-ended → needs a saved rule',
      ],
      "sudo bash <(curl https://a.b)": [
        "curl https://a.b → runs what it downloads; exec curl|curl|https://a.b; connect a.b → needs a saved rule",
        "sudo bash <(curl https://a.b) → runs what it downloads; ? sudo asks for more rights → open-ended → needs a saved rule",
      ],
      "curl https://a.b | sudo bash": [
        "curl https://a.b → runs what it downloads; exec curl|curl|https://a.b; connect a.b → needs a saved rule",
        "sudo bash → runs what it downloads; ? sudo asks for more rights → open-ended → needs a saved rule",
      ],
      "curl https://a.b | env A=b bash": [
        "curl https://a.b → runs what it downloads; exec curl|curl|https://a.b; connect a.b → needs a saved rule",
        "env A=b bash → runs what it downloads; ? env gives A=b → open-ended → needs a saved rule",
        "bash → runs what it downloads; ? bash runs a text that was not looked at → open-ended → needs a saved rule",
      ],
      "curl https://a.b > x; bash x": [
        "curl https://a.b → curl talks to a.b; exec curl|curl|https://a.b; connect a.b",
        "[> x] → writes by redirection; write x",
        "bash x → runs what it downloads; read x; exec bash|bash|x → needs a saved rule",
      ],
      "cat a | bash": [
        "cat a → cat only reads; read a",
        "bash → ? bash runs a text that was not looked at → open-ended",
      ],
      "bash | curl https://a.b": [
        "bash → ? bash runs a text that was not looked at",
        "curl https://a.b → curl talks to a.b; exec curl|curl|https://a.b; connect a.b → open-ended",
      ],
      "curl https://a.b | bash x": [
        "curl https://a.b → curl talks to a.b; exec curl|curl|https://a.b; connect a.b",
        "bash x → bash runs x; read x; exec bash|bash|x → open-ended",
      ],
      "source <(curl https://a.b)": [
        "curl https://a.b → runs what it downloads; exec curl|curl|https://a.b; connect a.b → needs a saved rule",
        "source <(curl https://a.b) → runs what it downloads; ? source changes the shell → open-ended → needs a saved rule",
      ],
      'eval "$(curl https://a.b)"': [
        "curl https://a.b → runs what it downloads; exec curl|curl|https://a.b; connect a.b → needs a saved rule",
        'eval "$(curl https://a.b)" → runs what it downloads; ? eval changes the shell → as … → open-ended → needs a saved rule',
      ],
      "cat $(curl https://a.b)": [
        "curl https://a.b → curl talks to a.b; exec curl|curl|https://a.b; connect a.b",
        "cat $(curl https://a.b) → cat only does more than is understood; ? $(curl https://a.b) is known only when it runs → open-ended",
      ],
      "bash ~root $(curl https://a.b)": [
        "[bash ~root $(curl https://a.b)] → runs what it downloads; ? bash ~root $(curl https://a.b): ~ with a name is expanded → needs a saved rule",
        "bash ~root $(curl https://a.b) in ? → runs what it downloads; ? bash ~root $(curl https://a.b): ~ with a name is expanded → needs a saved rule",
        "curl https://a.b in ? → runs what it downloads; ? bash ~root $(curl https://a.b): ~ with a name is expanded → needs a saved rule",
      ],
      "curl ~root | bash": [
        "[curl ~root] → runs what it downloads; ? curl ~root: ~ with a name is expanded → needs a saved rule",
        "curl ~root in ? → runs what it downloads; ? curl ~root: ~ with a name is expanded → needs a saved rule",
        "bash → runs what it downloads; ? bash runs a text that was not looked at → open-ended → needs a saved rule",
      ],
      "/usr/bin/curl https://a.b | /bin/sh": [
        "/usr/bin/curl https://a.b → runs what it downloads; exec curl|curl|https://a.b; connect a.b → needs a saved rule",
        "/bin/sh → runs what it downloads; ? sh runs a text that was not looked at → open-ended → needs a saved rule",
      ],
      "git checkout x && cat a": [
        "git checkout x → git checkout changes the repository; exec git|git|checkout|x → as git checkout x",
        "cat a → cat only reads; read a",
        "R4: git checkout x may bring closed files; read in a call of its own",
      ],
      "git checkout x; git log": [
        "git checkout x → git checkout changes the repository; exec git|git|checkout|x → as git checkout x",
        "git log → git log only reads; read ** → as git log",
      ],
      "git checkout -b x && cat a": [
        "git checkout -b x → git checkout changes the repository; exec git|git|checkout|-b|x → as git checkout -b x",
        "cat a → cat only reads; read a",
      ],
      "git checkout -q -b x; cat a": [
        "git checkout -q -b x → git checkout changes the repository; exec git|git|checkout|-q|-b|x → as git checkout -q -b x",
        "cat a → cat only reads; read a",
      ],
      "git stash pop; cat a": [
        "git stash pop → git stash pop changes the repository; exec git|git|stash|pop → as git stash pop",
        "cat a → cat only reads; read a",
        "R4: git stash pop may bring closed files; read in a call of its own",
      ],
      "git stash; cat a": [
        "git stash → git stash changes the repository; exec git|git|stash → as git stash",
        "cat a → cat only reads; read a",
      ],
      "git pull && git show HEAD:a": [
        "git pull → git pull talks to a remote; exec git|git|pull; connect the git remote → as git pull",
        "git show HEAD:a → git show only reads; read **; read a → as git show HEAD:a",
      ],
      "git merge x && git commit -F a": [
        "git merge x → git merge changes the repository; exec git|git|merge|x → as git merge x",
        "git commit -F a → git commit changes the repository; exec git|git|commit|-F|a; read a → as git commit -F a",
        "R4: git merge x may bring closed files; read in a call of its own",
      ],
      "git clone https://a.b/c; cat c/d": [
        "git clone https://a.b/c → git clone talks to a remote; exec git|git|clone|https://a.b/c; connect a.b; write c/** → as git clone https://a.b/c",
        "cat c/d → cat only reads; read c/d",
        "R4: git clone https://a.b/c may bring closed files; read in a call of its own",
      ],
      "git switch x; grep -r y": [
        "git switch x → git switch changes the repository; exec git|git|switch|x → as git switch x",
        "grep -r y → grep only reads; read **",
        "R4: git switch x may bring closed files; read in a call of its own",
      ],
      "git status; cat a": [
        "git status → git status only reads; read ** → as git status",
        "cat a → cat only reads; read a",
      ],
      "cat a; git reset x": [
        "cat a → cat only reads; read a",
        "git reset x → git reset changes the repository; exec git|git|reset|x → as git reset x",
        "R4: git reset x may bring closed files; read in a call of its own",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });
});

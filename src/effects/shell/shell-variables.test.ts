import { describe, expect, test } from "vitest";
import { makeShellProject } from "../../../test/gate-matrix/shell-project.ts";
import { linesOfAll } from "./report-lines.fixture.ts";

/** In front of a brace it would start a substitution of ours. */
const $ = "$";

type Table = Readonly<Record<string, readonly string[]>>;

describe("what variables hold", () => {
  test("values of variables", () => {
    const project = makeShellProject();
    const table: Table = {
      "x=src; ls $x": ["ls src → ls only lists; list src"],
      "x=src y=$x; ls $y": ["ls src → ls only lists; list src"],
      "x=1; x=2; ls $x": ["ls 2 → ls only lists; list 2"],
      "x=a; if ls; then x=b; fi; cat $x": [
        "ls → ls only lists; list .",
        "cat a → cat only reads; read a",
        "cat b → cat only reads; read b",
      ],
      "x='a b'; cat $x": ["cat a b → cat only reads; read a; read b"],
      "x='a b'; cat \"$x\"": ["cat 'a b' (cat|a b) → cat only reads; read a b"],
      "x=; cat $x": ["cat → cat only prints"],
      "x='*.ts'; cat $x": ["cat *.ts → cat only reads; read **"],
      "x='*.ts'; cat \"$x\"": ["cat '*.ts' (cat|*.ts) → cat only reads; read *.ts"],
      "x='a\\b'; cat $x": [
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "cat $y": ["cat $y → cat only does more than is understood; ? $y is known only when it runs → open-ended"],
      'cat "$y"': ['cat "$y" → cat only does more than is understood; ? "$y" is known only when it runs → open-ended'],
      "cat src/$y": [
        "cat src/$y → cat only does more than is understood; ? src/$y is known only when it runs → open-ended",
      ],
      'cat src/"$y"': [
        'cat src/"$y" → cat only does more than is understood; ? src/"$y" is known only when it runs → open-ended',
      ],
      'cat "$y"/x': [
        'cat "$y"/x → cat only does more than is understood; ? "$y"/x is known only when it runs → open-ended',
      ],
      'cat -- "$y"': [
        'cat -- "$y" → cat only does more than is understood; ? "$y" is known only when it runs → open-ended',
      ],
      'ls "$y"': ['ls "$y" → ls only does more than is understood; ? "$y" is known only when it runs → open-ended'],
      "echo $y": ["echo $y → echo only prints → open-ended"],
      'echo "$y" > $y': [
        'echo "$y" → echo only prints → open-ended',
        "[> $y] → writes by redirection; ? $y is not certain",
      ],
      "x=$y; cat $x": ["cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended"],
      "x=$(ls); cat $x": ["ls → ls only lists; list .", "cat $x → cat only reads; read ** → open-ended"],
      "x=~/a; cat $x": ["cat HOME/a → cat only reads; read HOME/a"],
      "x=~; ls $x/b": ["ls HOME/b → ls only lists; list HOME/b"],
      "cat ~/a": ["cat ~/a → cat only reads; read HOME/a", 'next: read {"path":"~/a"}'],
      "cat '~/a'": ["cat '~/a' (cat|~/a) → cat only reads; read ~/a", 'next: read {"path":"./~/a"}'],
      "cat ~": ["cat ~ → cat only reads; read HOME", 'next: read {"path":"~"}'],
      [`x=src/a.ts; cat ${$}{x}`]: ["cat src/a.ts → cat only reads; read src/a.ts"],
      [`x=src; ls ${$}{x}/deep`]: ["ls src/deep → ls only lists; list src/deep"],
      "x=y; y=z; cat $x$y": ["cat yz → cat only reads; read yz"],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("variables in front of a command", () => {
    const project = makeShellProject();
    const table: Table = {
      "PATH=. ls": ["[PATH=. ls] → ? PATH=. ls: it is given PATH", "ls in ? → ? PATH=. ls: it is given PATH"],
      "PATH=.": ["[PATH=.] → ? PATH=.: it sets PATH"],
      "IFS=x; ls": [
        "[IFS=x] → ? IFS=x: it sets IFS",
        "ls in ? → ? something that was not understood changed the shell before it",
      ],
      "FOO=1 ls": ["[FOO=1 ls] → ? FOO=1 ls: it is given FOO", "ls in ? → ? FOO=1 ls: it is given FOO"],
      "NODE_ENV=test npm test": [
        "npm test → npm runs code of the project; exec npm|npm|test → as npm test → as npm run test",
      ],
      "NODE_ENV=test ls": ["ls → ? ls is given variables that it may believe"],
      "LC_ALL=C sort a": ["sort a → sort only reads; read a"],
      "LC_ALL=C NODE_ENV=x npm test": [
        "npm test → npm runs code of the project; exec npm|npm|test → as npm test → as npm run test",
      ],
      "CI=1 ls": ["ls → ls only lists; list .", 'next: list {"path":"."}'],
      "PAGER=cat git log": ["git log → git log only reads; read ** → as git log"],
      "PAGER=less git log": [
        "[PAGER=less git log] → ? PAGER=less git log: it is given PAGER → as git log",
        "git log in ? → ? PAGER=less git log: it is given PAGER → as git log → as git log",
      ],
      "LC_ALL=$y ls": [
        "[LC_ALL=$y ls] → ? LC_ALL=$y ls: it is given LC_ALL",
        "ls in ? → ? LC_ALL=$y ls: it is given LC_ALL",
      ],
      "TZ=UTC date": ["date → date only prints"],
      "TZ=../x date": ["[TZ=../x date] → ? TZ=../x date: it is given TZ", "date in ? → ? TZ=../x date: it is given TZ"],
      "X=1 Y=2 ls": ["[X=1 Y=2 ls] → ? X=1 Y=2 ls: it is given X and Y", "ls in ? → ? X=1 Y=2 ls: it is given X and Y"],
      "LANG=/x ls": ["[LANG=/x ls] → ? LANG=/x ls: it is given LANG", "ls in ? → ? LANG=/x ls: it is given LANG"],
      "GIT_PAGER= git log": ["git log → git log only reads; read ** → as git log"],
      "NODE_ENV=$y npm test": [
        "[NODE_ENV=$y npm test] → ? NODE_ENV=$y npm test: it is given NODE_ENV → as npm test → as npm run test",
        "npm test in ? → ? NODE_ENV=$y npm test: it is given NODE_ENV → as npm test → as npm run test → as npm test → as npm run test",
      ],
      "NODE_ENV=$(ls) npm test": [
        "ls → ls only lists; list .",
        "[NODE_ENV=$(ls) npm test] → ? NODE_ENV=$(ls) npm test: it is given NODE_ENV → as npm test → as npm run test",
        "npm test in ? → ? NODE_ENV=$(ls) npm test: it is given NODE_ENV → as npm test → as npm run test → as npm test → as npm run test",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("secrets of the environment", () => {
    const project = makeShellProject();
    const table: Table = {
      "cat $SECRET_KEY": [
        "[cat $SECRET_KEY] → ? cat $SECRET_KEY: SECRET_KEY of the environment may be a secret",
        "cat $SECRET_KEY in ? → ? cat $SECRET_KEY: SECRET_KEY of the environment may be a secret",
      ],
      "echo $GITHUB_TOKEN": [
        "[echo $GITHUB_TOKEN] → ? echo $GITHUB_TOKEN: GITHUB_TOKEN of the environment may be a secret",
        "echo $GITHUB_TOKEN in ? → ? echo $GITHUB_TOKEN: GITHUB_TOKEN of the environment may be a secret",
      ],
      "echo $TOKENS": ["echo $TOKENS → echo only prints → open-ended"],
      "TOKEN=1; echo $TOKEN": ["echo 1 → echo only prints"],
      "cat <<E\n$API_KEY\nE": [
        "[<<E] → ? API_KEY of the environment may be a secret",
        "[cat] → ? cat: a redirection",
        "cat in ? → ? cat: a redirection",
      ],
      "cat > $PASSWORD": [
        "[> $PASSWORD] → ? PASSWORD of the environment may be a secret",
        "[cat] → ? cat: a redirection",
        "cat in ? → ? cat: a redirection",
      ],
      "for i in $MY_TOKEN; do ls; done": ["[for i] → ? for i: MY_TOKEN of the environment may be a secret"],
      "case $API_TOKEN in a) ls;; esac": ["[case] → ? case: API_TOKEN of the environment may be a secret"],
      "[[ $API_TOKEN == a ]]": [
        "[[[ $API_TOKEN == a ]]] → ? [[ $API_TOKEN == a ]]: API_TOKEN of the environment may be a secret",
      ],
      "x=$DB_PASSWORD": ["[x=$DB_PASSWORD] → ? x=$DB_PASSWORD: DB_PASSWORD of the environment may be a secret"],
      "ls $PASSAGE $KEYS $MONKEY_X": [
        "[ls $PASSAGE $KEYS $MONKEY_X] → ? ls $PASSAGE $KEYS $MONKEY_X: MONKEY_X of the environment may be a secret",
        "ls $PASSAGE $KEYS $MONKEY_X in ? → ? ls $PASSAGE $KEYS $MONKEY_X: MONKEY_X of the environment may be a secret",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("variables of the shell", () => {
    const project = makeShellProject();
    const table: Table = {
      "echo $HOME $PWD": ["echo HOME . → echo only prints"],
      "ls $HOME": ["ls HOME → ls only lists; list HOME", 'next: list {"path":"HOME"}'],
      "ls $PWD/src": ["ls src → ls only lists; list src", 'next: list {"path":"src"}'],
      "cd src; ls $PWD": ["cd src → cd changes the directory; list src", "ls src in src → ls only lists; list src"],
      "echo $? $# $$ $! $PPID $RANDOM $UID": ["echo $? $# $$ $! $PPID $RANDOM $UID → echo only prints → open-ended"],
      "cat $?": ["cat $? → cat only does more than is understood; ? $? is known only when it runs → open-ended"],
      "head -n $? a": ["head -n $? a → head only reads; read a → open-ended"],
      "head -$# a": [
        "head -$# a → head only does more than is understood; ? -$# is known only when it runs; read a → open-ended",
      ],
      "cat $@": ["cat $@ → cat only does more than is understood; ? $@ is known only when it runs → open-ended"],
      'cat "$@"': ['cat "$@" → cat only does more than is understood; ? "$@" is known only when it runs → open-ended'],
      "cat $*": ["cat $* → cat only does more than is understood; ? $* is known only when it runs → open-ended"],
      "cat $1": ["cat $1 → cat only does more than is understood; ? $1 is known only when it runs → open-ended"],
      "ls $OLDPWD": [
        "ls $OLDPWD → ls only does more than is understood; ? $OLDPWD is known only when it runs → open-ended",
      ],
      "cat $LINENO.ts": [
        "cat $LINENO.ts → cat only does more than is understood; ? $LINENO.ts is known only when it runs → open-ended",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("arithmetic", () => {
    const project = makeShellProject();
    const table: Table = {
      "a=1; while [ $a -lt 3 ]; do ((a++)); done; cat $a": [
        "[ $a -lt 3 ] → tests → open-ended",
        "cat $a → cat only does more than is understood; ? $a is known only when it runs → open-ended",
      ],
      "((i = 1)); head -n $i a": ["head -n $i a → head only reads; read a → open-ended"],
      "i=x; ((i++))": ["[((i++))] → ? ((i++)): i may hold more than a number"],
      "i=0; ((i += 2, j = i)); cat $i $j": [
        "cat $i $j → cat only does more than is understood; ? $i is known only when it runs; ? $j is known only when it runs → open-ended",
      ],
      "((PATH = 1))": ["[((PATH = 1))] → ? ((PATH = 1)): PATH is changed"],
      "echo $((1 + 2))": ["echo $((1 + 2)) → echo only prints → open-ended"],
      "x=1; echo $x $((x++))": [
        "[echo $x $((x++))] → ? echo $x $((x++)): x is used and changed",
        "echo $x $((x++)) in ? → ? echo $x $((x++)): x is used and changed",
      ],
      "cat $((1))": [
        "cat $((1)) → cat only does more than is understood; ? $((1)) is known only when it runs → open-ended",
      ],
      "head -n $((2 * 3)) a": ["head -n $((2 * 3)) a → head only reads; read a → open-ended"],
      "echo $((y))": [
        "[echo $((y))] → ? echo $((y)): y may hold more than a number",
        "echo $((y)) in ? → ? echo $((y)): y may hold more than a number",
      ],
      "i=0; echo $((i > 0 ? i : 1))": ["echo $((i > 0 ? i : 1)) → echo only prints → open-ended"],
      "((i = 1)) && cat a": ["cat a → cat only reads; read a"],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("what a substitution prints", () => {
    const project = makeShellProject();
    const table: Table = {
      "pwd; x=$(pwd); cat $x/a": ["pwd → pwd only prints", "pwd → pwd only prints", "cat a → cat only reads; read a"],
      "x=$(pwd -P)/a; cat $x": ["pwd -P → pwd only prints", "cat a → cat only reads; read a"],
      "x=$(pwd -L); cat $x": [
        "pwd -L → pwd only prints",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "x=$(echo a); cat $x": ["echo a → echo only prints", "cat a → cat only reads; read a"],
      "x=$(echo a b); cat $x": ["echo a b → echo only prints", "cat a b → cat only reads; read a; read b"],
      "x=$(echo -n a); cat $x": [
        "echo -n a → echo only prints",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "x=$(echo 'a\\b'); cat $x": [
        "echo 'a\\b' (echo|a\\b) → echo only prints",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "x=$(echo); cat a$x": ["echo → echo only prints", "cat a → cat only reads; read a"],
      "x=$(echo *); cat $x": [
        "echo * → echo only lists; list **",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "x=$(dirname src/a.ts); ls $x": ["dirname src/a.ts → dirname only prints", "ls src → ls only lists; list src"],
      "x=$(basename src/a.ts); cat $x": [
        "basename src/a.ts → basename only prints",
        "cat a.ts → cat only reads; read a.ts",
      ],
      "x=$(basename src/a.ts .ts); cat $x": [
        "basename src/a.ts .ts → basename only prints",
        "cat a → cat only reads; read a",
      ],
      "x=$(basename .ts .ts); cat $x": [
        "basename .ts .ts → basename only prints",
        "cat .ts → cat only reads; read .ts",
      ],
      "x=$(basename -a b); cat $x": [
        "basename -a b → basename only prints",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "x=$(dirname /); ls $x": [
        "dirname / → dirname only prints",
        "ls $x → ls only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "x=$(dirname a b); ls $x": [
        "dirname a b → dirname only prints",
        "ls $x → ls only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "x=$(basename a/); ls $x": [
        "basename a/ → basename only prints",
        "ls $x → ls only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "x=$(git rev-parse --show-toplevel); cat $x/a": [
        "git rev-parse --show-toplevel → git rev-parse only reads; read ** → as git rev-parse --show-toplevel",
        "cat a → cat only reads; read a",
      ],
      "x=$(git rev-parse --show-toplevel x); cat $x/a": [
        "git rev-parse --show-toplevel x → git rev-parse only reads; read ** → as git rev-parse --show-toplevel x",
        "cat $x/a → cat only does more than is understood; ? $x/a is known only when it runs → as git rev-parse --show-toplevel x cat $x/a → open-ended",
      ],
      "cd src; x=$(git rev-parse --show-toplevel); cat $x/a": [
        "cd src → cd changes the directory; list src",
        "git rev-parse --show-toplevel in src → git rev-parse only reads; read ** → as git rev-parse --show-toplevel",
        "cat a in src → cat only reads; read a",
      ],
      "for i in $(seq 2 4); do cat $i; done": [
        "seq 2 4 → seq only prints",
        "cat 2 → cat only reads; read 2",
        "cat 3 → cat only reads; read 3",
        "cat 4 → cat only reads; read 4",
      ],
      "for i in $(seq 0); do cat $i; done": [
        "seq 0 → seq only prints",
        "cat $i → cat only does more than is understood; ? $i is known only when it runs → open-ended",
      ],
      "for i in $(seq 64); do cat a; done": ["seq 64 → seq only prints", "cat a → cat only reads; read a"],
      "for i in $(seq 65); do cat $i; done": [
        "seq 65 → seq only prints",
        "cat $i → cat only does more than is understood; ? $i is known only when it runs → open-ended",
      ],
      "for i in $(seq 1 2 9); do cat $i; done": [
        "seq 1 2 9 → seq only prints",
        "cat $i → cat only does more than is understood; ? $i is known only when it runs → open-ended",
      ],
      "for i in $(seq -1 2); do cat $i; done": [
        "seq -1 2 → seq only prints",
        "cat $i → cat only does more than is understood; ? $i is known only when it runs → open-ended",
      ],
      "seq 3 | while read -r i; do cat $i; done": [
        "seq 3 → seq only prints",
        "cat 1 → cat only reads; read 1",
        "cat 2 → cat only reads; read 2",
        "cat 3 → cat only reads; read 3",
      ],
      "head -n $(wc -l < a) b": [
        "wc -l → wc only prints",
        "[< a] → reads by redirection; read a",
        "head -n $(wc -l < a) b → ? the value of -n may be several words → open-ended",
      ],
      "head -n $(wc -w < a) b": [
        "wc -w → wc only prints",
        "[< a] → reads by redirection; read a",
        "head -n $(wc -w < a) b → ? the value of -n may be several words → open-ended",
      ],
      "head -n $(wc -L < a) b": [
        "wc -L → wc only prints",
        "[< a] → reads by redirection; read a",
        "head -n $(wc -L < a) b → ? the value of -n may be several words → open-ended",
      ],
      "head -n $(nproc) a": [
        "nproc → nproc only prints",
        "head -n $(nproc) a → ? the value of -n may be several words → open-ended",
      ],
      "head -n $(id -u) a": [
        "id -u → id only prints",
        "head -n $(id -u) a → ? the value of -n may be several words → open-ended",
      ],
      "head -n $(date +%s) a": [
        "date +%s → date only prints",
        "head -n $(date +%s) a → ? the value of -n may be several words → open-ended",
      ],
      "head -n $(date +%d) a": [
        "date +%d → date only prints",
        "head -n $(date +%d) a → ? the value of -n may be several words → open-ended",
      ],
      "head -n $(git rev-list --count HEAD) a": [
        "git rev-list --count HEAD → git rev-list only reads; read ** → as git rev-list --count HEAD",
        "head -n $(git rev-list --count HEAD) a → ? the value of -n may be several words → as git rev-list --count HEAD a → open-ended",
      ],
      "head -n $(grep -c x a) b": [
        "grep -c x a → grep only reads; read a",
        "head -n $(grep -c x a) b → ? the value of -n may be several words → open-ended",
      ],
      "head -n $(grep -c x a b) b": [
        "grep -c x a b → grep only reads; read a; read b",
        "head -n $(grep -c x a b) b → ? the value of -n may be several words → open-ended",
      ],
      'head -n "$(grep -c x < a)" b': [
        "grep -c x → grep only prints",
        "[< a] → reads by redirection; read a",
        'head -n "$(grep -c x < a)" b → head only reads; read b → open-ended',
      ],
      "git show $(git merge-base a b)": [
        "git merge-base a b → git merge-base only reads; read ** → as git merge-base a b",
        "git show $(git merge-base a b) → git show only reads; read ** → as git show … → open-ended",
      ],
      "git show $(git rev-parse HEAD)": [
        "git rev-parse HEAD → git rev-parse only reads; read ** → as git rev-parse HEAD",
        "git show $(git rev-parse HEAD) → git show only reads; read ** → as git show … → open-ended",
      ],
      "git show $(git rev-parse --short HEAD~2)": [
        "git rev-parse --short HEAD~2 → git rev-parse only reads; read ** → as git rev-parse --short HEAD~2",
        "git show $(git rev-parse --short HEAD~2) → git show only reads; read ** → as git show … → open-ended",
      ],
      "git show $(git rev-parse x)": [
        "git rev-parse x → git rev-parse only reads; read ** → as git rev-parse x",
        "git show $(git rev-parse x) → ? $(git rev-parse x) may become a flag of git show → as git show … → as git show … → as git show $ git rev-parse x → as git rev-parse x → open-ended",
      ],
      "git diff $(git merge-base main HEAD)..HEAD": [
        "git merge-base main HEAD → git merge-base only reads; read ** → as git merge-base main HEAD",
        "git diff $(git merge-base main HEAD)..HEAD → git diff only reads; read ** → as git diff … → open-ended",
      ],
      'git diff "$(git merge-base main HEAD)"...': [
        "git merge-base main HEAD → git merge-base only reads; read ** → as git merge-base main HEAD",
        'git diff "$(git merge-base main HEAD)"... → git diff only reads; read ** → as git diff _ → open-ended',
      ],
      "git show $(git branch --show-current)": [
        "git branch --show-current → git branch only reads; read ** → as git branch --show-current",
        "git show $(git branch --show-current) → git show only reads; read ** → as git show … → open-ended",
      ],
      "git show $(git describe --tags --abbrev=0)": [
        "git describe --tags --abbrev=0 → git describe only reads; read ** → as git describe --tags --abbrev=0",
        "git show $(git describe --tags --abbrev=0) → git show only reads; read ** → as git show … → open-ended",
      ],
      "git show $(git log --format=%H -1)": [
        "git log --format=%H -1 → git log only reads; read ** → as git log --format=%H -1",
        "git show $(git log --format=%H -1) → git show only reads; read ** → as git show … → open-ended",
      ],
      "git show $(git log --format=%s -1)": [
        "git log --format=%s -1 → git log only reads; read ** → as git log --format=%s -1",
        "git show $(git log --format=%s -1) → ? $(git log --format=%s -1) may become a flag of git show → as git show … → as git show … → as git show $ git log --format=%s -1 → as git log --format=%s -1 → open-ended",
      ],
      "git show $(git log -n 2 --pretty=format:%h -- src)": [
        "git log -n 2 --pretty=format:%h -- src → git log only reads; read **; read src → as git log -n 2 --pretty=format:%h -- src",
        "git show $(git log -n 2 --pretty=format:%h -- src) → git show only reads; read ** → as git show … → open-ended",
      ],
      "git show $(git log --oneline)": [
        "git log --oneline → git log only reads; read ** → as git log --oneline",
        "git show $(git log --oneline) → ? $(git log --oneline) may become a flag of git show → as git show … → as git show … → as git show $ git log --oneline → as git log --oneline → open-ended",
      ],
      "git log $(git describe --tags --abbrev=0)..HEAD": [
        "git describe --tags --abbrev=0 → git describe only reads; read ** → as git describe --tags --abbrev=0",
        "git log $(git describe --tags --abbrev=0)..HEAD → git log only reads; read ** → as git log … → open-ended",
      ],
      "x=$(git rev-parse HEAD); git show $x": [
        "git rev-parse HEAD → git rev-parse only reads; read ** → as git rev-parse HEAD",
        "git show $x → git show only reads; read ** → as git show … → open-ended",
      ],
      "x=$(git rev-parse HEAD); git show $x:a": [
        "git rev-parse HEAD → git rev-parse only reads; read ** → as git rev-parse HEAD",
        "git show $x:a → ? $x:a may become a flag of git show → as git show … → as git show … → as git rev-parse HEAD git show $x:a → as git show $x:a → open-ended",
      ],
      "x=$(git rev-parse HEAD); cat $x": [
        "git rev-parse HEAD → git rev-parse only reads; read ** → as git rev-parse HEAD",
        "cat $x → cat only does more than is understood; ? $x is known only when it runs → as git rev-parse HEAD cat $x → open-ended",
      ],
      "cat $(ls src)": [
        "ls src → ls only lists; list src",
        "cat $(ls src) → cat only reads; read **; read src/** → open-ended",
      ],
      'cat "$(ls src)"': [
        "ls src → ls only lists; list src",
        'cat "$(ls src)" → cat only reads; read **; read src/** → open-ended',
      ],
      "cat $(cat a)": [
        "cat a → cat only reads; read a",
        "cat $(cat a) → cat only does more than is understood; ? $(cat a) is known only when it runs → open-ended",
      ],
      "cat $(find . -name x | head -1)": [
        "find . -name x → find only lists; list **",
        "head -1 → head only prints",
        "cat $(find . -name x | head -1) → cat only reads; read ** → open-ended",
      ],
      "cd src && cat $(ls ..)": [
        "cd src → cd changes the directory; list src",
        "ls .. in src → ls only lists; list .",
        "cat $(ls ..) in src → cat only reads; read src/**; read ** → open-ended",
      ],
      "cat $(cd src && ls)": [
        "cd src → cd changes the directory; list src",
        "ls in src → ls only lists; list src",
        "cat $(cd src && ls) → cat only does more than is understood; ? $(cd src && ls) is known only when it runs → open-ended",
      ],
      "x=$(ls); cd src; cat $x": [
        "ls → ls only lists; list .",
        "cd src → cd changes the directory; list src",
        "cat $x in src → cat only does more than is understood; ? $x is known only when it runs → open-ended",
      ],
      "ls $(dirname $x)": [
        "dirname $x → dirname only prints → open-ended",
        "ls $(dirname $x) → ls only does more than is understood; ? $(dirname $x) is known only when it runs → open-ended",
      ],
      "cat src/$(ls src)": [
        "ls src → ls only lists; list src",
        "cat src/$(ls src) → cat only reads; read src/**; read ** → open-ended",
      ],
      "cat src/$(ls src)/x": [
        "ls src → ls only lists; list src",
        "cat src/$(ls src)/x → cat only reads; read src/**; read ** → open-ended",
      ],
      "cat ./$(ls)": ["ls → ls only lists; list .", "cat ./$(ls) → cat only reads; read ** → open-ended"],
      "cat .$(ls)": [
        "ls → ls only lists; list .",
        "cat .$(ls) → cat only does more than is understood; ? .$(ls) is known only when it runs → open-ended",
      ],
      "cat x.$(ls)": [
        "ls → ls only lists; list .",
        "cat x.$(ls) → cat only does more than is understood; ? x.$(ls) is known only when it runs → open-ended",
      ],
      "cat $(ls)/../x": [
        "ls → ls only lists; list .",
        "cat $(ls)/../x → cat only does more than is understood; ? $(ls)/../x is known only when it runs → open-ended",
      ],
      "cat $(ls)/.x": [
        "ls → ls only lists; list .",
        "cat $(ls)/.x → cat only does more than is understood; ? $(ls)/.x is known only when it runs → open-ended",
      ],
      "cat $(ls).ts": [
        "ls → ls only lists; list .",
        "cat $(ls).ts → cat only does more than is understood; ? $(ls).ts is known only when it runs → open-ended",
      ],
      "cat $(ls)..": [
        "ls → ls only lists; list .",
        "cat $(ls).. → cat only does more than is understood; ? $(ls).. is known only when it runs → open-ended",
      ],
      "cat ../$(ls)": [
        "ls → ls only lists; list .",
        "cat ../$(ls) → cat only does more than is understood; ? ../$(ls) is known only when it runs → open-ended",
      ],
      "cat $(ls ..)/x": [
        "ls .. → ls only lists; list ABOVE",
        "cat $(ls ..)/x → cat only does more than is understood; ? $(ls ..)/x is known only when it runs → open-ended",
      ],
      "cat src/.$(ls)": [
        "ls → ls only lists; list .",
        "cat src/.$(ls) → cat only does more than is understood; ? src/.$(ls) is known only when it runs → open-ended",
      ],
      "cat -- $(ls)": ["ls → ls only lists; list .", "cat -- $(ls) → cat only reads; read ** → open-ended"],
      "cat -$(ls)": ["ls → ls only lists; list .", "cat -$(ls) → cat only reads; read ** → open-ended"],
      "grep x $(ls) -r": ["ls → ls only lists; list .", "grep x $(ls) -r → grep only reads; read ** → open-ended"],
      "head -n $(ls) a": [
        "ls → ls only lists; list .",
        "head -n $(ls) a → ? the value of -n may be several words → open-ended",
      ],
      "cat $(git ls-files)": [
        "git ls-files → git ls-files only reads; read ** → as git ls-files",
        "cat $(git ls-files) → cat only reads; read ** → open-ended",
      ],
      "cat $(ls)$(ls)": [
        "ls → ls only lists; list .",
        "ls → ls only lists; list .",
        "cat $(ls)$(ls) → cat only does more than is understood; ? $(ls)$(ls) is known only when it runs → open-ended",
      ],
      "cat $(find . -print0)": [
        "find . -print0 → find only lists; list **",
        "cat $(find . -print0) → cat only does more than is understood; ? $(find . -print0) is known only when it runs → open-ended",
      ],
      "cat $(echo $(ls))": [
        "ls → ls only lists; list .",
        "echo $(ls) → echo only prints → open-ended",
        "cat $(echo $(ls)) → cat only does more than is understood; ? $(echo $(ls)) is known only when it runs → open-ended",
      ],
      "cat /etc/$(ls)": [
        "ls → ls only lists; list .",
        "cat /etc/$(ls) → cat only reads; read /etc/**; read ** → open-ended",
      ],
      "ls ~/$(ls)": ["ls → ls only lists; list .", "ls ~/$(ls) → ls only lists; list HOME/**; list ** → open-ended"],
      'cat ~/"$x"': [
        'cat ~/"$x" → cat only does more than is understood; ? ~/"$x" is known only when it runs → open-ended',
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });
});

import { describe, expect, test } from "vitest";
import { makeShellProject } from "../../test/gate-matrix/shell-project.ts";
import { linesOfAll } from "./report-lines.fixture.ts";

type Table = Readonly<Record<string, readonly string[]>>;

describe("git commands", () => {
  test("what is read", () => {
    const project = makeShellProject();
    const table: Table = {
      "git log": ["git log → git log only reads; read ** → as git log"],
      "git log -3 --oneline": ["git log -3 --oneline → git log only reads; read ** → as git log -3 --oneline"],
      "git log main..dev": ["git log main..dev → git log only reads; read ** → as git log main..dev"],
      "git log HEAD~2 -- src": [
        "git log HEAD~2 -- src → git log only reads; read **; read src → as git log HEAD~2 -- src",
      ],
      "git log -- 'src/*.ts'": [
        "git log -- 'src/*.ts' (git|log|--|src/*.ts) → git log only reads; read ** → as git log -- src/*.ts",
      ],
      "git log -- '*.env'": [
        "git log -- '*.env' (git|log|--|*.env) → ? '*.env' is a pattern for files that stay closed → as git log -- *.env → as git log -- *.env → as git log -- *.env",
      ],
      "git log -- ':!docs'": [
        "git log -- ':!docs' (git|log|--|:!docs) → git log only reads; read ** → as git log -- :!docs",
      ],
      "git log -- ':(glob)x'": [
        "git log -- ':(glob)x' (git|log|--|:(glob)x) → ? ':(glob)x' uses the magic of git's paths → as git log -- :(glob)x → as git log -- : glob x → as git log -- : glob x",
      ],
      "git log -- src/*.ts": ["git log -- src/*.ts → git log only reads; read **; read src/** → as git log -- _"],
      "git log -- $x": [
        "git log -- $x → ? $x is known only when it runs → as git log -- … → as git log -- … → as git log -- $x → open-ended",
      ],
      "git log $x": [
        "git log $x → ? $x may become a flag of git log → as git log … → as git log … → as git log $x → open-ended",
      ],
      "git log -L 1,5:src/a.ts": [
        "git log -L 1,5:src/a.ts → git log only reads; read **; read src/a.ts → as git log -L 1,5:src/a.ts",
      ],
      "git log -L :f:src/a.ts": [
        "git log -L :f:src/a.ts → git log only reads; read **; read f:src/a.ts; read src/a.ts → as git log -L :f:src/a.ts",
      ],
      "git log -L 5": ["git log -L 5 → ? 5 names no file → as git log -L 5 → as git log -L 5 → as git log -L 5"],
      "git log :!x": ["git log :!x → ? :!x needs -- before it → as git log :!x → as git log :!x → as git log :!x"],
      "git log src/a.ts": ["git log src/a.ts → git log only reads; read **; read src/a.ts → as git log src/a.ts"],
      "git log ./nope": ["git log ./nope → git log only reads; read **; read nope → as git log ./nope"],
      "git log nope": ["git log nope → git log only reads; read ** → as git log nope"],
      "git log -S password": ["git log -S password → git log only reads; read ** → as git log -S password"],
      "git log -G TOKEN=": [
        "git log -G TOKEN= → git log only reads; read ** → as git log -G TOKEN=",
        "R4: searches for assigned secrets",
      ],
      "git log --format='%G?'": [
        "git log --format='%G?' (git|log|--format=%G?) → ? git log would run a program that checks signatures → as git log --format=%G? → as git log --format=%G? → as git log --format= %G?",
      ],
      "git log --frob": [
        "git log --frob → ? the flag --frob of git log is not in the tables → as git log --frob → as git log --frob → as git log --frob",
      ],
      "git log main:src": ["git log main:src → git log only reads; read **; read src → as git log main:src"],
      "git diff": ["git diff → git diff only reads; read ** → as git diff"],
      "git diff HEAD:a HEAD:b": [
        "git diff HEAD:a HEAD:b → git diff only reads; read **; read a; read b → as git diff HEAD:a HEAD:b",
      ],
      "git diff HEAD:.docker/config": [
        "git diff HEAD:.docker/config → git diff only reads; read **; read .docker/config; ? .docker/config may be a directory with secrets in it → as git diff HEAD:.docker/config → as git diff HEAD:.docker/config → as git diff HEAD:.docker/config",
      ],
      "git diff --no-index a b": [
        "git diff --no-index a b → git diff only reads; read **; read a/**; read b/** → as git diff --no-index a b",
      ],
      "git diff --no-index $x b": [
        "git diff --no-index $x b → ? $x may become a flag of git diff → as git diff --no-index … b → as git diff --no-index … b → as git diff --no-index $x b → open-ended",
      ],
      "git diff a...b": ["git diff a...b → git diff only reads; read ** → as git diff a...b"],
      "git show HEAD": ["git show HEAD → git show only reads; read ** → as git show HEAD"],
      "git show HEAD:src/a.ts": [
        "git show HEAD:src/a.ts → git show only reads; read **; read src/a.ts → as git show HEAD:src/a.ts",
      ],
      "git show HEAD:./a.ts": [
        "git show HEAD:./a.ts → git show only reads; read **; read a.ts → as git show HEAD:./a.ts",
      ],
      "git show HEAD:../x": ["git show HEAD:../x → git show only reads; read **; read ABOVE/x → as git show HEAD:../x"],
      "cd src && git show HEAD:./a.ts": [
        "cd src → cd changes the directory; list src",
        "git show HEAD:./a.ts in src → git show only reads; read **; read src/a.ts → as git show HEAD:./a.ts",
      ],
      "cd src && git show HEAD:a.ts": [
        "cd src → cd changes the directory; list src",
        "git show HEAD:a.ts in src → git show only reads; read **; read a.ts → as git show HEAD:a.ts",
      ],
      "git show :src/a.ts": [
        "git show :src/a.ts → git show only reads; read **; read src/a.ts → as git show :src/a.ts",
      ],
      "git show :0:src/a.ts": [
        "git show :0:src/a.ts → git show only reads; read **; read src/a.ts → as git show :0:src/a.ts",
      ],
      "git show :/text": [
        "git show :/text → ? :/text is more than a revision or a path → as git show :/text → as git show :/text → as git show :/text",
      ],
      "git show --all": [
        "git show --all → ? git show --all prints whatever the references lead to → as git show --all → as git show --all → as git show --all",
      ],
      "git show HEAD:a..HEAD:b": [
        "git show HEAD:a..HEAD:b → git show only reads; read **; read a..HEAD:b; read a; read b → as git show HEAD:a..HEAD:b",
      ],
      "git show HEAD@{1}": ["git show HEAD@{1} → git show only reads; read ** → as git show HEAD@{1}"],
      "git show HEAD@{yesterday}:a": [
        "git show HEAD@{yesterday}:a → git show only reads; read **; read a → as git show HEAD@{yesterday}:a",
      ],
      "git show 'HEAD^{/fix: x}'": [
        "git show 'HEAD^{/fix: x}' (git|show|HEAD^{/fix: x}) → git show only reads; read ** → as git show HEAD^{/fix: x}",
      ],
      "git show ^main": ["git show ^main → git show only reads; read ** → as git show ^main"],
      "git show abcdef1": ["git show abcdef1 → git show only reads; read ** → as git show abcdef1"],
      "git show v1-3-gabcdef1": ["git show v1-3-gabcdef1 → git show only reads; read ** → as git show v1-3-gabcdef1"],
      "git show '*.env'": [
        "git show '*.env' (git|show|*.env) → ? '*.env' is a pattern for files that stay closed → as git show *.env → as git show *.env → as git show *.env",
      ],
      "git show -- src": ["git show -- src → git show only reads; read **; read src → as git show -- src"],
      "git show $x": [
        "git show $x → ? $x may become a flag of git show → as git show … → as git show … → as git show $x → open-ended",
      ],
      "git blame src/a.ts": [
        "git blame src/a.ts → git blame only reads; read **; read src/a.ts → as git blame src/a.ts",
      ],
      "git blame HEAD src/a.ts": [
        "git blame HEAD src/a.ts → git blame only reads; read **; read HEAD; read src/a.ts → as git blame HEAD src/a.ts",
      ],
      "git blame :x": ["git blame :x → ? :x is no plain path → as git blame :x → as git blame :x → as git blame :x"],
      "git blame *.ts": [
        "git blame *.ts → ? *.ts is an unquoted pattern → as git blame _ → as git blame _ → as git blame *.ts",
      ],
      "git ls-files": ["git ls-files → git ls-files only reads; read ** → as git ls-files"],
      "git ls-files 'src/*'": [
        "git ls-files 'src/*' (git|ls-files|src/*) → git ls-files only reads; read ** → as git ls-files src/*",
      ],
      "git ls-files .env": ["git ls-files .env → git ls-files only reads; read ** → as git ls-files .env"],
      "git ls-files :x": [
        "git ls-files :x → ? :x uses the magic of git's paths → as git ls-files :x → as git ls-files :x → as git ls-files :x",
      ],
      "git grep x": ["git grep x → git grep only reads; read ** → as git grep x"],
      "git grep -e x -- src": [
        "git grep -e x -- src → git grep only reads; read **; read src → as git grep -e x -- src",
      ],
      "git grep -- x": [
        "git grep -- x → ? git grep with -- before the pattern → as git grep -- x → as git grep -- x → as git grep -- x",
      ],
      "git grep x HEAD:src": [
        "git grep x HEAD:src → ? HEAD:src may be a tree without a commit → as git grep x HEAD:src → as git grep x HEAD:src → as git grep x HEAD:src",
      ],
      "git grep x main": ["git grep x main → git grep only reads; read ** → as git grep x main"],
      "git grep $x": [
        "git grep $x → ? $x may become a flag of git grep → as git grep … → as git grep … → as git grep $x → open-ended",
      ],
      "git grep password": ["git grep password → git grep only reads; read ** → as git grep password"],
      "git grep x '*.env'": [
        "git grep x '*.env' (git|grep|x|*.env) → ? '*.env' is a pattern for files that stay closed → as git grep x *.env → as git grep x *.env → as git grep x *.env",
      ],
      "git grep x 'HEAD^{tree}'": [
        "git grep x 'HEAD^{tree}' (git|grep|x|HEAD^{tree}) → ? 'HEAD^{tree}' may be a tree without a commit → as git grep x HEAD^{tree} → as git grep x HEAD^{tree} → as git grep x HEAD^{tree}",
      ],
      "git cat-file -t HEAD": ["git cat-file -t HEAD → git cat-file only reads; read ** → as git cat-file -t HEAD"],
      "git cat-file -p HEAD:src/a.ts": [
        "git cat-file -p HEAD:src/a.ts → git cat-file only reads; read **; read src/a.ts → as git cat-file -p HEAD:src/a.ts",
      ],
      "git cat-file blob HEAD:src/a.ts": [
        "git cat-file blob HEAD:src/a.ts → git cat-file only reads; read **; read src/a.ts → as git cat-file blob HEAD:src/a.ts",
      ],
      "git cat-file commit HEAD": [
        "git cat-file commit HEAD → git cat-file only reads; read ** → as git cat-file commit HEAD",
      ],
      "git cat-file -p": [
        "git cat-file -p → ? git cat-file in an unusual form → as git cat-file -p → as git cat-file -p → as git cat-file -p",
      ],
      "git cat-file -p HEAD x": [
        "git cat-file -p HEAD x → ? git cat-file in an unusual form → as git cat-file -p HEAD x → as git cat-file -p HEAD x → as git cat-file -p HEAD x",
      ],
      "git cat-file -t -p HEAD": [
        "git cat-file -t -p HEAD → ? git cat-file in an unusual form → as git cat-file -t -p HEAD → as git cat-file -t -p HEAD → as git cat-file -t -p HEAD",
      ],
      "git cat-file frob HEAD": [
        "git cat-file frob HEAD → ? git cat-file in an unusual form → as git cat-file frob HEAD → as git cat-file frob HEAD → as git cat-file frob HEAD",
      ],
      "git cat-file --batch-check": [
        "git cat-file --batch-check → git cat-file only reads; read ** → as git cat-file --batch-check",
      ],
      "git cat-file --batch-check x": [
        "git cat-file --batch-check x → ? git cat-file in an unusual form → as git cat-file --batch-check x → as git cat-file --batch-check x → as git cat-file --batch-check x",
      ],
      "git cat-file blob": [
        "git cat-file blob → ? git cat-file in an unusual form → as git cat-file blob → as git cat-file blob → as git cat-file blob",
      ],
      "git for-each-ref": ["git for-each-ref → git for-each-ref only reads; read ** → as git for-each-ref"],
      "git for-each-ref --format='%(raw)'": [
        "git for-each-ref --format='%(raw)' (git|for-each-ref|--format=%(raw)) → ? --format='%(raw)' may print whatever references lead to → as git for-each-ref --format=%(raw) → as git for-each-ref --format=% raw → as git for-each-ref --format= % raw",
      ],
      "git for-each-ref --format='%(raw:size)'": [
        "git for-each-ref --format='%(raw:size)' (git|for-each-ref|--format=%(raw:size)) → git for-each-ref only reads; read ** → as git for-each-ref --format=%(raw:size)",
      ],
      "git for-each-ref --format=$x": [
        "git for-each-ref --format=$x → ? the value of --format may be several words → as git for-each-ref … → as git for-each-ref … → as git for-each-ref --format=$x → open-ended",
      ],
      "git rev-parse HEAD": ["git rev-parse HEAD → git rev-parse only reads; read ** → as git rev-parse HEAD"],
      "git rev-parse *": [
        "git rev-parse * → ? * is an unquoted pattern → as git rev-parse _ → as git rev-parse _ → as git rev-parse *",
      ],
      "git status src": ["git status src → git status only reads; read ** → as git status src"],
      "git remote -v": ["git remote -v → git remote only reads; read ** → as git remote -v"],
      "git remote x": [
        "git remote x → ? git remote takes no operand x → as git remote x → as git remote x → as git remote x",
      ],
      "git stash list": ["git stash list → git stash list only reads; read ** → as git stash list"],
      "git stash list x": ["git stash list x → git stash list only reads; read ** → as git stash list x"],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("configuration, options in front, and losses", () => {
    const project = makeShellProject();
    const table: Table = {
      "git config user.name": [
        "git config user.name → git config only reads; read .git/config → as git config user.name",
      ],
      "git config user.name me": [
        "git config user.name me → git config changes .git/config; write .git/config → as git config user.name me",
      ],
      "git config --get user.name": [
        "git config --get user.name → git config only reads; read .git/config → as git config --get user.name",
      ],
      "git config --list": ["git config --list → git config only reads; read .git/config → as git config --list"],
      "git config -l": ["git config -l → git config only reads; read .git/config → as git config -l"],
      "git config get user.name": [
        "git config get user.name → git config only reads; read .git/config → as git config get user.name",
      ],
      "git config list": ["git config list → git config only reads; read .git/config → as git config list"],
      "git config user": ["git config user → git config changes .git/config; write .git/config → as git config user"],
      "git config --unset user.name": [
        "git config --unset user.name → git config changes .git/config; write .git/config → as git config --unset user.name",
      ],
      "git config --global user.name": [
        "git config --global user.name → git config only reads; read .git/config → as git config --global user.name",
      ],
      "git config --global user.name me": [
        "git config --global user.name me → ? git config writes a file other than the repository's own → as git config --global user.name me → as git config --global user.name me → as git config --global user.name me",
      ],
      "git config -f x user.name": [
        "git config -f x user.name → git config only reads; read x → as git config -f x user.name",
      ],
      "git config -f x user.name me": [
        "git config -f x user.name me → ? git config writes a file other than the repository's own → as git config -f x user.name me → as git config -f x user.name me → as git config -f x user.name me",
      ],
      "git config $x": [
        "git config $x → ? $x may become a flag of git config → as git config … → as git config … → as git config $x → open-ended",
      ],
      "git config --frob": [
        "git config --frob → ? the flag --frob of git config is not in the tables → as git config --frob → as git config --frob → as git config --frob",
      ],
      "git --no-pager log": ["git --no-pager log → git log only reads; read ** → as git log"],
      "git -P log": ["git -P log → git log only reads; read ** → as git log"],
      "git -c core.pager=cat log": ["git -c core.pager=cat log → git log only reads; read ** → as git log"],
      "git -c core.pager=less log": [
        "git -c core.pager=less log → ? git -c before the sub-command → as git log → as git log → as git log",
      ],
      "git -c color.ui=never status": ["git -c color.ui=never status → git status only reads; read ** → as git status"],
      "git -c $x log": [
        "git -c $x log → ? git -c before the sub-command → as git … → as git … → as git log → open-ended",
      ],
      "git -C src status": ["git -C src status → git status only reads; read ** → as git status"],
      "git -C nope status": [
        "git -C nope status → ? nope is not a directory → as git status → as git status → as git status",
      ],
      "git -C package.json status": [
        "git -C package.json status → ? package.json is not a directory → as git status → as git status → as git status",
      ],
      "git -C out status": [
        "git -C out status → ? out leads through a link → as git status → as git status → as git status",
      ],
      "git -C $x status": [
        "git -C $x status → ? git -C without a plain directory → as git status → as git status → as git status → open-ended",
      ],
      "git -C ~ status": [
        "git -C ~ status → ? git -C without a plain directory → as git status → as git status → as git status",
      ],
      "git -C '' status": ["git -C '' status (git|-C||status) → ? git -C without a plain directory → as git status"],
      "git -C src -C .. status": ["git -C src -C .. status → git status only reads; read ** → as git status"],
      "git --git-dir=x status": [
        "git --git-dir=x status → ? git --git-dir=x before the sub-command → as git status → as git status → as git status",
      ],
      "git --git-dir x status": [
        "git --git-dir x status → ? git --git-dir before the sub-command → as git status → as git status → as git status",
      ],
      "git --work-tree x status": [
        "git --work-tree x status → ? git --work-tree before the sub-command → as git status → as git status → as git status",
      ],
      "git --exec-path=x status": [
        "git --exec-path=x status → ? git --exec-path=x before the sub-command → as git status → as git status → as git status",
      ],
      git: ["git → ? git without a plain sub-command"],
      "git *": ["git * → ? git without a plain sub-command → as git _ → as git _ → as git *"],
      "git $x": ["git $x → ? git without a plain sub-command → as git … → as git … → as git $x → open-ended"],
      "git --version": ["git --version → git --version only reads; read **"],
      "git -v": ["git -v → git -v only reads; read **"],
      "git frob": ["git frob → ? git frob is not in the tables → as git frob → as git frob → as git frob"],
      "git stash frob": [
        "git stash frob → ? git stash frob is not in the tables → as git stash frob → as git stash frob → as git stash frob",
      ],
      "git reset --hard": [
        "git reset --hard → git reset throws away all changes that are not committed; exec git|git|reset|--hard → as git reset --hard → needs a saved rule",
      ],
      "git -c x=y reset --hard": [
        "git -c x=y reset --hard → git reset throws away all changes that are not committed; ? git -c before the sub-command → as git reset --hard → as git reset --hard → as git reset --hard → needs a saved rule",
      ],
      "git push --force": [
        "git push --force → git push overwrites or removes what others see; exec git|git|push|--force; connect the git remote → as git push --force → needs a saved rule",
      ],
      "git clean -fd": [
        "git clean -fd → git clean deletes files that git does not know; exec git|git|clean|-fd → as git clean -fd",
      ],
      "git checkout -- src/a.ts": [
        "git checkout -- src/a.ts → git checkout overwrites files with an older version; exec git|git|checkout|--|src/a.ts → as git checkout -- src/a.ts",
      ],
      "git checkout .": [
        "git checkout . → git checkout overwrites files with an older version; exec git|git|checkout|. → as git checkout .",
      ],
      "git branch -D x": [
        "git branch -D x → git branch removes a branch with commits that no other branch has; exec git|git|branch|-D|x → as git branch -D x",
      ],
      "git stash drop": [
        "git stash drop → git stash drops stashed changes; exec git|git|stash|drop → as git stash drop",
      ],
      "cd /; git status": [
        "cd / → cd changes the directory; list /",
        "git status in / → ? git would run outside the workspace → as git status → as git status → as git status",
      ],
      "cd .git; git status": [
        "cd .git → cd changes the directory; list .git",
        "git status in .git → ? git would run inside its own repository → as git status → as git status → as git status",
      ],
      "git reset --hard HEAD:a": [
        "git reset --hard HEAD:a → git reset throws away all changes that are not committed; exec git|git|reset|--hard|HEAD:a; read a → as git reset --hard HEAD:a → needs a saved rule",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });

  test("what is changed or sent", () => {
    const project = makeShellProject();
    const table: Table = {
      "git add src": ["git add src → git add changes the repository; exec git|git|add|src; read src → as git add src"],
      "git add .env": [
        "git add .env → git add changes the repository; exec git|git|add|.env; read .env → as git add .env",
      ],
      "git add nope": ["git add nope → git add changes the repository; exec git|git|add|nope → as git add nope"],
      "git add *.ts": ["git add *.ts → git add changes the repository; exec git|git|add|*.ts → as git add _"],
      "git add -A": ["git add -A → git add changes the repository; exec git|git|add|-A → as git add -A"],
      "git commit -m x": [
        "git commit -m x → git commit changes the repository; exec git|git|commit|-m|x → as git commit -m x",
      ],
      'git commit -m "$x"': [
        'git commit -m "$x" → git commit changes the repository; exec git|git|commit|-m|"$x" → as git commit -m _ → open-ended',
      ],
      "git commit -m $x": [
        "git commit -m $x → ? the value of -m may be several words → as git commit -m … → as git commit -m … → as git commit -m $x → open-ended",
      ],
      "git commit -C HEAD": [
        "git commit -C HEAD → git commit changes the repository; exec git|git|commit|-C|HEAD → as git commit -C HEAD",
      ],
      "git commit -c HEAD:a": [
        "git commit -c HEAD:a → git commit changes the repository; exec git|git|commit|-c|HEAD:a; read a; ? HEAD:a is no commit → as git commit -c HEAD:a → as git commit -c HEAD:a → as git commit -c HEAD:a",
      ],
      "git commit -F README.md": [
        "git commit -F README.md → git commit changes the repository; exec git|git|commit|-F|README.md; read README.md → as git commit -F README.md",
      ],
      "git commit src/a.ts": [
        "git commit src/a.ts → git commit changes the repository; exec git|git|commit|src/a.ts; read src/a.ts → as git commit src/a.ts",
      ],
      "git commit -F $x": [
        "git commit -F $x → ? the value of -F may be several words → as git commit -F … → as git commit -F … → as git commit -F $x → open-ended",
      ],
      "git mv src/a.ts src/c.ts": [
        "git mv src/a.ts src/c.ts → git mv changes the repository; exec git|git|mv|src/a.ts|src/c.ts; delete src/a.ts/**; write src/c.ts/** → as git mv src/a.ts src/c.ts → moves",
      ],
      "git mv -n a b": [
        "git mv -n a b → git mv changes the repository; exec git|git|mv|-n|a|b → as git mv -n a b → moves",
      ],
      "git mv src/a.ts src/b.ts sub": [
        "git mv src/a.ts src/b.ts sub → git mv changes the repository; exec git|git|mv|src/a.ts|src/b.ts|sub; delete src/b.ts/**; delete src/a.ts/**; write sub/** → as git mv src/a.ts src/b.ts sub → moves",
      ],
      "git mv nope b": [
        "git mv nope b → ? nope is not there yet, so what is below it cannot be told → as git mv nope b → as git mv nope b → as git mv nope b",
      ],
      "git mv a": ["git mv a → ? git mv of unclear files → as git mv a → as git mv a → as git mv a"],
      "git mv *.ts sub": [
        "git mv *.ts sub → ? git mv of unclear files → as git mv _ sub → as git mv _ sub → as git mv *.ts sub",
      ],
      "git rm src/a.ts": [
        "git rm src/a.ts → git rm changes the repository; exec git|git|rm|src/a.ts; delete src/a.ts → as git rm src/a.ts",
      ],
      "git rm -r src": [
        "git rm -r src → git rm changes the repository; exec git|git|rm|-r|src; delete src/** → as git rm -r src",
      ],
      "git rm --cached src/a.ts": [
        "git rm --cached src/a.ts → git rm changes the repository; exec git|git|rm|--cached|src/a.ts → as git rm --cached src/a.ts",
      ],
      "git rm *.ts": ["git rm *.ts → ? git rm of unclear files → as git rm _ → as git rm _ → as git rm *.ts"],
      "git apply x.patch": [
        "git apply x.patch → git apply changes the repository; exec git|git|apply|x.patch; read x.patch → as git apply x.patch",
      ],
      "git apply -": ["git apply - → git apply changes the repository; exec git|git|apply|- → as git apply -"],
      "git apply *.patch": [
        "git apply *.patch → ? a patch of an unclear name → as git apply _ → as git apply _ → as git apply *.patch",
      ],
      "git worktree add ../x main": [
        "git worktree add ../x main → git worktree add changes the repository; exec git|git|worktree|add|../x|main; write ABOVE/x/** → as git worktree add ../x main",
      ],
      "git worktree add $x": [
        "git worktree add $x → ? $x may become a flag of git worktree add → as git worktree add … → as git worktree add … → as git worktree add $x → open-ended",
      ],
      "git worktree prune": [
        "git worktree prune → git worktree prune changes the repository; exec git|git|worktree|prune → as git worktree prune",
      ],
      "git worktree add x HEAD:a": [
        "git worktree add x HEAD:a → git worktree add changes the repository; exec git|git|worktree|add|x|HEAD:a; write x/**; read a; ? HEAD:a is no commit → as git worktree add x HEAD:a → as git worktree add x HEAD:a → as git worktree add x HEAD:a",
      ],
      "git push origin main": [
        "git push origin main → git push talks to a remote; exec git|git|push|origin|main; connect the git remote → as git push origin main",
      ],
      "git push origin HEAD:main": [
        "git push origin HEAD:main → git push talks to a remote; exec git|git|push|origin|HEAD:main; connect the git remote → as git push origin HEAD:main",
      ],
      "git push origin +main": [
        "git push origin +main → git push overwrites or removes what others see; exec git|git|push|origin|+main; connect the git remote → as git push origin +main → needs a saved rule",
      ],
      "git push origin :main": [
        "git push origin :main → git push overwrites or removes what others see; exec git|git|push|origin|:main; connect the git remote → as git push origin :main → needs a saved rule",
      ],
      "git push --all": [
        "git push --all → git push talks to a remote; exec git|git|push|--all; connect the git remote → as git push --all",
      ],
      "git push https://a.b/c main": [
        "git push https://a.b/c main → git push talks to a remote; exec git|git|push|https://a.b/c|main; connect a.b → as git push https://a.b/c main",
      ],
      "git push ext::x main": [
        "git push ext::x main → ? ext::x chooses the program that git talks through → as git push ext::x main → as git push ext::x main → as git push ext::x main",
      ],
      "git push ../x main": [
        "git push ../x main → ? ../x is a directory, or no plain address → as git push ../x main → as git push ../x main → as git push ../x main",
      ],
      "git push $x": [
        "git push $x → ? $x may become a flag of git push → as git push … → as git push … → as git push $x → open-ended",
      ],
      "git push origin HEAD:a:b": [
        "git push origin HEAD:a:b → git push talks to a remote; exec git|git|push|origin|HEAD:a:b; connect the git remote; read a; ? HEAD:a:b is no commit → as git push origin HEAD:a:b → as git push origin HEAD:a:b → as git push origin HEAD:a:b",
      ],
      "git fetch": [
        "git fetch → git fetch talks to a remote; exec git|git|fetch; connect the git remote → as git fetch",
      ],
      "git fetch origin": [
        "git fetch origin → git fetch talks to a remote; exec git|git|fetch|origin; connect the git remote → as git fetch origin",
      ],
      "git fetch git@a.b:c/d.git": [
        "git fetch git@a.b:c/d.git → git fetch talks to a remote; exec git|git|fetch|git@a.b:c/d.git; connect a.b → as git fetch git@a.b:c/d.git",
      ],
      "git fetch ssh://me@A.b:22/c": [
        "git fetch ssh://me@A.b:22/c → git fetch talks to a remote; exec git|git|fetch|ssh://me@A.b:22/c; connect a.b → as git fetch ssh://me@A.b:22/c",
      ],
      "git fetch file:///x": [
        "git fetch file:///x → ? file:///x is no plain address → as git fetch file:///x → as git fetch file:///x → as git fetch file:///x",
      ],
      "git pull origin main": [
        "git pull origin main → git pull talks to a remote; exec git|git|pull|origin|main; connect the git remote → as git pull origin main",
      ],
      "git clone https://a.b/c.git": [
        "git clone https://a.b/c.git → git clone talks to a remote; exec git|git|clone|https://a.b/c.git; connect a.b; write c/** → as git clone https://a.b/c.git",
      ],
      "git clone https://a.b/c.git d": [
        "git clone https://a.b/c.git d → git clone talks to a remote; exec git|git|clone|https://a.b/c.git|d; connect a.b; write d/** → as git clone https://a.b/c.git d",
      ],
      "git clone a.b:c/": [
        "git clone a.b:c/ → git clone talks to a remote; exec git|git|clone|a.b:c/; connect a.b; write c/** → as git clone a.b:c/",
      ],
      "git clone ./x": [
        "git clone ./x → ? ./x is a directory, or no plain address → as git clone ./x → as git clone ./x → as git clone ./x",
      ],
      "git clone": ["git clone → ? git clone without an address → as git clone → as git clone → as git clone"],
      "git clone https://a.b/ $x": [
        "git clone https://a.b/ $x → ? $x may become a flag of git clone → as git clone https://a.b/ … → as git clone https://a.b/ … → as git clone https://a.b/ $x → open-ended",
      ],
      "git remote add x https://a.b/c": [
        "git remote add x https://a.b/c → git remote add changes the repository; write .git/config → as git remote add x https://a.b/c",
      ],
      "git remote add x ext::y": [
        "git remote add x ext::y → ? ext::y chooses the program that git talks through → as git remote add x ext::y → as git remote add x ext::y → as git remote add x ext::y",
      ],
      "git remote add x $y": [
        "git remote add x $y → ? $y may become a flag of git remote add → as git remote add x … → as git remote add x … → as git remote add x $y → open-ended",
      ],
      "git merge main": [
        "git merge main → git merge changes the repository; exec git|git|merge|main → as git merge main",
      ],
      "git merge -X subtree=x main": [
        "git merge -X subtree=x main → ? subtree=x gives files other names → as git merge -X subtree=x main → as git merge -X subtree=x main → as git merge -X subtree=x main",
      ],
      "git merge $x": [
        "git merge $x → ? $x may become a flag of git merge → as git merge … → as git merge … → as git merge $x → open-ended",
      ],
      "git rebase --onto a b": [
        "git rebase --onto a b → git rebase changes the repository; exec git|git|rebase|--onto|a|b → as git rebase --onto a b",
      ],
      "git cherry-pick abcdef1": [
        "git cherry-pick abcdef1 → git cherry-pick changes the repository; exec git|git|cherry-pick|abcdef1 → as git cherry-pick abcdef1",
      ],
      "git checkout -b abcdef": [
        "git checkout -b abcdef → git checkout changes the repository; exec git|git|checkout|-b|abcdef → as git checkout -b abcdef",
      ],
      "git checkout -b feature": [
        "git checkout -b feature → git checkout changes the repository; exec git|git|checkout|-b|feature → as git checkout -b feature",
      ],
      "git checkout -b feature-$x": [
        "git checkout -b feature-$x → ? the value of -b may be several words → as git checkout -b … → as git checkout -b … → as git checkout -b feature-$x → open-ended",
      ],
      "git checkout -b $x": [
        "git checkout -b $x → ? the value of -b may be several words → as git checkout -b … → as git checkout -b … → as git checkout -b $x → open-ended",
      ],
      "git checkout HEAD:a": [
        "git checkout HEAD:a → git checkout changes the repository; exec git|git|checkout|HEAD:a; read a; ? HEAD:a is no commit → as git checkout HEAD:a → as git checkout HEAD:a → as git checkout HEAD:a",
      ],
      "git switch -c x": [
        "git switch -c x → git switch changes the repository; exec git|git|switch|-c|x → as git switch -c x",
      ],
      "git tag v1": ["git tag v1 → git tag changes the repository; exec git|git|tag|v1 → as git tag v1"],
      "git tag -d v1": [
        "git tag -d v1 → git tag removes or overwrites a tag, of which no record is kept; exec git|git|tag|-d|v1 → as git tag -d v1",
      ],
      "git tag v1 HEAD:a": [
        "git tag v1 HEAD:a → git tag changes the repository; exec git|git|tag|v1|HEAD:a; read a; ? HEAD:a is no commit → as git tag v1 HEAD:a → as git tag v1 HEAD:a → as git tag v1 HEAD:a",
      ],
      "git tag deadbeef": [
        "git tag deadbeef → git tag changes the repository; exec git|git|tag|deadbeef → as git tag deadbeef",
      ],
      "git restore -s HEAD src/a.ts": [
        "git restore -s HEAD src/a.ts → git restore overwrites files with an older version; exec git|git|restore|-s|HEAD|src/a.ts → as git restore -s HEAD src/a.ts",
      ],
      "git restore --source=$x a": [
        "git restore --source=$x a → git restore overwrites files with an older version; exec git|git|restore|--source=$x|a → as git restore … a → open-ended",
      ],
      "git submodule update": [
        "git submodule update → git submodule update talks to a remote; exec git|git|submodule|update; connect the git remote → as git submodule update",
      ],
      "git init": ["git init → git init changes the repository; exec git|git|init → as git init"],
      "git gc": ["git gc → git gc changes the repository; exec git|git|gc → as git gc"],
      "git notes add -m x": [
        "git notes add -m x → git notes add changes the repository; exec git|git|notes|add|-m|x → as git notes add -m x",
      ],
      "git bisect start": [
        "git bisect start → git bisect start changes the repository; exec git|git|bisect|start → as git bisect start",
      ],
    };
    expect(linesOfAll(Object.keys(table), project)).toEqual(table);
  });
});

import type { EntryExamples } from "./entry-examples.ts";

export const gitReadExamples: readonly EntryExamples[] = [
  {
    entry: "git status",
    examples: {
      match: [
        "git status --long",
        "git status -bs",
        "git status --porcelain=v2 --branch",
        "git --no-optional-locks status -uno",
        "git status --short -- src 'tests/*.ts'",
      ],
      noMatch: ["git -c x=y status", "git status --x", "git --git-dir=x status", "git --work-tree / status"],
    },
  },
  {
    entry: "git diff",
    examples: {
      match: [
        "git diff --patience",
        "git diff --stat HEAD~1",
        "git diff main..topic -- src/a.ts",
        "git diff --cached --name-only",
        "git diff -U5 --word-diff=color",
        "git --no-pager diff -w",
        "git diff -- '*.ts' ':!src/b.ts' ':(exclude)dist'",
        "git -P diff HEAD:a.ts src/a.ts",
        "git -C src diff",
        "git diff --no-index a.ts src/a.ts",
      ],
      noMatch: [
        "git diff --output=x",
        "git diff --no-index a.ts /etc/hosts",
        "git diff --ext-diff",
        "git diff -O x",
        "git diff --text",
        "git diff -a",
        "git diff --binary",
        "git diff --submodule=diff",
        "git diff --stat --outp=x",
        "git diff -tG --output=x",
        "git diff ':(icase).ENV'",
        "git diff -- ':(glob)**/.e*'",
        "git diff :/",
        "git diff -- ':(exclude,attr:x)y'",
        "git diff HEAD~1:.docker HEAD:.docker",
      ],
    },
  },
  {
    entry: "git log",
    examples: {
      match: [
        "git log --oneline -5",
        "git log -p -- src/a.ts",
        "git log --format=%H -n 3",
        "git log -L 1,5:src/a.ts",
        "git log -L:main:a.ts",
        "git log --follow --stat -- a.ts",
        "git log -S foo --since='2 weeks ago' --author me",
        "git log -G 'x.*y' --all --graph --decorate",
        "git log --pretty=format:'%h %s' main..HEAD",
        "git log 'HEAD@{yesterday}..HEAD'",
      ],
      noMatch: [
        "git log --output=x",
        "git log -O x",
        "git log -tG --output=x",
        "git log -in --ext-diff",
        "git log --committer=x --output=y",
        "git log --show-signature -n 1",
        "git log -L 1,5",
        "git log --stdin",
        "git log *",
      ],
    },
  },
  {
    entry: "git show",
    examples: {
      match: [
        "git show HEAD~4",
        "git show HEAD:a.ts",
        "git show --stat HEAD~2 -- src",
        "git show :a.ts",
        "git show v1.0",
      ],
      noMatch: [
        "git show -rl --output=x",
        "git show --ext-diff",
        "git show --textconv",
        "git show ':/fix'",
        "git show --text HEAD",
      ],
    },
  },
  {
    entry: "git stash show",
    examples: {
      match: ["git stash show", "git stash show -p stash@{1}", "git stash show --stat -U5"],
      noMatch: ["git stash show --output=x", "git stash show --binary", "git stash show -S a -S --output=x"],
    },
  },
  {
    entry: "git reflog",
    examples: {
      match: ["git reflog -5", "git reflog show main --date=iso", "git reflog --format=%gd", "git reflog -pSx"],
      noMatch: [
        "git reflog expire --all",
        "git reflog --all delete x",
        "git reflog --format=%H --output=x",
        "git reflog -tG --output x",
      ],
    },
  },
  {
    entry: "git stash list",
    examples: {
      match: ["git stash list --date=iso"],
      noMatch: ["git stash list --output=x", "git stash list -- --output=x", "git stash list -mS --output=x"],
    },
  },
  {
    entry: "git shortlog",
    examples: {
      match: ["git shortlog -sn", "git shortlog -sne HEAD~5..HEAD", "git shortlog --committer -s"],
      noMatch: [
        "git shortlog --committer --output=x",
        "git shortlog --outp=x",
        "git shortlog -n --output=x",
        "git shortlog --format --output=x",
      ],
    },
  },
  {
    entry: "git rev-list",
    examples: {
      match: [
        "git rev-list --count HEAD~1",
        "git rev-list -n 1 main",
        "git rev-list --objects --all",
        "git rev-list -3 HEAD",
      ],
      noMatch: [
        "git rev-list -gn --output=x HEAD",
        "git rev-list --stdin",
        "git rev-list --output=x HEAD",
        "git rev-list --format --output=x HEAD",
      ],
    },
  },
  {
    entry: "git diff-tree",
    examples: {
      match: [
        "git diff-tree --no-commit-id --name-only -r HEAD~1",
        "git diff-index --quiet HEAD --",
        "git diff-files -p",
        "git diff-index --cached HEAD",
      ],
      noMatch: [
        "git diff-tree -rS --output=x HEAD",
        "git diff-tree --stdin",
        "git diff-index --output=x HEAD",
        "git diff-files --text",
      ],
    },
  },
  {
    entry: "git range-diff",
    examples: {
      match: ["git range-diff main~3..main topic~3..topic"],
      noMatch: ["git range-diff --output=x a...b", "git range-diff -tG --output=x a...b"],
    },
  },
  {
    entry: "git blame",
    examples: {
      match: ["git blame -L 1,20 a.ts", "git blame HEAD~1 -- a.ts", "git annotate a.ts", "git blame -w -C -C src/a.ts"],
      noMatch: [
        "git blame --output=x a",
        "git blame -tL --output=x a",
        "git blame -S x a",
        "git blame --textconv a",
        "git blame *.ts",
        "git blame :x",
      ],
    },
  },
  {
    entry: "git grep",
    examples: {
      match: [
        "git grep -n foo",
        "git grep foo -- src '*.ts'",
        "git grep -e a --and -e b",
        "git grep -l foo HEAD~1 -- src",
        "git grep -c -2 foo main",
        "git grep -nA 3 foo",
        "git grep -ne foo",
      ],
      noMatch: [
        "git grep -O foo",
        "git grep --open-files-in-pager foo",
        "git grep -f x",
        "git grep -a foo",
        "git grep --text foo",
        "git grep --no-index foo",
        "git grep --recurse-submodules foo",
        "git grep foo 'HEAD^{tree}'",
        "git grep foo HEAD:src",
        "git grep -- foo HEAD:",
        "git grep foo AUTO_MERGE",
      ],
    },
  },
  {
    entry: "git rev-parse",
    examples: {
      match: [
        "git rev-parse HEAD^2",
        "git rev-parse --show-toplevel",
        "git rev-parse --abbrev-ref HEAD~0",
        "git rev-parse --abbrev-ref --symbolic-full-name @{u}",
        "git rev-parse --short=8 HEAD~2",
      ],
      noMatch: ["git rev-parse --parseopt", "git rev-parse --resolve-git-dir x"],
    },
  },
  {
    entry: "git ls-files",
    examples: {
      match: [
        "git ls-files -t",
        "git ls-files -mo --exclude-standard src",
        "git ls-files '*.ts'",
        "git ls-files -s .env",
      ],
      noMatch: ["git ls-files -X file", "git ls-files --recurse-submodules", "git ls-files ':(icase)x'"],
    },
  },
  {
    entry: "git ls-tree",
    examples: {
      match: ["git ls-tree -r HEAD", "git ls-tree --name-only HEAD~1 src/"],
      noMatch: ["git ls-tree --x HEAD"],
    },
  },
  {
    entry: "git cat-file",
    examples: {
      match: [
        "git cat-file -p HEAD~1",
        "git cat-file -t HEAD:a.ts",
        "git cat-file -p HEAD:a.ts",
        "git cat-file -p 'HEAD^{tree}'",
        "git cat-file blob HEAD:a.ts",
        "git cat-file commit HEAD",
        "git cat-file --batch-check",
      ],
      noMatch: [
        "git cat-file --textconv x",
        "git cat-file --filters x",
        "git cat-file --batch",
        "git cat-file --batch-command",
      ],
    },
  },
  {
    entry: "git merge-base",
    examples: {
      match: ["git merge-base main HEAD", "git merge-base --is-ancestor a b"],
      noMatch: ["git merge-base --x a"],
    },
  },
  {
    entry: "git describe",
    examples: {
      match: [
        "git describe --tags --always --dirty",
        "git name-rev --name-only HEAD",
        "git cherry -v topic",
        "git show-branch -a",
      ],
      noMatch: ["git name-rev --stdin", "git describe --x"],
    },
  },
  {
    entry: "git branch",
    examples: {
      match: [
        "git branch",
        "git branch -ra",
        "git branch -vva",
        "git branch --show-current --no-color",
        "git branch --merged",
        "git branch -r --merged main",
        "git branch --list 'feature/*'",
        "git branch --sort=-committerdate --format='%(refname:short)'",
      ],
      noMatch: [
        "git branch x",
        "git branch -D x",
        "git branch -m a b",
        "git branch -a x",
        "git branch --edit-description x",
      ],
    },
  },
  {
    entry: "git tag",
    examples: {
      match: [
        "git tag --no-column",
        "git tag -l",
        "git tag --list 'v*'",
        "git tag -n3",
        "git tag --sort=-v:refname",
        "git tag --contains",
      ],
      noMatch: ["git tag v1", "git tag -d v1", "git tag -a v1 -m x", "git tag --sort=x v1"],
    },
  },
  {
    entry: "git for-each-ref",
    examples: {
      match: ["git for-each-ref --sort=-committerdate refs/heads/ --format='%(refname)'", "git for-each-ref --count=5"],
      noMatch: ["git for-each-ref --stdin"],
    },
  },
  {
    entry: "git show-ref",
    examples: {
      match: ["git show-ref --heads -d", "git show-ref --verify refs/heads/main"],
      noMatch: ["git show-ref --exclude-existing"],
    },
  },
  {
    entry: "git symbolic-ref",
    examples: {
      match: ["git symbolic-ref HEAD", "git symbolic-ref --short refs/remotes/origin/HEAD"],
      noMatch: ["git symbolic-ref HEAD refs/heads/x", "git symbolic-ref -d HEAD"],
    },
  },
  {
    entry: "git remote",
    examples: { match: ["git remote", "git remote --verbose"], noMatch: ["git remote add x y", "git remote update"] },
  },
  {
    entry: "git remote get-url",
    examples: {
      match: ["git remote get-url origin", "git remote get-url --push origin"],
      noMatch: ["git remote get-url --x o"],
    },
  },
  {
    entry: "git remote show",
    examples: { match: ["git remote show", "git remote show -n origin"], noMatch: ["git remote show upstream"] },
  },
  {
    entry: "git check-ignore",
    examples: { match: ["git check-ignore -v node_modules .env"], noMatch: ["git check-ignore --x a"] },
  },
  {
    entry: "git worktree list",
    examples: {
      match: ["git worktree list --porcelain", "git count-objects -vH", "git bisect log"],
      noMatch: ["git worktree prune", "git worktree list --expire x", "git bisect log x"],
    },
  },
  { entry: "git notes show", examples: { match: ["git notes show HEAD"], noMatch: ["git notes show --x"] } },
  {
    entry: "git submodule",
    examples: {
      match: ["git submodule", "git submodule status --recursive", "git submodule summary"],
      noMatch: ["git submodule foreach ls", "git submodule update", "git submodule --quiet update"],
    },
  },
  {
    entry: "git clean",
    examples: { match: ["git clean -nd", "git clean --dry-run -x"], noMatch: ["git clean -d", "git clean -i"] },
  },
  {
    entry: "git apply",
    examples: {
      match: ["git apply --stat a.ts", "git apply --check -p1 a.ts"],
      noMatch: [
        "git apply a.ts",
        "git apply -p --check a.ts",
        "git apply --stat --apply a.ts",
        "git apply --check --build-fake-ancestor=x a.ts",
      ],
    },
  },
];

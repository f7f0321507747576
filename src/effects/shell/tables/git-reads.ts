import type { ProgramEntry } from "../program-entry.ts";
import { flags, text } from "./flag-lists.ts";

const diffFlags = flags(
  "pwbRzas",
  "patch no-patch stat shortstat numstat summary name-only name-status cached staged no-color no-ext-diff no-textconv minimal patience histogram ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines exit-code quiet raw full-index no-renames merge-base compact-summary no-prefix check text",
);
const diffOptional = [
  "-U",
  "-M",
  "-C",
  "--unified",
  "--stat",
  "--color",
  "--word-diff",
  "--color-words",
  "--abbrev",
  "--find-renames",
  "--relative",
];
const diffValues = text("-S -G --diff-filter --diff-algorithm --inter-hunk-context");
const logFlags = [
  ...diffFlags,
  ...flags(
    "g",
    "oneline graph all no-decorate merges no-merges first-parent reverse abbrev-commit no-abbrev-commit follow topo-order date-order full-history left-right cherry-pick no-notes pickaxe-regex regexp-ignore-case extended-regexp invert-grep walk-reflogs boundary",
  ),
];
const logOptional = [...diffOptional, "--decorate", "--pretty", "--format", "--branches", "--tags", "--remotes"];
const logValues = {
  ...diffValues,
  ...text("-n --max-count --skip --since --after --until --before --author --committer --grep --date --encoding"),
};

/**
 * Sub-commands of git that read. Their operands are revisions or paths; a path, also one behind a colon, is read.
 * Flags that write (`--output`), run (`--ext-diff`, `-O`) or leave the repository (`--no-index`) are left out.
 */
export const gitReads: readonly ProgramEntry[] = [
  {
    names: ["git status"],
    flags: flags("sbvz", "short branch long verbose show-stash no-renames ahead-behind no-ahead-behind null"),
    optional: ["-u", "--porcelain", "--untracked-files", "--ignored", "--column"],
    operands: { rest: "read" },
    examples: {
      match: ["git status", "git status -sb", "git status --porcelain=v2"],
      noMatch: ["git -c x=y status", "git status --x"],
    },
  },
  {
    names: ["git diff"],
    flags: diffFlags,
    optional: diffOptional,
    values: diffValues,
    operands: { rest: "read" },
    examples: {
      match: ["git diff", "git diff --stat HEAD~1", "git diff --cached -- src", "git --no-pager diff", "git diff -U5"],
      noMatch: [
        "git diff --output=x",
        "git diff --no-index a b",
        "git diff --ext-diff",
        "git diff -O x",
        "git -C x diff",
      ],
    },
  },
  {
    names: ["git log", "git show", "git shortlog", "git whatchanged"],
    flags: [...logFlags, ...flags("ne", "summary numbered email")],
    optional: logOptional,
    values: { ...logValues, "-n": "text" },
    count: true,
    operands: { rest: "read" },
    examples: {
      match: [
        "git log --oneline -5",
        "git log -p -- src/a.ts",
        "git show HEAD",
        "git log --format=%H -n 3",
        "git show HEAD:a.ts",
      ],
      noMatch: ["git log --output=x", "git show --ext-diff", "git log -O x", "git show --textconv"],
    },
  },
  {
    names: ["git rev-parse"],
    flags: flags(
      "q",
      "show-toplevel show-prefix show-cdup git-dir abbrev-ref verify is-inside-work-tree is-bare-repository symbolic-full-name quiet all branches absolute-git-dir",
    ),
    optional: ["--short", "--abbrev-ref"],
    operands: { rest: "text" },
    examples: { match: ["git rev-parse HEAD", "git rev-parse --show-toplevel"], noMatch: ["git rev-parse --parseopt"] },
  },
  {
    names: ["git ls-files"],
    flags: flags(
      "cdmoiskuztv",
      "cached deleted modified others ignored stage killed unmerged exclude-standard full-name error-unmatch directory",
    ),
    values: text("-x --exclude"),
    operands: { rest: "list" },
    examples: { match: ["git ls-files", "git ls-files -mo --exclude-standard src"], noMatch: ["git ls-files -X file"] },
  },
  {
    names: ["git ls-tree", "git rev-list", "git merge-base", "git name-rev", "git describe"],
    flags: flags(
      "rdtlzpc",
      "name-only name-status full-name count all no-merges first-parent always long is-ancestor tags dirty stat root oneline",
    ),
    optional: ["--abbrev"],
    values: text("-n --max-count --since --until --match --format"),
    operands: { rest: "text" },
    examples: {
      match: ["git ls-tree -r HEAD", "git rev-list --count HEAD", "git describe --tags"],
      noMatch: ["git rev-list --stdin"],
    },
  },
  {
    names: ["git blame"],
    flags: flags("wsflnecpM", "show-name show-number porcelain line-porcelain root"),
    values: text("-L --since --date"),
    operands: { rest: "read" },
    examples: {
      match: ["git blame -L 1,20 a.ts", "git blame HEAD~1 -- a.ts"],
      noMatch: ["git blame --contents x a.ts", "git blame -S x a"],
    },
  },
  {
    names: ["git grep"],
    flags: flags(
      "niwlLcEFGPhHovpW",
      "line-number ignore-case word-regexp files-with-matches count extended-regexp fixed-strings cached untracked name-only show-function heading break and or not",
    ),
    values: text("-A -B -C --max-depth"),
    operands: { first: ["text"], rest: "read" },
    examples: {
      match: ["git grep -n foo", "git grep foo -- src"],
      noMatch: ["git grep -O foo", "git grep --open-files-in-pager foo", "git grep -f x", "git grep -e x a"],
    },
  },
  {
    names: ["git branch"],
    flags: flags("arv", "all remotes verbose list show-current ignore-case"),
    optional: ["--color", "--column"],
    values: text("--contains --no-contains --merged --no-merged --sort --points-at --format"),
    operands: {},
    examples: {
      match: ["git branch", "git branch -a", "git branch -vv", "git branch --show-current"],
      noMatch: ["git branch x", "git branch -D x", "git branch -m a b"],
    },
  },
  {
    names: ["git tag"],
    flags: flags("l", "list"),
    optional: ["-n"],
    values: text("--contains --merged --sort --points-at --format"),
    needs: ["-l", "--list"],
    operands: { rest: "text" },
    examples: { match: ["git tag -l", "git tag --list 'v*'"], noMatch: ["git tag", "git tag v1", "git tag -d v1"] },
  },
  {
    names: ["git remote"],
    flags: flags("v", "verbose"),
    operands: {},
    examples: { match: ["git remote", "git remote -v"], noMatch: ["git remote add x y", "git remote update"] },
  },
  {
    names: ["git cat-file"],
    flags: flags("tspe"),
    needs: flags("tspe"),
    operands: { rest: "read" },
    examples: { match: ["git cat-file -p HEAD"], noMatch: ["git cat-file --textconv x", "git cat-file --filters x"] },
  },
  {
    names: ["git reflog", "git stash list", "git worktree list", "git count-objects", "git version", "git --version"],
    flags: flags("vH", "oneline porcelain human-readable all"),
    count: true,
    values: text("-n --date --format"),
    operands: {},
    examples: {
      match: ["git stash list", "git reflog -5", "git --version"],
      noMatch: ["git reflog expire --all", "git stash", "git worktree prune"],
    },
  },
];

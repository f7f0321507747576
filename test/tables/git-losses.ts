import type { EntryExamples } from "./entry-examples.ts";

export const gitLossExamples: readonly EntryExamples[] = [
  {
    entry: "reset",
    examples: {
      match: ["git reset --hard", "git reset --hard HEAD~1"],
      noMatch: ["git reset", "git reset --soft HEAD~1", "git reset --keep HEAD~1"],
    },
  },
  {
    entry: "clean",
    examples: {
      match: [
        "git clean -fd",
        "git clean -xdf",
        "git clean --force",
        "git clean",
        "git -c clean.requireForce=0 clean -d",
      ],
      noMatch: ["git clean -n", "git clean --dry-run"],
    },
  },
  {
    entry: "checkout",
    examples: {
      match: ["git checkout -f main", "git checkout -qf main", "git checkout -B main topic"],
      noMatch: ["git checkout main", "git checkout -b topic"],
    },
  },
  {
    entry: "checkout",
    examples: {
      match: [
        "git checkout -- .",
        "git checkout .",
        "git checkout HEAD -- a",
        "git checkout --ours a",
        "git checkout *.ts",
        "git checkout --pathspec-from-file=x",
      ],
      noMatch: ["git checkout -b topic", "git checkout main"],
    },
  },
  {
    entry: "restore",
    examples: { match: ["git restore .", "git restore --staged --worktree a"], noMatch: ["git restore --staged a"] },
  },
  {
    entry: "switch",
    examples: { match: ["git switch -f main", "git switch --discard-changes main"], noMatch: ["git switch main"] },
  },
  {
    entry: "read-tree",
    examples: {
      match: ["git read-tree --reset -u HEAD", "git read-tree -u --reset HEAD~1", "git read-tree --reset HEAD"],
      noMatch: ["git read-tree -m HEAD", "git read-tree --empty"],
    },
  },
  {
    entry: "checkout-index",
    examples: {
      match: ["git checkout-index -f -a", "git checkout-index -qaf", "git checkout-index --force -- README.md"],
      noMatch: ["git checkout-index -a", "git checkout-index --all"],
    },
  },
  {
    entry: "fetch",
    examples: {
      match: [
        "git fetch -f origin main:main",
        "git fetch origin +main:main",
        "git fetch --force origin refs/heads/*:refs/heads/*",
        "git fetch origin '+refs/*:refs/*'",
        "git fetch -p origin refs/heads/*:refs/heads/*",
        "git fetch -f --tags",
        "git fetch -tf origin",
        "git fetch --prune --prune-tags",
        "git fetch -pP",
      ],
      noMatch: [
        "git fetch",
        "git fetch -f",
        "git fetch -p",
        "git fetch --tags --prune",
        "git fetch origin main:main",
        "git fetch -f origin main",
        "git fetch origin '+refs/heads/*:refs/remotes/origin/*'",
      ],
    },
  },
  {
    entry: "pull",
    examples: {
      match: ["git pull -f origin main:main", "git pull origin +main:topic"],
      noMatch: ["git pull", "git pull --rebase origin main", "git pull -f"],
    },
  },
  {
    entry: "push",
    examples: {
      match: [
        "git push --force",
        "git push -f origin main",
        "git push origin +main",
        "git push origin :main",
        "git push --force-with-lease",
        "git push --mirror",
        "git push origin --delete main",
        "git push --prune origin",
      ],
      noMatch: ["git push", "git push origin main"],
    },
  },
  {
    entry: "send-pack",
    examples: {
      match: ["git send-pack --force host:x main", "git send-pack host:x +main", "git send-pack --mirror host:x"],
      noMatch: ["git send-pack host:x main"],
    },
  },
  {
    entry: "branch",
    examples: {
      match: ["git branch -f main x", "git branch -df topic", "git branch --delete --force topic"],
      noMatch: ["git branch topic", "git branch -d topic"],
    },
  },
  { entry: "branch", examples: { match: ["git branch -D topic"], noMatch: ["git branch -d topic"] } },
  {
    entry: "tag",
    examples: {
      match: [
        "git tag -d v1",
        "git tag -f v1",
        "git tag -af v1 -m x",
        "git tag --delete v1",
        "git tag --force v1 HEAD",
      ],
      noMatch: ["git tag v1", "git tag -a v1 -m x", "git tag -m fixed v1", "git tag -mdone v1", "git tag --format=x"],
    },
  },
  { entry: "symbolic-ref", examples: { match: ["git symbolic-ref -d HEAD"], noMatch: ["git symbolic-ref HEAD"] } },
  {
    entry: "stash",
    examples: { match: ["git stash drop", "git stash drop -q"], noMatch: ["git stash", "git stash pop"] },
  },
  { entry: "stash", examples: { match: ["git stash clear"], noMatch: ["git stash drop"] } },
  {
    entry: "reflog",
    examples: {
      match: ["git reflog expire --all", "git reflog delete main@{2}", "git reflog drop --all"],
      noMatch: ["git reflog"],
    },
  },
  { entry: "filter-branch", examples: { match: ["git filter-branch --all"], noMatch: [] } },
  {
    entry: "filter-repo",
    examples: { match: ["git filter-repo --path src --force"], noMatch: ["git filter-repo --analyze"] },
  },
  { entry: "fast-import", examples: { match: ["git fast-import --force"], noMatch: ["git fast-import --quiet"] } },
  { entry: "update-ref", examples: { match: ["git update-ref -d HEAD"], noMatch: [] } },
  { entry: "gc", examples: { match: ["git gc --prune=now", "git gc --prune"], noMatch: ["git gc", "git gc --auto"] } },
  { entry: "prune", examples: { match: ["git prune --verbose", "git prune --expire now"], noMatch: ["git prune -n"] } },
  {
    entry: "repack",
    examples: { match: ["git repack -adq", "git repack -a -d -f"], noMatch: ["git repack -d", "git repack -Ad"] },
  },
  {
    entry: "commit-tree",
    examples: { match: ["git commit-tree HEAD^{tree} -m examined"], noMatch: ["git commit -m tree"] },
  },
  { entry: "worktree", examples: { match: ["git worktree remove --force ../x"], noMatch: ["git worktree list -v"] } },
  { entry: "worktree", examples: { match: ["git worktree add -B main ../x"], noMatch: ["git worktree add ../x"] } },
  { entry: "mv", examples: { match: ["git mv -f a b", "git mv --force a b"], noMatch: ["git mv a b"] } },
  {
    entry: "apply",
    examples: {
      match: ["git apply -R", "git apply --reverse -", "git apply -R --index"],
      noMatch: ["git apply x.patch", "git apply -R x.patch"],
    },
  },
  {
    entry: "rm",
    examples: { match: ["git rm -rf src", "git rm --force a"], noMatch: ["git rm a", "git rm -f --cached a"] },
  },
  {
    entry: "submodule",
    examples: {
      match: [
        "git submodule deinit -f x",
        "git submodule update --force",
        "git submodule update --init -f --recursive",
        "git submodule foreach git reset --hard",
        "git submodule foreach --recursive 'git fetch && git clean -xfd'",
      ],
      noMatch: [
        "git submodule deinit x",
        "git submodule update --init",
        "git submodule add --force x",
        "git submodule foreach git status",
      ],
    },
  },
];

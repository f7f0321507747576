import type { ShellWord } from "../shell-tree.ts";

/** Forms that lose work which nothing else keeps. They are denied unless a saved rule allows them. */
export interface GitLoss {
  readonly command: string;
  readonly why: string;
  /** Given the words behind the sub-command, and whether a word names something that is there. */
  readonly when: (words: readonly ShellWord[], isPath: (word: ShellWord) => boolean) => boolean;
  readonly examples: { readonly match: readonly string[]; readonly noMatch: readonly string[] };
}

export const gitLosses: readonly GitLoss[] = [
  {
    command: "reset",
    why: "throws away all changes that are not committed",
    when: (words) => has(words, /^--(?:h(?:a(?:rd?)?)?|me(?:r(?:ge?)?)?|k(?:e(?:ep?)?)?)$/),
    examples: {
      match: ["git reset --hard", "git reset --hard HEAD~1"],
      noMatch: ["git reset", "git reset --soft HEAD~1"],
    },
  },
  {
    command: "clean",
    why: "deletes files that git does not know",
    // A setting may say that force is not needed.
    when: (words) => has(words, /^-[a-zA-Z]*f|^--f/) || !has(words, /^-[a-zA-Z]*n|^--dr|^-h$/),
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
    command: "checkout",
    why: "overwrites files with an older version",
    when: (words, isPath) => {
      if (has(words, /^-[a-zA-Z]*[fp]|^--f|^--ou|^--th|^--pat|^--conflict/)) return true;
      if (has(words, /^-[a-zA-Z]*B/)) return true;
      if (has(words, /^-[a-zA-Z]*b$|^--orphan$|^--detach$|^-d$/)) return false;
      return words.some((word) => word.value === "--" || word.value === "." || word.glob || isPath(word));
    },
    examples: {
      match: [
        "git checkout -- .",
        "git checkout .",
        "git checkout -f main",
        "git checkout HEAD -- a",
        "git checkout *.ts",
        "git checkout -qf main",
        "git checkout -B main topic",
        "git checkout --pathspec-from-file=x",
      ],
      noMatch: ["git checkout -b topic", "git checkout main"],
    },
  },
  {
    command: "restore",
    why: "overwrites files with an older version",
    when: (words) => !has(words, /^--staged$|^-[q]*S[q]*$/) || has(words, /^--w|^-[a-zA-Z]*W/),
    examples: { match: ["git restore .", "git restore --staged --worktree a"], noMatch: ["git restore --staged a"] },
  },
  {
    command: "switch",
    why: "throws away changes",
    when: (words) => has(words, /^-[a-zA-Z]*[fC]|^--f|^--di/),
    examples: { match: ["git switch -f main", "git switch --discard-changes main"], noMatch: ["git switch main"] },
  },
  {
    command: "read-tree",
    why: "throws away all changes that are not committed",
    when: (words) => has(words, /^--res/),
    examples: {
      match: ["git read-tree --reset -u HEAD", "git read-tree -u --reset HEAD~1", "git read-tree --reset HEAD"],
      noMatch: ["git read-tree -m HEAD", "git read-tree --empty"],
    },
  },
  {
    command: "checkout-index",
    why: "overwrites files with what was staged",
    when: (words) => has(words, /^-[a-zA-Z]*f|^--f/),
    examples: {
      match: ["git checkout-index -f -a", "git checkout-index -qaf", "git checkout-index --force -- README.md"],
      noMatch: ["git checkout-index -a", "git checkout-index --all"],
    },
  },
  {
    command: "fetch",
    why: "overwrites branches or tags of this repository",
    when: overwritesOwn,
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
    command: "pull",
    why: "overwrites branches or tags of this repository",
    when: overwritesOwn,
    examples: {
      match: ["git pull -f origin main:main", "git pull origin +main:topic"],
      noMatch: ["git pull", "git pull --rebase origin main", "git pull -f"],
    },
  },
  {
    command: "push",
    why: "overwrites or removes what others see",
    when: (words) => has(words, /^-[a-np-zA-Z]*[fd]|^--for|^--del|^--mi|^--pru/) || has(words, /^\+|^:/),
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
    command: "send-pack",
    why: "overwrites or removes what others see",
    when: (words) => has(words, /^-f$|^--f|^--mi|^\+|^:/),
    examples: {
      match: ["git send-pack --force host:x main", "git send-pack host:x +main", "git send-pack --mirror host:x"],
      noMatch: ["git send-pack host:x main"],
    },
  },
  {
    command: "branch",
    why: "removes or overwrites a branch",
    when: (words) => has(words, /^-[a-zA-Z]*[DfMC]|^--forc/),
    examples: {
      match: [
        "git branch -D topic",
        "git branch -f main x",
        "git branch -df topic",
        "git branch --delete --force topic",
      ],
      noMatch: ["git branch topic", "git branch -d topic"],
    },
  },
  {
    command: "tag",
    why: "removes or overwrites a tag, of which no record is kept",
    when: (words) => has(words, /^-[a-ln-tv-zA-Z]*[df]|^--d|^--forc/),
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
  {
    command: "symbolic-ref",
    why: "removes a reference without a trace",
    when: (words) => has(words, /^-[a-zA-Z]*d|^--d/),
    examples: { match: ["git symbolic-ref -d HEAD"], noMatch: ["git symbolic-ref HEAD"] },
  },
  {
    command: "stash",
    why: "drops stashed changes",
    when: (words) => has(words.slice(0, 1), /^(?:drop|clear)$/),
    examples: { match: ["git stash drop", "git stash clear"], noMatch: ["git stash", "git stash pop"] },
  },
  {
    command: "reflog",
    why: "removes the record that undo needs",
    when: (words) => has(words.slice(0, 1), /^(?:expire|delete|drop)$/),
    examples: {
      match: ["git reflog expire --all", "git reflog delete main@{2}", "git reflog drop --all"],
      noMatch: ["git reflog"],
    },
  },
  {
    command: "filter-branch",
    why: "rewrites all history",
    when: () => true,
    examples: { match: ["git filter-branch --all"], noMatch: [] },
  },
  {
    command: "filter-repo",
    why: "rewrites all history",
    when: (words) => !has(words, /^--(?:analyze|dry-run|version|help)$|^-h$/),
    examples: { match: ["git filter-repo --path src --force"], noMatch: ["git filter-repo --analyze"] },
  },
  {
    command: "fast-import",
    why: "overwrites branches with what it is given",
    when: (words) => has(words, /^--f/),
    examples: { match: ["git fast-import --force"], noMatch: ["git fast-import --quiet"] },
  },
  {
    command: "update-ref",
    why: "moves or removes a reference without a trace",
    when: () => true,
    examples: { match: ["git update-ref -d HEAD"], noMatch: [] },
  },
  {
    command: "gc",
    why: "removes what nothing refers to any more",
    when: (words) => has(words, /^--pr/),
    examples: { match: ["git gc --prune=now", "git gc --prune"], noMatch: ["git gc", "git gc --auto"] },
  },
  {
    command: "prune",
    why: "removes what nothing refers to any more",
    when: (words) => !has(words, /^-n$|^--dry-run$/),
    examples: { match: ["git prune --verbose", "git prune --expire now"], noMatch: ["git prune -n"] },
  },
  {
    command: "repack",
    why: "removes what nothing refers to any more",
    when: (words) => has(words, /^-[a-zA-Z]*a/) && has(words, /^-[a-zA-Z]*d/),
    examples: { match: ["git repack -adq", "git repack -a -d -f"], noMatch: ["git repack -d", "git repack -Ad"] },
  },
  {
    command: "worktree",
    why: "removes a working tree with its changes, or moves a branch",
    when: (words) => has(words.slice(0, 1), /^remove$/) || has(words, /^-[a-zA-Z]*B/),
    examples: {
      match: ["git worktree remove --force ../x", "git worktree add -B main ../x"],
      noMatch: ["git worktree list -v", "git worktree add ../x"],
    },
  },
  {
    command: "mv",
    why: "overwrites a file that is in the way",
    when: (words) => has(words, /^-[a-zA-Z]*f|^--f/),
    examples: { match: ["git mv -f a b", "git mv --force a b"], noMatch: ["git mv a b"] },
  },
  {
    command: "apply",
    why: "takes back changes that nothing else keeps",
    // A patch in a file is kept; `git diff | git apply -R` has none.
    when: (words) => has(words, /^-[a-zA-Z0-9]*R|^--rev/) && !has(words, /^[^-]/),
    examples: {
      match: ["git apply -R", "git apply --reverse -", "git apply -R --index"],
      noMatch: ["git apply x.patch", "git apply -R x.patch"],
    },
  },
  {
    command: "rm",
    why: "deletes files although they were changed",
    when: (words) => !has(words, /^--cached$/) && has(words, /^-[a-zA-Z]*f|^--f/),
    examples: { match: ["git rm -rf src", "git rm --force a"], noMatch: ["git rm a", "git rm -f --cached a"] },
  },
  {
    command: "submodule",
    why: "throws away changes in a submodule",
    when: ([verb, ...words], isPath) => {
      if (verb?.value === "foreach") return lossInside(words, isPath);
      return /^(?:deinit|update)$/.test(verb?.value ?? "") && has(words, /^-[a-zA-Z]*f|^--f/);
    },
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

/** Force, pruning or `+`, with something else as its aim than what is kept of the other side anyway. */
function overwritesOwn(words: readonly ShellWord[]): boolean {
  const forced = has(words, /^-[a-zA-Z]*f|^--forc/);
  const prunes = has(words, /^-[a-zA-Z]*p|^--pru/);
  if (has(words, /^-[a-zA-Z]*P|^--prune-t/) || (forced && has(words, /^-[a-zA-Z]*t|^--tags$/))) return true;
  return words.some(({ value }) => {
    const [, plus, aim] = /^(\+?)[^-+:][^:]*:([^/].*)$/s.exec(value) ?? [];
    return aim !== undefined && !aim.startsWith("refs/remotes/") && (plus === "+" || forced || prunes);
  });
}

/** In the words of a command that git runs, or in the text of one. */
function lossInside(words: readonly ShellWord[], isPath: (word: ShellWord) => boolean): boolean {
  const split = words.flatMap((word) =>
    word.value.split(/[\s;|&()]+/).map((value): ShellWord => ({ ...word, value, text: value })),
  );
  return split.some(({ value }, at) => {
    const command = value === "git" ? split[at + 1]?.value : undefined;
    return gitLosses.some((loss) => loss.command === command && loss.when(split.slice(at + 2), isPath));
  });
}

function has(words: readonly ShellWord[], pattern: RegExp): boolean {
  return words.some((word) => pattern.test(word.value));
}

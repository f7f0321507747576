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
    when: (words) => has(words, /^-[a-zA-Z]*f|^--f/),
    examples: { match: ["git clean -fd", "git clean -xdf", "git clean --force"], noMatch: ["git clean -n"] },
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
      ],
      noMatch: ["git push", "git push origin main"],
    },
  },
  {
    command: "branch",
    why: "removes or overwrites a branch",
    when: (words) => has(words, /^-[a-zA-Z]*[DfMC]|^--forc/),
    examples: { match: ["git branch -D topic", "git branch -f main x"], noMatch: ["git branch topic"] },
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
    when: (words) => has(words.slice(0, 1), /^(?:expire|delete)$/),
    examples: { match: ["git reflog expire --all"], noMatch: ["git reflog"] },
  },
  {
    command: "filter-branch",
    why: "rewrites all history",
    when: () => true,
    examples: { match: ["git filter-branch --all"], noMatch: [] },
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
    command: "worktree",
    why: "removes a working tree with its changes",
    when: (words) => has(words.slice(0, 1), /^remove$/),
    examples: { match: ["git worktree remove --force ../x"], noMatch: ["git worktree list -v"] },
  },
  {
    command: "rm",
    why: "deletes files although they were changed",
    when: (words) => !has(words, /^--cached$/) && has(words, /^-[a-zA-Z]*f|^--f/),
    examples: { match: ["git rm -rf src", "git rm --force a"], noMatch: ["git rm a", "git rm -f --cached a"] },
  },
  {
    command: "submodule",
    why: "removes a submodule with its changes",
    when: (words) => has(words.slice(0, 1), /^deinit$/) && has(words, /^-[a-zA-Z]*f|^--f/),
    examples: { match: ["git submodule deinit -f x"], noMatch: ["git submodule deinit x"] },
  },
];

function has(words: readonly ShellWord[], pattern: RegExp): boolean {
  return words.some((word) => pattern.test(word.value));
}

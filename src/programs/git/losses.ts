import type { ShellWord } from "../program-entry.ts";

/** Forms that lose work which nothing else keeps. They are denied unless a saved rule allows them, or ask. */
export interface GitLoss {
  readonly command: string;
  readonly why: string;
  /** What is lost can be named, so a person may decide. */
  readonly asks?: true;
  /** Given the words behind the sub-command, and whether a word names something that is there. */
  readonly when: (words: readonly ShellWord[], isPath: (word: ShellWord) => boolean) => boolean;
}

export const gitLosses: readonly GitLoss[] = [
  {
    command: "reset",
    why: "throws away all changes that are not committed",
    // `--keep` stops where it would lose a change.
    when: (words) => has(words, /^--(?:h(?:a(?:rd?)?)?|me(?:r(?:ge?)?)?)$/),
  },
  {
    command: "clean",
    why: "deletes files that git does not know",
    asks: true,
    // A setting may say that force is not needed.
    when: (words) => has(words, /^-[a-zA-Z]*f|^--f/) || !has(words, /^-[a-zA-Z]*n|^--dr|^-h$/),
  },
  {
    command: "checkout",
    why: "throws away changes, or moves a branch",
    when: (words) => has(words, /^-[a-zA-Z]*[fB]|^--f/),
  },
  {
    command: "checkout",
    why: "overwrites files with an older version",
    asks: true,
    when: (words, isPath) => {
      if (has(words, /^-[a-zA-Z]*p|^--ou|^--th|^--pat|^--conflict/)) return true;
      if (has(words, /^-[a-zA-Z]*b$|^--orphan$|^--detach$|^-d$/)) return false;
      return words.some((word) => word.value === "--" || word.value === "." || word.glob || isPath(word));
    },
  },
  {
    command: "restore",
    why: "overwrites files with an older version",
    asks: true,
    when: (words) => !has(words, /^--staged$|^-[q]*S[q]*$/) || has(words, /^--w|^-[a-zA-Z]*W/),
  },
  {
    command: "switch",
    why: "throws away changes",
    when: (words) => has(words, /^-[a-zA-Z]*[fC]|^--f|^--di/),
  },
  {
    command: "read-tree",
    why: "throws away all changes that are not committed",
    when: (words) => has(words, /^--res/),
  },
  {
    command: "checkout-index",
    why: "overwrites files with what was staged",
    when: (words) => has(words, /^-[a-zA-Z]*f|^--f/),
  },
  {
    command: "fetch",
    why: "overwrites branches or tags of this repository",
    when: overwritesOwn,
  },
  {
    command: "pull",
    why: "overwrites branches or tags of this repository",
    when: overwritesOwn,
  },
  {
    command: "push",
    why: "overwrites or removes what others see",
    when: (words) => has(words, /^-[a-np-zA-Z]*[fd]|^--for|^--del|^--mi|^--pru/) || has(words, /^\+|^:/),
  },
  {
    command: "send-pack",
    why: "overwrites or removes what others see",
    when: (words) => has(words, /^-f$|^--f|^--mi|^\+|^:/),
  },
  {
    command: "branch",
    why: "overwrites a branch",
    when: (words) => has(words, /^-[a-zA-Z]*[fMC]|^--forc/),
  },
  {
    command: "branch",
    why: "removes a branch with commits that no other branch has",
    asks: true,
    when: (words) => has(words, /^-[a-zA-Z]*D/),
  },
  {
    command: "tag",
    why: "removes or overwrites a tag, of which no record is kept",
    asks: true,
    when: (words) => has(words, /^-[a-ln-tv-zA-Z]*[df]|^--d|^--forc/),
  },
  {
    command: "symbolic-ref",
    why: "removes a reference without a trace",
    when: (words) => has(words, /^-[a-zA-Z]*d|^--d/),
  },
  {
    command: "stash",
    why: "drops stashed changes",
    asks: true,
    when: (words) => has(words.slice(0, 1), /^drop$/),
  },
  {
    command: "stash",
    why: "drops all stashed changes",
    when: (words) => has(words.slice(0, 1), /^clear$/),
  },
  {
    command: "reflog",
    why: "removes the record that undo needs",
    when: (words) => has(words.slice(0, 1), /^(?:expire|delete|drop)$/),
  },
  {
    command: "filter-branch",
    why: "rewrites all history",
    when: () => true,
  },
  {
    command: "filter-repo",
    why: "rewrites all history",
    when: (words) => !has(words, /^--(?:analyze|dry-run|version|help)$|^-h$/),
  },
  {
    command: "fast-import",
    why: "overwrites branches with what it is given",
    when: (words) => has(words, /^--f/),
  },
  {
    command: "update-ref",
    why: "moves or removes a reference without a trace",
    when: () => true,
  },
  {
    command: "gc",
    why: "removes what nothing refers to any more",
    when: (words) => has(words, /^--pr/),
  },
  {
    command: "prune",
    why: "removes what nothing refers to any more",
    when: (words) => !has(words, /^-n$|^--dry-run$/),
  },
  {
    command: "repack",
    why: "removes what nothing refers to any more",
    when: (words) => has(words, /^-[a-zA-Z]*a/) && has(words, /^-[a-zA-Z]*d/),
  },
  {
    command: "worktree",
    why: "removes a working tree with its changes",
    asks: true,
    when: (words) => has(words.slice(0, 1), /^remove$/),
  },
  {
    command: "worktree",
    why: "moves a branch",
    when: (words) => has(words, /^-[a-zA-Z]*B/),
  },
  {
    command: "mv",
    why: "overwrites a file that is in the way",
    when: (words) => has(words, /^-[a-zA-Z]*f|^--f/),
  },
  {
    command: "apply",
    why: "takes back changes that nothing else keeps",
    // A patch in a file is kept; `git diff | git apply -R` has none.
    when: (words) => has(words, /^-[a-zA-Z0-9]*R|^--rev/) && !has(words, /^[^-]/),
  },
  {
    command: "rm",
    why: "deletes files although they were changed",
    asks: true,
    when: (words) => !has(words, /^--cached$/) && has(words, /^-[a-zA-Z]*f|^--f/),
  },
  {
    command: "submodule",
    why: "throws away changes in a submodule",
    when: ([verb, ...words], isPath) => {
      if (verb?.value === "foreach") return lossInside(words, isPath);
      return /^(?:deinit|update)$/.test(verb?.value ?? "") && has(words, /^-[a-zA-Z]*f|^--f/);
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

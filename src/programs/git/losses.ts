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
  // `--keep` stops where it would lose a change.
  denied("reset", "throws away all changes that are not committed", any(/^--(?:h(?:a(?:rd?)?)?|me(?:r(?:ge?)?)?)$/)),
  // A setting may say that force is not needed.
  asks(
    "clean",
    "deletes files that git does not know",
    (words) => has(words, /^-[a-zA-Z]*f|^--f/) || !has(words, /^-[a-zA-Z]*n|^--dr|^-h$/),
  ),
  denied("checkout", "throws away changes, or moves a branch", any(/^-[a-zA-Z]*[fB]|^--f/)),
  asks("checkout", "overwrites files with an older version", (words, isPath) => {
    if (has(words, /^-[a-zA-Z]*p|^--ou|^--th|^--pat|^--conflict/)) return true;
    if (has(words, /^-[a-zA-Z]*b$|^--orphan$|^--detach$|^-d$/)) return false;
    return words.some((word) => word.value === "--" || word.value === "." || word.glob || isPath(word));
  }),
  asks(
    "restore",
    "overwrites files with an older version",
    (words) => !has(words, /^--staged$|^-[q]*S[q]*$/) || has(words, /^--w|^-[a-zA-Z]*W/),
  ),
  denied("switch", "throws away changes", any(/^-[a-zA-Z]*[fC]|^--f|^--di/)),
  denied("read-tree", "throws away all changes that are not committed", any(/^--res/)),
  denied("checkout-index", "overwrites files with what was staged", any(/^-[a-zA-Z]*f|^--f/)),
  denied("fetch", "overwrites branches or tags of this repository", overwritesOwn),
  denied("pull", "overwrites branches or tags of this repository", overwritesOwn),
  denied(
    "push",
    "overwrites or removes what others see",
    any(/^-[a-np-zA-Z0-9]*[fd]|^--for|^--del|^--mi|^--pru|^\+|^:/),
  ),
  denied("send-pack", "overwrites or removes what others see", any(/^-f$|^--f|^--mi|^\+|^:/)),
  denied("branch", "overwrites a branch", any(/^-[a-zA-Z]*[fMC]|^--forc/)),
  asks("branch", "removes a branch with commits that no other branch has", any(/^-[a-zA-Z]*D/)),
  asks("tag", "removes or overwrites a tag, of which no record is kept", any(/^-[a-ln-tv-zA-Z]*[df]|^--d|^--forc/)),
  denied("symbolic-ref", "removes a reference without a trace", any(/^-[a-zA-Z]*d|^--d/)),
  asks("stash", "drops stashed changes", verb(/^drop$/)),
  denied("stash", "drops all stashed changes", verb(/^clear$/)),
  denied("reflog", "removes the record that undo needs", verb(/^(?:expire|delete|drop)$/)),
  denied("filter-branch", "rewrites all history", () => true),
  denied("filter-repo", "rewrites all history", (words) => !has(words, /^--(?:analyze|dry-run|version|help)$|^-h$/)),
  denied("fast-import", "overwrites branches with what it is given", any(/^--f/)),
  denied("update-ref", "moves or removes a reference without a trace", () => true),
  denied("gc", "removes what nothing refers to any more", any(/^--pr/)),
  denied("prune", "removes what nothing refers to any more", (words) => !has(words, /^-n$|^--dry-run$/)),
  denied(
    "repack",
    "removes what nothing refers to any more",
    (words) => has(words, /^-[a-zA-Z]*a/) && has(words, /^-[a-zA-Z]*d/),
  ),
  asks("commit-tree", "makes a commit of files that are not in the working tree", () => true),
  asks("worktree", "removes a working tree with its changes", verb(/^remove$/)),
  denied("worktree", "moves a branch", any(/^-[a-zA-Z]*B/)),
  denied("mv", "overwrites a file that is in the way", any(/^-[a-zA-Z]*f|^--f/)),
  // A patch in a file is kept; `git diff | git apply -R` has none.
  denied(
    "apply",
    "takes back changes that nothing else keeps",
    (words) => has(words, /^-[a-zA-Z0-9]*R|^--rev/) && !has(words, /^[^-]/),
  ),
  asks(
    "rm",
    "deletes files although they were changed",
    (words) => !has(words, /^--cached$/) && has(words, /^-[a-zA-Z]*f|^--f/),
  ),
  denied("submodule", "throws away changes in a submodule", ([verb, ...words], isPath) => {
    if (verb?.value === "foreach") return lossInside(words, isPath);
    return /^(?:deinit|update)$/.test(verb?.value ?? "") && has(words, /^-[a-zA-Z]*f|^--f/);
  }),
];

function denied(command: string, why: string, when: GitLoss["when"]): GitLoss {
  return { command, why, when };
}

function asks(command: string, why: string, when: GitLoss["when"]): GitLoss {
  return { command, why, when, asks: true };
}

function any(pattern: RegExp): GitLoss["when"] {
  return (words) => has(words, pattern);
}

function verb(pattern: RegExp): GitLoss["when"] {
  return (words) => has(words.slice(0, 1), pattern);
}

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

import { setOf } from "../flag-lists.ts";

/** What sub-commands of git do besides what the effects of a call say. */
const kinds = {
  applies: setOf("apply am"),
  /** They put files into the working tree. */
  brings: setOf(
    "checkout checkout-index read-tree switch restore reset merge rebase cherry-pick revert bisect pull apply am worktree submodule clone",
  ),
  makes: setOf("init worktree submodule clone"),
  /** They compare and record files without printing their content. */
  records: setOf(
    "add branch checkout cherry-pick commit merge notes rebase reset restore revert stage stash switch tag",
  ),
  removes: setOf(
    "branch tag stash gc repack prune pack-refs remote reflog update-ref worktree submodule maintenance fetch pull notes bisect",
  ),
  /** Hooks can refuse them or change what they record. */
  runsHooks: setOf("am cherry-pick checkout commit merge pull push rebase revert switch"),
  /** They can stop halfway and be continued. */
  stops: setOf("rebase am cherry-pick revert pull"),
  /** They fill the index from a commit. */
  unstages: setOf("reset restore"),
} as const;

export function isGitVerb(kind: keyof typeof kinds, verb = ""): boolean {
  return kinds[kind].has(verb);
}

/** The sub-command of a call, and the words behind it that are not flags. */
export function gitVerbsIn([, ...words]: readonly string[] = []): readonly string[] {
  return words.filter((word, at) => !/^-/.test(word) && !/^-[cC]$/.test(words[at - 1] ?? ""));
}

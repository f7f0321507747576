import { listed } from "../flag-lists.ts";

/**
 * What sub-commands of git do besides what the effects of a call say. `brings`: puts files into the working tree.
 * `records`: compares and records files without printing their content. `runsHooks`: hooks can refuse it or change what
 * it records. `stops`: may stop halfway and be continued. `unstages`: fills the index from a commit.
 */
const verbs = {
  applies: "apply am",
  brings:
    "checkout checkout-index read-tree switch restore reset merge rebase cherry-pick revert bisect pull apply am worktree submodule clone",
  copies: "clone",
  links: "submodule~add worktree~move",
  makes: "init worktree submodule clone",
  moves: "mv",
  records: "add branch checkout cherry-pick commit merge notes rebase reset restore revert stage stash switch tag",
  removes:
    "branch tag stash gc repack prune pack-refs remote reflog update-ref worktree submodule maintenance fetch pull notes bisect",
  runsHooks: "am cherry-pick checkout commit merge pull push rebase revert switch",
  stops: "rebase am cherry-pick revert pull",
  talks: "push send-pack fetch pull",
  unstages: "reset restore",
} as const;

export type GitVerbKind = keyof typeof verbs;

/** `verb` may be two words: `worktree move`. */
export function isGitVerb(kind: GitVerbKind, verb = ""): boolean {
  return listed(verbs[kind]).includes(verb.replace(" ", "~"));
}

/** The sub-command of a call, and the words behind it that are not flags. */
export function gitVerbsIn([, ...words]: readonly string[] = []): readonly string[] {
  return words.filter((word, at) => !/^-/.test(word) && !/^-[cC]$/.test(words[at - 1] ?? ""));
}

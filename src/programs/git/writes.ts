import { flags, text } from "../flag-lists.ts";
import type { ProgramEntry, Role } from "../program-entry.ts";
import {
  added,
  addresses,
  chosen,
  committed,
  destination,
  type GitWriter,
  known,
  moved,
  none,
  patches,
  remotes,
  removed,
  revisions,
} from "./write-operands.ts";

/** One sub-command of git that changes something, or several that take the same words. */
export interface GitWrite extends Omit<ProgramEntry, "operands" | "output"> {
  readonly operands: GitWriter;
  /** Talks to another machine. */
  readonly connects?: boolean;
  /** Changes `.git/config` and references, and nothing else. */
  readonly configures?: boolean;
  /** Why it needs more care than its words show. */
  readonly raisedBecause?: string;
}

const messages: Readonly<Record<string, Role>> = { ...text("-m --message"), "-F": "read", "--file": "read" };
const sequence = "abort continue skip quit";

/**
 * Sub-commands that change the repository in ways that git itself can undo. Flags that run a program (`--exec`,
 * `--gpg-sign`, `--strategy`), ask at the terminal (`--patch`) or choose files by a list are left out: then more
 * happens than the words say.
 */
export const gitWrites: readonly GitWrite[] = [
  {
    names: ["git add", "git stage"],
    flags: flags(
      "AuNnv",
      "all no-all update intent-to-add dry-run verbose refresh ignore-errors ignore-missing ignore-removal no-ignore-removal sparse renormalize",
    ),
    values: text("--chmod"),
    operands: added,
  },
  {
    names: ["git commit"],
    flags: flags(
      "aqvnsoiz",
      "all quiet verbose no-verify verify signoff no-signoff only include amend edit no-edit allow-empty allow-empty-message reset-author dry-run short porcelain long branch null status no-status no-post-rewrite no-gpg-sign",
    ),
    optional: ["-u", "--untracked-files"],
    values: {
      ...messages,
      ...text("--author --date --fixup --squash -C --reuse-message -c --reedit-message --cleanup"),
      "-t": "read",
      "--template": "read",
    },
    operands: committed,
  },
  {
    names: ["git checkout"],
    flags: flags("qdmlt", "quiet detach merge track no-track guess no-guess progress no-progress"),
    optional: ["--track"],
    values: text("-b --orphan"),
    operands: revisions,
  },
  {
    names: ["git switch"],
    flags: flags("qdmt", "quiet detach merge track no-track guess no-guess progress no-progress"),
    optional: ["--track"],
    values: text("-c --create --orphan"),
    operands: revisions,
  },
  {
    names: ["git restore"],
    flags: flags("Sq", "staged quiet progress no-progress ignore-unmerged"),
    values: text("-s --source"),
    needs: ["-S", "--staged"],
    operands: revisions,
  },
  {
    names: ["git reset"],
    flags: flags("qN", "quiet no-quiet soft mixed intent-to-add refresh no-refresh"),
    operands: revisions,
  },
  {
    names: ["git branch"],
    flags: flags("dmcqt", "delete move copy quiet track no-track create-reflog unset-upstream"),
    optional: ["--track"],
    values: text("-u --set-upstream-to"),
    operands: revisions,
  },
  {
    names: ["git tag"],
    flags: flags("a", "annotate no-sign create-reflog"),
    values: { ...messages, ...text("--cleanup") },
    operands: revisions,
  },
  {
    names: ["git merge"],
    flags: flags(
      "qvn",
      `abort continue quit ff no-ff ff-only squash no-squash commit no-commit edit no-edit quiet verbose stat no-stat allow-unrelated-histories signoff no-signoff no-verify verify autostash no-autostash no-log progress no-progress no-gpg-sign`,
    ),
    optional: ["--log"],
    values: { ...messages, ...text("-X --strategy-option") },
    operands: revisions,
  },
  {
    names: ["git rebase"],
    flags: flags(
      "qvnimf",
      `${sequence} interactive merge apply quiet verbose stat no-stat root keep-base autostash no-autostash autosquash no-autosquash no-verify signoff force-rebase no-ff fork-point no-fork-point update-refs no-update-refs committer-date-is-author-date reset-author-date ignore-date reapply-cherry-picks no-reapply-cherry-picks no-keep-empty keep-empty no-gpg-sign`,
    ),
    optional: ["-r", "--rebase-merges"],
    values: text("--onto -X --strategy-option --empty"),
    operands: revisions,
  },
  {
    names: ["git cherry-pick", "git revert"],
    flags: flags(
      "nxes",
      `${sequence} no-commit edit no-edit signoff ff allow-empty allow-empty-message keep-redundant-commits no-gpg-sign`,
    ),
    values: text("-m --mainline -X --strategy-option --cleanup"),
    operands: revisions,
  },
  {
    names: ["git stash push", "git stash save"],
    flags: flags("uqkS", "include-untracked no-include-untracked keep-index no-keep-index quiet staged"),
    values: text("-m --message"),
    operands: known,
  },
  {
    names: ["git stash pop", "git stash apply", "git stash branch"],
    flags: flags("q", "quiet index"),
    operands: revisions,
  },
  {
    names: ["git stash"],
    flags: flags("uqkS", "include-untracked no-include-untracked keep-index no-keep-index quiet staged"),
    values: text("-m --message"),
    operands: none,
  },
  { names: ["git mv"], flags: flags("vkn", "verbose dry-run"), operands: moved },
  { names: ["git rm"], flags: flags("rqn", "cached ignore-unmatch quiet dry-run sparse"), operands: removed },
  {
    names: ["git apply", "git am"],
    flags: flags(
      "R3vqzks",
      `${sequence} check stat numstat summary index cached 3way reverse reject verbose quiet recount ignore-whitespace ignore-space-change unidiff-zero allow-empty keep keep-cr signoff intent-to-add`,
    ),
    optional: ["--whitespace", "-p", "-C"],
    values: text("--include --exclude"),
    operands: patches,
  },
  { names: ["git init"], flags: flags("q", "quiet"), values: text("-b --initial-branch"), operands: destination },
  {
    names: ["git notes add", "git notes append", "git notes copy", "git notes remove"],
    flags: flags("f", "force allow-empty ignore-missing"),
    values: { ...messages, "-C": "text", "--ref": "text" },
    operands: revisions,
  },
  {
    names: ["git worktree add", "git worktree move", "git worktree lock", "git worktree unlock", "git worktree prune"],
    flags: flags(
      "dqnv",
      "detach quiet checkout no-checkout guess-remote no-guess-remote track no-track lock dry-run verbose",
    ),
    values: text("-b --reason --expire"),
    operands: destination,
  },
  {
    names: "start good bad new old skip reset next terms".split(" ").map((verb) => `git bisect ${verb}`),
    flags: flags("", "no-checkout first-parent term-good term-bad term-new term-old"),
    operands: revisions,
  },
  {
    names: ["git submodule init", "git submodule sync", "git submodule deinit"],
    flags: flags("q", "quiet recursive all"),
    operands: known,
  },
  { names: ["git gc"], flags: flags("q", "quiet auto aggressive no-prune"), operands: known },
  {
    names: ["git update-index"],
    flags: flags("q", "refresh really-refresh assume-unchanged no-assume-unchanged skip-worktree no-skip-worktree"),
    values: text("--chmod"),
    operands: known,
  },
  {
    names: ["git fetch", "git pull"],
    connects: true,
    flags: flags(
      "qvatnpf46",
      "quiet verbose all append tags no-tags prune no-prune dry-run force unshallow update-shallow ff-only ff no-ff no-rebase squash no-squash commit no-commit edit no-edit stat no-stat autostash no-autostash no-verify progress no-progress set-upstream ipv4 ipv6 atomic keep no-recurse-submodules allow-unrelated-histories",
    ),
    optional: ["--rebase", "-r"],
    values: text("--depth --deepen --shallow-since --shallow-exclude --refmap -X --strategy-option -j --jobs"),
    operands: remotes,
  },
  {
    names: ["git push"],
    connects: true,
    flags: flags(
      "qvun46",
      "quiet verbose all branches tags follow-tags no-follow-tags set-upstream dry-run porcelain atomic no-atomic verify no-verify progress no-progress thin no-thin ipv4 ipv6 no-signed",
    ),
    optional: ["--recurse-submodules"],
    values: text("-o --push-option"),
    operands: remotes,
  },
  {
    names: ["git clone"],
    connects: true,
    flags: flags(
      "qvnl46",
      "quiet verbose progress no-checkout bare mirror single-branch no-single-branch no-tags tags shallow-submodules sparse local no-local no-hardlinks ipv4 ipv6",
    ),
    values: text("-b --branch --depth --shallow-since --shallow-exclude -o --origin --filter -j --jobs"),
    operands: chosen,
  },
  {
    names: ["git ls-remote"],
    connects: true,
    flags: flags("htq", "heads branches tags refs quiet exit-code get-url symref"),
    values: text("--sort"),
    operands: remotes,
  },
  {
    names: ["git remote show", "git remote update", "git remote prune", "git submodule update"],
    connects: true,
    flags: flags("pnqN", "prune dry-run init recursive remote quiet checkout no-fetch progress single-branch"),
    values: text("--depth -j --jobs"),
    operands: known,
  },
  {
    names: "add remove rm rename set-url set-branches".split(" ").map((verb) => `git remote ${verb}`),
    configures: true,
    flags: flags("", "tags no-tags push add delete"),
    values: text("-t -m"),
    operands: addresses,
  },
  {
    names: ["git submodule add"],
    connects: true,
    flags: flags("fq", "force quiet progress"),
    values: text("-b --branch --name --depth"),
    operands: chosen,
  },
];

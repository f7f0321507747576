import { listed } from "../flag-lists.ts";

/**
 * A sub-command of git, or several that take the same words. Flags that write elsewhere (`--output`), run a program
 * (`--ext-diff`, `--exec`, `--gpg-sign`), leave the repository (`--recurse-submodules`) or print what is closed
 * (`--text`) are left out, so that a call with one of them is not understood.
 */
export interface GitCommand {
  readonly names: readonly string[];
  readonly does: "reads" | "writes" | "configures";
  /**
   * What the operands are. `revisions`: commits and paths whose content is shown or used. `objects`: trees as well.
   * `names`: nothing of their content comes out. `patterned`: a pattern comes first. `known`: git looks them up itself.
   */
  readonly operands: "revisions" | "objects" | "names" | "paths" | "patterned" | "none" | "destination" | "known";
  /** `attached`: a value may stand in the same word (`-U5`). `text`: the value may be the next word, and is only text. */
  readonly flags: ReadonlyMap<string, "plain" | "attached" | "text">;
  /** One of these is needed. */
  readonly needs?: readonly string[];
  /** Talks to the remote that the first operand names, or to the configured one. */
  readonly remote?: "first" | "default";
  /** With these operands it does something else. */
  readonly unless?: (operands: readonly string[], given: ReadonlySet<string>) => boolean;
  /** It prints names of files of the repository and nothing else. */
  readonly printsNames?: (given: ReadonlySet<string>) => boolean;
}

type Columns = Pick<GitCommand, "needs" | "remote" | "unless" | "printsNames">;

/** `-ab -c* -d= long text=`: letters of their own, one with an attached value, one whose next word is text, long names. */
function row(does: GitCommand["does"]) {
  return (names: string, operands: GitCommand["operands"], flags: string, columns: Columns = {}): GitCommand => ({
    names: names.split(", ").map((name) => `git ${name}`),
    does,
    operands,
    flags: new Map(flags.split(" ").flatMap(flagsOf)),
    ...columns,
  });
}

function flagsOf(token: string): readonly (readonly [string, "plain" | "attached" | "text"])[] {
  const kind = token.endsWith("*") ? "attached" : token.endsWith("=") ? "text" : "plain";
  const name = token.replace(/[*=]$/, "");
  if (!name.startsWith("-")) return name === "" ? [] : [[`--${name}`, kind]];
  return Array.from(name.slice(1), (letter) => [`-${letter}`, kind] as const);
}

const reads = row("reads");
const writes = row("writes");
const configures = row("configures");

const diff =
  "patch no-patch raw patch-with-raw patch-with-stat shortstat numstat summary compact-summary cumulative name-only name-status cached staged merge-base minimal patience histogram indent-heuristic no-indent-heuristic no-color no-color-moved no-renames find-copies-harder irreversible-delete rename-empty no-rename-empty full-index no-prefix default-prefix no-ext-diff no-textconv ignore-all-space ignore-space-change ignore-space-at-eol ignore-cr-at-eol ignore-blank-lines function-context exit-code quiet check pickaxe-all pickaxe-regex no-relative unified stat dirstat color color-moved word-diff color-words abbrev find-renames find-copies break-rewrites relative ignore-submodules ignore-matching-lines diff-filter diff-algorithm inter-hunk-context word-diff-regex ws-error-highlight src-prefix dst-prefix line-prefix anchored find-object";
const log = `-pusRzwbWDtriEFPgcm -U* -M* -C* -B* -X* -l* -I* -n* -S= -G= ${diff} all reflog bisect not merges no-merges no-min-parents no-max-parents first-parent cherry cherry-mark cherry-pick left-only right-only walk-reflogs merge boundary simplify-by-decoration show-pulls full-history dense sparse simplify-merges date-order author-date-order topo-order reverse do-walk all-match invert-grep regexp-ignore-case basic-regexp extended-regexp fixed-strings perl-regexp remove-empty ignore-missing branches tags remotes glob exclude ancestry-path no-walk min-parents max-parents max-count skip since= after= until= before= max-age min-age author= committer grep= grep-reflog= oneline graph no-graph abbrev-commit no-abbrev-commit no-abbrev parents children left-right relative-date no-notes no-expand-tabs log-size source mailmap use-mailmap no-mailmap no-decorate clear-decorations full-diff follow cc combined-all-paths no-diff-merges always root no-commit-id pretty format notes show-notes expand-tabs decorate encoding date= diff-merges decorate-refs decorate-refs-exclude`;
const list = "contains no-contains merged no-merged points-at= sort= format= count= exclude= color column";
const sequence = "abort continue skip quit";
const merging =
  "commit no-commit edit no-edit quiet verbose stat no-stat signoff no-signoff no-verify autostash no-autostash no-gpg-sign";

const filters = listed("-l --list --contains --no-contains --merged --no-merged --points-at");

const besideNames: ReadonlySet<string> = new Set(
  listed(
    "--name-only --cached --staged --merge-base --diff-filter --no-renames --find-renames -M -r -z --no-commit-id --root --no-color --full-name",
  ),
);

function namesOnly(given: ReadonlySet<string>): boolean {
  return given.has("--name-only") && [...given].every((flag) => besideNames.has(flag));
}

export const gitCommands: readonly GitCommand[] = [
  reads(
    "status",
    "names",
    "-sbvz -u* -M* short branch long verbose show-stash renames no-renames ahead-behind no-ahead-behind null no-column porcelain untracked-files ignored column ignore-submodules find-renames",
  ),
  reads(
    "diff, diff-tree, diff-index, diff-files, range-diff",
    "revisions",
    `-pusRzwbWDtrcmv -U* -M* -C* -B* -X* -l* -I* -S= -G= ${diff} cc combined-all-paths base ours theirs root no-commit-id always no-index pretty format notes`,
    { printsNames: namesOnly },
  ),
  reads("log, whatchanged", "revisions", `-L= ${log}`),
  reads("show", "objects", log),
  reads(
    "stash show",
    "objects",
    `-pusRzwbWDtr -U* -M* -C* -B* -X* -S* -G* -l* -I* ${diff} include-untracked only-untracked no-include-untracked`,
  ),
  reads("reflog, reflog show", "revisions", log, {
    unless: (operands) => operands.some((word) => /^(?:expire|delete|drop|exists|list|write)$/.test(word)),
  }),
  reads("stash list", "revisions", log),
  reads("shortlog", "revisions", `-nse -w* ${log} numbered summary email group`),
  reads(
    "rev-list",
    "names",
    `${log} count objects objects-edge no-object-names in-commit-order use-bitmap-index timestamp header disk-usage`,
  ),
  reads(
    "blame, annotate",
    "paths",
    "-btlsefnpwc -M* -C* -L= root show-stats show-name show-email show-number porcelain line-porcelain incremental score-debug color-lines color-by-age minimal first-parent progress no-progress reverse abbrev since= date= encoding ignore-rev ignore-revs-file contents",
  ),
  reads(
    "grep",
    "patterned",
    "-niwlLcEFGPhHovpWqIzr -e= -A= -B= -C= -m= line-number column ignore-case word-regexp files-with-matches files-without-match name-only count extended-regexp basic-regexp fixed-strings perl-regexp cached untracked exclude-standard no-exclude-standard show-function function-context heading break and or not invert-match all-match quiet recursive no-recursive full-name only-matching null no-color no-line-number color context= after-context= before-context= max-depth= max-count= threads=",
    {
      printsNames: (given) =>
        listed("-l -L --files-with-matches --files-without-match --name-only").some((flag) => given.has(flag)),
    },
  ),
  reads(
    "rev-parse",
    "names",
    "-q show-toplevel show-prefix show-cdup show-superproject-working-tree git-dir git-common-dir absolute-git-dir verify is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository symbolic symbolic-full-name quiet all revs-only no-revs flags no-flags not local-env-vars short abbrev-ref branches tags remotes glob exclude path-format since after until before disambiguate show-object-format default git-path",
  ),
  reads(
    "ls-files",
    "names",
    "-cdmoiskuztvf -x* cached deleted modified others ignored stage killed unmerged directory no-empty-directory exclude-standard full-name error-unmatch eol debug deduplicate sparse resolve-undo abbrev exclude format with-tree",
    {
      printsNames: (given) =>
        !listed("-s --stage -t -v -f -u --unmerged --eol --debug --format --resolve-undo").some((flag) =>
          given.has(flag),
        ),
    },
  ),
  reads("ls-tree", "names", "-rdtlz long name-only name-status object-only full-name full-tree abbrev format", {
    printsNames: namesOnly,
  }),
  reads("cat-file", "objects", "-tspe batch-check"),
  reads(
    "merge-base, describe, name-rev, cherry, show-branch, show-ref",
    "names",
    "-vardsq all octopus independent is-ancestor fork-point tags contains exact-match long always debug first-parent name-only undefined no-undefined remotes list current topo-order date-order sha1-name no-name merge-base topics abbrev dirty broken match exclude candidates refs head heads branches dereference verify quiet hash",
  ),
  reads(
    "branch",
    "names",
    `-arvlqi ${list} all remotes verbose list show-current ignore-case no-abbrev no-column no-color omit-empty abbrev`,
    {
      unless: (operands, given) => operands.length > 0 && !filters.some((flag) => given.has(flag)),
    },
  ),
  reads("tag", "names", `-li -n* ${list} list ignore-case no-column no-color omit-empty`, {
    unless: (operands, given) => operands.length > 0 && ![...filters, "-n"].some((flag) => given.has(flag)),
  }),
  reads("for-each-ref", "names", `-s ${list} shell perl python tcl ignore-case omit-empty`),
  reads("symbolic-ref", "names", "-q short quiet no-recurse", { unless: ({ length }) => length !== 1 }),
  reads(
    "remote, version, --version, -v, count-objects, submodule, worktree list, sparse-checkout list, bisect log, notes list",
    "none",
    "-vHzq verbose porcelain human-readable build-options quiet cached",
  ),
  reads(
    "remote get-url, notes show, submodule status, submodule summary",
    "names",
    "-q push all quiet cached recursive files",
  ),
  reads("remote show", "names", "-n", { unless: ({ length }, given) => length > 0 && !given.has("-n") }),
  reads("check-ignore", "names", "-vqnz verbose quiet non-matching stdin no-index"),
  reads("check-attr", "names", "-a all cached"),
  reads("fsck", "none", "-v dangling no-dangling full no-full strict connectivity-only name-objects unreachable"),
  reads("hash-object", "paths", "-t= no-filters"),
  reads("clean", "names", "-ndxXq -e= dry-run quiet exclude=", { needs: ["-n", "--dry-run"] }),
  reads(
    "apply",
    "paths",
    "-Rvz -p= -C= check stat numstat summary reverse verbose cached index recount ignore-whitespace unidiff-zero include= exclude= whitespace=",
    { needs: ["--check", "--stat", "--numstat", "--summary"] },
  ),
  writes(
    "add, stage",
    "paths",
    "-AuNnv all no-all update intent-to-add dry-run verbose refresh ignore-errors ignore-missing ignore-removal no-ignore-removal sparse renormalize chmod",
  ),
  writes(
    "commit",
    "revisions",
    "-aqvnsoiz -F* -C* -c* -t* -u* -m= all quiet verbose no-verify verify signoff no-signoff only include amend edit no-edit allow-empty allow-empty-message reset-author dry-run short porcelain long branch null status no-status no-post-rewrite no-gpg-sign untracked-files message= file author= date= fixup squash reuse-message reedit-message cleanup= template",
  ),
  writes(
    "checkout, switch",
    "revisions",
    "-qdmltbc quiet detach merge track no-track guess no-guess progress no-progress orphan create",
  ),
  writes("restore", "revisions", "-Sqs staged quiet progress no-progress ignore-unmerged source", {
    needs: ["-S", "--staged"],
  }),
  writes("reset", "revisions", "-qN quiet no-quiet soft mixed intent-to-add refresh no-refresh"),
  writes(
    "branch",
    "revisions",
    "-dmcqtu delete move copy quiet track no-track create-reflog unset-upstream set-upstream-to",
  ),
  writes("tag", "revisions", "-a -F* -m= -X= annotate no-sign create-reflog message= file cleanup strategy-option="),
  writes(
    "merge",
    "revisions",
    `-qvnF -m= -X= ${merging} strategy-option= abort continue quit ff no-ff ff-only squash no-squash allow-unrelated-histories log no-log progress no-progress message= file`,
  ),
  writes(
    "rebase",
    "revisions",
    `-qvnimfr -X= ${merging} ${sequence} strategy-option= interactive merge apply root keep-base autosquash no-autosquash force-rebase no-ff fork-point no-fork-point update-refs no-update-refs committer-date-is-author-date reset-author-date ignore-date reapply-cherry-picks no-reapply-cherry-picks no-keep-empty keep-empty rebase-merges onto empty`,
  ),
  writes(
    "cherry-pick, revert",
    "revisions",
    `-nxes -m= -X= ${merging} ${sequence} strategy-option= ff allow-empty allow-empty-message keep-redundant-commits mainline cleanup message=`,
  ),
  writes(
    "stash push, stash save",
    "known",
    "-uqkS -m= include-untracked no-include-untracked keep-index no-keep-index quiet staged message=",
  ),
  writes(
    "stash",
    "none",
    "-uqkS -m= include-untracked no-include-untracked keep-index no-keep-index quiet staged message=",
  ),
  writes("stash pop, stash apply, stash branch", "revisions", "-q quiet index"),
  writes("mv", "known", "-vkn verbose dry-run"),
  writes("rm", "known", "-rqn cached ignore-unmatch quiet dry-run sparse"),
  writes(
    "apply, am",
    "paths",
    `-R3vqzks -p* -C* ${sequence} check stat numstat summary index cached 3way reverse reject verbose quiet recount ignore-whitespace ignore-space-change unidiff-zero allow-empty keep keep-cr signoff intent-to-add whitespace include exclude`,
  ),
  writes("init", "destination", "-q -b= quiet initial-branch="),
  writes(
    "notes add, notes append, notes copy, notes remove",
    "revisions",
    "-fc -F* -C* -m= force allow-empty ignore-missing message= file ref= reuse-message",
  ),
  writes(
    "worktree add, worktree move, worktree lock, worktree unlock, worktree prune",
    "destination",
    "-dqnv -b= detach quiet checkout no-checkout guess-remote no-guess-remote track no-track lock dry-run verbose reason= expire=",
  ),
  writes(
    "bisect start, bisect good, bisect bad, bisect new, bisect old, bisect skip, bisect reset, bisect next, bisect terms",
    "revisions",
    "no-checkout first-parent term-good term-bad term-new term-old",
  ),
  writes(
    "submodule init, submodule sync, submodule deinit, gc, update-index",
    "known",
    "-q quiet recursive all auto aggressive no-prune refresh really-refresh assume-unchanged no-assume-unchanged skip-worktree no-skip-worktree chmod",
  ),
  writes(
    "fetch, pull",
    "known",
    `-qvatnpf46r -j= -X= ${merging} strategy-option= all append tags no-tags prune no-prune dry-run force unshallow update-shallow ff-only ff no-ff no-rebase rebase squash no-squash progress no-progress set-upstream ipv4 ipv6 atomic keep no-recurse-submodules allow-unrelated-histories depth= deepen= shallow-since= shallow-exclude= refmap= jobs=`,
    { remote: "first" },
  ),
  writes(
    "push",
    "revisions",
    "-qvun46 -o= quiet verbose all branches tags follow-tags no-follow-tags set-upstream dry-run porcelain atomic no-atomic verify no-verify progress no-progress thin no-thin ipv4 ipv6 no-signed recurse-submodules push-option=",
    { remote: "first" },
  ),
  writes(
    "clone, submodule add",
    "destination",
    "-qvnlf46 -b= -o= -j= quiet verbose force progress no-checkout bare mirror single-branch no-single-branch no-tags tags shallow-submodules sparse local no-local no-hardlinks ipv4 ipv6 branch= depth= shallow-since= shallow-exclude= origin= filter= jobs= name=",
    { remote: "first" },
  ),
  writes("ls-remote", "known", "-htq heads branches tags refs quiet exit-code get-url symref sort", {
    remote: "first",
  }),
  writes(
    "remote show, remote update, remote prune, submodule update",
    "none",
    "-pnqN prune dry-run init recursive remote quiet checkout no-fetch progress single-branch depth",
    { remote: "default" },
  ),
  configures(
    "remote add, remote remove, remote rm, remote rename, remote set-url, remote set-branches",
    "known",
    "-tm tags no-tags push add delete",
  ),
];

import { listed, rowsOf, setOf } from "../flag-lists.ts";

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
  readonly needs?: readonly string[];
  /** Talks to the remote that the first operand names, or to the configured one. */
  readonly remote?: "first" | "default";
  readonly unless?: (operands: readonly string[], given: ReadonlySet<string>) => boolean;
  /** It prints names of files of the repository and nothing else. */
  readonly printsNames?: (given: ReadonlySet<string>) => boolean;
}

const diff = `
  patch no-patch raw patch-with-raw patch-with-stat shortstat numstat summary compact-summary cumulative name-only
    name-status cached staged merge-base minimal patience histogram indent-heuristic no-indent-heuristic no-color
    no-color-moved no-renames find-copies-harder irreversible-delete rename-empty no-rename-empty full-index no-prefix
    default-prefix no-ext-diff no-textconv ignore-all-space ignore-space-change ignore-space-at-eol ignore-cr-at-eol
    ignore-blank-lines function-context exit-code quiet check pickaxe-all pickaxe-regex no-relative unified stat
    dirstat color color-moved word-diff color-words abbrev find-renames find-copies break-rewrites relative
    ignore-submodules ignore-matching-lines diff-filter diff-algorithm inter-hunk-context word-diff-regex
    ws-error-highlight src-prefix dst-prefix line-prefix anchored find-object
`.trim();
const log = `
  -pusRzwbWDtriEFPgcm -U* -M* -C* -B* -X* -l* -I* -n* -S= -G= ${diff} all reflog bisect not merges no-merges
    no-min-parents no-max-parents first-parent cherry cherry-mark cherry-pick left-only right-only walk-reflogs merge
    boundary simplify-by-decoration show-pulls full-history dense sparse simplify-merges date-order author-date-order
    topo-order reverse do-walk all-match invert-grep regexp-ignore-case basic-regexp extended-regexp fixed-strings
    perl-regexp remove-empty ignore-missing branches tags remotes glob exclude ancestry-path no-walk min-parents
    max-parents max-count skip since= after= until= before= max-age min-age author= committer grep= grep-reflog=
    oneline graph no-graph abbrev-commit no-abbrev-commit no-abbrev parents children left-right relative-date no-notes
    no-expand-tabs log-size source mailmap use-mailmap no-mailmap no-decorate clear-decorations full-diff follow cc
    combined-all-paths no-diff-merges always root no-commit-id pretty format notes show-notes expand-tabs decorate
    encoding date= diff-merges decorate-refs decorate-refs-exclude
`.trim();
const list = "contains no-contains merged no-merged points-at= sort= format= count= exclude= color column";
const sequence = "abort continue skip quit";
const merging = `
  commit no-commit edit no-edit quiet verbose stat no-stat signoff no-signoff no-verify autostash no-autostash
    no-gpg-sign
`.trim();

type Found = Pick<GitCommand, "unless" | "printsNames">;

const filters = "-l --list --contains --no-contains --merged --no-merged --points-at";
function without(flags: string): Found["unless"] {
  return (operands, given) => operands.length > 0 && !has(given, flags);
}

/** Of rows that only read. */
const unless: Readonly<Record<string, Found["unless"]>> = {
  reflog: (operands) => operands.some((word) => /^(?:expire|delete|drop|exists|list|write)$/.test(word)),
  branch: without(filters),
  tag: without(`${filters} -n`),
  "symbolic-ref": ({ length }) => length !== 1,
  "remote show": without("-n"),
};

const has = (given: ReadonlySet<string>, flags: string) => listed(flags).some((flag) => given.has(flag));
const besideNames = setOf(
  "--name-only --cached --staged --merge-base --diff-filter --no-renames --find-renames -M -r -z --no-commit-id --root --no-color --full-name",
);
const namesOnly = (given: ReadonlySet<string>) =>
  given.has("--name-only") && [...given].every((flag) => besideNames.has(flag));
const printsNames: Readonly<Record<string, Found["printsNames"]>> = {
  diff: namesOnly,
  "ls-tree": namesOnly,
  grep: (given) => has(given, "-l -L --files-with-matches --files-without-match --name-only"),
  "ls-files": (given) => !has(given, "-s --stage -t -v -f -u --unmerged --eol --debug --format --resolve-undo"),
};

/**
 * Names, what it does to what kind of operands, and its flags: `-ab -c* -d= long text=` are letters of their own, one
 * with an attached value, one whose next word is text, and long names.
 */
export const gitCommands: readonly GitCommand[] = rowsOf(
  `
  status; reads names; flags -sbvz -u* -M* short branch long verbose show-stash renames no-renames ahead-behind
    no-ahead-behind null no-column porcelain untracked-files ignored column ignore-submodules find-renames
  diff diff-tree diff-index diff-files range-diff; reads revisions; flags -pusRzwbWDtrcmv -U* -M* -C* -B* -X* -l* -I*
    -S= -G= ${diff} cc combined-all-paths base ours theirs root no-commit-id always no-index pretty format notes
  log whatchanged; reads revisions; flags -L= ${log}
  show; reads objects; flags ${log}
  stash~show; reads objects; flags -pusRzwbWDtr -U* -M* -C* -B* -X* -S* -G* -l* -I* ${diff} include-untracked
    only-untracked no-include-untracked
  reflog reflog~show; reads revisions; flags ${log}
  stash~list; reads revisions; flags ${log}
  shortlog; reads revisions; flags -nse -w* ${log} numbered summary email group
  rev-list; reads names; flags ${log} count objects objects-edge no-object-names in-commit-order use-bitmap-index
    timestamp header disk-usage
  blame annotate; reads paths; flags -btlsefnpwc -M* -C* -L= root show-stats show-name show-email show-number porcelain
    line-porcelain incremental score-debug color-lines color-by-age minimal first-parent progress no-progress reverse
    abbrev since= date= encoding ignore-rev ignore-revs-file contents
  grep; reads patterned; flags -niwlLcEFGPhHovpWqIzr -e= -A= -B= -C= -m= line-number column ignore-case word-regexp
    files-with-matches files-without-match name-only count extended-regexp basic-regexp fixed-strings perl-regexp
    cached untracked exclude-standard no-exclude-standard show-function function-context heading break and or not
    invert-match all-match quiet recursive no-recursive full-name only-matching null no-color no-line-number color
    context= after-context= before-context= max-depth= max-count= threads=
  rev-parse; reads names; flags -q show-toplevel show-prefix show-cdup show-superproject-working-tree git-dir
    git-common-dir absolute-git-dir verify is-inside-work-tree is-inside-git-dir is-bare-repository
    is-shallow-repository symbolic symbolic-full-name quiet all revs-only no-revs flags no-flags not local-env-vars
    short abbrev-ref branches tags remotes glob exclude path-format since after until before disambiguate
    show-object-format default git-path
  ls-files; reads names; flags -cdmoiskuztvf -x* cached deleted modified others ignored stage killed unmerged directory
    no-empty-directory exclude-standard full-name error-unmatch eol debug deduplicate sparse resolve-undo abbrev
    exclude format with-tree
  ls-tree; reads names; flags -rdtlz long name-only name-status object-only full-name full-tree abbrev format
  cat-file; reads objects; flags -tspe batch-check
  merge-base describe name-rev cherry show-branch show-ref; reads names; flags -vardsq all octopus independent
    is-ancestor fork-point tags contains exact-match long always debug first-parent name-only undefined no-undefined
    remotes list current topo-order date-order sha1-name no-name merge-base topics abbrev dirty broken match exclude
    candidates refs head heads branches dereference verify quiet hash
  branch; reads names; flags -arvlqi ${list} all remotes verbose list show-current ignore-case no-abbrev no-column
    no-color omit-empty abbrev
  tag; reads names; flags -li -n* ${list} list ignore-case no-column no-color omit-empty
  for-each-ref; reads names; flags -s ${list} shell perl python tcl ignore-case omit-empty
  symbolic-ref; reads names; flags -q short quiet no-recurse
  remote version --version -v count-objects submodule worktree~list sparse-checkout~list bisect~log notes~list; reads
    none; flags -vHzq verbose porcelain human-readable build-options quiet cached
  remote~get-url notes~show submodule~status submodule~summary; reads names; flags -q push all quiet cached recursive
    files
  remote~show; reads names; flags -n
  check-ignore; reads names; flags -vqnz verbose quiet non-matching stdin no-index
  check-attr; reads names; flags -a all cached
  fsck; reads none; flags -v dangling no-dangling full no-full strict connectivity-only name-objects unreachable
  hash-object; reads paths; flags -t= no-filters
  clean; reads names; needs -n --dry-run; flags -ndxXq -e= dry-run quiet exclude=
  apply; reads paths; needs --check --stat --numstat --summary; flags -Rvz -p= -C= check stat numstat summary reverse
    verbose cached index recount ignore-whitespace unidiff-zero include= exclude= whitespace=
  add stage; writes paths; flags -AuNnv all no-all update intent-to-add dry-run verbose refresh ignore-errors
    ignore-missing ignore-removal no-ignore-removal sparse renormalize chmod
  commit; writes revisions; flags -aqvnsoiz -F* -C* -c* -t* -u* -m= all quiet verbose no-verify verify signoff
    no-signoff only include amend edit no-edit allow-empty allow-empty-message reset-author dry-run short porcelain
    long branch null status no-status no-post-rewrite no-gpg-sign untracked-files message= file author= date= fixup
    squash reuse-message reedit-message cleanup= template
  checkout switch; writes revisions; flags -qdmltbc quiet detach merge track no-track guess no-guess progress
    no-progress orphan create
  restore; writes revisions; needs -S --staged; flags -Sqs staged quiet progress no-progress ignore-unmerged source
  reset; writes revisions; flags -qN quiet no-quiet soft mixed intent-to-add refresh no-refresh
  branch; writes revisions; flags -dmcqtu delete move copy quiet track no-track create-reflog unset-upstream
    set-upstream-to
  tag; writes revisions; flags -a -F* -m= -X= annotate no-sign create-reflog message= file cleanup strategy-option=
  merge; writes revisions; flags -qvnF -m= -X= ${merging} strategy-option= abort continue quit ff no-ff ff-only squash
    no-squash allow-unrelated-histories log no-log progress no-progress message= file
  rebase; writes revisions; flags -qvnimfr -X= ${merging} ${sequence} strategy-option= interactive merge apply root
    keep-base autosquash no-autosquash force-rebase no-ff fork-point no-fork-point update-refs no-update-refs
    committer-date-is-author-date reset-author-date ignore-date reapply-cherry-picks no-reapply-cherry-picks
    no-keep-empty keep-empty rebase-merges onto empty
  cherry-pick revert; writes revisions; flags -nxes -m= -X= ${merging} ${sequence} strategy-option= ff allow-empty
    allow-empty-message keep-redundant-commits mainline cleanup message=
  stash~push stash~save; writes known; flags -uqkS -m= include-untracked no-include-untracked keep-index no-keep-index
    quiet staged message=
  stash; writes none; flags -uqkS -m= include-untracked no-include-untracked keep-index no-keep-index quiet staged
    message=
  stash~pop stash~apply stash~branch; writes revisions; flags -q quiet index
  mv; writes known; flags -vkn verbose dry-run
  rm; writes known; flags -rqn cached ignore-unmatch quiet dry-run sparse
  apply am; writes paths; flags -R3vqzks -p* -C* ${sequence} check stat numstat summary index cached 3way reverse
    reject verbose quiet recount ignore-whitespace ignore-space-change unidiff-zero allow-empty keep keep-cr signoff
    intent-to-add whitespace include exclude
  init; writes destination; flags -q -b= quiet initial-branch=
  notes~add notes~append notes~copy notes~remove; writes revisions; flags -fc -F* -C* -m= force allow-empty
    ignore-missing message= file ref= reuse-message
  worktree~add worktree~move worktree~lock worktree~unlock worktree~prune; writes destination; flags -dqnv -b= detach
    quiet checkout no-checkout guess-remote no-guess-remote track no-track lock dry-run verbose reason= expire=
  bisect~start bisect~good bisect~bad bisect~new bisect~old bisect~skip bisect~reset bisect~next bisect~terms; writes
    revisions; flags no-checkout first-parent term-good term-bad term-new term-old
  submodule~init submodule~sync submodule~deinit gc update-index; writes known; flags -q quiet recursive all auto
    aggressive no-prune refresh really-refresh assume-unchanged no-assume-unchanged skip-worktree no-skip-worktree
    chmod
  fetch pull; writes known; remote first; flags -qvatnpf46r -j= -X= ${merging} strategy-option= all append tags no-tags
    prune no-prune dry-run force unshallow update-shallow ff-only ff no-ff no-rebase rebase squash no-squash progress
    no-progress set-upstream ipv4 ipv6 atomic keep no-recurse-submodules allow-unrelated-histories depth= deepen=
    shallow-since= shallow-exclude= refmap= jobs=
  push; writes revisions; remote first; flags -qvun46 -o= quiet verbose all branches tags follow-tags no-follow-tags
    set-upstream dry-run porcelain atomic no-atomic verify no-verify progress no-progress thin no-thin ipv4 ipv6
    no-signed recurse-submodules push-option=
  clone submodule~add; writes destination; remote first; flags -qvnlf46 -b= -o= -j= quiet verbose force progress
    no-checkout bare mirror single-branch no-single-branch no-tags tags shallow-submodules sparse local no-local
    no-hardlinks ipv4 ipv6 branch= depth= shallow-since= shallow-exclude= origin= filter= jobs= name=
  ls-remote; writes known; remote first; flags -htq heads branches tags refs quiet exit-code get-url symref sort
  remote~show remote~update remote~prune submodule~update; writes none; remote default; flags -pnqN prune dry-run init
    recursive remote quiet checkout no-fetch progress single-branch depth
  remote~add remote~remove remote~rm remote~rename remote~set-url remote~set-branches; configures known; flags -tm tags
    no-tags push add delete
  config; writes names; flags -lz -f= list get get-all get-regexp get-urlmatch get-color get-colorbool add unset
    unset-all replace-all rename-section remove-section local null name-only includes no-includes show-origin
    show-scope bool int type default file=
`,
  ["reads", "writes", "configures", "flags", "needs", "remote"],
).map(({ names, reads, writes, configures, flags = [], needs, remote }) => ({
  names: names.map((name) => `git ${name}`),
  does: reads ? "reads" : writes ? "writes" : "configures",
  operands: (reads ?? writes ?? configures ?? [])[0] as GitCommand["operands"],
  flags: new Map(flags.flatMap(flagsOf)),
  needs,
  remote: remote?.[0] as GitCommand["remote"],
  unless: unless[names[0] ?? ""],
  printsNames: printsNames[names[0] ?? ""],
}));

function flagsOf(token: string): readonly (readonly [string, "plain" | "attached" | "text"])[] {
  const kind = token.endsWith("*") ? "attached" : token.endsWith("=") ? "text" : "plain";
  const name = token.replace(/[*=]$/, "");
  if (!name.startsWith("-")) return name === "" ? [] : [[`--${name}`, kind]];
  return Array.from(name.slice(1), (letter) => [`-${letter}`, kind] as const);
}

import { flags, text } from "../flag-lists.ts";
import type { OutputKind, ProgramCall, ProgramEntry } from "../program-entry.ts";
import { aimsAtClosed } from "./aimed-pattern.ts";
import {
  file,
  type GitReader,
  history,
  listed,
  names,
  nothing,
  objects,
  searched,
  stored,
  text as words,
} from "./operands.ts";

/** One sub-command of git that only reads, or several that take the same words. */
export interface GitRead extends Omit<ProgramEntry, "operands" | "output"> {
  readonly operands: GitReader;
  /** Flags that take the next word, and stand alone where there is none. */
  readonly lastAlone?: readonly string[];
  /** Forms of the same sub-command that write. */
  readonly unless?: (call: ProgramCall) => boolean;
  readonly output?: (call: ProgramCall) => OutputKind | undefined;
}

const diffFlags = flags(
  "pusRzwbWDtr",
  "patch no-patch raw patch-with-raw patch-with-stat shortstat numstat summary compact-summary cumulative name-only name-status submodule cached staged merge-base minimal patience histogram indent-heuristic no-indent-heuristic no-color no-color-moved no-renames find-copies-harder irreversible-delete rename-empty no-rename-empty full-index no-prefix default-prefix no-ext-diff no-textconv ignore-all-space ignore-space-change ignore-space-at-eol ignore-cr-at-eol ignore-blank-lines function-context exit-code quiet check pickaxe-all pickaxe-regex no-relative ita-invisible-in-index ita-visible-in-index",
);
const diffOptional =
  "-U -M -C -B -X --unified --stat --dirstat --color --color-moved --word-diff --color-words --abbrev --find-renames --find-copies --break-rewrites --relative --ignore-submodules".split(
    " ",
  );
const diffValues = text(
  "-S -G -l -I --ignore-matching-lines --diff-filter --diff-algorithm --inter-hunk-context --word-diff-regex --ws-error-highlight --src-prefix --dst-prefix --line-prefix --anchored --find-object --skip-to --rotate-to --color-moved-ws --stat-width --stat-name-width --stat-count --stat-graph-width",
);

/** Which commits. */
const walkFlags = flags(
  "iEFP",
  "all reflog bisect not merges no-merges no-min-parents no-max-parents first-parent exclude-first-parent-only cherry cherry-mark cherry-pick left-only right-only walk-reflogs merge boundary simplify-by-decoration show-pulls full-history dense sparse simplify-merges date-order author-date-order topo-order reverse do-walk all-match invert-grep regexp-ignore-case basic-regexp extended-regexp fixed-strings perl-regexp remove-empty ignore-missing",
);
const walkOptional = "--branches --tags --remotes --ancestry-path --no-walk --min-parents --max-parents".split(" ");
const walkValues = text(
  "--max-count --skip --since --after --until --before --since-as-filter --max-age --min-age --author --committer --grep --grep-reflog --glob --exclude",
);
/** How they are shown. */
const showFlags = flags(
  "",
  "oneline graph no-graph abbrev-commit no-abbrev-commit no-abbrev parents children left-right relative-date no-notes no-expand-tabs log-size source mailmap use-mailmap no-mailmap no-use-mailmap no-decorate clear-decorations full-diff follow cc combined-all-paths no-diff-merges always root no-commit-id",
);
const showOptional = "--pretty --format --notes --show-notes --expand-tabs --show-linear-break --decorate".split(" ");
const showValues = text("--encoding --date --diff-merges --decorate-refs --decorate-refs-exclude");

const logFlags = [...diffFlags, ...walkFlags, ...showFlags, ...flags("gcm")];
const logOptional = [...diffOptional, ...walkOptional, ...showOptional];
const logValues = { ...diffValues, ...walkValues, ...showValues, ...text("-n") };

const listFilters = "--contains --no-contains --merged --no-merged --points-at".split(" ");
const listValues = text(`${listFilters.join(" ")} --sort --format --count`);

/** Names of files below the repository, and nothing else in a line: any other flag may add to what is printed. */
const namesOnly = (call: ProgramCall) =>
  call.flags.has("--name-only") && [...call.flags].every((flag) => beside.has(flag)) ? "names" : undefined;
const beside: ReadonlySet<string> = new Set(
  "--name-only --cached --staged --merge-base --diff-filter --no-renames --find-renames -M -r -z --no-commit-id --root --no-color --full-name".split(
    " ",
  ),
);

/**
 * Sub-commands of git that read. Flags that write (`--output`), run (`--ext-diff`, `--textconv`, `-O`,
 * `--show-signature`), leave the repository (`--recurse-submodules`) or print what is closed (`--text`,
 * `--binary`) are left out. A flag takes exactly what git takes, or a value could hide one of them: `--format` of
 * `log` has its value attached, that of `branch` takes the next word.
 */
export const gitReads: readonly GitRead[] = [
  {
    names: ["git status"],
    flags: flags(
      "sbvz",
      "short branch long verbose show-stash renames no-renames ahead-behind no-ahead-behind null no-column",
    ),
    optional: "-u -M --porcelain --untracked-files --ignored --column --ignore-submodules --find-renames".split(" "),
    operands: names,
  },
  {
    names: ["git diff"],
    flags: [...diffFlags, ...flags("cm", "cc combined-all-paths base ours theirs no-index")],
    optional: diffOptional,
    values: diffValues,
    operands: history,
    output: namesOnly,
  },
  {
    names: ["git log", "git whatchanged"],
    flags: logFlags,
    optional: logOptional,
    values: { ...logValues, ...text("-L") },
    count: true,
    operands: history,
  },
  {
    names: ["git show"],
    flags: logFlags,
    optional: logOptional,
    values: logValues,
    count: true,
    operands: objects,
  },
  {
    names: ["git stash show"],
    flags: [...diffFlags, ...flags("", "include-untracked only-untracked no-include-untracked")],
    // It sorts its words by their first letter before it reads flags: a value of its own word may become something else.
    optional: [...diffOptional, ...Object.keys(diffValues)],
    operands: objects,
  },
  {
    names: ["git reflog", "git reflog show"],
    flags: logFlags,
    optional: logOptional,
    values: logValues,
    count: true,
    operands: history,
    unless: ({ operands }) => operands.some(({ value }) => /^(?:expire|delete|drop|exists|list|write)$/.test(value)),
  },
  {
    names: ["git stash list"],
    flags: logFlags,
    optional: logOptional,
    values: logValues,
    count: true,
    // It drops `--` before it passes its words to `git log`.
    noSeparator: true,
    operands: history,
  },
  {
    names: ["git shortlog"],
    flags: [...walkFlags, ...flags("nsec", "numbered summary email committer")],
    optional: [...walkOptional, "-w", "--format", "--pretty"],
    values: { ...withoutKey(walkValues, "--committer"), ...text("--group --date") },
    operands: history,
  },
  {
    names: ["git rev-list"],
    flags: [
      ...walkFlags,
      ...showFlags,
      ...flags(
        "g",
        "count objects objects-edge no-object-names in-commit-order use-bitmap-index timestamp header quiet bisect-vars bisect-all disk-usage",
      ),
    ],
    optional: [...walkOptional, "--pretty", "--format", "--abbrev", "--disk-usage"],
    values: { ...walkValues, ...text("-n --date --encoding") },
    count: true,
    operands: words,
  },
  {
    names: ["git diff-tree", "git diff-index", "git diff-files"],
    flags: [...diffFlags, ...flags("cmv", "cc root no-commit-id always combined-all-paths")],
    optional: [...diffOptional, "--pretty", "--format"],
    values: diffValues,
    operands: history,
    output: namesOnly,
  },
  {
    names: ["git range-diff"],
    flags: [...diffFlags, ...flags("", "dual-color no-dual-color left-only right-only no-notes")],
    optional: [...diffOptional, "--notes"],
    values: { ...diffValues, ...text("--creation-factor") },
    operands: history,
  },
  {
    names: ["git blame", "git annotate"],
    flags: flags(
      "btlsefnpwc",
      "root show-stats show-name show-email show-number porcelain line-porcelain incremental score-debug color-lines color-by-age minimal first-parent progress no-progress reverse",
    ),
    optional: ["-M", "-C", "--abbrev"],
    values: {
      ...text("-L --since --date --encoding --ignore-rev"),
      "--ignore-revs-file": "read",
      "--contents": "read",
    },
    operands: file,
  },
  {
    names: ["git grep"],
    flags: flags(
      "niwlLcEFGPhHovpWqIzr",
      "line-number column ignore-case word-regexp files-with-matches files-without-match name-only count extended-regexp basic-regexp fixed-strings perl-regexp cached untracked exclude-standard no-exclude-standard show-function function-context heading break and or not invert-match all-match quiet recursive no-recursive full-name only-matching null no-color no-line-number",
    ),
    optional: ["--color"],
    values: text("-e -A -B -C --context --after-context --before-context --max-depth -m --max-count --threads"),
    count: true,
    valuesAlone: false,
    operands: searched,
    output: ({ flags: given }) =>
      ["-l", "-L", "--files-with-matches", "--files-without-match", "--name-only"].some((flag) => given.has(flag))
        ? "names"
        : undefined,
  },
  {
    names: ["git rev-parse"],
    flags: flags(
      "q",
      "show-toplevel show-prefix show-cdup show-superproject-working-tree git-dir git-common-dir absolute-git-dir verify is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository show-object-format symbolic symbolic-full-name quiet all revs-only no-revs flags no-flags sq not local-env-vars",
    ),
    optional:
      "--short --abbrev-ref --branches --tags --remotes --glob --exclude --path-format --since --after --until --before --disambiguate --show-object-format".split(
        " ",
      ),
    values: text("--default --git-path"),
    operands: words,
  },
  {
    names: ["git ls-files"],
    flags: flags(
      "cdmoiskuztvf",
      "cached deleted modified others ignored stage killed unmerged directory no-empty-directory exclude-standard full-name error-unmatch eol debug deduplicate sparse resolve-undo",
    ),
    optional: ["--abbrev"],
    values: text("-x --exclude --format --with-tree"),
    operands: names,
    output: ({ flags: given, operands }) =>
      operands.some(({ value }) => aimsAtClosed(value)) ||
      ["-s", "--stage", "-t", "-v", "-f", "-u", "--unmerged", "--eol", "--debug", "--format", "--resolve-undo"].some(
        (flag) => given.has(flag),
      )
        ? undefined
        : "names",
  },
  {
    names: ["git ls-tree"],
    flags: flags("rdtlz", "long name-only name-status object-only full-name full-tree"),
    optional: ["--abbrev"],
    values: text("--format"),
    operands: words,
    output: namesOnly,
  },
  {
    names: ["git cat-file"],
    flags: flags("tspe", "batch-all-objects buffer unordered"),
    optional: ["--batch-check"],
    operands: stored,
  },
  {
    names: ["git merge-base"],
    flags: flags("a", "all octopus independent is-ancestor fork-point"),
    operands: words,
  },
  {
    names: ["git describe", "git name-rev", "git cherry", "git show-branch"],
    flags: flags(
      "var",
      "all tags contains exact-match long always debug first-parent name-only undefined no-undefined remotes list current topo-order date-order sha1-name no-name merge-base independent topics",
    ),
    optional: ["--abbrev", "--dirty", "--broken"],
    values: text("--match --exclude --candidates --refs"),
    operands: words,
  },
  {
    names: ["git branch"],
    flags: flags("arvlqi", "all remotes verbose list show-current ignore-case no-abbrev no-column no-color omit-empty"),
    optional: ["--color", "--column", "--abbrev"],
    values: listValues,
    lastAlone: listFilters,
    operands: listed,
    unless: ({ operands, flags: given }) =>
      operands.length > 0 && !["-l", "--list", ...listFilters].some((flag) => given.has(flag)),
  },
  {
    names: ["git tag"],
    flags: flags("li", "list ignore-case no-column no-color omit-empty"),
    optional: ["-n", "--color", "--column"],
    values: listValues,
    lastAlone: listFilters,
    operands: listed,
    unless: ({ operands, flags: given }) =>
      operands.length > 0 && !["-l", "--list", "-n", ...listFilters].some((flag) => given.has(flag)),
  },
  {
    names: ["git for-each-ref"],
    flags: flags("s", "shell perl python tcl ignore-case omit-empty"),
    optional: ["--color"],
    values: { ...listValues, ...text("--exclude") },
    lastAlone: listFilters,
    operands: listed,
  },
  {
    names: ["git show-ref"],
    flags: flags("dsq", "head heads tags branches dereference verify quiet"),
    optional: ["--hash", "--abbrev"],
    operands: words,
  },
  {
    names: ["git symbolic-ref"],
    flags: flags("q", "short quiet no-recurse"),
    operands: words,
    unless: ({ operands }) => operands.length !== 1,
  },
  {
    names: ["git remote"],
    flags: flags("v", "verbose"),
    operands: nothing,
  },
  {
    names: ["git remote get-url"],
    flags: flags("", "push all"),
    operands: words,
  },
  {
    names: ["git remote show"],
    flags: flags("n"),
    operands: words,
    unless: ({ operands, flags: given }) => operands.length > 0 && !given.has("-n"),
  },
  {
    names: ["git check-ignore"],
    flags: flags("vqnz", "verbose quiet non-matching stdin no-index"),
    operands: names,
  },
  {
    names: ["git check-attr"],
    flags: flags("az", "all stdin cached"),
    operands: names,
  },
  {
    names: ["git worktree list", "git sparse-checkout list", "git bisect log", "git count-objects", "git notes list"],
    flags: flags("vHz", "verbose porcelain human-readable"),
    operands: nothing,
  },
  {
    names: ["git notes show"],
    operands: words,
  },
  {
    names: ["git submodule", "git submodule status", "git submodule summary"],
    flags: flags("q", "quiet cached recursive files"),
    operands: words,
    unless: ({ name, operands }) => name === "git submodule" && operands.length > 0,
  },
  {
    names: ["git clean"],
    flags: flags("ndxXq", "dry-run quiet"),
    values: text("-e --exclude"),
    needs: ["-n", "--dry-run"],
    operands: names,
  },
  {
    names: ["git hash-object"],
    flags: flags("", "stdin no-filters"),
    values: text("-t --path"),
    operands: file,
  },
  {
    names: ["git apply"],
    flags: flags(
      "Rvz",
      "check stat numstat summary reverse verbose cached index recount ignore-whitespace unidiff-zero",
    ),
    values: text("--include --exclude -p -C --whitespace"),
    needs: ["--check", "--stat", "--numstat", "--summary"],
    operands: file,
  },
  {
    names: ["git var"],
    operands: words,
    unless: ({ operands }) =>
      operands.some(({ value }) => !/^GIT_(?:AUTHOR_IDENT|COMMITTER_IDENT|DEFAULT_BRANCH)$/.test(value)),
  },
  {
    names: ["git fsck"],
    flags: flags(
      "v",
      "full no-full no-dangling dangling unreachable no-reflogs connectivity-only root tags cache strict verbose progress no-progress name-objects",
    ),
    operands: words,
  },
  {
    names: ["git version", "git --version", "git -v"],
    flags: flags("", "build-options"),
    operands: nothing,
  },
];

function withoutKey(values: Readonly<Record<string, "text">>, key: string): Readonly<Record<string, "text">> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
}

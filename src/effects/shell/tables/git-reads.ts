import { aimsAtClosed } from "../git/aimed-pattern.ts";
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
} from "../git/operands.ts";
import type { OutputKind, ProgramCall, ProgramEntry } from "../program-entry.ts";
import { flags, text } from "./flag-lists.ts";

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
    examples: {
      match: [
        "git status --long",
        "git status -bs",
        "git status --porcelain=v2 --branch",
        "git --no-optional-locks status -uno",
        "git status --short -- src 'tests/*.ts'",
      ],
      noMatch: ["git -c x=y status", "git status --x", "git --git-dir=x status", "git --work-tree / status"],
    },
  },
  {
    names: ["git diff"],
    flags: [...diffFlags, ...flags("cm", "cc combined-all-paths base ours theirs no-index")],
    optional: diffOptional,
    values: diffValues,
    operands: history,
    output: namesOnly,
    examples: {
      match: [
        "git diff --patience",
        "git diff --stat HEAD~1",
        "git diff main..topic -- src/a.ts",
        "git diff --cached --name-only",
        "git diff -U5 --word-diff=color",
        "git --no-pager diff -w",
        "git diff -- '*.ts' ':!src/b.ts' ':(exclude)dist'",
        "git -P diff HEAD:a.ts src/a.ts",
        "git -C src diff",
        "git diff --no-index a.ts src/a.ts",
      ],
      noMatch: [
        "git diff --output=x",
        "git diff --no-index a.ts /etc/hosts",
        "git diff --ext-diff",
        "git diff -O x",
        "git diff --text",
        "git diff -a",
        "git diff --binary",
        "git diff --submodule=diff",
        "git diff --stat --outp=x",
        "git diff ':(icase).ENV'",
        "git diff -- ':(glob)**/.e*'",
        "git diff :/",
        "git diff -- ':(exclude,attr:x)y'",
        "git diff HEAD~1:.docker HEAD:.docker",
      ],
    },
  },
  {
    names: ["git log", "git whatchanged"],
    flags: logFlags,
    optional: logOptional,
    values: { ...logValues, ...text("-L") },
    count: true,
    operands: history,
    examples: {
      match: [
        "git log --oneline -5",
        "git log -p -- src/a.ts",
        "git log --format=%H -n 3",
        "git log -L 1,5:src/a.ts",
        "git log -L:main:a.ts",
        "git log --follow --stat -- a.ts",
        "git log -S foo --since='2 weeks ago' --author me",
        "git log -G 'x.*y' --all --graph --decorate",
        "git log --pretty=format:'%h %s' main..HEAD",
        "git log 'HEAD@{yesterday}..HEAD'",
      ],
      noMatch: [
        "git log --output=x",
        "git log -O x",
        "git log --committer=x --output=y",
        "git log --show-signature -n 1",
        "git log -L 1,5",
        "git log --stdin",
        "git log *",
      ],
    },
  },
  {
    names: ["git show"],
    flags: logFlags,
    optional: logOptional,
    values: logValues,
    count: true,
    operands: objects,
    examples: {
      match: [
        "git show HEAD~4",
        "git show HEAD:a.ts",
        "git show --stat HEAD~2 -- src",
        "git show :a.ts",
        "git show v1.0",
      ],
      noMatch: ["git show --ext-diff", "git show --textconv", "git show ':/fix'", "git show --text HEAD"],
    },
  },
  {
    names: ["git stash show"],
    flags: [...diffFlags, ...flags("", "include-untracked only-untracked no-include-untracked")],
    // It sorts its words by their first letter before it reads flags: a value of its own word may become something else.
    optional: [...diffOptional, ...Object.keys(diffValues)],
    operands: objects,
    examples: {
      match: ["git stash show", "git stash show -p stash@{1}", "git stash show --stat -U5"],
      noMatch: ["git stash show --output=x", "git stash show --binary", "git stash show -S a -S --output=x"],
    },
  },
  {
    names: ["git reflog", "git reflog show", "git stash list"],
    flags: logFlags,
    optional: logOptional,
    values: logValues,
    count: true,
    operands: history,
    unless: ({ operands }) => operands.some(({ value }) => /^(?:expire|delete|drop|exists|list|write)$/.test(value)),
    examples: {
      match: [
        "git stash list --date=iso",
        "git reflog -5",
        "git reflog show main --date=iso",
        "git reflog --format=%gd",
      ],
      noMatch: ["git reflog expire --all", "git reflog --all delete x", "git reflog --format=%H --output=x"],
    },
  },
  {
    names: ["git shortlog"],
    flags: [...walkFlags, ...flags("nsec", "numbered summary email committer")],
    optional: [...walkOptional, "-w", "--format", "--pretty"],
    values: { ...withoutKey(walkValues, "--committer"), ...text("--group --date") },
    operands: history,
    examples: {
      match: ["git shortlog -sn", "git shortlog -sne HEAD~5..HEAD", "git shortlog --committer -s"],
      noMatch: [
        "git shortlog --committer --output=x",
        "git shortlog -n --output=x",
        "git shortlog --format --output=x",
      ],
    },
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
    examples: {
      match: [
        "git rev-list --count HEAD~1",
        "git rev-list -n 1 main",
        "git rev-list --objects --all",
        "git rev-list -3 HEAD",
      ],
      noMatch: ["git rev-list --stdin", "git rev-list --output=x HEAD", "git rev-list --format --output=x HEAD"],
    },
  },
  {
    names: ["git diff-tree", "git diff-index", "git diff-files"],
    flags: [...diffFlags, ...flags("cmv", "cc root no-commit-id always combined-all-paths")],
    optional: [...diffOptional, "--pretty", "--format"],
    values: diffValues,
    operands: history,
    output: namesOnly,
    examples: {
      match: [
        "git diff-tree --no-commit-id --name-only -r HEAD~1",
        "git diff-index --quiet HEAD --",
        "git diff-files -p",
        "git diff-index --cached HEAD",
      ],
      noMatch: ["git diff-tree --stdin", "git diff-index --output=x HEAD", "git diff-files --text"],
    },
  },
  {
    names: ["git range-diff"],
    flags: [...diffFlags, ...flags("", "dual-color no-dual-color left-only right-only no-notes")],
    optional: [...diffOptional, "--notes"],
    values: { ...diffValues, ...text("--creation-factor") },
    operands: history,
    examples: { match: ["git range-diff main~3..main topic~3..topic"], noMatch: ["git range-diff --output=x a...b"] },
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
    examples: {
      match: ["git blame -L 1,20 a.ts", "git blame HEAD~1 -- a.ts", "git annotate a.ts", "git blame -w -C -C src/a.ts"],
      noMatch: ["git blame -S x a", "git blame --textconv a", "git blame *.ts", "git blame :x"],
    },
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
    operands: searched,
    output: ({ flags: given }) =>
      ["-l", "-L", "--files-with-matches", "--files-without-match", "--name-only"].some((flag) => given.has(flag))
        ? "names"
        : undefined,
    examples: {
      match: [
        "git grep -n foo",
        "git grep foo -- src '*.ts'",
        "git grep -e a --and -e b",
        "git grep -l foo HEAD~1 -- src",
        "git grep -c -2 foo main",
      ],
      noMatch: [
        "git grep -O foo",
        "git grep --open-files-in-pager foo",
        "git grep -f x",
        "git grep -a foo",
        "git grep --text foo",
        "git grep --no-index foo",
        "git grep --recurse-submodules foo",
        "git grep foo 'HEAD^{tree}'",
        "git grep foo HEAD:src",
        "git grep -- foo HEAD:",
        "git grep foo AUTO_MERGE",
      ],
    },
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
    examples: {
      match: [
        "git rev-parse HEAD^2",
        "git rev-parse --show-toplevel",
        "git rev-parse --abbrev-ref HEAD~0",
        "git rev-parse --abbrev-ref --symbolic-full-name @{u}",
        "git rev-parse --short=8 HEAD~2",
      ],
      noMatch: ["git rev-parse --parseopt", "git rev-parse --resolve-git-dir x"],
    },
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
    examples: {
      match: [
        "git ls-files -t",
        "git ls-files -mo --exclude-standard src",
        "git ls-files '*.ts'",
        "git ls-files -s .env",
      ],
      noMatch: ["git ls-files -X file", "git ls-files --recurse-submodules", "git ls-files ':(icase)x'"],
    },
  },
  {
    names: ["git ls-tree"],
    flags: flags("rdtlz", "long name-only name-status object-only full-name full-tree"),
    optional: ["--abbrev"],
    values: text("--format"),
    operands: words,
    output: namesOnly,
    examples: {
      match: ["git ls-tree -r HEAD", "git ls-tree --name-only HEAD~1 src/"],
      noMatch: ["git ls-tree --x HEAD"],
    },
  },
  {
    names: ["git cat-file"],
    flags: flags("tspe", "batch-all-objects buffer unordered"),
    optional: ["--batch-check"],
    operands: stored,
    examples: {
      match: [
        "git cat-file -p HEAD~1",
        "git cat-file -t HEAD:a.ts",
        "git cat-file -p HEAD:a.ts",
        "git cat-file -p 'HEAD^{tree}'",
        "git cat-file blob HEAD:a.ts",
        "git cat-file commit HEAD",
        "git cat-file --batch-check",
      ],
      noMatch: [
        "git cat-file --textconv x",
        "git cat-file --filters x",
        "git cat-file --batch",
        "git cat-file -t -p HEAD:a.ts",
        "git cat-file --batch-command",
      ],
    },
  },
  {
    names: ["git merge-base"],
    flags: flags("a", "all octopus independent is-ancestor fork-point"),
    operands: words,
    examples: {
      match: ["git merge-base main HEAD", "git merge-base --is-ancestor a b"],
      noMatch: ["git merge-base --x a"],
    },
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
    examples: {
      match: [
        "git describe --tags --always --dirty",
        "git name-rev --name-only HEAD",
        "git cherry -v topic",
        "git show-branch -a",
      ],
      noMatch: ["git name-rev --stdin", "git describe --x"],
    },
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
    examples: {
      match: [
        "git branch",
        "git branch -ra",
        "git branch -vva",
        "git branch --show-current --no-color",
        "git branch --merged",
        "git branch -r --merged main",
        "git branch --list 'feature/*'",
        "git branch --sort=-committerdate --format='%(refname:short)'",
      ],
      noMatch: [
        "git branch x",
        "git branch -D x",
        "git branch -m a b",
        "git branch -a x",
        "git branch --edit-description x",
      ],
    },
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
    examples: {
      match: [
        "git tag --no-column",
        "git tag -l",
        "git tag --list 'v*'",
        "git tag -n3",
        "git tag --sort=-v:refname",
        "git tag --contains",
      ],
      noMatch: ["git tag v1", "git tag -d v1", "git tag -a v1 -m x", "git tag --sort=x v1"],
    },
  },
  {
    names: ["git for-each-ref"],
    flags: flags("s", "shell perl python tcl ignore-case omit-empty"),
    optional: ["--color"],
    values: { ...listValues, ...text("--exclude") },
    lastAlone: listFilters,
    operands: listed,
    examples: {
      match: ["git for-each-ref --sort=-committerdate refs/heads/ --format='%(refname)'", "git for-each-ref --count=5"],
      noMatch: ["git for-each-ref --stdin"],
    },
  },
  {
    names: ["git show-ref"],
    flags: flags("dsq", "head heads tags branches dereference verify quiet"),
    optional: ["--hash", "--abbrev"],
    operands: words,
    examples: {
      match: ["git show-ref --heads -d", "git show-ref --verify refs/heads/main"],
      noMatch: ["git show-ref --exclude-existing"],
    },
  },
  {
    names: ["git symbolic-ref"],
    flags: flags("q", "short quiet no-recurse"),
    operands: words,
    unless: ({ operands }) => operands.length !== 1,
    examples: {
      match: ["git symbolic-ref HEAD", "git symbolic-ref --short refs/remotes/origin/HEAD"],
      noMatch: ["git symbolic-ref HEAD refs/heads/x", "git symbolic-ref -d HEAD"],
    },
  },
  {
    names: ["git remote"],
    flags: flags("v", "verbose"),
    operands: nothing,
    examples: { match: ["git remote", "git remote --verbose"], noMatch: ["git remote add x y", "git remote update"] },
  },
  {
    names: ["git remote get-url"],
    flags: flags("", "push all"),
    operands: words,
    examples: {
      match: ["git remote get-url origin", "git remote get-url --push origin"],
      noMatch: ["git remote get-url --x o"],
    },
  },
  {
    names: ["git remote show"],
    flags: flags("n"),
    operands: words,
    unless: ({ operands, flags: given }) => operands.length > 0 && !given.has("-n"),
    examples: { match: ["git remote show", "git remote show -n origin"], noMatch: ["git remote show upstream"] },
  },
  {
    names: ["git check-ignore"],
    flags: flags("vqnz", "verbose quiet non-matching stdin no-index"),
    operands: names,
    examples: { match: ["git check-ignore -v node_modules .env"], noMatch: ["git check-ignore --x a"] },
  },
  {
    names: ["git check-attr"],
    flags: flags("az", "all stdin cached"),
    operands: names,
    examples: { match: ["git check-attr -a -- a.ts", "git check-attr diff a.ts"], noMatch: ["git check-attr --x a"] },
  },
  {
    names: ["git worktree list", "git sparse-checkout list", "git bisect log", "git count-objects", "git notes list"],
    flags: flags("vHz", "verbose porcelain human-readable"),
    operands: nothing,
    examples: {
      match: ["git worktree list --porcelain", "git count-objects -vH", "git bisect log"],
      noMatch: ["git worktree prune", "git worktree list --expire x", "git bisect log x"],
    },
  },
  {
    names: ["git notes show"],
    operands: words,
    examples: { match: ["git notes show HEAD"], noMatch: ["git notes show --x"] },
  },
  {
    names: ["git submodule", "git submodule status", "git submodule summary"],
    flags: flags("q", "quiet cached recursive files"),
    operands: words,
    unless: ({ name, operands }) => name === "git submodule" && operands.length > 0,
    examples: {
      match: ["git submodule", "git submodule status --recursive", "git submodule summary"],
      noMatch: ["git submodule foreach ls", "git submodule update", "git submodule --quiet update"],
    },
  },
  {
    names: ["git clean"],
    flags: flags("ndxXq", "dry-run quiet"),
    values: text("-e --exclude"),
    needs: ["-n", "--dry-run"],
    operands: names,
    examples: { match: ["git clean -nd", "git clean --dry-run -x"], noMatch: ["git clean -d", "git clean -i"] },
  },
  {
    names: ["git hash-object"],
    flags: flags("", "stdin no-filters"),
    values: text("-t --path"),
    operands: file,
    examples: {
      match: ["git hash-object a.ts"],
      noMatch: ["git hash-object -w a.ts", "git hash-object --stdin-paths"],
    },
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
    examples: {
      match: ["git apply --stat a.ts", "git apply --check -p1 a.ts"],
      noMatch: [
        "git apply a.ts",
        "git apply -p --check a.ts",
        "git apply --stat --apply a.ts",
        "git apply --check --build-fake-ancestor=x a.ts",
      ],
    },
  },
  {
    names: ["git var"],
    operands: words,
    unless: ({ operands }) =>
      operands.some(({ value }) => !/^GIT_(?:AUTHOR_IDENT|COMMITTER_IDENT|DEFAULT_BRANCH)$/.test(value)),
    examples: { match: ["git var GIT_COMMITTER_IDENT"], noMatch: ["git var GIT_EDITOR", "git var -l"] },
  },
  {
    names: ["git fsck"],
    flags: flags(
      "v",
      "full no-full no-dangling dangling unreachable no-reflogs connectivity-only root tags cache strict verbose progress no-progress name-objects",
    ),
    operands: words,
    examples: { match: ["git fsck --no-dangling"], noMatch: ["git fsck --lost-found"] },
  },
  {
    names: ["git version", "git --version", "git -v"],
    flags: flags("", "build-options"),
    operands: nothing,
    examples: { match: ["git --version --build-options", "git version --build-options"], noMatch: ["git version x"] },
  },
];

function withoutKey(values: Readonly<Record<string, "text">>, key: string): Readonly<Record<string, "text">> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
}

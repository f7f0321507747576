import { basename, join } from "node:path/posix";

/** What a program is known to write, as far as its words tell. */
export interface KnownWrites {
  /** These and nothing below them. */
  readonly files: readonly string[];
  /** These and what is below them. */
  readonly trees: readonly string[];
  /** Below every `.git`. */
  readonly repository?: true;
  /** It may write elsewhere as well, for as long as it runs. */
  readonly more?: true;
}

/** Of a program that runs with these words; `undefined` when it may write anywhere. */
export function knownWrites(
  argv: readonly string[],
  { cwd, roots }: { readonly cwd: string; readonly roots: readonly string[] },
): KnownWrites | undefined {
  const [program = "", ...words] = withoutLauncher(argv);
  const name = basename(program);
  if (name === "git") return gitWrites(words, roots);
  const installed = installs(name, words);
  if (installed !== undefined) return { files: installed.map((file) => join(cwd, file)), trees: [], more: true };
  const form = formatters[name]?.find((one) => isMeant(one, words));
  if (form === undefined) return undefined;
  const operands = words.filter((word) => !word.startsWith("-")).slice(form.verb === undefined ? 0 : 1);
  const places = operands.length === 0 ? [cwd] : operands.map((word) => join(cwd, plainPart(word)));
  return { files: [], trees: places.map((place) => place.replace(/(.)\/$/, "$1")) };
}

/** What a pattern is sure to begin with. */
function plainPart(word: string): string {
  const pattern = word.search(/[*?[{]/);
  if (pattern < 0) return word;
  return word.slice(0, word.lastIndexOf("/", pattern) + 1) || ".";
}

const launchers: Readonly<Record<string, readonly string[] | undefined>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  npm: ["exec", "x"],
  pnpm: ["exec", "dlx"],
  yarn: ["exec", "dlx"],
  bun: ["x"],
  uv: ["run"],
  poetry: ["run"],
  pipenv: ["run"],
  pdm: ["run"],
  python: ["-m"],
  python3: ["-m"],
};

function withoutLauncher(argv: readonly string[]): readonly string[] {
  const [program = "", ...words] = argv;
  const verbs = launchers[basename(program)];
  if (verbs === undefined) return argv;
  if (verbs.length > 0 && !verbs.includes(words[0] ?? "")) return argv;
  const rest = words.slice(verbs.length === 0 ? 0 : 1);
  const first = rest.findIndex((word) => !word.startsWith("-"));
  return first < 0 ? argv : rest.slice(first);
}

interface Form {
  readonly verb?: string;
  /** One of them has to be there. */
  readonly needs?: readonly string[];
  /** With one of them it only looks. */
  readonly looks?: readonly string[];
}

const fix: readonly Form[] = [{ needs: ["--fix"] }];
const inPlace: readonly Form[] = [{ needs: ["-i", "--in-place"] }];
const write: readonly Form[] = [{ needs: ["-w", "--write"] }];
const only = (...looks: readonly string[]): readonly Form[] => [{ looks }];
const format = (verb: string, ...looks: readonly string[]): readonly Form[] => [{ verb, looks }];
const biome = ["--write", "--fix", "--apply", "--apply-unsafe"];

/** Programs that rewrite files in place, in the forms in which they do. */
const formatters: Readonly<Record<string, readonly Form[] | undefined>> = {
  autopep8: inPlace,
  biome: ["check", "format", "lint"].map((verb) => ({ verb, needs: biome })),
  black: only("--check", "--diff"),
  cargo: format("fmt", "--check"),
  "clang-format": inPlace,
  dart: format("format", "--output=none", "-o"),
  deno: format("fmt", "--check"),
  dprint: format("fmt"),
  eslint: fix,
  go: format("fmt", "-n"),
  gofmt: write,
  goimports: write,
  isort: only("--check", "--check-only", "-c", "--diff"),
  mix: format("format", "--check-formatted"),
  prettier: write,
  rubocop: [{ needs: ["-a", "-A", "--autocorrect", "--autocorrect-all"] }],
  ruff: [
    { verb: "format", looks: ["--check", "--diff"] },
    { verb: "check", needs: ["--fix"] },
  ],
  rustfmt: only("--check"),
  shfmt: write,
  standard: fix,
  stylelint: fix,
  terraform: format("fmt", "-check"),
  xo: fix,
  yapf: inPlace,
};

function isMeant({ verb, needs, looks = [] }: Form, words: readonly string[]): boolean {
  if (verb !== undefined && words.find((word) => !word.startsWith("-")) !== verb) return false;
  if (needs !== undefined && !words.some((word) => needs.includes(word))) return false;
  return !words.some((word) => looks.includes(word));
}

const npmFiles = [
  ...["package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock"],
  ...["bun.lock", "bun.lockb"],
];
const npmVerbs = words("install i ci add remove rm uninstall un update up upgrade dedupe link");

/** What package managers keep their books in, by what they are told. */
const managers: Readonly<
  Record<string, { readonly verbs: ReadonlySet<string>; readonly files: readonly string[] } | undefined>
> = {
  npm: { verbs: npmVerbs, files: npmFiles },
  pnpm: { verbs: npmVerbs, files: npmFiles },
  yarn: { verbs: new Set([...npmVerbs, ""]), files: npmFiles },
  bun: { verbs: npmVerbs, files: npmFiles },
  cargo: { verbs: words("add remove rm update"), files: ["Cargo.toml", "Cargo.lock"] },
  go: { verbs: words("get mod"), files: ["go.mod", "go.sum"] },
  poetry: { verbs: words("add remove update lock install"), files: ["pyproject.toml", "poetry.lock"] },
  uv: { verbs: words("add remove lock sync"), files: ["pyproject.toml", "uv.lock"] },
  composer: { verbs: words("install update require remove"), files: ["composer.json", "composer.lock"] },
  bundle: { verbs: words("install update add remove"), files: ["Gemfile", "Gemfile.lock"] },
};

function installs(name: string, given: readonly string[]): readonly string[] | undefined {
  const manager = managers[name];
  const verb = given.find((word) => !word.startsWith("-")) ?? "";
  return manager?.verbs.has(verb) ? manager.files : undefined;
}

/** Sub-commands that change files beside `.git`. */
const changesTree = words(
  "am apply bisect checkout cherry-pick clean merge mv pull rebase reset restore revert rm sparse-checkout stash submodule switch worktree",
);

/** Wherever it stands: git keeps its books in `.git`, and some of its commands rewrite the tree around it. */
function gitWrites(given: readonly string[], roots: readonly string[]): KnownWrites | undefined {
  let at = 0;
  while (given[at]?.startsWith("-")) at += given[at] === "-C" || given[at] === "-c" ? 2 : 1;
  const [verb = "", ...rest] = given.slice(at);
  if (runsOthers(verb, rest)) return undefined;
  const rewrites = changesTree.has(verb) && !onlyBooks(verb, rest);
  return { files: [], trees: rewrites ? roots : [], repository: true };
}

/** Programs that it is told to run take their own time. */
function runsOthers(verb: string, rest: readonly string[]): boolean {
  if (verb === "bisect") return rest[0] === "run";
  if (verb === "submodule") return rest.includes("foreach");
  return verb === "rebase" && rest.some((word) => word.startsWith("-x") || word.startsWith("--exec"));
}

/** In these forms the files stay as they are. */
function onlyBooks(verb: string, rest: readonly string[]): boolean {
  const has = (...options: readonly string[]) => rest.some((word) => options.includes(word));
  switch (verb) {
    case "checkout":
      return has("-b", "-B") && operandsOf(rest) === 1;
    case "switch":
      return has("-c", "-C", "--create", "--force-create") && operandsOf(rest) === 1;
    case "reset":
      return !has("--hard", "--merge", "--keep");
    case "restore":
      return has("-S", "--staged") && !has("-W", "--worktree");
    case "rm":
    case "apply":
      return has("--cached");
    default:
      return false;
  }
}

function operandsOf(given: readonly string[]): number {
  return given.filter((word) => !word.startsWith("-")).length;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

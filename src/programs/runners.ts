import { isInsideAny } from "../contract/effect.ts";
import type { WorkspaceFacts } from "../contract/ports.ts";
import { rowsOf, setOf } from "./flag-lists.ts";
import { here, roleEffects } from "./path-operands.ts";
import type { CommandReading, ProgramCall, ProgramEntry, ShellWord, Site } from "./program-entry.ts";
import { asksForVersion, connects, isLiteral, notUnderstood, runs } from "./readings.ts";
import { runsNext, subCommandsOf, takesValue } from "./sub-commands.ts";

interface RunnerDescription {
  readonly words: RegExp;
  /** The directory with all below it, or the words that are no flags. Absent: what is installed, and nothing here. */
  readonly reads?: "here" | "files" | "trees";
  /** Files of the workspace, here or above, that may name a program for it to run. */
  readonly unless?: readonly string[];
}

const npmRegistry = "registry.npmjs.org";
const pythonHosts = ["pypi.org", "files.pythonhosted.org"];

/** asdf and mise start what these files name, a path of the project included. */
const toolVersions = [".tool-versions", "mise.toml", ".mise.toml"];
const rustToolchain = ["rust-toolchain", "rust-toolchain.toml", ...toolVersions];

const npmVerbs = `
  install i in ci add update up upgrade audit outdated view info show search publish login logout dlx x create init
    link adduser whoami ping dist-tag deprecate unpublish access owner team token install-test it dedupe ddp rebuild
    fund star doctor
`.trim();

const npmLists =
  /^(?:(?:ls|list|ll|la)(?: (?:--depth[= ]\d+|--(?:all|json|long|parseable|prod|production|dev)|-[alp]|--omit=\w+|[@a-z][\w.@/-]*))*|(?:explain|why) [@a-z][\w.@/-]*|pkg get(?: [\w[][\w.[\]@/-]*)*|prefix|root|run)$/;
const pipLists =
  /^(?:list(?: (?:--format[= ](?:columns|freeze|json)|--not-required|--local|-l|--editable|-e))*|show(?: (?:-f|--files|-v|--verbose|[\w][\w.-]*))+|freeze(?: (?:--all|--local|-l))*|check)$/;
const pipLocal = /^(?:list|show|freeze|check|config|cache|inspect|debug|help|uninstall|-V|--version|-h|--help)$/;
const pipStays = (verb: ShellWord | undefined) => verb !== undefined && isLiteral(verb) && pipLocal.test(verb.value);
const goTells = /^(?:env(?: (?:-json|-changed|[A-Z][A-Z0-9_]*))*|help(?: [a-z][\w-]*)*)$/;
const cargoTells =
  /^(?:locate-project(?: --workspace)?|metadata(?=.* --no-deps)(?: (?:--no-deps|--offline|--format-version[= ]1))+)$/;
const descriptions: Readonly<Record<string, RunnerDescription>> = {
  npm: { words: npmLists, reads: "here", unless: [".npmrc"] },
  pip: { words: pipLists },
  cargo: { words: cargoTells, reads: "here", unless: [".cargo/config", ".cargo/config.toml"] },
  go: { words: goTells },
  rustc: { words: /^--print[= ](?:sysroot|target-list|target-libdir|host-tuple|cfg)$/ },
  node: { words: /^(?:--check|-c) [^-]\S*\.[cm]?js$/, reads: "files" },
  gofmt: { words: /^-[lde](?: (?:-[ldes]|[^-]\S*))*$/, reads: "trees" },
};

/** Tools that a project has among its own packages. Asked for by name they are run, not fetched. */
const projectTools = setOf(
  "tsc vue-tsc svelte-check tsx ts-node vitest jest mocha ava tap playwright cypress karma jasmine wdio c8 nyc eslint prettier biome @biomejs/biome oxlint stylelint standard knip madge depcheck typedoc tsup next vite webpack rollup esbuild parcel turbo nx lerna astro nuxt ng svelte-kit tsd attw publint markdownlint markdownlint-cli2 commitlint lint-staged cspell size-limit dpdm ncu-check tailwindcss",
);

/**
 * Programs that run code which the project or the words choose; the sandbox holds the rest. With one of `verbs` they
 * also reach `hosts`; `bare` does so without a verb. Some verbs of those with `settings` change settings. `versions`
 * stand alone and print before anything of the project is looked at. pnpm and yarn have none: Corepack and
 * `yarnPath` choose which they are, as the wrappers of mvn and gradle do. `tools` and `rust` name files that do.
 */
export const runners = rowsOf(
  `
  npm; versions --version -v; tools; settings; hosts registry.npmjs.org; verbs ${npmVerbs} exec
  pnpm; settings; hosts registry.npmjs.org; verbs ${npmVerbs}
  yarn; settings; hosts registry.npmjs.org registry.yarnpkg.com; verbs ${npmVerbs}; bare
  bun; versions --version -v; tools; hosts registry.npmjs.org; verbs ${npmVerbs} exec
  ${[...runsNext].join(" ")} corepack; hosts registry.npmjs.org; verbs *; bare
  deno; versions --version -V; tools; hosts deno.land jsr.io registry.npmjs.org; verbs add install cache outdated
    publish upgrade remove
  pip pip3; versions --version -V; tools; hosts pypi.org files.pythonhosted.org; verbs install download wheel search
    index
  poetry pdm pipenv hatch rye conda mamba; hosts pypi.org files.pythonhosted.org; verbs install add sync lock update
    upgrade publish pip tool search index self remove inject create
  pipx; hosts pypi.org files.pythonhosted.org; verbs install add sync lock update upgrade publish pip tool search
    index self remove inject create run
  uv uvx; versions --version -V; tools; hosts pypi.org files.pythonhosted.org; verbs add sync lock pip tool self
    remove publish python export x
  cargo; versions --version -V version; rust; hosts crates.io index.crates.io static.crates.io; verbs install add
    update fetch publish search login owner yank upgrade audit
  go; versions version; tools; hosts proxy.golang.org sum.golang.org; verbs get install mod~tidy mod~download
    mod~vendor mod~graph mod~why work~sync
  openssl; versions version; hosts a~host; verbs s_client s_server s_time ocsp cmp ts
  bundle bundler gem; hosts rubygems.org index.rubygems.org; verbs install add update push outdated fetch search lock
  composer; hosts repo.packagist.org packagist.org api.github.com; verbs install i require update u outdated
    create-project global search self-update
  mix rebar3; hosts repo.hex.pm hex.pm; verbs deps deps.get deps.update local.hex archive.install hex.publish
  dotnet nuget; hosts api.nuget.org; verbs restore add tool new workload push install
  mvn gradle sbt lein ant bazel bazelisk; hosts repo.maven.apache.org repo1.maven.org; verbs dependency:resolve
    dependency:get dependency:go-offline deploy release:perform deps
  dart flutter; hosts pub.dev; verbs pub upgrade
  rustc; versions --version -V -vV; rust
  rustfmt rustdoc cargo-clippy clippy-driver; versions --version -V -vV; rust
  php perl ruby tsc make gmake; versions --version -v; tools
  node nodejs; versions --version -v; tools
  python python2 python3; versions --version -V -VV; tools
  R Rscript julia ghc swift gcc g++ cc c++ clang clang++ ld as cmake ninja meson nim lua runghc scala kotlin groovy
    guile ocaml zig; versions --version; tools
  tclsh wish erl elixir iex
  java javac; versions -version --version; tools
  ruff black mypy isort biome oxlint golangci-lint shellcheck shfmt hadolint clang-format clang-tidy yamllint
    actionlint protoc buf just hyperfine; versions --version; tools
  gofmt; tools
  tsx ts-node swc esbuild webpack vite rollup parcel turbo nx lerna rush next nuxt astro remix ng expo metro task rake
    grunt gulp invoke fab scons waf premake autoconf automake configure tox nox jest vitest mocha ava tap playwright
    cypress karma jasmine wdio pytest py.test unittest coverage phpunit pest rspec minitest cucumber behave robot
    ctest gotestsum nyc c8 newman k6 locust eslint prettier standard stylelint pyright pyre flake8 pylint bandit
    rubocop goimports staticcheck markdownlint ktlint detekt checkstyle phpstan psalm php-cs-fixer phpcs swiftlint
    swiftformat pre-commit husky lint-staged commitlint semantic-release changeset typedoc jsdoc sphinx-build mkdocs
    hugo jekyll prisma drizzle-kit knex sequelize typeorm alembic rails django-admin flask uvicorn gunicorn celery
    streamlit jupyter ipython swag wire mockgen graphql-codegen openapi-generator storybook serve http-server
`,
  ["versions", "tools", "rust", "settings", "hosts", "verbs", "bare"],
).map(({ names, versions, tools, rust, settings, hosts, verbs = [], bare }) => ({
  names,
  versions,
  /** Calls that only tell what is there: nothing of the project runs. */
  describes: descriptions[names[0] ?? ""],
  chosenBy: rust !== undefined ? rustToolchain : tools !== undefined ? toolVersions : [],
  setsSettings: settings !== undefined,
  fetches: hosts && { hosts, verbs, bare: bare !== undefined },
}));

type RunnerEntry = (typeof runners)[number];

export const runnerPrograms: readonly ProgramEntry[] = runners.map((runner) => ({
  names: runner.names,
  verbatim: true,
  operands: (call, place) => readRunner(runner, call, place),
}));

function readRunner(runner: RunnerEntry, call: ProgramCall, place: Site): CommandReading {
  const { fetches, versions = [], chosenBy = [] } = runner;
  const { words, name } = call;
  if (asksForVersion(words, versions)) {
    const chooser = chosenBy.find((file) => liesAbove(file, place));
    if (chooser !== undefined) return runs(call, `the program that ${chooser} chooses`);
    return { effects: [], reason: `${name} only prints its version` };
  }
  const described = readDescription(runner, call, place);
  if (described !== undefined) return described;
  // `python -m pip install` is pip under another name.
  const module = words.findIndex((word) => word.value === "-m");
  const [, named, verb] = words.slice(module < 0 ? words.length : module);
  const isFetcher = named?.value === "pip" ? !pipStays(verb) : /^(?:pipx|uv)$/.test(named?.value ?? "");
  if (fetches === undefined && isFetcher) {
    return connects(call, pythonHosts, `${name} -m ${named?.value} fetches packages and runs them`);
  }
  if (fetches === undefined) return runs(call);

  const [first, second, third] = behindFlags(words, name);
  if (words.length > 0 && first === undefined) return runs(call);
  if (first === undefined) return fetches.bare === true ? fetching(fetches.hosts) : runs(call);
  if (!isLiteral(first)) return notUnderstood(`${name} with a sub-command that is known only when it runs`);
  if (fetches.verbs.includes("*"))
    return isProjectTool(words) || isInstalled(first.value, place) ? runs(call) : fetching(fetches.hosts);
  if (
    runner.setsSettings &&
    (first.value === "set" ||
      (/^c(?:onfig)?$/.test(first.value) && /^(?:set|delete|rm|edit|fix)$/.test(second?.value ?? "")))
  ) {
    return notUnderstood(`${name} ${first.value} changes settings`);
  }
  // A flag in front of the verb may take it as its value, so then the verb is not known.
  if (first.value.startsWith("-")) {
    return words.length === 1 ? runs(call) : notUnderstood(`${name} with a flag before its sub-command`);
  }
  const tool = second?.value === "--" ? third : second;
  if (/^(?:exec|x)$/.test(first.value) && tool && isLiteral(tool) && isInstalled(tool.value, place)) return runs(call);
  const verbs = [first.value, `${first.value} ${second?.value}`];
  return verbs.some((verb) => fetches.verbs.includes(verb)) ? fetching(fetches.hosts) : runs(call);

  function fetching(hosts: readonly string[]): CommandReading {
    // It wants none, and gets none.
    if (words.some(({ value }) => value === "--offline")) return runs(call);
    const own = hosts[0] === npmRegistry ? registryOf(words, place) : undefined;
    const from = own?.host ?? hosts[0] ?? "";
    const reading = connects(
      call,
      own === undefined ? hosts : [from],
      `${name} ${words[0]?.value ?? ""} fetches from ${from} and runs what it gets`,
    );
    const effects = reading.effects.map((effect) => (effect.op === "connect" && own ? { ...effect, ...own } : effect));
    return { ...reading, effects };
  }
}

/** Named on the command line or in the settings; a proxy that finds another one used asks about that. */
function registryOf(words: readonly ShellWord[], { view }: Site): WorkspaceFacts["npmRegistry"] {
  const at = words.findIndex(({ value }) => /^--registry(?:=|$)/.test(value));
  const written = words[at]?.value.split("=")[1] ?? words[at + 1]?.value ?? "";
  if (at < 0 || !URL.canParse(written)) return view.workspace.npmRegistry;
  const { hostname: host, port } = new URL(written);
  return { host, ...(port && { port: Number(port) }) };
}

function readDescription(
  { describes: found, chosenBy = [] }: RunnerEntry,
  { name, words }: ProgramCall,
  place: Site,
): CommandReading | undefined {
  if (!words.every((word) => isLiteral(word) && !word.tilde && !/\s/.test(word.value))) return undefined;
  const text = words.map(({ value }) => value).join(" ");
  if (found?.words.test(text) !== true || chosenBy.some((file) => liesAbove(file, place))) return undefined;
  if (found.unless?.some((file) => liesAbove(file, place, isInWorkspace(place)))) return undefined;
  const files = found.reads === "here" ? [here] : words.filter(({ value }) => !value.startsWith("-"));
  const role = found.reads === "files" ? "read" : "read-tree";
  const effects = found.reads === undefined ? [] : files.flatMap((file) => roleEffects(role, file, false, place));
  // A directory would stand for a file that it names.
  if (found.reads === "files" && !effects.every((effect) => effect.op === "read" && effect.path.kind === "file"))
    return undefined;
  return { effects, reason: `${name} ${words[0]?.value} only prints what is there` };
}

function isInWorkspace({ view }: Site): (directory: string) => boolean {
  return (directory) => isInsideAny(directory, view.workspace.roots);
}

/** The words from the verb on, or from a flag of which nobody knows whether it takes the next word. */
function behindFlags(words: readonly ShellWord[], name: string): readonly ShellWord[] {
  let at = 0;
  for (let word = words[at]; word !== undefined && isLiteral(word); word = words[at]) {
    const entry = subCommandsOf.get(name);
    const takes = /^-[DP][\w.]/.test(word.value) ? false : takesValue(word.value, entry);
    if (!word.value.startsWith("-") || entry === undefined || takes === undefined || word.value === "--") break;
    at += takes ? 2 : 1;
  }
  return words.slice(at);
}

/** Without a version, and without flags that name packages: `npx tsc -p .`, `npx --no-install x`. */
function isProjectTool([first, second]: readonly ShellWord[]): boolean {
  if (first === undefined || !isLiteral(first)) return false;
  if (/^--no(?:-install)?$/.test(first.value)) {
    return second !== undefined && isLiteral(second) && /^[a-z]/.test(second.value);
  }
  return projectTools.has(first.value);
}

function isInstalled(name: string, place: Site): boolean {
  return /^[a-z][\w-]*$/.test(name) && liesAbove(`node_modules/.bin/${name}`, place, isInWorkspace(place));
}

function liesAbove(file: string, { view, cwd }: Site, counts = (_directory: string) => true): boolean {
  const names = cwd.split("/");
  return names.some((_name, index) => {
    const directory = names.slice(0, names.length - index).join("/");
    if (!counts(directory)) return false;
    const found = view.resolve(`${directory}/${file}`);
    return !found.ok || found.value.kind !== "missing";
  });
}

export const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"]);

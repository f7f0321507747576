import { isInsideAny } from "../contract/effect.ts";
import type { WorkspaceFacts } from "../contract/ports.ts";
import { listed } from "./flag-lists.ts";
import { here, roleEffects } from "./path-operands.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramCall,
  type ProgramEntry,
  type ShellWord,
} from "./program-entry.ts";
import { asksForVersion, connects, isLiteral, runs } from "./readings.ts";
import { runsNext, subCommandsOf, takesValue } from "./sub-commands.ts";

/**
 * Programs that run code which the project or the words choose. With a verb of `fetches` they also reach the
 * hosts. Whatever else follows is the program's own business: the sandbox holds it.
 */
export interface RunnerEntry {
  readonly names: readonly string[];
  /** Words that, standing alone, only print a version before anything of the project is looked at. */
  readonly versions?: readonly string[];
  /** Calls that only tell what is there: nothing of the project runs. */
  readonly describes?: readonly Description[];
  /** Files of the project, here or above, that choose which program the name stands for. */
  readonly chosenBy?: readonly string[];
  /** Verbs that change settings of the user or the project, each with what follows it. */
  readonly settings?: Readonly<Record<string, RegExp>>;
  readonly fetches?: { readonly hosts: readonly string[]; readonly verbs: readonly string[]; readonly bare?: boolean };
}

interface Description {
  /** The words behind the name, one blank between them. */
  readonly words: RegExp;
  /** The directory with all below it, or the words that are no flags. Absent: what is installed, and nothing here. */
  readonly reads?: "here" | "files" | "trees";
  /** Files of the workspace, here or above, that may name a program for it to run. */
  readonly unless?: readonly string[];
}

const npm = ["registry.npmjs.org"];
const pypi = ["pypi.org", "files.pythonhosted.org"];
const crates = ["crates.io", "index.crates.io", "static.crates.io"];
const golang = ["proxy.golang.org", "sum.golang.org"];
const maven = ["repo.maven.apache.org", "repo1.maven.org"];

/** asdf and mise start what these files name, a path of the project included. */
const toolVersions = [".tool-versions", "mise.toml", ".mise.toml"];
const rustToolchain = ["rust-toolchain", "rust-toolchain.toml", ...toolVersions];

const npmVerbs = listed(
  "install i in ci add update up upgrade audit outdated view info show search publish login logout dlx exec x create init link adduser whoami ping dist-tag deprecate unpublish access owner team token install-test it dedupe ddp rebuild fund star doctor",
);

const pythonVerbs = listed(
  "install add sync lock update upgrade publish pip tool search index self remove inject create",
);

const npmLists =
  /^(?:(?:ls|list|ll|la)(?: (?:--depth[= ]\d+|--(?:all|json|long|parseable|prod|production|dev)|-[alp]|--omit=\w+|[@a-z][\w.@/-]*))*|(?:explain|why) [@a-z][\w.@/-]*|pkg get(?: [\w[][\w.[\]@/-]*)*|prefix|root|run)$/;
const pipLists =
  /^(?:list(?: (?:--format[= ](?:columns|freeze|json)|--not-required|--local|-l|--editable|-e))*|show(?: (?:-f|--files|-v|--verbose|[\w][\w.-]*))+|freeze(?: (?:--all|--local|-l))*|check)$/;
const pipLocal = /^(?:list|show|freeze|check|config|cache|inspect|debug|help|uninstall|-V|--version|-h|--help)$/;
const pipStays = (verb: ShellWord | undefined) => verb !== undefined && isLiteral(verb) && pipLocal.test(verb.value);
const goTells = /^(?:env(?: (?:-json|-changed|[A-Z][A-Z0-9_]*))*|help(?: [a-z][\w-]*)*)$/;
const cargoTells =
  /^(?:locate-project(?: --workspace)?|metadata(?=.* --no-deps)(?: (?:--no-deps|--offline|--format-version[= ]1))+)$/;
const cargoSettings = [".cargo/config", ".cargo/config.toml"];

const npmSettings = { config: /^(?:set|delete|rm|edit|fix)$/, c: /^(?:set|delete|rm|edit|fix)$/, set: /^/ };
/** Tools that a project has among its own packages. Asked for by name they are run, not fetched. */
const projectTools: ReadonlySet<string> = new Set([
  ...listed("tsc vue-tsc svelte-check tsx ts-node vitest jest mocha ava tap playwright cypress karma jasmine wdio c8"),
  ...listed("nyc eslint prettier biome @biomejs/biome oxlint stylelint standard knip madge depcheck typedoc tsup"),
  ...listed("next vite webpack rollup esbuild parcel turbo nx lerna astro nuxt ng svelte-kit tsd attw publint"),
  ...listed("markdownlint markdownlint-cli2 commitlint lint-staged cspell size-limit dpdm ncu-check tailwindcss"),
]);

export const runners: readonly RunnerEntry[] = [
  {
    // `npm --version` reads settings of the project but none that it would run. Old ones ran the `onload-script` of them.
    names: ["npm"],
    versions: ["--version", "-v"],
    describes: [{ words: npmLists, reads: "here", unless: [".npmrc"] }],
    chosenBy: toolVersions,
    settings: npmSettings,
    fetches: { hosts: npm, verbs: npmVerbs },
  },
  {
    // Corepack and `packageManager` choose which pnpm this is, so even its version is code of the project.
    names: ["pnpm"],
    settings: npmSettings,
    fetches: { hosts: npm, verbs: npmVerbs.filter((verb) => verb !== "exec") },
  },
  {
    // `yarn --version` runs the `yarnPath` of the project.
    names: ["yarn"],
    settings: npmSettings,
    fetches: {
      hosts: [...npm, "registry.yarnpkg.com"],
      verbs: npmVerbs.filter((verb) => verb !== "exec"),
      bare: true,
    },
  },
  {
    names: ["bun"],
    versions: ["--version", "-v"],
    chosenBy: toolVersions,
    fetches: { hosts: npm, verbs: npmVerbs },
  },
  {
    names: [...runsNext, "corepack"],
    fetches: { hosts: npm, verbs: ["*"], bare: true },
  },
  {
    names: ["deno"],
    versions: ["--version", "-V"],
    chosenBy: toolVersions,
    fetches: {
      hosts: ["deno.land", "jsr.io", ...npm],
      verbs: listed("add install cache outdated publish upgrade remove"),
    },
  },
  {
    names: ["pip", "pip3"],
    versions: ["--version", "-V"],
    chosenBy: toolVersions,
    describes: [{ words: pipLists }],
    fetches: { hosts: pypi, verbs: listed("install download wheel search index") },
  },
  {
    names: ["poetry", "pdm", "pipenv", "hatch", "rye", "conda", "mamba"],
    fetches: { hosts: pypi, verbs: pythonVerbs },
  },
  {
    names: ["pipx"],
    fetches: { hosts: pypi, verbs: [...pythonVerbs, "run"] },
  },
  {
    names: ["uv", "uvx"],
    versions: ["--version", "-V"],
    chosenBy: toolVersions,
    fetches: { hosts: pypi, verbs: listed("add sync lock pip tool self remove publish python export x") },
  },
  {
    names: ["cargo"],
    versions: ["--version", "-V", "version"],
    describes: [{ words: cargoTells, reads: "here", unless: cargoSettings }],
    chosenBy: rustToolchain,
    fetches: {
      hosts: crates,
      verbs: listed("install add update fetch publish search login owner yank upgrade audit"),
    },
  },
  {
    names: ["go"],
    versions: ["version"],
    describes: [{ words: goTells }],
    chosenBy: toolVersions,
    fetches: {
      hosts: golang,
      verbs: ["get", "install", "mod tidy", "mod download", "mod vendor", "mod graph", "mod why", "work sync"],
    },
  },
  {
    names: ["openssl"],
    versions: ["version"],
    fetches: { hosts: ["a host"], verbs: listed("s_client s_server s_time ocsp cmp ts") },
  },
  {
    names: ["bundle", "bundler", "gem"],
    fetches: {
      hosts: ["rubygems.org", "index.rubygems.org"],
      verbs: listed("install add update push outdated fetch search lock"),
    },
  },
  {
    names: ["composer"],
    fetches: {
      hosts: ["repo.packagist.org", "packagist.org", "api.github.com"],
      verbs: listed("install i require update u outdated create-project global search self-update"),
    },
  },
  {
    names: ["mix", "rebar3"],
    fetches: {
      hosts: ["repo.hex.pm", "hex.pm"],
      verbs: listed("deps deps.get deps.update local.hex archive.install hex.publish"),
    },
  },
  {
    names: ["dotnet", "nuget"],
    fetches: { hosts: ["api.nuget.org"], verbs: listed("restore add tool new workload push install") },
  },
  {
    // The wrappers and `.mvn` choose the virtual machine's arguments, so even the version is code of the project.
    names: ["mvn", "gradle", "sbt", "lein", "ant", "bazel", "bazelisk"],
    fetches: {
      hosts: maven,
      verbs: listed("dependency:resolve dependency:get dependency:go-offline deploy release:perform deps"),
    },
  },
  {
    names: ["dart", "flutter"],
    fetches: { hosts: ["pub.dev"], verbs: ["pub", "upgrade"] },
  },
  {
    names: ["rustc"],
    versions: ["--version", "-V", "-vV"],
    describes: [{ words: /^--print[= ](?:sysroot|target-list|target-libdir|host-tuple|cfg)$/ }],
    chosenBy: rustToolchain,
  },
  {
    names: ["rustfmt", "rustdoc", "cargo-clippy", "clippy-driver"],
    versions: ["--version", "-V", "-vV"],
    chosenBy: rustToolchain,
  },
  {
    // `python -v` and `node version` run something: only what is known to print and stop is named.
    names: ["php", "perl", "ruby", "tsc", "make", "gmake"],
    versions: ["--version", "-v"],
    chosenBy: toolVersions,
  },
  {
    // With `--check` it parses the first file and prints the line that is wrong.
    names: ["node", "nodejs"],
    versions: ["--version", "-v"],
    describes: [{ words: /^(?:--check|-c) [^-]\S*\.[cm]?js$/, reads: "files" }],
    chosenBy: toolVersions,
  },
  {
    names: ["python", "python2", "python3"],
    versions: ["--version", "-V", "-VV"],
    chosenBy: toolVersions,
  },
  {
    names: [
      ...listed("R Rscript julia ghc swift gcc g++ cc c++ clang clang++ ld as cmake ninja meson nim"),
      ...listed("lua runghc scala kotlin groovy guile ocaml zig"),
    ],
    versions: ["--version"],
    chosenBy: toolVersions,
  },
  {
    // They have no such flag and run what they read, from their input or from a file of their own here.
    names: ["tclsh", "wish", "erl", "elixir", "iex"],
  },
  {
    names: ["java", "javac"],
    versions: ["-version", "--version"],
    chosenBy: toolVersions,
  },
  {
    // They print it before they look for settings. Those that load plugins of the project first are not among them.
    names: listed(
      "ruff black mypy isort biome oxlint golangci-lint shellcheck shfmt hadolint clang-format clang-tidy yamllint actionlint protoc buf just hyperfine",
    ),
    versions: ["--version"],
    chosenBy: toolVersions,
  },
  {
    names: ["gofmt"],
    describes: [{ words: /^-[lde](?: (?:-[ldes]|[^-]\S*))*$/, reads: "trees" }],
    chosenBy: toolVersions,
  },
  {
    names: [
      ...listed(
        "tsx ts-node swc esbuild webpack vite rollup parcel turbo nx lerna rush next nuxt astro remix ng expo metro",
      ),
      ...listed("task rake grunt gulp invoke fab scons waf premake autoconf automake configure tox nox"),
      ...listed(
        "jest vitest mocha ava tap playwright cypress karma jasmine wdio pytest py.test unittest coverage phpunit pest rspec",
      ),
      ...listed("minitest cucumber behave robot ctest gotestsum nyc c8 newman k6 locust"),
      ...listed("eslint prettier standard stylelint pyright pyre flake8 pylint bandit"),
      ...listed("rubocop goimports staticcheck"),
      ...listed("markdownlint ktlint detekt checkstyle phpstan psalm php-cs-fixer phpcs swiftlint swiftformat"),
      ...listed(
        "pre-commit husky lint-staged commitlint semantic-release changeset typedoc jsdoc sphinx-build mkdocs hugo jekyll",
      ),
      ...listed(
        "prisma drizzle-kit knex sequelize typeorm alembic rails django-admin flask uvicorn gunicorn celery streamlit",
      ),
      ...listed("jupyter ipython swag wire mockgen graphql-codegen openapi-generator storybook serve http-server"),
    ],
  },
];

export const runnerPrograms: readonly ProgramEntry[] = runners.map((runner) => ({
  names: runner.names,
  verbatim: true,
  operands: (call, place) => readRunner(runner, call, place),
}));

function readRunner(runner: RunnerEntry, call: ProgramCall, place: Place): CommandReading {
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
    return connects(call, pypi, `${name} -m ${named?.value} fetches packages and runs them`);
  }
  if (fetches === undefined) return runs(call);

  const [first, second, third] = behindFlags(words, name);
  if (words.length > 0 && first === undefined) return runs(call);
  if (first === undefined) return fetches.bare === true ? fetching(fetches.hosts) : runs(call);
  if (!isLiteral(first)) return notUnderstood(`${name} with a verb that is not certain`);
  if (fetches.verbs.includes("*"))
    return isProjectTool(words) || isInstalled(first.value, place) ? runs(call) : fetching(fetches.hosts);
  const setting = runner.settings?.[first.value];
  if (setting?.test(second?.value ?? "") === true) return notUnderstood(`${name} ${first.value} changes settings`);
  // A flag in front of the verb may take it as its value, so then the verb is not known.
  if (first.value.startsWith("-")) {
    return words.length === 1 ? runs(call) : notUnderstood(`${name} with a flag before its verb`);
  }
  const tool = second?.value === "--" ? third : second;
  if (/^(?:exec|x)$/.test(first.value) && tool && isLiteral(tool) && isInstalled(tool.value, place)) return runs(call);
  const verbs = [first.value, `${first.value} ${second?.value}`];
  return verbs.some((verb) => fetches.verbs.includes(verb)) ? fetching(fetches.hosts) : runs(call);

  function fetching(hosts: readonly string[]): CommandReading {
    // It wants none, and gets none.
    if (words.some(({ value }) => value === "--offline")) return runs(call);
    const own = hosts === npm ? registryOf(words, place) : undefined;
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
function registryOf(words: readonly ShellWord[], { view }: Place): WorkspaceFacts["npmRegistry"] {
  const at = words.findIndex(({ value }) => /^--registry(?:=|$)/.test(value));
  const written = words[at]?.value.split("=")[1] ?? words[at + 1]?.value ?? "";
  if (at < 0 || !URL.canParse(written)) return view.workspace.npmRegistry;
  const { hostname: host, port } = new URL(written);
  return { host, ...(port && { port: Number(port) }) };
}

/** What it tells, where nothing of the project chooses a program that would run. */
function readDescription(
  { describes = [], chosenBy = [] }: RunnerEntry,
  { name, words }: ProgramCall,
  place: Place,
): CommandReading | undefined {
  if (!words.every((word) => isLiteral(word) && !word.tilde && !/\s/.test(word.value))) return undefined;
  const text = words.map(({ value }) => value).join(" ");
  const found = describes.find((one) => one.words.test(text));
  if (found === undefined || chosenBy.some((file) => liesAbove(file, place))) return undefined;
  if (found.unless?.some((file) => liesAbove(file, place, isInWorkspace(place)))) return undefined;
  const files = found.reads === "here" ? [here] : words.filter(({ value }) => !value.startsWith("-"));
  const role = found.reads === "files" ? "read" : "read-tree";
  const effects = found.reads === undefined ? [] : files.flatMap((file) => roleEffects(role, file, false, place));
  // A directory would stand for a file that it names.
  if (found.reads === "files" && !effects.every((effect) => effect.op === "read" && effect.path.kind === "file"))
    return undefined;
  return { effects, reason: `${name} ${words[0]?.value} only tells what is there` };
}

function isInWorkspace({ view }: Place): (directory: string) => boolean {
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

/** Then it is started as it is, and nothing is fetched. */
function isInstalled(name: string, place: Place): boolean {
  return /^[a-z][\w-]*$/.test(name) && liesAbove(`node_modules/.bin/${name}`, place, isInWorkspace(place));
}

/** In the working directory or in any directory above it that counts. */
function liesAbove(file: string, { view, cwd }: Place, counts = (_directory: string) => true): boolean {
  const names = cwd.split("/");
  return names.some((_name, index) => {
    const directory = names.slice(0, names.length - index).join("/");
    if (!counts(directory)) return false;
    const found = view.resolve(`${directory}/${file}`);
    return !found.ok || found.value.kind !== "missing";
  });
}

export const shells: ReadonlySet<string> = new Set(listed("sh bash dash zsh ksh ash"));

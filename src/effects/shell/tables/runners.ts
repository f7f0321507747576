/**
 * Programs that run code of the project, and what their first word says. `run` executes, `connect` also
 * reaches the named host. Whatever follows is the program's own business: the sandbox holds it.
 */
export interface RunnerEntry {
  readonly names: readonly string[];
  readonly connects?: { readonly host: string; readonly verbs: readonly string[]; readonly bare?: boolean };
  readonly examples: { readonly run: readonly string[]; readonly connect: readonly string[] };
}

const npmVerbs =
  "install i in ci add update up upgrade audit outdated view info show search publish login logout dlx exec x create init link adduser whoami ping dist-tag deprecate unpublish access owner team token";

export const runners: readonly RunnerEntry[] = [
  {
    names: ["npm", "pnpm"],
    connects: { host: "registry.npmjs.org", verbs: npmVerbs.split(" ") },
    examples: {
      run: ["npm test", "npm run build", "npm run test -- --watch=false", "pnpm test"],
      connect: ["npm install", "npm ci", "npm i left-pad", "npm publish", "pnpm add x"],
    },
  },
  {
    names: ["yarn", "bun"],
    connects: { host: "registry.npmjs.org", verbs: npmVerbs.split(" "), bare: true },
    examples: { run: ["yarn test", "bun test", "bun run build"], connect: ["yarn", "yarn add x", "bun install"] },
  },
  {
    names: ["npx", "bunx", "pnpx"],
    connects: { host: "registry.npmjs.org", verbs: ["*"], bare: true },
    examples: { run: [], connect: ["npx vitest run", "npx"] },
  },
  {
    names: ["pip", "pip3", "pipx", "poetry", "uv", "pdm"],
    connects: {
      host: "pypi.org",
      verbs: "install download add sync lock update upgrade publish pip tool search index self".split(" "),
    },
    examples: { run: ["pip list", "poetry run pytest", "uv run x"], connect: ["pip install x", "uv add x"] },
  },
  {
    names: ["cargo"],
    connects: { host: "crates.io", verbs: "install add update fetch publish search login owner yank".split(" ") },
    examples: { run: ["cargo test", "cargo build --release"], connect: ["cargo install x", "cargo add serde"] },
  },
  {
    names: ["go"],
    connects: { host: "proxy.golang.org", verbs: ["get", "install", "mod"] },
    examples: { run: ["go test ./...", "go vet"], connect: ["go get x", "go mod download"] },
  },
  {
    names: ["bundle", "gem", "composer", "mix"],
    connects: { host: "the package registry", verbs: "install add update require push publish deps".split(" ") },
    examples: { run: ["bundle exec rspec"], connect: ["gem install x", "composer require x"] },
  },
  {
    names: [
      ..."node deno tsx ts-node python python3 ruby perl php java javac rustc gcc g++ clang dotnet swift".split(" "),
      ..."make cmake ninja gradle mvn bazel just task ant rake rspec".split(" "),
      ..."jest vitest mocha ava tap playwright pytest tox nox unittest coverage phpunit".split(" "),
      ..."tsc eslint prettier biome ruff mypy pyright black isort flake8 pylint rubocop gofmt rustfmt".split(" "),
      ..."webpack vite rollup esbuild turbo nx lerna next astro".split(" "),
    ],
    examples: {
      run: ["node script.js", "make test", "pytest -q", "tsc --noEmit", "eslint .", "python3 -c 'print(1)'"],
      connect: [],
    },
  },
];

/** Programs that run whatever they are fed. */
export const interpreters: ReadonlySet<string> = new Set(
  "sh bash dash zsh ksh fish ash node deno bun python python3 ruby perl php lua eval source .".split(" "),
);

export const shells: ReadonlySet<string> = new Set("sh bash dash zsh ksh ash".split(" "));

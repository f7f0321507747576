import type { EntryExamples, RunnerExamples } from "./entry-examples.ts";

export const runnerExamples: readonly EntryExamples<RunnerExamples>[] = [
  {
    entry: "npm",
    examples: {
      run: [
        "npm test",
        "npm run build",
        "npm run test -- --watch=false",
        "npm ls --prefix=x",
        "npm ls -g",
        "npm ls x y:z",
        "npm run x",
        "npm pkg",
        "npm pkg fix",
        "npm pkg get x --y",
        "npm root x",
        "npm config get registry",
        "npm --prefix web test",
        "npm -s -w=core run x",
      ],
      connect: ["npm install", "npm ci", "npm i left-pad", "npm publish", "npm audit --json"],
      print: ["npm -v"],
      describe: ["npm ls", "npm ls --depth 1 --json @x/y", "npm why x", "npm pkg get name scripts.x", "npm run"],
    },
  },
  {
    entry: "pnpm",
    examples: {
      run: ["pnpm test", "pnpm --version", "pnpm -r run x", "pnpm --filter=core exec x"],
      connect: ["pnpm add x", "pnpm install", "pnpm --filter core add x"],
    },
  },
  { entry: "yarn", examples: { run: ["yarn test", "yarn --help"], connect: ["yarn", "yarn add x", "yarn install"] } },
  {
    entry: "bun",
    examples: {
      run: ["bun test", "bun run build", "bun x.ts"],
      connect: ["bun install", "bun add x"],
      print: ["bun --version"],
    },
  },
  {
    entry: "npx",
    examples: {
      run: ["npx vitest run", "npx --no-install x", "bunx tsc -p ."],
      connect: ["npx", "bunx x", "npx -y tsc", "npx -p x tsc", "npx tsc@5", "npx --package=x tsc"],
    },
  },
  {
    entry: "deno",
    examples: {
      run: ["deno test", "deno run x.ts"],
      connect: ["deno add x", "deno cache x"],
      print: ["deno --version"],
    },
  },
  {
    entry: "pip",
    examples: {
      run: [
        "pip list --outdated",
        "pip list -o",
        "pip list --path x",
        "pip list --log x",
        "pip list --python=x",
        "pip show",
        "pip show ./x",
        "pip freeze -r x",
        "pip check x",
        "pip config list",
        "pip uninstall x",
      ],
      connect: ["pip install x", "pip3 download x"],
      print: ["pip --version", "pip3 list --format=json", "pip show -f x", "pip freeze --all", "pip check"],
    },
  },
  { entry: "poetry", examples: { run: ["poetry show", "pdm run x"], connect: ["poetry add x"] } },
  { entry: "pipx", examples: { run: ["pipx list"], connect: ["pipx run x"] } },
  { entry: "uv", examples: { run: ["uv run x"], connect: ["uv add x", "uv pip list"], print: ["uv --version"] } },
  {
    entry: "cargo",
    examples: {
      run: [
        "cargo test",
        "cargo build --release",
        "cargo tree",
        "cargo metadata",
        "cargo metadata --offline",
        "cargo metadata --no-deps --config x",
        "cargo metadata --no-deps --manifest-path x",
        "cargo locate-project --manifest-path=x",
      ],
      connect: ["cargo install x", "cargo add serde"],
      print: ["cargo --version"],
      describe: ["cargo locate-project", "cargo metadata --no-deps --format-version 1 --offline"],
    },
  },
  {
    entry: "go",
    examples: {
      run: [
        "go test ./...",
        "go vet",
        "go env -w X=y",
        "go env -u X",
        "go env GOPATH -w",
        "go list",
        "go tool x",
        "go mod edit -go=1.18",
      ],
      connect: ["go get x", "go mod download"],
      print: ["go env", "go env -json GOOS GOARCH", "go help build"],
    },
  },
  {
    entry: "openssl",
    examples: {
      run: ["openssl genrsa -out x.key"],
      connect: ["openssl s_client -connect x:443"],
      print: ["openssl version"],
    },
  },
  { entry: "bundle", examples: { run: ["bundle exec rspec"], connect: ["gem install x", "bundle add x"] } },
  { entry: "composer", examples: { run: ["composer test"], connect: ["composer require x", "composer update x"] } },
  { entry: "mix", examples: { run: ["mix compile"], connect: ["mix deps.update x"] } },
  { entry: "dotnet", examples: { run: ["dotnet build x"], connect: ["dotnet restore", "dotnet add package x"] } },
  {
    entry: "mvn",
    examples: { run: ["mvn verify -q", "gradle check", "mvn --version"], connect: ["mvn dependency:resolve"] },
  },
  { entry: "dart", examples: { run: ["dart test", "flutter build"], connect: ["dart pub get"] } },
  {
    entry: "rustc",
    examples: {
      run: ["rustc x.rs", "rustc --print cfg x.rs", "rustc --print=native-static-libs"],
      connect: [],
      print: ["rustc --version", "rustc --print sysroot", "rustc --print=cfg"],
    },
  },
  {
    entry: "rustfmt",
    examples: { run: ["rustfmt a", "cargo-clippy --print=cfg"], connect: [], print: ["rustfmt --version"] },
  },
  {
    entry: "php",
    examples: {
      run: ["make test", "make -n x", "perl -v x", "tsc --noEmit"],
      connect: [],
      print: ["php -v", "make -v"],
    },
  },
  {
    entry: "node",
    examples: {
      run: [
        "node script.js",
        "node -e 1 --version",
        "node version",
        "node --check missing.js",
        "node --check src",
        "node --check a",
        "node --check -r ./x.js",
        "node -r ./x.js --check script.js",
        "node --check --import=./x.mjs",
        "node script.js --check",
      ],
      connect: [],
      print: ["nodejs --version"],
      describe: ["node --check script.js", "node -c ./script.js"],
    },
  },
  {
    entry: "python",
    examples: {
      run: ["python3 -c 'print(1)'", "python3 -v", "python3 -m json.tools a", "python version", "python -m ensurepip"],
      connect: ["python3 -m pip install x", "python3 -m pip download x", "python -m pipx run x"],
      print: ["python3 -V", "python --version"],
    },
  },
  { entry: "R", examples: { run: ["gcc a -o b", "cmake -B x", "as -v"], connect: [], print: ["gcc --version"] } },
  { entry: "tclsh", examples: { run: ["tclsh --version", "erl --version", "elixir x.exs"], connect: [] } },
  { entry: "java", examples: { run: ["java -jar a", "javac a"], connect: [], print: ["java -version"] } },
  {
    entry: "ruff",
    examples: {
      run: ["ruff check", "ruff --version x", "black --config x --version", "mypy -V", "just -f x --version", "just"],
      connect: [],
      print: ["ruff --version", "clang-format --version"],
    },
  },
  {
    entry: "gofmt",
    examples: {
      run: ["gofmt -w a", "gofmt -l -w .", "gofmt -d -r 'a -> b' a", "gofmt -l -cpuprofile=x .", "gofmt -lw ."],
      connect: [],
      describe: ["gofmt -l .", "gofmt -d -s src a"],
    },
  },
  { entry: "tsx", examples: { run: ["pytest -q", "eslint .", "jest --version", "pytest --version"], connect: [] } },
];

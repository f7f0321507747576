/** What a runtime tries when a name is none of a file. */
const scriptEndings = ".js .mjs .cjs .json .node .ts .mts .cts .tsx .jsx".split(" ");
export const endings = ["", ...scriptEndings, ".py", ".pyc", ".sh"];
/** What a runtime starts, or a package begins with, when it is given a directory. */
export const entries = [
  "package.json",
  ...scriptEndings.map((ending) => `index${ending}`),
  ...["__main__", "__init__"].flatMap((name) => [`${name}.py`, `${name}.pyc`]),
];
/** Programs that are told by a file what to run. */
export const orders: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...["npm", "pnpm", "yarn", "bun"].map((program) => [program, ["package.json"]] as const),
  ["deno", ["deno.json", "deno.jsonc"]],
  ...["make", "gmake"].map((program) => [program, ["GNUmakefile", "makefile", "Makefile"]] as const),
  ["uv", ["pyproject.toml"]],
  ["poetry", ["pyproject.toml"]],
  ["just", ["justfile", "Justfile", ".justfile"]],
]);
/** They run what a directory holds, too, or another program that does. */
export const runners: ReadonlySet<string> = new Set(
  [
    "tsx ts-node ts-node-esm ts-node-dev tsnd tsm vite-node babel-node sucrase-node swc-node esbuild-node",
    "esbuild-runner esno esr jiti zx coffee node-dev nodemon supervisor forever pm2 electron nw",
    "mocha jest vitest ava tap c8 nyc just tox nox pytest pipenv gradle mvn mcp fastmcp concurrently",
  ].flatMap((line) => line.split(" ")),
);
/** Of a directory they run whatever has the right ending. */
export const runsAll: ReadonlySet<string> = new Set(
  "go cargo dotnet mocha jest vitest ava tap pytest tox nox gradle mvn".split(" "),
);
/** Programs of the machine that start a directory. */
export const interpreters = [
  ...["python", "python3", "pypy", "pypy3", "node", "nodejs", "bun", "deno"],
  ...Array.from({ length: 15 }, (_, at) => `python3.${at + 6}`),
];
/** What these are given first, if that is a file, is all that they run by themselves. */
export const takesScript = /^(?:node|nodejs|tsx|python(?:\d[\d.]*)?)$/;
export const scriptName = /^[^-].*\.(?:[cm]?[jt]s|py)$/;
/** By these a launcher takes a directory for a package. */
export const packageFiles = ["package.json", "pyproject.toml", "setup.py", "setup.cfg"];

/** What a runtime tries when a name is none of a file. */
const scriptEndings = ".js .mjs .cjs .json .node .ts .mts .cts .tsx .jsx".split(" ");
const endings = ["", ...scriptEndings, ".py", ".pyc", ".sh"];
/** What the runtimes of other languages try, each where it is among the words. */
const otherEndings: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    perl: ".pm .pl",
    raku: ".rakumod .pm6",
    ruby: ".rb .so",
    jruby: ".rb .jar",
    java: ".class .jar .java",
    javaw: ".class .jar .java",
    kotlin: ".class .jar .kts",
    scala: ".class .jar .scala",
    groovy: ".groovy .class",
    lua: ".lua .so",
    luajit: ".lua .so",
    php: ".php",
    tclsh: ".tcl",
    wish: ".tcl",
    r: ".r .R",
    rscript: ".r .R",
    julia: ".jl",
    emacs: ".el .elc",
    elixir: ".ex .exs",
    iex: ".ex .exs",
  }).map(([program, list]) => [program, list.split(" ")]),
);

export function endingsFor(programs: readonly string[]): readonly string[] {
  return [...new Set([...endings, ...programs.flatMap((program) => otherEndings.get(plainName(program)) ?? [])])];
}

/** Without its directory, and without its version. */
export function plainName(word: string): string {
  const name = word.slice(word.lastIndexOf("/") + 1).toLowerCase();
  return name.replace(/(?<=.)[@=<>~!^].*$/, "").replace(/(?<=[a-z])[-.]?\d[\d.]*$/, "");
}

/** What a runtime starts, or a package begins with, when it is given a directory. */
export const entries = [
  "package.json",
  ...scriptEndings.map((ending) => `index${ending}`),
  ...["__main__", "__init__"].flatMap((name) => [`${name}.py`, `${name}.pyc`]),
];
const toldYarn = "package.json .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs server.js";
/** Programs that are told by a file what to run. `npm start` runs server.js where no script is called so. */
const told: Readonly<Record<string, string>> = {
  npm: "package.json .npmrc server.js",
  pnpm: "package.json .npmrc .pnpmfile.cjs pnpm-workspace.yaml server.js",
  yarn: toldYarn,
  yarnpkg: toldYarn,
  bun: "package.json .npmrc bunfig.toml server.js",
  deno: "deno.json deno.jsonc package.json",
  uv: "pyproject.toml uv.toml",
  poetry: "pyproject.toml poetry.toml",
  pdm: "pyproject.toml",
  hatch: "pyproject.toml hatch.toml",
  rye: "pyproject.toml",
  pipenv: "Pipfile",
  just: "justfile Justfile .justfile",
  task: [".yml", ".yaml", ".dist.yml", ".dist.yaml"]
    .flatMap((end) => [`Taskfile${end}`, `taskfile${end}`])
    .concat(".taskrc.yml", ".taskrc.yaml")
    .join(" "),
  bundle: "Gemfile gems.rb .bundle/config",
  bundler: "Gemfile gems.rb .bundle/config",
  nodemon: "package.json nodemon.json",
  ...Object.fromEntries(["ts-node", "ts-node-esm", "ts-node-dev", "tsnd"].map((name) => [name, "tsconfig.json"])),
};
/** These look for it in the directories above theirs, too. */
export const climbingOrders: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(told).map(([program, files]) => [program, files.split(" ")]),
);
const toldHere: Readonly<Record<string, string>> = {
  make: "GNUmakefile makefile Makefile",
  gmake: "GNUmakefile makefile Makefile",
  r: ".Rprofile .Renviron",
  rscript: ".Rprofile .Renviron",
  iex: ".iex.exs",
  gunicorn: "gunicorn.conf.py",
  flask: "app.py wsgi.py .flaskenv .env",
  fastapi: "main.py app.py api.py app/main.py app/app.py app/api.py",
  pm2: "ecosystem.config.js ecosystem.config.cjs",
};
export const orders: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(toldHere).map(([program, files]) => [program, files.split(" ")]),
);
/** Here lies what others wrote. */
export const installedPlaces = /(?:^|\/)(?:node_modules|\.?venv|site-packages|vendor)\//;
/** They start scripts of the package, with node_modules/.bin before all other directories of programs. */
export const packageManagers: ReadonlySet<string> = new Set("npm pnpm yarn yarnpkg bun".split(" "));
/** They run a command that is installed, or fetch one; the managers do so behind one of these words. */
export const launchers: ReadonlySet<string> = new Set("npx bunx pnpx".split(" "));
const launchingWords: ReadonlySet<string> = new Set("exec x dlx init innit create explore".split(" "));

/** Npm takes the beginning of such a word for it. */
export function launches(manager: string, word: string): boolean {
  return launchingWords.has(word) || (manager === "npm" && /^(?:ex|ini|inn|cr)[a-z]*$/i.test(word));
}

/** They prefer programs that are installed in the project's own place for them. */
export const runsInstalled: ReadonlySet<string> = new Set("uv poetry pdm hatch rye pipenv".split(" "));
/** They look for files to run. */
export const findsFiles: ReadonlySet<string> = new Set(
  "mocha jest vitest ava tap pytest unittest nose2 tox nox rspec phpunit".split(" "),
);
/** Their own words can be programs, or hold some: nobody can say what they run. */
export const startsItsWords: ReadonlySet<string> = new Set(
  [
    "flock script scriptreplay tar gtar bsdtar cpio rsync zip sed gsed ssed git xargs find fd awk gawk mawk nawk",
    "watch entr watchexec parallel strace ltrace gdb lldb rr perf valgrind vim vi view nvim vimdiff rvim ex ed emacs",
    "emacsclient nano less more man expect socat ncat tmux screen systemd-run ssh scp sftp at batch crontab",
  ].flatMap((line) => line.split(" ")),
);
/** They start the program that follows them. */
export const wrappers: ReadonlySet<string> = new Set(
  "env nice ionice nohup timeout time stdbuf setsid command exec eval sudo doas chroot unshare setpriv chrt taskset".split(
    " ",
  ),
);
export const shells: ReadonlySet<string> = new Set(
  "sh ash bash dash fish ksh mksh zsh csh tcsh elvish nu xonsh busybox toybox".split(" "),
);
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
/** Programs that a script may say in its first line that it is for. */
export const namedByScripts = [...interpreters, ...shells, "env", "perl", "ruby", "php", "lua", "Rscript", "tsx", "uv"];
/** What these are given first, if that is a file, is all that they run by themselves. */
export const takesScript = /^(?:node|nodejs|tsx|python(?:\d[\d.]*)?)$/;
export const scriptName = /^[^-].*\.(?:[cm]?[jt]s|py)$/;
/** By these a launcher takes a directory for a package. */
export const packageFiles = ["package.json", "pyproject.toml", "setup.py", "setup.cfg"];

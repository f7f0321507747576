import { rowsOf, setOf } from "./flag-lists.ts";

/**
 * Programs that run a program they are given. Behind a flag of `code` stands the program itself, of `files` the file that
 * holds it, of `modules` an installed one, of `values` anything else; with one of `input` standard input is the program.
 * `verbs` may stand in front of the program. Without one they run the first of `defaults` that exists, or their input.
 */
const entries = rowsOf(
  `
  sh bash dash zsh ksh ash mksh rbash yash csh tcsh fish nu xonsh elvish; code -c --command; input -s; values -o -O +o
    +O --rcfile --init-file
  pwsh powershell; code -c -command -Command -e -ec -EncodedCommand; files -f -file -File; values -ExecutionPolicy -ep
    -WorkingDirectory -wd
  python python2 python3 pypy pypy3 py ipython; code -c; modules -m; input -i; values -W -X --check-hash-based-pycs
  node nodejs tsx ts-node ts-node-esm esno jiti babel-node coffee; code -e --eval -p --print -pe; input -i
    --interactive; values -r --require --import --loader --experimental-loader -C --conditions --env-file
    --env-file-if-exists -P --project --tsconfig -O --compiler-options -I --ignore
  bun deno; code -e --eval -p --print eval; values -r --preload --cwd --env-file -c --config --import-map --lock
    --cert --seed --location -L --log-level; verbs run repl serve
  ruby irb; code -e; values -r -I -C -E -F
  perl; code -e -E; values -I -M -m
  php; code -r --run -B -R -E --process-begin --process-code --process-end; files -f --file -F --process-file; input
    -a; values -d -c -S -t -z
  lua luajit; code -e; input -i; values -l -j
  R Rscript; code -e; files -f --file
  julia; code -e --eval -E --print; values -t -p -J -C -L --project --threads
  java; files -jar; values -cp -classpath --class-path -p --module-path
  osascript groovy scala; code -e
  elixir iex; code -e --eval; values -r -S
  guile expect; code -c; files -f
  kotlin erl runghc ocaml tclsh wish jshell swift nim
  make gmake; files -f --file --makefile; values -C --directory -I -o -W --old-file --new-file --what-if --assume-new;
    defaults GNUmakefile makefile Makefile
  just; files -f --justfile; values -d --set; defaults justfile Justfile .justfile
`,
  ["code", "files", "modules", "input", "values", "verbs", "defaults"],
);

export type InterpreterEntry = (typeof entries)[number];

const byName: ReadonlyMap<string, InterpreterEntry> = new Map(
  entries.flatMap((entry) => entry.names.map((name) => [name, entry] as const)),
);

const builtins: ReadonlySet<string> = new Set(["eval", "source", "."]);

/** `python3.12` is python, `node22` is node. */
export function interpreterOf(name: string): InterpreterEntry | undefined {
  return byName.get(name) ?? byName.get(name.replace(/-?\d[\d.]*$/, ""));
}

/** Programs that run whatever they are fed. What runs a file of the project unless it is told otherwise is none. */
export function isInterpreter(name: string): boolean {
  const found = interpreterOf(name);
  return builtins.has(name) || (found !== undefined && found.defaults === undefined);
}

export const interpreters: ReadonlySet<string> = new Set([...byName.keys(), ...builtins]);

/** Builtins of bash. One whose call is not understood may have changed what later words mean. */
export const shellBuiltins = setOf(
  ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait",
);

export const sameBuiltin = new Map(Object.entries({ ".": "source", typeset: "declare" }));

/** Words of the grammar of a shell, in the place of a program. */
export const reservedWords = setOf("case for function if select time until while");

/** Files that an interpreter runs. */
export const scriptEnding = /\.(?:sh|bash|zsh|fish|[cm]?[jt]sx?|py|rb|pl|php|lua|ps1|bat|cmd|jar)$/;

/** The text that `bash -c` is given to run. */
export function inlineShellText([program = "", flag, text]: readonly string[]): string | undefined {
  return flag === "-c" && (program === "bash" || program === "sh") ? text : undefined;
}

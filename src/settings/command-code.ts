import { plainName, shells } from "./runtimes.ts";

/** How a family of interpreters is told what to run. */
interface Interpreter {
  /** An option behind which, or in which, the code itself stands. */
  readonly code: RegExp;
  /** Options of which it is known that no value follows. */
  readonly switches?: RegExp;
}

const nothing = /(?!)/;
const families: readonly (readonly [names: string, Interpreter])[] = [
  [
    "node nodejs tsx ts-node ts-node-esm ts-node-dev tsnd tsm vite-node babel-node sucrase-node swc-node esno esr jiti coffee zx electron nw",
    {
      code: /^-[A-Za-z]*[ep](?:=|$)|^--(?:eval|print)(?:=|$)/,
      switches:
        /^--(?:no-[\w-]+|enable-source-maps|experimental-(?:strip-types|transform-types|vm-modules|sqlite|wasm-modules)|trace-(?:warnings|deprecation|uncaught)|inspect|inspect-brk|use-system-ca|expose-gc|throw-deprecation|preserve-symlinks|watch)$/,
    },
  ],
  ["bun", { code: /^-[ep]|^--(?:eval|print)/ }],
  ["deno", { code: /^--eval/, switches: /^-[A-Za-z]$|^--(?:allow-[\w-]+|no-[\w-]+|quiet|unstable)$/ }],
  [
    "python pythonw pypy ipython",
    { code: /^-[bBdEhiIOPqRsStuvVx?]*c|code_to_run|exec_lines/, switches: /^-[bBdEhiIOPqsSuvVx]+$/ },
  ],
  ["perl raku", { code: /^-[^-IMmF]*[eEd]|^-MO\b/, switches: /^-[acfgnpsStTuUvwWX]+$/ }],
  ["ruby jruby irb", { code: /^-[^-rICEFKTWx]*e/, switches: /^-[alnpsSvwy]+$|^-W\d?$|^--(?:en|dis)able[=-]\w+$/ }],
  ["php", { code: /^-[A-Za-z]*[rBRES]|^--(?:run|process|server)/, switches: /^-[nqCs]+$/ }],
  ["lua luajit texlua", { code: /^-e/, switches: /^-[EvW]$/ }],
  ["r rscript littler", { code: /^-e|^--e/, switches: /^--(?:vanilla|slave|no-[\w-]+|quiet|silent)$/ }],
  ["osascript", { code: /^-e/ }],
  ["julia", { code: /^-[eE]|^--(?:eval|print)/ }],
  ["elixir iex erl escript", { code: /^--?(?:e|eval|rpc-eval|run|s)(?:=|$)/ }],
  ["guile expect", { code: /^-[ce]/ }],
  ["groovy scala kotlin swift ghc runghc clojure clj", { code: /^-e|^--e/ }],
  ["pwsh powershell", { code: /^-[ce]/i }],
  ["emacs", { code: /^--?(?:eval|execute|f|funcall)/ }],
  ["tclsh wish", { code: nothing }],
];
const interpreters: ReadonlyMap<string, Interpreter> = new Map([
  ...families.flatMap(([names, family]) => names.split(" ").map((name) => [name, family] as const)),
  // What their -c holds is looked at word by word.
  ...[...shells].map((name) => {
    const switches = /^[-+][abefhiklmnprtuvxBCEHPT]+$|^--(?:posix|norc|noprofile|login|restricted|verbose)$/;
    return [name, { code: nothing, switches }] as const;
  }),
]);

/** What an interpreter among the words is given: its options with what may be their values, and its script. */
export interface Given {
  readonly name: string;
  readonly options: readonly string[];
  readonly script?: string;
}

/** One for each word that is the name of an interpreter. */
export function interpretersIn(words: readonly string[]): readonly Given[] {
  return words.flatMap((word, at) => {
    const name = plainName(word);
    const interpreter = interpreters.get(name);
    return interpreter === undefined ? [] : [{ name, ...givenTo(name, interpreter, words.slice(at + 1)) }];
  });
}

const loads = /^(?:-r|--require|--import|--loader|--experimental-loader)(?:=(.*))?$/;

/** Words by which an interpreter is told a file, without which nobody knows what it runs. */
export function scriptsOf({ name, options, script }: Given): readonly string[] {
  // These have words of their own before the script, and take it from a package or a list as well.
  if (["bun", "deno"].includes(name)) return [];
  if (shells.has(name) && options.some((word) => /^-\w*c/.test(word))) return [];
  if (ofPython.test(name) && options.some((word) => /^-[A-Za-z]*m/.test(word))) return [];
  const loaded = options.flatMap((word, at) => {
    const found = loads.exec(word);
    return found === null ? [] : [found[1] ?? options[at + 1] ?? ""];
  });
  return [...loaded, ...(script === undefined ? [] : [script])];
}

export function hasCode(words: readonly string[]): boolean {
  const isCode = ({ name, options, script }: Given) =>
    options.some((word) => interpreters.get(name)?.code.test(word)) || (name === "deno" && script === "eval");
  return interpretersIn(words).some(isCode) || callsShell(words);
}

const ofPython = /^(?:python|pypy)/;

/** In doubt a word is an option's value, and what follows is still looked at. */
function givenTo(name: string, { switches = nothing }: Interpreter, words: readonly string[]): Omit<Given, "name"> {
  const runs = ["bun", "deno"].includes(name) && words[0] === "run" ? 1 : 0;
  for (let at = runs; at < words.length; at++) {
    const [word = "", before = ""] = [words[at], words[at - 1]];
    if (word === "--") return { options: words.slice(runs, at), ...scriptAt(words, at + 1) };
    // What follows is the module's own.
    if (ofPython.test(name) && /^-[A-Za-z]*m$/.test(word)) return { options: words.slice(runs, at + 2) };
    if (word.startsWith("-") || (word.startsWith("+") && shells.has(name))) continue;
    const isFree = at === runs || !/^[-+]/.test(before) || before.includes("=") || switches.test(before);
    if (isFree) return { options: words.slice(runs, at), ...scriptAt(words, at) };
  }
  return { options: words.slice(runs) };
}

function scriptAt(words: readonly string[], at: number): Pick<Given, "script"> {
  const script = words[at];
  return script === undefined ? {} : { script };
}

/** `npx -c`, `npm exec -c`: a line for a shell. */
function callsShell(words: readonly string[]): boolean {
  return words.some((word, at) =>
    managersOwn(plainName(word), words.slice(at + 1)).some((one) => shellOption.test(one)),
  );
}

const shellOption = /^-c|^--(?:cal|shell-m)/;
/** Options behind which no value stands. */
export const yes = /^-(?:y|q|s|-yes|-quiet|-silent)$/;

/** Options of a package manager that stand before what it runs, or before the `--` where it reads on. */
export function managersOwn(name: string, words: readonly string[]): readonly string[] {
  if (!/^(?:npx|npm|pnpx|pnpm|yarn|yarnpkg|bun|bunx)$/.test(name)) return [];
  const isFirst = (word: string, at: number) => {
    const before = words[at - 1] ?? "";
    return !word.startsWith("-") && (!before.startsWith("-") || before.includes("=") || yes.test(before));
  };
  const end = name.endsWith("x") ? words.findIndex(isFirst) : words.indexOf("--");
  return end === -1 ? words : words.slice(0, end);
}

const plainEnv = /^(?:-|-i|--ignore-environment|-u.*|--unset(?:=.*)?)$/;

/** Does an `env` among the words do more than `env NAME=value program words`? */
export function hasOddEnv(words: readonly string[]): boolean {
  return words.some((word, at) => {
    if (plainName(word) !== "env") return false;
    const rest = words.slice(at + 1);
    const end = rest.findIndex(
      (one, place) => !/^-|^\w+=/.test(one) && !/^(?:-u|--unset)$/.test(rest[place - 1] ?? ""),
    );
    const own = end === -1 ? rest : rest.slice(0, end);
    return own.some((one) => one.startsWith("-") && !plainEnv.test(one));
  });
}

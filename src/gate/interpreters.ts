import { basename } from "node:path/posix";

/** A family of programs that run what they are fed, and how their words are read. */
export interface Interpreter {
  readonly family: "shell" | "node" | "python" | "verbs" | "client" | "text" | "other";
  readonly names: RegExp;
  /** Behind such a word stands code, or it holds code itself. */
  readonly code: RegExp;
  /** Flags that take no value, and leave it at what the other words say. */
  readonly plain: RegExp;
}

const interpreters: readonly Interpreter[] = [
  { family: "shell", names: /^(?:ba|da|z|k|a|fi)?sh$/, code: /^-[a-z]*c$/, plain: /^-[eux]+$/ },
  {
    family: "node",
    names: /^(?:node(?:js)?|tsx|ts-node)$/,
    code: /^-(?:e|p|pe)$|^--(?:eval|print)\b/,
    plain:
      /^--(?:no-|trace-|enable-|experimental-(?:strip|transform)-types$|watch$|expose-gc$|inspect(?:-brk)?$|[\w-]+=)/,
  },
  {
    family: "python",
    names: /^(?:i?python|pypy)[\d.]*$/,
    code: /^-[bBdEIOPqsSuvx]*c/,
    plain: /^-[bBdEIOPqsSuvx]+$/,
  },
  {
    family: "verbs",
    names: /^(?:deno|bun)$/,
    code: /^-[ep]$|^--(?:eval|print)\b|^eval$/,
    plain: /^-A$|^--(?:allow-|no-|watch$|[\w-]+=)/,
  },
  // Whatever words they have, their input is commands.
  {
    family: "client",
    names: /^(?:psql|mysql|mariadb|mongosh?)$/,
    code: /^-[ce]$|^--(?:command|execute|eval)\b/,
    plain: /^$/,
  },
  {
    family: "text",
    names: /^(?:perl|ruby)[\d.]*$/,
    code: /^-[A-Za-z0-9]*[eE]$|^-e/,
    plain: /^-[wWnpalsS]+$|^-[npalw]*i(?:\.\w+)?$|^--[\w-]+=/,
  },
  {
    family: "other",
    names:
      /^(?:irb|php[\d.]*|lua(?:jit)?[\d.]*|R|Rscript|tclsh|wish|guile|julia|elixir|iex|erl|groovy|scala|kotlin|ocaml|swift|runghc|osascript)$/,
    code: /^-[eEcr]$|^-e.|^--(?:eval|run)\b/,
    plain: /^--(?:no-|vanilla$|quiet$|[\w-]+=)/,
  },
];

export function interpreterOf(word: string): Interpreter | undefined {
  const name = basename(word);
  return interpreters.find(({ names }) => names.test(name));
}

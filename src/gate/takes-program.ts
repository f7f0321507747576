import { basename } from "node:path/posix";
import type { EffectPart, UnsureWord } from "../contract/effect.ts";
import { type Interpreter, interpreterOf } from "./interpreters.ts";
import { hasPattern } from "./shell-pattern.ts";

/** They change, check or send what they are given, and run none of it. */
const handlers =
  /^(?:git|gh|glab|hub|curl|wget|https?|xh|kubectl|helm|oc|aws|gcloud|gsutil|az|eslint|prettier|biome|oxlint|standard|stylelint|tsc|vue-tsc|ruff|mypy|pyright|black|isort|flake8|pylint|bandit|py_compile|json\.tool|rubocop|gofmt|goimports|rustfmt|golangci-lint|staticcheck|clang-format|clang-tidy|shellcheck|shfmt|hadolint|yamllint|markdownlint(?:-cli2)?|actionlint|commitlint|cspell)$/;
/** Except what these of their flags name. */
const loads =
  /^-[cfrp]$|^--?(?:config|file|plugins?|rulesdir|resolve-plugins|parser|format|formatter|require|import|loader)\b/;

/** They start the program that is named behind them. */
const starters = /^(?:npx|bunx|pnpx|npm|pnpm|yarn|bun|uv|uvx|poetry|pdm|pipenv|hatch|rye|pipx|conda|mamba|bundle)$/;
/** A program of the project takes what stands behind `--`. */
const separators = /^(?:npm|pnpm|yarn|cargo)$/;
/** Programs of all kinds that read a program line by line, when they are told this. */
const prompts = /^(?:shell(?:_plus)?|dbshell|console|tinker|repl|code|asyncio|pdb|IPython|ptpython|bpython|runpy)$/;
const stdin = /(?:^|[\s="'])(?:-[A-Za-z])?-(?=$|[\s"'])|\/dev\/stdin/;
const descriptors = /\/dev\/fd\/|\/proc\/[^/\s]+\/fd\//;
/** Words of code that may run what it reads, or what it is given the name of. */
const evaluation = new RegExp(
  [
    /\b(?:eval|exec\w*|Function|constructor|runIn\w+|runpy|run_path|__\w+__|importlib|createRequire|getattr|globals)\b/,
    /\b(?:child_process|spawn\w*|fork|popen|system|subprocess|pickle|marshal|ctypes|vm|qx|(?:ba|z)?sh)\b|sys\.path|`/,
    /(?<!\bre\.)\bcompile\b|\bimport\s*\(|(?<![.\w])load\w*\s*\(|\bdo\s+[^{\s]|\brequire\s*\(\s*[^\s'"`)]/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/** What runs may come from somewhere else than its own words: from its input, or from a word that nobody knows yet. */
export function takesProgram(part: EffectPart): boolean {
  return runsItsInput(part) || wordsToRun(part).length > 0;
}

/** Fed with a program, it would run that. */
function runsItsInput({ text, words = [], effects, openEnded, unsure = [], fed }: EffectPart): boolean {
  if (!effects.some(({ op }) => op === "exec")) return false;
  if (descriptors.test(text)) return true;
  // With all words known it is a text that it is fed which leaves it open.
  if (fed !== true && (openEnded !== true || unsure.length > 0)) return false;
  const own = programIn(words);
  switch (own.kind) {
    case "handler":
      return false;
    case "code":
      return evaluation.test(words.slice(own.at).join(" "));
    case "input":
    case "client":
      return true;
    case "file":
    case "runner":
      // A word that vanishes leaves the input to be run.
      return unsure.some(({ at }) => at === own.at) || words.slice(1).some((word) => prompts.test(word));
    case "other":
      return stdin.test(text) || prompts.test(words[1] ?? "");
  }
}

/** Words that only the running shell knows, and that may become the name of what is run. */
function wordsToRun({ words = [], effects, unsure = [] }: EffectPart): readonly UnsureWord[] {
  if (unsure.length === 0 || !effects.some(({ op }) => op === "exec")) return [];
  const own = programIn(words);
  return unsure.filter((word) => mayBeRun(word, words, own));
}

function mayBeRun({ at, one }: UnsureWord, words: readonly string[], own: OwnProgram): boolean {
  switch (own.kind) {
    case "handler":
    case "client":
      return at <= own.at || loads.test(words[at - 1] ?? "") || loads.test(words[at] ?? "");
    case "file":
      return at <= own.at;
    case "code":
      return at <= own.at + 1 || evaluation.test(words.slice(own.at).join(" "));
    case "input":
    case "runner":
      return true;
    case "other":
      return !(isPassedOn(words, at) || (one && isCount(words, at)));
  }
}

interface OwnProgram {
  /**
   * What is run, by the word at `at`. `handler`: nothing of what it is given. `file`: that file, with the words behind
   * it. `code`: the word behind it. `runner`: any of the words. `input`: what it reads, or one of the words. `client`: what
   * it reads, and no word. `other`: it is no interpreter.
   */
  readonly kind: "handler" | "file" | "code" | "runner" | "input" | "client" | "other";
  readonly at: number;
}

function programIn(words: readonly string[]): OwnProgram {
  const [program = ""] = words;
  if (handlers.test(basename(program))) return { kind: "handler", at: 0 };
  const started = starters.test(basename(program)) ? words.findIndex((word) => handlers.test(basename(word))) : -1;
  if (started > 0 && words.slice(1, started).every((word) => /^--[\w-]+$|^(?:run|exec|x)$/.test(word))) {
    return { kind: "handler", at: started };
  }
  // Behind another program a flag may have the name of one for its value, and the last one is what runs.
  const at = interpreterOf(program) === undefined ? words.findLastIndex((word) => interpreterOf(word)) : 0;
  const interpreter = interpreterOf(words[at] ?? "");
  if (interpreter !== undefined) return programOf(interpreter, words, at);
  // A program of the project takes the words behind it as it likes; one that was installed there does what it always does.
  const isProjects = program.includes("/") && !/(?:^|\/)\.?bin\//.test(program);
  return { kind: isProjects ? "file" : "other", at: 0 };
}

/** A word behind a flag that may take it for its value is not certain to be what runs. */
function programOf({ family, code, plain }: Interpreter, words: readonly string[], interpreter: number): OwnProgram {
  const input: OwnProgram = { kind: "input", at: interpreter };
  if (family === "client") return { kind: "client", at: interpreter };
  for (let at = interpreter + 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (family === "node" && word === "--check") return { kind: "handler", at };
    if (word === (family === "verbs" ? "test" : "--test")) return { kind: "runner", at };
    if (code.test(word)) return { kind: "code", at };
    if (family === "python" && word === "-m") {
      return { kind: handlers.test(words[at + 1] ?? "") ? "handler" : "runner", at: at + 1 };
    }
    if (family === "verbs" && /^(?:lint|fmt|check|doc|info|task)$/.test(word)) return { kind: "file", at };
    if (plain.test(word) || isVerb(word, family)) continue;
    return word.startsWith("-") || hasPattern(word) || word.startsWith("/dev/") ? input : { kind: "file", at };
  }
  return input;
}

/** `deno run x.ts`, `tsx watch x.ts` */
function isVerb(word: string, family: Interpreter["family"]): boolean {
  return family === "verbs"
    ? /^(?:run|serve|repl|bench|compile|install|exec|x)$/.test(word)
    : family === "node" && word === "watch";
}

function isPassedOn(words: readonly string[], at: number): boolean {
  const end = words.indexOf("--");
  if (!separators.test(words[0] ?? "") || end < 0 || end > at) return false;
  return !words.slice(1, end).some((word) => /^(?:exec|x|dlx|-c|--call)$/.test(word));
}

/** `make -j$(nproc)` */
function isCount(words: readonly string[], at: number): boolean {
  return /^g?make$/.test(words[0] ?? "") && /^-[jl]/.test(words[at] ?? "");
}

import { setOf } from "./flag-lists.ts";
import { type InterpreterEntry, interpreterOf, isInterpreter } from "./interpreters.ts";
import { runsBehind } from "./wrappers.ts";

/** A word of a command. What is not `certain` stands as it was written. */
export interface GivenWord {
  readonly value: string;
  readonly certain: boolean;
  readonly glob?: boolean;
}

/** Where a command takes a program from that it runs: its input, a file, or its own words. */
export type GivenProgram =
  | { readonly from: "input" }
  | { readonly from: "file"; readonly word: GivenWord }
  /** `unread`: a text of commands that nobody looks into. */
  | { readonly from: "text"; readonly word: GivenWord; readonly language: "shell" | "unread" | "other" };

/** Behind `sudo -u x` more than one word may be the program. `looked`: the text of `bash -c` is analysed elsewhere. */
export function givenPrograms(words: readonly GivenWord[], looked = false): readonly GivenProgram[] {
  const [first] = words;
  if (first === undefined) return [];
  const wrapper = first.certain ? baseName(first.value) : "";
  if (carriers.has(wrapper)) return carriedProgram(words);
  // What comes in stands behind the words.
  const rest = wrapper === "xargs" || wrapper === "parallel" ? [...words, somethingFed] : words;
  const found: GivenProgram[] = [];
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    if (word.certain && (isRunner(word.value) || isSetting(word.value))) continue;
    found.push(...(word.certain ? programsOf(word, rest.slice(at + 1), looked && at === 0) : [unreadText(word)]));
    // Behind a flag it may be that flag's value, and the program comes later.
    if (at === 0 || before === undefined || !before.certain || !before.value.startsWith("-")) return found;
  }
  return found.length === 0 && wrapper === "parallel" ? [{ from: "input" }] : found;
}

/** Is what it is fed run? */
export function runsInput(program: GivenProgram): boolean {
  if (program.from === "input") return true;
  const { value, certain } = program.word;
  if (!certain) return true;
  if (program.from === "file") return isStandardInput(value);
  if (program.language === "other") return carriesOut.test(value);
  return program.language === "unread" && value.split(/[\s;|&()`'"]+/).some((word) => isInterpreter(baseName(word)));
}

export function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

const somethingFed: GivenWord = { value: "…", certain: false };

/** They run a command somewhere else, with the same input. */
const carriers = setOf("docker podman nerdctl kubectl oc ssh wsl lxc");

/** They read commands from their input whatever else they are given. */
const always: ReadonlySet<string> = new Set(["at", "batch", "ed", "ex"]);

/** Code on the command line that turns a text into code. */
const carriesOut = /\b(?:eval|Function|child_process|subprocess|popen|system)\b|(?<!\.)\bexec\s*\(/;

function isRunner(value: string): boolean {
  const name = baseName(value);
  return runsBehind.has(name) && name !== "eval";
}

/** An option, an assignment or a time limit, as they stand between a wrapper and its command. */
export function isSetting(value: string): boolean {
  return /^-|^[A-Za-z_]\w*=|^[\d.]+[smhd]?$/.test(value);
}

function unreadText(word: GivenWord): GivenProgram {
  return { from: "text", word, language: "unread" };
}

function carriedProgram(words: readonly GivenWord[]): readonly GivenProgram[] {
  const split = words.flatMap((word) =>
    word.certain ? word.value.split(/\s+/).map((value) => ({ ...word, value })) : [word],
  );
  const at = split.findIndex((word) => word.certain && interpreterOf(baseName(word.value)) !== undefined);
  const program = split[at];
  return program === undefined ? [] : programsOf(program, split.slice(at + 1), false);
}

function programsOf(word: GivenWord, rest: readonly GivenWord[], plain: boolean): readonly GivenProgram[] {
  const name = baseName(word.value);
  if (name === "eval") return [unreadText(joined(rest))];
  if (name === "source" || name === ".") return rest.slice(0, 1).map((file) => fromFile(file));
  if (always.has(name)) return [{ from: "input" }];
  const own: readonly GivenProgram[] = word.value.includes("/") ? [{ from: "file", word }] : [];
  const entry = interpreterOf(name);
  if (entry === undefined) return own;
  // These two are looked into, command by command.
  const language = plain && (name === "bash" || name === "sh") ? "shell" : isShell(entry) ? "unread" : "other";
  return [...own, ...readInterpreter(entry, rest, language)];
}

function joined(words: readonly GivenWord[]): GivenWord {
  return {
    value: words.map(({ value }) => value).join(" "),
    certain: words.every(({ certain }) => certain),
  };
}

type Language = Extract<GivenProgram, { from: "text" }>["language"];

function readInterpreter(
  entry: InterpreterEntry,
  words: readonly GivenWord[],
  language: Language,
): readonly GivenProgram[] {
  const ahead = words.toReversed();
  for (let word = ahead.pop(); word !== undefined; word = ahead.pop()) {
    if (!word.certain) return [{ from: "file", word }];
    const { value } = word;
    if (value === "--") break;
    if (entry.verbs?.includes(value)) continue;
    const { role, attached } = flagOf(entry, value);
    if (role === undefined && /^[-+]./.test(value)) continue;
    if (role === undefined) return [fromFile(word)];
    if (role === "input") return [{ from: "input" }];
    const next = attached === undefined ? ahead.pop() : { ...word, value: attached };
    if (role === "values") continue;
    if (next === undefined || next.value === "-") return [{ from: "input" }];
    if (role === "files") return [fromFile(next)];
    if (role === "modules") return consoles.has(next.value) ? [{ from: "input" }] : [];
    return [{ from: "text", word: next, language }];
  }
  const file = ahead.pop();
  if (file !== undefined) return [fromFile(file)];
  return entry.defaults?.map((value) => ({ from: "file", word: { value, certain: true } })) ?? [{ from: "input" }];
}

/** Modules of python that run their input. */
const consoles: ReadonlySet<string> = new Set(["code", "asyncio", "IPython", "pdb"]);

const roles = ["input", "code", "files", "modules", "values"] as const;
type FlagRole = (typeof roles)[number];

interface GivenFlag {
  readonly role?: FlagRole;
  readonly attached?: string;
}

/** `--eval=x` and `-ex` have their value with them. */
function flagOf(entry: InterpreterEntry, value: string): GivenFlag {
  const whole = roleOf(entry, value);
  if (whole !== undefined) return { role: whole };
  if (value.startsWith("--")) {
    const [flag = "", ...rest] = value.split("=");
    const role = rest.length === 0 ? undefined : roleOf(entry, flag);
    return role === undefined ? {} : { role, attached: rest.join("=") };
  }
  if (!/^[-+]./.test(value)) return {};
  const letters = [...value.slice(1)].map((letter) => roleOf(entry, `${value[0]}${letter}`));
  // A shell takes the letters one by one, and the value from the next word.
  if (isShell(entry)) {
    const role = roles.find((one) => letters.includes(one));
    return role === undefined ? {} : { role };
  }
  const at = letters.findIndex((role) => role !== undefined);
  const role = letters[at];
  if (role === undefined) return {};
  return at + 2 === value.length ? { role } : { role, attached: value.slice(at + 2) };
}

function roleOf(entry: InterpreterEntry, flag: string): FlagRole | undefined {
  return roles.find((role) => entry[role]?.includes(flag) === true);
}

function isShell(entry: InterpreterEntry): boolean {
  return entry.names.includes("sh");
}

function fromFile(word: GivenWord): GivenProgram {
  return word.certain && isStandardInput(word.value) ? { from: "input" } : { from: "file", word };
}

function isStandardInput(value: string): boolean {
  return /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/(?:self|thread-self|\$\$)\/fd\/0)$/.test(value);
}

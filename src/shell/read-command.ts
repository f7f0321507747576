import { type Effect, isInsideAny } from "../contract/effect.ts";
import { git } from "../programs/git/read-git.ts";
import { shellBuiltins } from "../programs/interpreters.ts";
import { pathEffect, roleEffects } from "../programs/path-operands.ts";
import type { CommandReading, ProgramEntry, ShellWord, Site } from "../programs/program-entry.ts";
import { programs, readProgram } from "../programs/programs.ts";
import { notUnderstood, plainWord } from "../programs/readings.ts";
import { shells } from "../programs/runners.ts";
import { wrapperOf } from "../programs/wrappers.ts";
import { commandWrappers, tests } from "./wrappers.ts";

const byName: ReadonlyMap<string, ProgramEntry> = new Map(
  [...programs, git, tests, ...commandWrappers].flatMap((entry) => entry.names.map((name) => [name, entry] as const)),
);

export function isInCatalogue(program: string): boolean {
  const name = program.replace(/^\/(?:usr\/)?bin\//, "");
  return byName.has(name) || shells.has(name) || wrapperOf(name) !== undefined;
}

export function readCommand([command, ...rest]: readonly [ShellWord, ...ShellWord[]], place: Site): CommandReading {
  const reading = readByName(command, rest, place);
  const unclear = reading.effects.some((effect) => effect.op === "unknown");
  return unclear && shellBuiltins.has(command.value) ? { ...reading, altersShell: true } : reading;
}

function readByName(command: ShellWord, rest: readonly ShellWord[], place: Site): CommandReading {
  const name = command.value;
  const system = /^\/(?:usr\/)?bin\/([\w.+-]+)$/.exec(name)?.[1];
  if (system !== undefined && !isInsideAny(name, place.view.workspace.roots)) {
    return readByName({ ...command, value: system }, rest, place);
  }
  if (name.includes("/")) return readPathCommand(command, rest, place);
  if (name === "command" && isRun(rest)) return place.inner(rest);
  const [verb, ...others] = rest;
  const form = verb === undefined || verb.glob || verb.unknown !== undefined ? undefined : `${name} ${verb.value}`;
  const narrow = form === undefined ? undefined : byName.get(form);
  if (form !== undefined && narrow !== undefined) return readProgram(narrow, form, others, place);
  const entry = byName.get(name);
  if (entry !== undefined) return readProgram(entry, name, rest, place);
  if (shells.has(name)) return readShell(name, rest, place);
  if (shellBuiltins.has(name)) return notUnderstood(`${name} changes the shell`);
  return notUnderstood(`${name} is not a known program`);
}

/** `command ls` runs `ls`; with a flag it only looks a name up. */
function isRun([first]: readonly ShellWord[]): boolean {
  return first !== undefined && first.unknown === undefined && !first.value.startsWith("-");
}

/** A path is a program of the project, whatever its last name is: `./cat` is not `cat`. */
function readPathCommand(command: ShellWord, rest: readonly ShellWord[], place: Site): CommandReading {
  const resolved = place.view.resolve(command.value, place.cwd);
  if (!resolved.ok) return notUnderstood(resolved.failure.message);
  const program = resolved.value.resolved;
  if (!isInsideAny(program, place.view.workspace.roots))
    return notUnderstood(`${command.value} is outside the workspace`);
  return {
    effects: [{ op: "exec", program, argv: argvOf(command.value, rest) }],
    reason: `runs ${command.value} of the project`,
  };
}

/** `bash -c text` and a text that is fed to it are looked into; `bash file` runs a program of the project. */
function readShell(name: string, words: readonly ShellWord[], place: Site): CommandReading {
  const [flag, operand, more] = words;
  if (flag?.value === "--version" && operand === undefined) {
    return { effects: [], reason: `${name} only prints its help or version` };
  }
  if (flag?.value === "-n" && operand !== undefined && more === undefined && !operand.value.startsWith("-")) {
    return { effects: roleEffects("read", operand, false, place), reason: `${name} -n only parses` };
  }
  const { from, options } = shellOptions(name, words);
  const [first, ...rest] = words.slice(from);
  const isLooked = name === "bash" || name === "sh";
  const isPlain = first?.unknown === undefined && first?.glob !== true && !first?.value.startsWith("-");
  const unread = notUnderstood(`${name} runs a script that could not be analysed`);
  if (options.has("c")) {
    const reads = isLooked && !options.has("s") && first !== undefined && first.unknown === undefined;
    return (reads && !first.glob && !first.tilde && place.script?.(first.value, name, rest)) || unread;
  }
  if (first === undefined || options.has("s")) {
    const certain = words.slice(from).every(({ value, unknown }) => unknown === undefined && !value.startsWith("-"));
    if (!isLooked || !certain || place.inputText === undefined) return unread;
    const reading = place.script?.(place.inputText, name, [plainWord(name), ...words.slice(from)]) ?? unread;
    // A shell reads its input line by line: a command of the first may take the others.
    const why = "a command may take lines of its own shell's text";
    if (!place.inputText.trim().includes("\n")) return reading;
    return { effects: [...reading.effects, { op: "unknown", why }], reason: why };
  }
  if (!isPlain || first.value.startsWith("/dev/")) return unread;
  const read = pathEffect("read", first, "file", place);
  const exec: Effect = { op: "exec", program: name, argv: argvOf(name, words) };
  return { effects: [read, exec], reason: `${name} runs ${first.text}` };
}

/** Those that neither read a start-up file nor change how words are read. */
function shellOptions(name: string, words: readonly ShellWord[]) {
  const options = new Set<string>();
  let from = 0;
  for (; words[from]?.unknown === undefined; from++) {
    const value = words[from]?.value ?? "";
    if (value === "--") return { from: from + 1, options };
    const isOption = /^-[eux]*o$/.test(value)
      ? isPipefail(name, words[from + 1])
      : /^(?:-(?:[eux]+c?|c|s)|\+[eux]+)$/.test(value);
    if (!isOption) break;
    if (/^-.*[cs]$/.test(value)) options.add(value.slice(-1));
    if (value.endsWith("o")) from += 1;
  }
  return { from, options };
}

function isPipefail(name: string, word: ShellWord | undefined): boolean {
  return name === "bash" && word?.value === "pipefail";
}

function argvOf(name: string, words: readonly ShellWord[]): string[] {
  return [name, ...words.map((word) => (word.unknown === undefined ? word.value : word.text))];
}

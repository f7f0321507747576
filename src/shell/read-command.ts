import { type Effect, isInsideAny } from "../contract/effect.ts";
import { readGit } from "../programs/git/read-git.ts";
import { narrowerTool } from "../programs/narrower-tool.ts";
import { shellBuiltins } from "../programs/network.ts";
import { pathEffect, readByRoles, roleEffects } from "../programs/path-operands.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramEntry,
  type ShellWord,
} from "../programs/program-entry.ts";
import { programs } from "../programs/programs.ts";
import { readArguments } from "../programs/read-arguments.ts";
import { shells } from "../programs/runners.ts";
import { wrapperOf } from "../programs/wrappers.ts";
import { tests } from "./test-operators.ts";
import { commandWrappers } from "./wrappers.ts";

const byName: ReadonlyMap<string, ProgramEntry> = new Map(
  [...programs, tests, ...commandWrappers].flatMap((entry) => entry.names.map((name) => [name, entry] as const)),
);

/** Is something known about a program of this name? */
export function isInCatalogue(program: string): boolean {
  const name = program.replace(/^\/(?:usr\/)?bin\//, "");
  return name === "git" || byName.has(name) || shells.has(name) || wrapperOf(name) !== undefined;
}

/** What one simple command would touch, from the tables. What no table names is unknown. */
export function readCommand([command, ...rest]: readonly [ShellWord, ...ShellWord[]], place: Place): CommandReading {
  const reading = readByName(command, rest, place);
  const unclear = reading.effects.some((effect) => effect.op === "unknown");
  return unclear && shellBuiltins.has(command.value) ? { ...reading, altersShell: true } : reading;
}

function readByName(command: ShellWord, rest: readonly ShellWord[], place: Place): CommandReading {
  const name = command.value;
  const system = /^\/(?:usr\/)?bin\/([\w.+-]+)$/.exec(name)?.[1];
  if (system !== undefined && !isInsideAny(name, place.view.workspace.roots)) {
    return readByName({ ...command, value: system }, rest, place);
  }
  if (name.includes("/")) return readPathCommand(command, rest, place);
  if (name === "git") return readGit(rest, place);
  if (name === "command" && isRun(rest)) return place.inner(rest);
  const [verb, ...others] = rest;
  const form = verb === undefined || verb.glob || verb.unknown !== undefined ? undefined : `${name} ${verb.value}`;
  const narrow = form === undefined ? undefined : byName.get(form);
  if (form !== undefined && narrow !== undefined) return readProgram(narrow, form, others, place);
  const entry = byName.get(name);
  if (entry !== undefined) return readProgram(entry, name, rest, place);
  if (shells.has(name)) return readShell(name, rest, place);
  if (shellBuiltins.has(name)) return notUnderstood(`${name} changes the shell`);
  return notUnderstood(`${name} is not in the tables`);
}

function readProgram(entry: ProgramEntry, name: string, words: readonly ShellWord[], place: Place): CommandReading {
  const call = readArguments(entry, name, words);
  if ("why" in call) return notUnderstood(call.why);
  const reading =
    typeof entry.operands === "function" ? entry.operands(call, place) : readByRoles(call, entry.operands, place);
  const output = typeof entry.output === "function" ? entry.output(call) : entry.output;
  const next = narrowerTool(call, place);
  return {
    ...reading,
    ...(output === undefined ? {} : { output }),
    ...(next === undefined ? {} : { next }),
  };
}

/** `command ls` runs `ls`; with a flag it only looks a name up. */
function isRun([first]: readonly ShellWord[]): boolean {
  return first !== undefined && first.unknown === undefined && !first.value.startsWith("-");
}

/** A path is a program of the project, whatever its last name is: `./cat` is not `cat`. */
function readPathCommand(command: ShellWord, rest: readonly ShellWord[], place: Place): CommandReading {
  const resolved = place.view.resolve(command.value, place.cwd);
  if (!resolved.ok) return notUnderstood(resolved.failure.message);
  const program = resolved.value.resolved;
  if (!isInsideAny(program, place.view.workspace.roots)) return notUnderstood(`${command.value} is named by its path`);
  return {
    effects: [{ op: "exec", program, argv: argvOf(command.value, rest) }],
    reason: `runs ${command.value} of the project`,
  };
}

/** `bash -c text` is looked into; `bash file` runs a program of the project. */
function readShell(name: string, words: readonly ShellWord[], place: Place): CommandReading {
  const [script] = words;
  const typed = readTyped(name, words, place);
  if (typed !== undefined) return typed;
  if (script === undefined || script.glob || script.unknown !== undefined) {
    return notUnderstood(`${name} runs a text that was not looked at`);
  }
  if (script.value === "--version" && words.length === 1)
    return { effects: [], reason: `${name} only describes itself` };
  const [, checked, more] = words;
  if (script.value === "-n" && checked !== undefined && more === undefined && !checked.value.startsWith("-")) {
    return { effects: roleEffects("read", checked, false, place), reason: `${name} -n only parses` };
  }
  const file = words.findIndex((word) => !/^-[eux]+$/.test(word.value));
  if (file > 0 && words[file]?.unknown === undefined && /^[^-]/.test(words[file]?.value ?? "")) {
    return readShell(name, words.slice(file), place);
  }
  if (script.value.startsWith("-")) return readShellText(name, words, place);
  if (script.value.startsWith("/dev/")) return notUnderstood(`${name} runs a text that was not looked at`);
  const read = pathEffect("read", script, "file", place);
  const exec: Effect = { op: "exec", program: name, argv: argvOf(name, words) };
  return { effects: [read, exec], reason: `${name} runs ${script.text}` };
}

/** No start-up files, no options that change how words are read. */
function readShellText(name: string, words: readonly ShellWord[], place: Place): CommandReading {
  const at = words.findIndex((word) => !/^-[eux]+$/.test(word.value) || word.unknown !== undefined);
  const [flag, ...behind] = words.slice(at);
  const pipefail = flag?.value === "-o" || /^-[eux]+o$/.test(flag?.value ?? "");
  if (pipefail && behind[0]?.value === "pipefail" && name === "bash") {
    return readShellText(name, behind.slice(1), place);
  }
  // More flags may stand between `-c` and the text.
  const flags = behind.findIndex((word) => !/^-[eux]+$/.test(word.value) || word.unknown !== undefined);
  const [text, ...parameters] = flags < 0 ? [] : behind.slice(behind[flags]?.value === "--" ? flags + 1 : flags);
  const plain = flag !== undefined && /^-[eux]*c$/.test(flag.value);
  if (!plain || text === undefined || text.glob || text.tilde || text.unknown !== undefined) {
    return notUnderstood(`${name} runs a text that was not looked at`);
  }
  return readText(name, text.value, parameters, place);
}

/** `bash <<'EOF'`, `bash -s -- a b <<'EOF'`: the text is the input. */
function readTyped(name: string, words: readonly ShellWord[], place: Place): CommandReading | undefined {
  const text = place.inputText;
  if (text === undefined || (name !== "bash" && name !== "sh")) return undefined;
  const flags = words.findIndex((word) => !/^-[eux]+$/.test(word.value) || word.unknown !== undefined);
  const [first, ...parameters] = flags < 0 ? [] : words.slice(flags);
  if (first !== undefined && (first.value !== "-s" || first.unknown !== undefined)) return undefined;
  const given = parameters[0]?.value === "--" ? parameters.slice(1) : parameters;
  if (given.some((word) => word.value.startsWith("-") || word.unknown !== undefined)) return undefined;
  const own: ShellWord = { text: name, value: name, glob: false, tilde: false };
  return place.typed?.(text, name, [own, ...given]);
}

function readText(name: string, text: string, parameters: readonly ShellWord[], place: Place): CommandReading {
  const known = name === "bash" || name === "sh" ? place.script?.(text, name, parameters) : undefined;
  return known ?? notUnderstood(`${name} runs a text that was not looked at`);
}

function argvOf(name: string, words: readonly ShellWord[]): string[] {
  return [name, ...words.map((word) => (word.unknown === undefined ? word.value : word.text))];
}

import { resolve } from "node:path/posix";
import type { Effect } from "../../contract/effect.ts";
import { isInsideAny } from "../../contract/path-scope.ts";
import { narrowerTool } from "./narrower-tool.ts";
import { pathEffect, readByRoles } from "./path-operands.ts";
import { type CommandReading, notUnderstood, type Place, type ProgramEntry } from "./program-entry.ts";
import { readArguments } from "./read-arguments.ts";
import { readGit } from "./read-git.ts";
import type { ShellWord, SimpleCommand } from "./shell-tree.ts";
import { coreutils } from "./tables/coreutils.ts";
import { networkPrograms, privilegePrograms, shellBuiltins } from "./tables/network.ts";
import { type RunnerEntry, runners, shells } from "./tables/runners.ts";
import { search } from "./tables/search.ts";
import { writers } from "./tables/writers.ts";

const programs: ReadonlyMap<string, ProgramEntry> = new Map(
  [...coreutils, ...search, ...writers].flatMap((entry) => entry.names.map((name) => [name, entry] as const)),
);
const running: ReadonlyMap<string, RunnerEntry> = new Map(
  runners.flatMap((entry) => entry.names.map((name) => [name, entry] as const)),
);

/** What one simple command would touch, from the tables. What no table names is unknown. */
export function readCommand({ words: [command, ...rest] }: SimpleCommand, place: Place): CommandReading {
  const reading = readByName(command, rest, place);
  const unclear = reading.effects.some((effect) => effect.op === "unknown");
  return unclear && shellBuiltins.has(command.value) ? { ...reading, altersShell: true } : reading;
}

function readByName(command: ShellWord, rest: readonly ShellWord[], place: Place): CommandReading {
  const name = command.value;
  if (name.includes("/")) return readPathCommand(command, rest, place);
  if (name === "cd") return readChange(rest, place);
  if (name === "git") return readGit(rest, place);
  const entry = programs.get(name);
  if (entry !== undefined) return readProgram(entry, name, rest, place);
  const runner = running.get(name);
  if (runner !== undefined) return readRunner(runner, name, rest);
  if (shells.has(name)) return readScript(name, rest, place);
  if (networkPrograms.includes(name)) return readNetwork(name, rest);
  if (privilegePrograms.includes(name)) return notUnderstood(`${name} asks for more rights`);
  if (shellBuiltins.has(name)) return notUnderstood(`${name} changes the shell`);
  return notUnderstood(`${name} is not in the tables`);
}

function readProgram(entry: ProgramEntry, name: string, words: readonly ShellWord[], place: Place): CommandReading {
  const call = readArguments(entry, name, words);
  if ("why" in call) return notUnderstood(call.why);
  const reading =
    typeof entry.operands === "function" ? entry.operands(call, place) : readByRoles(call, entry.operands, place);
  const next = narrowerTool(call, place);
  return next === undefined ? reading : { ...reading, next };
}

/** A path is a program of the project, whatever its last name is: `./cat` is not `cat`. */
function readPathCommand(command: ShellWord, rest: readonly ShellWord[], place: Place): CommandReading {
  const resolved = place.view.resolve(command.value, place.cwd);
  if (!resolved.ok) return notUnderstood(resolved.failure.message);
  const program = resolved.value.resolved;
  if (!isInsideAny(program, place.view.workspace.roots)) return notUnderstood(`${command.value} is named by its path`);
  const argv = [command.value, ...rest.map((word) => word.value)];
  return { effects: [{ op: "exec", program, argv }], reason: `runs ${command.value} of the project` };
}

function readScript(name: string, words: readonly ShellWord[], place: Place): CommandReading {
  const [script] = words;
  if (script === undefined || script.glob || script.value.startsWith("-")) {
    return notUnderstood(`${name} runs a text that was not looked at`);
  }
  const read = pathEffect("read", script, "file", place);
  const exec: Effect = { op: "exec", program: name, argv: [name, ...words.map((word) => word.value)] };
  return { effects: [read, exec], reason: `${name} runs ${script.text}` };
}

/** A flag in front of the verb may take it as its value, so then the verb is not known. */
function readRunner(runner: RunnerEntry, name: string, words: readonly ShellWord[]): CommandReading {
  const { connects } = runner;
  const verb = words.find((word) => !word.value.startsWith("-"))?.value;
  const early = words[0]?.value.startsWith("-") === true && verb !== undefined;
  if (connects !== undefined && early) return notUnderstood(`${name} with a flag before its verb`);
  const exec: Effect = { op: "exec", program: name, argv: [name, ...words.map((word) => word.value)] };
  const installs = words.some(
    (word, index) => word.value === "-m" && /^(?:pip|ensurepip)$/.test(words[index + 1]?.value ?? ""),
  );
  const reaches =
    connects !== undefined &&
    (verb === undefined
      ? connects.bare === true && words.length === 0
      : connects.verbs.includes(verb) || connects.verbs.includes("*"));
  if (!reaches && !installs) return { effects: [exec], reason: `${name} runs code of the project` };
  const host = connects?.host ?? "pypi.org";
  return { effects: [exec, { op: "connect", host }], reason: `${name} ${verb ?? ""} fetches from ${host} and runs it` };
}

function readNetwork(name: string, words: readonly ShellWord[]): CommandReading {
  const hosts = words.flatMap((word) => hostOf(word.value) ?? []);
  const exec: Effect = { op: "exec", program: name, argv: [name, ...words.map((word) => word.value)] };
  const connects = (hosts.length > 0 ? hosts : ["a host"]).map((host): Effect => ({ op: "connect", host }));
  return { effects: [exec, ...connects], reason: `${name} talks to another machine` };
}

function hostOf(value: string): string | undefined {
  if (!/^[a-z]+:\/\//i.test(value)) return undefined;
  return URL.canParse(value) ? new URL(value).hostname || undefined : undefined;
}

function readChange(words: readonly ShellWord[], place: Place): CommandReading {
  const operands = words.filter((word) => word.value !== "--" && word.value !== "-P" && word.value !== "-L");
  const [target] = operands;
  if (target === undefined) return notUnderstood("cd without an operand goes home");
  if (operands.length > 1 || target.glob || target.value.startsWith("-") || words.some((word) => word.value === "-L")) {
    return notUnderstood("cd is written in an unusual way");
  }
  const enters = pathEffect("list", target, "file", place);
  if (enters.op !== "list" || enters.path.kind !== "directory")
    return notUnderstood(`${target.text} is not a directory`);
  // Bash goes back by the name of a link, the kernel by its target: behind a link `..` has two meanings.
  if (enters.path.resolved !== resolve(place.cwd, target.value) && !target.tilde) {
    return notUnderstood(`${target.text} leads through a link`);
  }
  return { effects: [enters], reason: "cd changes the directory", cwd: enters.path.resolved };
}

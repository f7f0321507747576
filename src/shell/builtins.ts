import { resolve } from "node:path/posix";
import { type Effect, isInsideAny, isOfSystem } from "../contract/effect.ts";
import { sameBuiltin } from "../programs/interpreters.ts";
import { pathEffect } from "../programs/path-operands.ts";
import type { CommandReading, ShellWord, Site } from "../programs/program-entry.ts";
import { notUnderstood } from "../programs/readings.ts";
import { someText } from "./expand-word.ts";
import { assign, freshState, type ShellState } from "./state.ts";
import { isForProjects, isOrdinaryName } from "./variable-names.ts";
import type { ShellWalk } from "./walk.ts";

export interface BuiltinReading {
  readonly reading: CommandReading;
  readonly state: ShellState;
  /** The state where it failed: `undefined` when it cannot fail, the same when it is not there. */
  readonly failed?: ShellState | undefined;
}

export function readBuiltin(
  name: string,
  words: readonly ShellWord[],
  state: ShellState,
  place: Site,
  walk: ShellWalk,
): BuiltinReading | undefined {
  const line = words.map((word) => literal(word) ?? "?").join(" ");
  switch (sameBuiltin.get(name) ?? name) {
    case "cd":
      return changeDirectory(words, state, place);
    case "source":
      return readSource(name, words, state, place);
    case "read":
      return readLine(line, state);
    case "export":
      return setVariables(words, state, isForProjects, "export passes on");
    case "declare":
      return setVariables(words, state, isOrdinaryName, `${name} sets`);
    case "set":
      return options.test(line) ? harmless(`set ${line}`, state) : refused(`set ${line}`, state);
    case "break":
    case "continue":
      if (line !== "" && line !== "1") return refused(`${name} ${line}`, state);
      walk.jumps.push(state);
      return harmless(`${name} leaves the loop`, state);
    case "wait":
    case "jobs":
    case "umask":
      return line === "" ? harmless(`${name} changes no meaning`, state) : undefined;
  }
  return undefined;
}

const options =
  /^(?:[-+][eux]+|[-+][eux]*o (?:pipefail|errexit|nounset|xtrace))(?: [-+][eux]+| [-+][eux]*o (?:pipefail|errexit|nounset|xtrace))*$/;

function harmless(reason: string, state: ShellState): BuiltinReading {
  return { reading: { effects: [], reason }, state };
}

function refused(why: string, state: ShellState): BuiltinReading {
  return { reading: { ...notUnderstood(`${why} changes the shell`), altersShell: true }, state };
}

function literal({ unknown, glob, tilde, value }: ShellWord): string | undefined {
  return unknown === undefined && !glob && !tilde ? value : undefined;
}

function setVariables(
  words: readonly ShellWord[],
  start: ShellState,
  mayBeSet: (name: string, value: string) => boolean,
  what: string,
): BuiltinReading {
  let state = start;
  for (const word of words) {
    const [, name = "", value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(literal(word) ?? "") ?? [];
    // Here braces are not expanded, and `~` is.
    if (!mayBeSet(name, value ?? "") || /[{~]/.test(word.text)) return refused(`${what} ${word.text}, which`, start);
    if (value !== undefined) state = assign(state, name, { text: value });
  }
  if (words.length === 0) return refused(`${what} nothing, which`, start);
  return harmless(`${what} ${words.map((word) => word.text).join(" ")}`, state);
}

function readLine(line: string, state: ShellState): BuiltinReading {
  const [, list = ""] = /^(?:-[rs]+ |-[rs]*[dntp] \S* )*([A-Za-z_]\w*(?: [A-Za-z_]\w*)*)$/.exec(line) ?? [];
  const names = list.split(" ");
  if (!names.every(isOrdinaryName)) return refused("read is written in an unusual way and", state);
  return harmless(
    `read sets ${list}`,
    names.reduce((next, name) => assign(next, name, someText), state),
  );
}

/** Code of the project in this very shell: whatever comes after it is at most what such code could do as well. */
function readSource(name: string, words: readonly ShellWord[], state: ShellState, place: Site) {
  const [script] = words;
  const argv = words.flatMap((word) => literal(word) ?? []);
  if (script === undefined || argv.length < words.length) return undefined;
  const read = pathEffect("read", script, "file", place);
  if (read.op !== "read" || !isInsideAny(read.path.resolved, place.view.workspace.roots)) return undefined;
  const effects: readonly Effect[] = [read, { op: "exec", program: read.path.resolved, argv: [name, ...argv] }];
  const reading = { effects, reason: `${name} runs ${script.text} in this shell` };
  return { reading, state: { ...freshState(place.cwd), altered: state.altered } };
}

function changeDirectory(words: readonly ShellWord[], state: ShellState, place: Site): BuiltinReading {
  const refuse = (why: string) => refused(`cd ${why} and`, state);
  const [target, ...more] = words.filter((word, at) => !(at === 0 && (word.value === "--" || word.value === "-P")));
  if (target === undefined || more.length > 0) return refuse("is written in an unusual way");
  if (target.glob || target.unknown !== undefined || target.value.startsWith("-")) return refuse(target.text);
  const enters = pathEffect("list", target, "file", place);
  if (enters.op !== "list") return refuse(`${target.text} cannot be followed`);
  const { kind, resolved } = enters.path;
  if (kind !== "directory" && kind !== "missing") return refuse(`${target.text} is not a directory`);
  const { home, roots } = place.view.workspace;
  const lexical = resolve(place.cwd, target.tilde ? home + target.value.slice(1) : target.value);
  // Bash goes back by the name of a link, the kernel by its target: behind a link `..` has two meanings.
  if (resolved !== lexical) return refuse(`${target.text} leads through a link`);
  // Anybody may know the names there. What runs there sees more than names.
  const looksAround = !isInsideAny(resolved, roots) && isOfSystem(resolved);
  const effects: readonly Effect[] = [looksAround ? { ...enters, op: "read" } : enters];
  const entered = { reading: { effects, reason: "cd changes the directory" }, state: { ...state, cwd: resolved } };
  // What is not there yet may be made by the commands before it.
  return { ...entered, failed: kind === "missing" ? state : undefined };
}

import { resolve } from "node:path/posix";
import { isInsideAny } from "../../contract/path-scope.ts";
import { pathEffect } from "./path-operands.ts";
import { type CommandReading, notUnderstood, type Place } from "./program-entry.ts";
import { assign, isParameter, type ShellState, someText, type Value } from "./shell-state.ts";
import type { ShellWord } from "./shell-tree.ts";
import { isForProjects, isOrdinaryName } from "./variable-names.ts";
import type { Walk } from "./walk.ts";

interface BuiltinReading {
  readonly reading: CommandReading;
  readonly state: ShellState;
}

/** Builtins that change the shell in a way that can be followed. */
export function readBuiltin(
  name: string,
  words: readonly ShellWord[],
  state: ShellState,
  place: Place,
  walk: Walk,
): BuiltinReading | undefined {
  switch (name) {
    case "cd":
      return { reading: readChange(words, place, state.linked), state };
    case "export":
      return setVariables(words, state, isForProjects, "export passes on");
    case "local":
    case "declare":
    case "typeset":
      if (name === "local" && walk.calls.length === 0) return refused("local stands in no function", state);
      return setVariables(words, state, isOrdinaryName, `${name} sets`, emptyValues(walk));
    case "set":
    case "shopt":
      return plainOptions(name, words, state);
    case "break":
    case "continue":
      if (words.some((word) => word.text !== "1") || words.length > 1) {
        return refused(`${name} is written in an unusual way`, state);
      }
      walk.jumps.push(state);
      return harmless(`${name} leaves the loop`, state);
    case "return":
      if (!words.every(isSettled)) return refused("return is written in an unusual way", state);
      walk.returns.push(state);
      return harmless("return leaves the function", state);
    case "shift": {
      if (!words.every(isDigit)) return refused("shift is written in an unusual way", state);
      const variables = new Map([...state.variables].filter(([variable]) => !isParameter(variable)));
      return harmless("shift drops parameters", { ...state, variables });
    }
    case "hash":
    case "umask":
    case "ulimit": {
      const asks =
        name === "hash"
          ? words.length > 0 && words.every(isPlainName)
          : words.every((word) => /^-[aHS]*[a-z]?$/.test(word.value));
      return asks ? harmless(`${name} only tells`, state) : undefined;
    }
    case "wait":
    case "jobs":
      return words.every((word) => /^%?\d+$/.test(word.value) || word.unknown?.number || word.text === "$!")
        ? harmless(`${name} is about jobs of this shell`, state)
        : undefined;
  }
  return undefined;
}

function harmless(reason: string, state: ShellState): BuiltinReading {
  return { reading: { effects: [], reason }, state };
}

function refused(why: string, state: ShellState): BuiltinReading {
  return { reading: { ...notUnderstood(why), altersShell: true }, state };
}

function isPlainName(word: ShellWord): boolean {
  return word.unknown === undefined && /^[a-z][\w.-]*$/i.test(word.value);
}

function isDigit(word: ShellWord): boolean {
  return /^\d$/.test(word.value);
}

function isSettled(word: ShellWord): boolean {
  return !word.glob && (word.unknown === undefined ? /^\d+$/.test(word.value) : word.unknown.number === true);
}

function setVariables(
  words: readonly ShellWord[],
  start: ShellState,
  mayBeSet: (name: string, value: string) => boolean,
  what: string,
  without?: (before: readonly Value[]) => readonly Value[],
): BuiltinReading {
  let state = start;
  for (const word of words) {
    const [, name = "", value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(word.value) ?? [];
    if (word.unknown !== undefined || word.glob || !mayBeSet(name, value ?? ""))
      return refused(`${what} ${word.text}`, start);
    if (value !== undefined) state = assign(state, name, [{ text: value }]);
    else if (without !== undefined) state = assign(state, name, without(state.variables.get(name) ?? [someText]));
  }
  if (words.length === 0) return refused(`${what} nothing`, start);
  return harmless(`${what} ${words.map((word) => word.text).join(" ")}`, state);
}

/** A variable of a function begins empty; in some shells called sh it begins with the value outside. */
function emptyValues({ calls, dialect }: Walk): (before: readonly Value[]) => readonly Value[] {
  if (calls.length === 0) return (before) => before;
  return dialect === "bash" ? () => [{ text: "" }] : (before) => [...before, { text: "" }];
}

/** Options that neither change what words mean nor what is run. */
function plainOptions(name: string, words: readonly ShellWord[], state: ShellState): BuiltinReading {
  const text = words.map((word) => (word.glob || word.unknown !== undefined ? "?" : word.value)).join(" ");
  const plain =
    name === "set"
      ? /^(?:[-+][eux]+|[-+][eux]*o (?:pipefail|errexit|nounset|xtrace))(?: [-+][eux]+| [-+][eux]*o (?:pipefail|errexit|nounset|xtrace))*$/
      : /^-[su](?: (?:globstar|nullglob))+$/;
  return plain.test(text)
    ? harmless(`${name} ${text} changes no meaning`, state)
    : refused(`${name} ${text} changes the shell`, state);
}

function readChange(words: readonly ShellWord[], place: Place, linked: boolean): CommandReading {
  const options = words.findIndex((word) => word.value !== "-P");
  const behind = words.slice(options < 0 ? words.length : options);
  const operands = behind[0]?.value === "--" ? behind.slice(1) : behind;
  const [target] = operands;
  const refuse = (why: string): CommandReading => ({ ...notUnderstood(why), altersShell: true });
  if (target === undefined) return refuse("cd without an operand goes home");
  const odd = operands.length > 1 || target.glob || target.unknown !== undefined || target.value.startsWith("-");
  if (odd) return refuse("cd is written in an unusual way");
  const climbs = target.value.split("/").includes("..");
  // Bash goes back by the name of a link, the kernel by its target: behind a link `..` has two meanings.
  if (climbs && linked) return refuse("cd goes back behind a link");
  const enters = pathEffect("list", target, "file", place);
  if (enters.op !== "list") return refuse(`${target.text} cannot be followed`);
  const missing = enters.path.kind === "missing";
  if (enters.path.kind !== "directory" && !missing) return refuse(`${target.text} is not a directory`);
  const home = place.view.workspace.home;
  const lexical = resolve(place.cwd, target.tilde ? home + target.value.slice(1) : target.value);
  const throughLink = enters.path.resolved !== lexical;
  const inside = isInsideAny(enters.path.resolved, place.view.workspace.roots);
  if (throughLink && (climbs || !inside) && !target.tilde) return refuse(`${target.text} leads through a link`);
  const reading = { effects: [enters], reason: "cd changes the directory", cwd: enters.path.resolved, throughLink };
  // What is not there yet may be made by the commands before it.
  return missing ? { ...reading, mayStay: true } : reading;
}

import { resolve } from "node:path/posix";
import { type Effect, isInsideAny, isOfSystem } from "../../contract/effect.ts";
import { pathEffect } from "../../programs/path-operands.ts";
import { type CommandReading, notUnderstood, type Place, type ShellWord } from "../../programs/program-entry.ts";
import { linesOf, takenNames } from "./read-names.ts";
import {
  type ArrayValue,
  assign,
  assignArray,
  freshState,
  type ShellState,
  someText,
  type Value,
  withoutParameters,
} from "./shell-state.ts";
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
      return { reading: readChange(words, place, state), state };
    case "pushd":
    case "popd":
      return walk.dialect === "bash" ? readStack(name, words, state, place) : undefined;
    case "mapfile":
    case "readarray":
      return walk.dialect === "bash" ? takeLines(words, state) : undefined;
    case "source":
    case ".":
      return readSource(name, words, state, place);
    case "read": {
      const told = takenNames("read", words.map(literal));
      if (told === undefined) return refused("read is written in an unusual way", state);
      const taken = told.names.reduce((next, one) => assign(next, one, [someText]), state);
      return harmless(`read sets ${told.names.join(" ")}`, taken);
    }
    case "export":
      return setVariables(words, state, isForProjects, "export passes on");
    case "local":
    case "declare":
    case "typeset":
      if (name === "local" && walk.calls.length === 0) return refused("local stands in no function", state);
      if (/^-[aA]$/.test(words[0]?.value ?? "") && walk.dialect === "bash") return declareArrays(name, words, state);
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
      return harmless("shift drops parameters", withoutParameters(state));
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
    case "alias":
    case "dirs":
    case "history":
      return words.every((word) => name === "history" && /^\d+$/.test(word.value))
        ? harmless(`${name} only tells`, state)
        : undefined;
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

function literal({ unknown, glob, tilde, value }: ShellWord): string | undefined {
  return unknown === undefined && !glob && !tilde ? value : undefined;
}

/** Code of the project in this very shell: whatever comes after it is at most what such code could do as well. */
function readSource(
  name: string,
  words: readonly ShellWord[],
  state: ShellState,
  place: Place,
): BuiltinReading | undefined {
  const [script] = words;
  const argv = words.flatMap((word) => literal(word) ?? []);
  if (script === undefined || argv.length < words.length) return undefined;
  const read = pathEffect("read", script, "file", place);
  if (read.op !== "read" || !isInsideAny(read.path.resolved, place.view.workspace.roots)) return undefined;
  const effects: readonly Effect[] = [read, { op: "exec", program: read.path.resolved, argv: [name, ...argv] }];
  const { directories, linked, input } = state;
  const fresh = { ...freshState(directories), linked, input, stack: undefined };
  return { reading: { effects, reason: `${name} runs ${script.text} in this shell` }, state: fresh };
}

/** `declare -A x`. What has numbers for keys keeps them. */
function declareArrays(name: string, [flag, ...words]: readonly ShellWord[], start: ShellState): BuiltinReading {
  const keyed = flag?.value === "-A";
  let state: ShellState | undefined = start;
  for (const word of words) {
    const array: string | undefined = literal(word);
    const before: ArrayValue | undefined = state?.arrays.get(array ?? "");
    if (array === undefined || !isOrdinaryName(array) || (before !== undefined && before.keyed !== keyed)) {
      return refused(`${name} sets ${word.text}`, start);
    }
    // An array that was there before keeps what is in it, and so does a variable as its first element.
    const values: readonly Value[] = before?.values ?? state?.variables.get(array) ?? [someText];
    state = state && assignArray(state, array, { exact: false, values, keyed });
  }
  if (state === undefined || words.length === 0) return refused(`${name} sets arrays`, start);
  return harmless(`${name} ${flag?.value} makes arrays`, state);
}

function takeLines(words: readonly ShellWord[], state: ShellState): BuiltinReading {
  const told = takenNames("mapfile", words.map(literal));
  const [name, second] = told?.names ?? [];
  if (told === undefined || name === undefined || second !== undefined) {
    return refused("mapfile is written in an unusual way", state);
  }
  // Without -t an item keeps its end.
  const whole = told.flags.has("t") && told.ends.every((end) => end === "");
  const values = whole ? linesOf(state.input, told.ends.length > 0) : [someText];
  const keyed = state.arrays.get(name)?.keyed === true;
  const taken = keyed ? undefined : assignArray(state, name, { exact: false, values, keyed });
  return taken === undefined ? refused("mapfile sets an array", state) : harmless(`mapfile sets ${name}`, taken);
}

function readStack(
  name: "pushd" | "popd",
  words: readonly ShellWord[],
  state: ShellState,
  place: Place,
): BuiltinReading {
  const { stack, directories } = state;
  if (stack === undefined || directories.length !== 1 || state.linked) {
    return refused(`${name} from where is not certain`, state);
  }
  if (name === "popd") {
    const [back, ...rest] = stack;
    if (words.length > 0) return refused("popd is written in an unusual way", state);
    if (back === undefined) return harmless("popd has nowhere to go", state);
    return { reading: goBack(back, place), state: { ...state, stack: rest } };
  }
  const [target, second] = words;
  if (target === undefined || second !== undefined || /^[-+]/.test(target.value)) {
    return refused("pushd is written in an unusual way", state);
  }
  const reading = readChange(words, place, state);
  const certain =
    reading.cwd !== undefined &&
    reading.mayStay !== true &&
    reading.throughLink !== true &&
    stack.length < deepestStack;
  return { reading, state: { ...state, stack: certain ? [place.cwd, ...stack] : undefined } };
}

const deepestStack = 32;

/** To a directory where the shell stood before. */
function goBack(directory: string, place: Place): CommandReading {
  return readChange([{ text: directory, value: directory, glob: false, tilde: false }], place, { linked: false });
}

function readChange(
  words: readonly ShellWord[],
  place: Place,
  { linked, previous }: { readonly linked: boolean; readonly previous?: string | undefined },
): CommandReading {
  const options = words.findIndex((word) => word.value !== "-P");
  const behind = words.slice(options < 0 ? words.length : options);
  const operands = behind[0]?.value === "--" ? behind.slice(1) : behind;
  const [target] = operands;
  const refuse = (why: string): CommandReading => ({ ...notUnderstood(why), altersShell: true });
  if (target === undefined) return refuse("cd without an operand goes home");
  if (target.text === "-" && operands.length === 1 && previous !== undefined && !linked) return goBack(previous, place);
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
  // Anybody may know the names there. What runs there sees more than names.
  const looksAround = !inside && isOfSystem(enters.path.resolved);
  const effects: readonly Effect[] = [looksAround ? { ...enters, op: "read" } : enters];
  const reading = { effects, reason: "cd changes the directory", cwd: enters.path.resolved, throughLink };
  // What is not there yet may be made by the commands before it.
  return missing ? { ...reading, mayStay: true } : reading;
}

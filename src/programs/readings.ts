import type { Effect } from "../contract/effect.ts";
import type { CommandReading, ProgramCall, ShellWord, Site } from "./program-entry.ts";

export type Reader = (call: ProgramCall, place: Site) => CommandReading;

export function notUnderstood(why: string): CommandReading {
  return { effects: [{ op: "unknown", why }], reason: why };
}

/** Runs code that the words, the project or its configuration choose. */
export function runs(call: ProgramCall, what = "code of the project"): CommandReading {
  return { effects: [execOf(call)], reason: `${call.name} runs ${what}` };
}

/** Reaches other machines, and may run what it gets from them. */
export function connects(call: ProgramCall, hosts: readonly string[], reason?: string): CommandReading {
  const reached = hosts.map((host): Effect => ({ op: "connect", host }));
  return { effects: [execOf(call), ...reached], reason: reason ?? `${call.name} talks to ${hosts.join(", ")}` };
}

function execOf(call: ProgramCall): Effect {
  const argv = [...call.name.split(" "), ...call.words.map((word) => (isLiteral(word) ? word.value : word.text))];
  return { op: "exec", program: argv[0] ?? call.name, argv };
}

/** The text alone decides what the word is. */
export function isLiteral(word: ShellWord): boolean {
  return !word.glob && word.unknown === undefined;
}

export function flagValue(call: ProgramCall, ...names: readonly string[]): ShellWord | undefined {
  return call.values.findLast(({ flag }) => names.includes(flag))?.word;
}

export function hasFlag(call: ProgramCall, ...names: readonly string[]): boolean {
  return names.some((name) => call.flags.has(name));
}

/** Programs that only print when they are asked for their version or their help and for nothing else. */
export function asksForVersion(words: readonly ShellWord[], allowed: readonly string[]): boolean {
  const [only, more] = words;
  return only !== undefined && more === undefined && isLiteral(only) && allowed.includes(only.value);
}

export function plainWord(value: string, text = value): ShellWord {
  return { text, value, glob: false, tilde: false };
}

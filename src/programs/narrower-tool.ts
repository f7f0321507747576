import type { NextStep } from "../contract/tool.ts";
import { parseFind } from "./find.ts";
import { writtenPath } from "./path-operands.ts";
import type { Place, ProgramCall, ShellWord } from "./program-entry.ts";
import { selectedLines } from "./read-sed.ts";
import { flagValue, hasFlag, isLiteral } from "./readings.ts";

/** The built-in tool that would do what this command does. Nothing when it would not do all of it. */
export function narrowerTool(call: ProgramCall, place: Place): NextStep | undefined {
  if (call.name !== "find" && ![...call.operands, ...call.values.map(({ word }) => word)].every(isLiteral))
    return undefined;
  // The tools read ordinary files only.
  if (call.operands.some(({ value }) => value.startsWith("/dev/"))) return undefined;
  switch (call.name) {
    case "cat":
      return onlyFlags(call, ["-n", "--number"]) ? read(call, {}, place) : undefined;
    case "head":
      return onlyFlags(call, lineFlags) ? read(call, { limit: lineCount(call) }, place) : undefined;
    case "tail":
      return onlyFlags(call, lineFlags) ? read(call, { tail: lineCount(call) }, place) : undefined;
    case "wc":
      return onlyFlags(call, ["-l", "--lines"]) && call.flags.size === 1 ? read(call, { limit: 1 }, place) : undefined;
    case "sed":
      return sedStep(call, place);
    case "ls":
      return onlyFlags(call, ["-a", "-A", "-l", "-1", "-h"]) ? list(call, place) : undefined;
    case "find":
      return findStep(call, place);
    case "tree":
      return treeStep(call, place);
    case "grep":
    case "egrep":
    case "fgrep":
    case "rg":
      return grepStep(call, place);
  }
  return undefined;
}

/** What `… | head -20` makes of a tool: its limit, where it has one. */
export function limitedStep(step: NextStep | undefined, then: readonly string[] | undefined): NextStep | undefined {
  const count = /^head(?: (?:-n ?|--lines=|-)(\d{1,3}))?$/.exec(then?.join(" ") ?? "");
  if (step === undefined || count === null) return undefined;
  const { limit, tail, context } = step.input;
  if (step.tool === "list" || tail !== undefined || context !== undefined) return undefined;
  const most = Number(count[1] ?? 10);
  if (most === 0) return undefined;
  return { ...step, input: { ...step.input, limit: typeof limit === "number" ? Math.min(limit, most) : most } };
}

const lineFlags = ["-n", "--lines", "-#"];

function onlyFlags(call: ProgramCall, known: readonly string[]): boolean {
  return [...call.flags].every((flag) => known.includes(flag));
}

function lineCount(call: ProgramCall): number | undefined {
  const value = call.values.at(-1)?.word.value;
  if (value === undefined) return 10;
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

function read(
  call: ProgramCall,
  range: Readonly<Record<string, number | undefined>>,
  place: Place,
): NextStep | undefined {
  const [file, second] = call.operands;
  if (file === undefined || second !== undefined || file.value === "-") return undefined;
  if (Object.values(range).some((value) => value === undefined)) return undefined;
  return { tool: "read", input: { path: writtenPath(file, place), ...range } };
}

function sedStep(call: ProgramCall, place: Place): NextStep | undefined {
  const [script, ...files] = call.operands;
  const lines =
    script === undefined || !onlyFlags(call, ["-n"]) || !call.flags.has("-n") ? undefined : selectedLines(script.value);
  if (lines === undefined) return undefined;
  return read({ ...call, operands: files }, { offset: lines.from, limit: lines.to - lines.from + 1 }, place);
}

function list(call: ProgramCall, place: Place): NextStep | undefined {
  if (call.operands.length > 1) return undefined;
  return { tool: "list", input: { path: writtenPath(call.operands[0] ?? here, place) } };
}

function treeStep(call: ProgramCall, place: Place): NextStep | undefined {
  const depth = flagValue(call, "-L")?.value;
  if (!onlyFlags(call, ["-L"]) || depth === undefined || !/^[123]$/.test(depth)) return undefined;
  const step = list(call, place);
  return step === undefined ? undefined : { ...step, input: { ...step.input, depth: Number(depth) } };
}

function findStep(call: ProgramCall, place: Place): NextStep | undefined {
  const found = parseFind(call.words);
  if ("why" in found || found.commands.length > 0 || found.paths.length > 1) return undefined;
  if (found.plain.some((word) => word !== "-print" && word !== "-a" && word !== "-and")) return undefined;
  const names = found.tests.filter(({ flag }) => flag === "-name");
  const types = found.tests.filter(({ flag }) => flag === "-type");
  const [name] = names;
  const [type] = types;
  if (name === undefined || names.length > 1 || types.length > 1) return undefined;
  if (names.length + types.length < found.tests.length || !found.tests.every(({ word }) => isLiteral(word)))
    return undefined;
  const kind = type === undefined ? undefined : kinds.get(type.word.value);
  if (type !== undefined && kind === undefined) return undefined;
  const step = search("glob", `**/${name.word.value}`, found.paths[0], place);
  return kind === undefined ? step : { ...step, input: { ...step.input, kind } };
}

const kinds: ReadonlyMap<string, string> = new Map([
  ["f", "file"],
  ["d", "directory"],
]);

function grepStep(call: ProgramCall, place: Place): NextStep | undefined {
  if (!onlyFlags(call, call.name === "rg" ? searchFlags : [...searchFlags, ...grepFlags])) return undefined;
  const given = call.values.filter(({ flag }) => flag === "-e");
  const globs = call.values.filter(({ flag }) => ["--include", "-g", "--glob"].includes(flag));
  const [pattern, path, third] = given.length > 0 ? [given[0]?.word, ...call.operands] : call.operands;
  if (pattern === undefined || third !== undefined || given.length > 1 || globs.length > 1) return undefined;
  const literal = call.name === "fgrep" || hasFlag(call, "-F", "--fixed-strings");
  const extended = call.name === "egrep" || hasFlag(call, "-E", "--extended-regexp");
  // Basic and extended patterns differ from ours in what a backslash or a bare sign means.
  const foreign = extended ? /\\/ : /[\\+?|(){}]/;
  if (call.name !== "rg" && !literal && foreign.test(pattern.value)) return undefined;
  const context = flagValue(call, "-C", "--context")?.value;
  if (context !== undefined && !/^1?\d$/.test(context)) return undefined;
  const glob = globs[0]?.word.value;
  const step = search("grep", pattern.value, path, place);
  const options = {
    ...(glob === undefined ? {} : { glob }),
    ...(literal ? { literal: true } : {}),
    ...(hasFlag(call, "-i", "--ignore-case") ? { ignore_case: true } : {}),
    ...(context === undefined ? {} : { context: Number(context) }),
    ...(hasFlag(call, "-l", "--files-with-matches") ? { files_only: true } : {}),
  };
  return { ...step, input: { ...step.input, ...options } };
}

const searchFlags = [
  ..."-n -i -e -F -l -C --line-number --ignore-case --fixed-strings --files-with-matches --context".split(" "),
  ..."-g --glob".split(" "),
];
const grepFlags = "-r -R -E -H -I --recursive --dereference-recursive --extended-regexp --include".split(" ");

function search(tool: "glob" | "grep", pattern: string, path: ShellWord | undefined, place: Place): NextStep {
  const written = writtenPath(path ?? here, place);
  return { tool, input: written === "." ? { pattern } : { pattern, path: written } };
}

const here: ShellWord = { text: ".", value: ".", glob: false, tilde: false };

import type { NextStep } from "../../contract/tool.ts";
import { writtenPath } from "./path-operands.ts";
import type { Place, ProgramCall } from "./program-entry.ts";
import { selectedLines } from "./read-sed.ts";
import type { ShellWord } from "./shell-tree.ts";

/** The built-in tool that would do what this command does. Nothing when it would not do all of it. */
export function narrowerTool(call: ProgramCall, place: Place): NextStep | undefined {
  if (call.operands.some((word) => word.glob)) return undefined;
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
    case "grep":
    case "rg":
      return grepStep(call, place);
  }
  return undefined;
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

function findStep(call: ProgramCall, place: Place): NextStep | undefined {
  const names = call.values.filter(({ flag }) => flag === "-name");
  const types = call.values.filter(({ flag }) => flag === "-type");
  const [name] = names;
  if (name === undefined || names.length > 1 || !onlyFlags(call, ["-name", "-type", "-print"])) return undefined;
  if (call.operands.length > 1 || types.some(({ word }) => word.value !== "f")) return undefined;
  return search("glob", `**/${name.word.value}`, call.operands[0], place);
}

function grepStep(call: ProgramCall, place: Place): NextStep | undefined {
  const common = ["-n", "-r", "-i", "--line-number", "--recursive", "--ignore-case", "-e", "--include", "-g", "--glob"];
  if (!onlyFlags(call, call.name === "grep" ? [...common, "-E", "--extended-regexp"] : common)) return undefined;
  const given = call.values.filter(({ flag }) => flag === "-e");
  const globs = call.values.filter(({ flag }) => flag === "--include" || flag === "-g" || flag === "--glob");
  const [pattern, path, third] = given.length > 0 ? [given[0]?.word, ...call.operands] : call.operands;
  if (pattern === undefined || third !== undefined || given.length > 1 || globs.length > 1) return undefined;
  // Basic and extended patterns differ from ours in what a backslash or a bare sign means.
  const basic = call.name === "grep" && !call.flags.has("-E") && !call.flags.has("--extended-regexp");
  if (call.name === "grep" && (basic ? /[\\+?|(){}]/ : /\\/).test(pattern.value)) return undefined;
  const step = search("grep", pattern.value, path, place);
  const glob = globs[0]?.word.value;
  const ignoreCase = call.flags.has("-i") || call.flags.has("--ignore-case");
  const options = { ...(glob === undefined ? {} : { glob }), ...(ignoreCase ? { ignore_case: true } : {}) };
  return { ...step, input: { ...step.input, ...options } };
}

function search(tool: "glob" | "grep", pattern: string, path: ShellWord | undefined, place: Place): NextStep {
  const written = writtenPath(path ?? here, place);
  return { tool, input: written === "." ? { pattern } : { pattern, path: written } };
}

const here: ShellWord = { text: ".", value: ".", glob: false, tilde: false };

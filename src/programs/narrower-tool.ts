import type { NextStep } from "../contract/tool.ts";
import { writtenPath } from "./path-operands.ts";
import type { ShellWord, Site } from "./program-entry.ts";
import { isLiteral } from "./readings.ts";

type Groups = Readonly<Record<string, string>>;

interface NarrowerForm {
  readonly words: RegExp;
  readonly tool: NextStep["tool"];
  readonly input: (found: Groups) => Readonly<Record<string, string | number | boolean | undefined>> | undefined;
}

/** Commands that a built-in tool would carry out completely. What is captured as `path` is its path. */
const forms: readonly NarrowerForm[] = [
  { words: /^cat(?:\n(?:-n|--number))?\n(?<path>[^-\n].*)$/, tool: "read", input: () => ({}) },
  {
    words: /^head(?:\n(?:-n\n?|--lines=|-)(?<limit>\d{1,9}))?\n(?<path>[^-\n].*)$/,
    tool: "read",
    input: ({ limit = "10" }) => ({ limit: Number(limit) }),
  },
  {
    words: /^tail(?:\n(?:-n\n?|--lines=|-)(?<tail>\d{1,9}))?\n(?<path>[^-\n].*)$/,
    tool: "read",
    input: ({ tail = "10" }) => ({ tail: Number(tail) }),
  },
  { words: /^wc\n(?:-l|--lines)\n(?<path>[^-\n].*)$/, tool: "read", input: () => ({ limit: 1 }) },
  {
    words: /^sed\n-n\n(?<from>[1-9]\d*)(?:,(?<to>\d+))?p(?:;(?<quits>\d+)q)?\n(?<path>[^-\n].*)$/,
    tool: "read",
    input: ({ from, to = from, quits = to }) => {
      const limit = Number(to) - Number(from) + 1;
      return limit > 0 && Number(quits) >= Number(to) ? { offset: Number(from), limit } : undefined;
    },
  },
  { words: /^ls(?:\n-[aAl1h]+)*(?:\n(?<path>[^-\n].*))?$/, tool: "list", input: () => ({}) },
  {
    words: /^tree\n-L\n?(?<depth>[123])(?:\n(?<path>[^-\n].*))?$/,
    tool: "list",
    input: ({ depth }) => ({ depth: Number(depth) }),
  },
  {
    words: /^find(?:\n(?<path>[^-(!\n].*))?(?:\n-type\n(?<type>[fd]))?\n-name\n(?<name>.+)(?:\n-print)?$/,
    tool: "glob",
    input: ({ name, type }) => ({ pattern: `**/${name}`, kind: type && (type === "f" ? "file" : "directory") }),
  },
  {
    words:
      /^(?<program>grep|egrep|fgrep|rg)(?<flags>(?:\n(?:-[niFlErRHI]+|-C\n1?\d|(?:--include=|-g\n|--glob=).+))*)\n(?:-e\n)?(?<text>[^-\n].*?)(?:\n(?<path>[^-\n].*))?$/,
    tool: "grep",
    input: readGrep,
  },
];

function readGrep({ program, flags = "", text = "" }: Groups): ReturnType<NarrowerForm["input"]> {
  const letters = [...flags.matchAll(/\n-([niFlErRHI]+)(?=\n|$)/g)].map(([, found]) => found).join("");
  if (program === "rg" && /[rREHI]/.test(letters)) return undefined;
  const literal = program === "fgrep" || letters.includes("F");
  const extended = program === "egrep" || letters.includes("E");
  // Basic and extended patterns differ from ours in what a backslash or a bare sign means.
  const foreign = extended ? /\\/ : /[\\+?|(){}]/;
  const [glob, second] = [...flags.matchAll(/\n(?:--include=|-g\n|--glob=)(.+)/g)].map(([, found]) => found);
  if ((program !== "rg" && !literal && foreign.test(text)) || second !== undefined) return undefined;
  const context = /\n-C\n(\d+)/.exec(flags)?.[1];
  return {
    pattern: text,
    glob,
    literal: literal || undefined,
    ignore_case: letters.includes("i") || undefined,
    context: context && Number(context),
    files_only: letters.includes("l") || undefined,
  };
}

/** The built-in tool that would do what this command does. Nothing when it would not do all of it. */
export function narrowerTool(name: string, given: readonly ShellWord[], place: Site): NextStep | undefined {
  const isPlain = given.every((word) => isLiteral(word) && !/\n|^\/dev\//.test(word.value));
  const words = [name, ...given.map(({ value }) => value)].join("\n");
  const form = isPlain ? forms.find((one) => one.words.test(words)) : undefined;
  const found = form?.words.exec(words)?.groups ?? {};
  const input = form?.input(found);
  if (form === undefined || input === undefined) return undefined;
  const word = given.find(({ value }) => value === found.path);
  const path = word === undefined ? "." : writtenPath(word, place);
  const options = Object.entries(input).filter(([, value]) => value !== undefined);
  const searches = form.tool === "glob" || form.tool === "grep";
  return { tool: form.tool, input: { ...Object.fromEntries(options), ...(!(searches && path === ".") && { path }) } };
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

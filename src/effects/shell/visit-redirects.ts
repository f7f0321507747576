import type { Effect } from "../../contract/effect.ts";
import { pathEffect, roleEffects } from "../../programs/path-operands.ts";
import { notUnderstood } from "../../programs/program-entry.ts";
import { isStandardInput } from "../devices.ts";
import { choicesOf, type Evaluated, evaluate, expansionIn } from "./evaluate.ts";
import { expandValue, expandWord } from "./expand-word.ts";
import { isKnown, merge, received, type ShellState, someText, type Value } from "./shell-state.ts";
import type { ShellRedirect, Substitution, WordTemplate } from "./shell-tree.ts";
import { type Found, type Step, unknown, type Walk } from "./walk.ts";

export interface Redirected {
  readonly state: ShellState;
  /** To be reported behind the command that they belong to. */
  readonly found: readonly Found[];
  /** What the command reads on its standard input. */
  readonly input: Value;
  /** It has an input of its own: it takes nothing from the one around it. */
  readonly ownInput: boolean;
  /** It is given something to read. */
  readonly fed: boolean;
  /** Its output goes where it would go without them, and nothing else goes there. */
  readonly prints: boolean;
  /** One of them may fail, and the command is left out then. */
  readonly mayFail: boolean;
}

/** `undefined` when one of them cannot be understood; that is reported then. */
export function visitRedirects(
  redirects: readonly ShellRedirect[],
  start: ShellState,
  walk: Walk,
): Redirected | undefined {
  const evaluated = evaluate(redirects.flatMap(templateOf), start, walk);
  if ("why" in evaluated) {
    const text = redirects.map((redirect) => redirect.text).join(" ");
    walk.found.push({ part: { text, ...notUnderstood(evaluated.why) } });
    return undefined;
  }
  // Under another number a command could take part of the input unseen.
  const aliased = redirects.some((redirect) => redirect.kind === "copy" && redirect.source === 0);
  const state = aliased ? { ...evaluated.state, input: someText } : evaluated.state;
  const found: Found[] = [];
  let { input } = state;
  for (const redirect of redirects) {
    if (redirect.descriptor === 0) input = aliased ? someText : inputOf(redirect, evaluated, walk);
    if (redirect.kind === "copy" || redirect.kind === "sink" || redirect.kind === "input") continue;
    if (redirect.kind === "read" && pipeOf(redirect.target) !== undefined) continue;
    const effects = targetEffects(redirect, evaluated, walk);
    found.push({ part: { text: redirect.text, effects, reason: `${verbs[redirect.kind]} by redirection` } });
  }
  return {
    state,
    found,
    input,
    ownInput: redirects.some(({ kind, descriptor }) => descriptor === 0 && kind !== "copy"),
    fed: redirects.reduce((fed, redirect) => (redirect.descriptor === 0 ? !isNothing(redirect) : fed), walk.fed),
    prints: redirects.every(
      (redirect) =>
        redirect.descriptor === 0 || (redirect.descriptor === 2 && redirect.kind === "sink" && redirect.empty),
    ),
    mayFail: redirects.some(mayFail),
  };
}

/** What a command leaves behind that stood between them. */
export function afterRedirects(ended: Step, before: ShellState, { ownInput, prints, mayFail }: Redirected): Step {
  const input = ownInput ? received(before.input, before, ended.state) : ended.state.input;
  const after = { ...ended.state, input };
  // A redirection that fails leaves the command out: it printed nothing then, and changed nothing.
  const empty = mayFail && isKnown(ended.output);
  return {
    state: mayFail ? merge(before, after) : after,
    output: prints && !empty ? ended.output : someText,
    ...(ended.certain === true && !mayFail ? { certain: true } : {}),
  };
}

function isNothing(redirect: ShellRedirect): boolean {
  return redirect.kind === "sink" && redirect.empty;
}

const verbs = { read: "reads", write: "writes", change: "reads and writes" } as const;

function templateOf(redirect: ShellRedirect): readonly WordTemplate[] {
  if (redirect.kind === "copy" || redirect.kind === "sink") return [];
  return [redirect.kind === "input" ? redirect.content : redirect.target];
}

function inputOf(redirect: ShellRedirect, evaluated: Evaluated, walk: Walk): Value {
  if (redirect.kind === "input") return textOf(redirect.content, evaluated, walk);
  if (redirect.kind === "sink" && redirect.empty) return { text: "" };
  const pipe = redirect.kind === "read" ? pipeOf(redirect.target) : undefined;
  return (pipe === undefined ? undefined : evaluated.substituted.get(pipe)) ?? someText;
}

/** The first three descriptors are open: nothing that is understood closes one. */
function mayFail(redirect: ShellRedirect): boolean {
  switch (redirect.kind) {
    case "input":
      return false;
    case "sink":
      return !redirect.empty;
    case "copy":
      return redirect.source > 2 || redirect.byName === true;
    case "read":
      return pipeOf(redirect.target) === undefined;
    default:
      return true;
  }
}

function textOf(content: WordTemplate, evaluated: Evaluated, walk: Walk): Value {
  const [cwd, second] = evaluated.state.directories;
  const [choice, other] = choicesOf([content], evaluated.state);
  if (cwd === undefined || second !== undefined || choice === undefined || other !== undefined) return someText;
  const value = expandValue(content, expansionIn(cwd, choice, evaluated, walk));
  return isKnown(value) ? value : someText;
}

function pipeOf({ pieces: [only] }: WordTemplate): Substitution | undefined {
  return only?.kind === "command" && only.pipe ? only : undefined;
}

function targetEffects(
  { kind, target, text }: Extract<ShellRedirect, { kind: "read" | "write" | "change" }>,
  evaluated: Evaluated,
  walk: Walk,
): readonly Effect[] {
  const { view } = walk;
  const { directories, altered } = evaluated.state;
  const role = kind === "read" ? "read" : /^\d?>>/.test(text) ? "edit" : undefined;
  if (altered !== undefined) return [unknown(`${altered} changed the shell before it`)];
  if (directories.length === 0) return [unknown("the working directory is not certain")];
  return directories.flatMap((cwd) =>
    choicesOf([target], evaluated.state).flatMap((choice) => {
      const [word, second] = expandWord(target, expansionIn(cwd, choice, evaluated, walk));
      // One name of those that were found; several would be an error.
      if (role !== undefined && second === undefined && word?.unknown?.names !== undefined) {
        return roleEffects(role, { ...word, unknown: { ...word.unknown, one: true } }, false, { view, cwd });
      }
      if (word === undefined || second !== undefined || word.glob || word.unknown !== undefined) {
        return [unknown(`${target.text} is not certain`)];
      }
      // As it is written it would be seen to share the input.
      if (kind === "read" && isStandardInput(word.value)) return [unknown(`${target.text} is not certain`)];
      const ops = kind === "change" ? (["read", "write"] as const) : [kind];
      return ops.map((op) => pathEffect(op, word, "file", { view, cwd }));
    }),
  );
}

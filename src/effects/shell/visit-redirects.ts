import type { Effect } from "../../contract/effect.ts";
import { choicesOf, type Evaluated, evaluate, expansionIn } from "./evaluate.ts";
import { expandValue, expandWord } from "./expand-word.ts";
import { pathEffect } from "./path-operands.ts";
import { notUnderstood } from "./program-entry.ts";
import { isKnown, type ShellState, someText, type Value } from "./shell-state.ts";
import type { ShellRedirect, Substitution, WordTemplate } from "./shell-tree.ts";
import { type Found, unknown, type Walk } from "./walk.ts";

export interface Redirected {
  readonly state: ShellState;
  /** To be reported behind the command that they belong to. */
  readonly found: readonly Found[];
  /** What the command reads on its standard input. */
  readonly input: Value;
  /** Its output goes where it would go without them, and nothing else goes there. */
  readonly prints: boolean;
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
  const found: Found[] = [];
  let { input } = start;
  for (const redirect of redirects) {
    if (redirect.kind === "harmless") continue;
    const feeds = redirect.text.startsWith("<") || redirect.text.startsWith("0<");
    const pipe = redirect.kind === "read" ? pipeOf(redirect.target) : undefined;
    if (feeds && redirect.kind === "input") input = textOf(redirect.content, evaluated, walk);
    else if (feeds) input = (pipe === undefined ? undefined : evaluated.substituted.get(pipe)) ?? someText;
    if (redirect.kind === "input" || pipe !== undefined) continue;
    const effects = targetEffects(redirect, evaluated, walk);
    found.push({ part: { text: redirect.text, effects, reason: `${verbs[redirect.kind]} by redirection` } });
  }
  const prints = redirects.every(({ text }) => /^0?<|^2>\s*\/dev\/null$/.test(text));
  const shared = evaluated.state.shared && !redirects.some(({ text }) => /^0?</.test(text));
  return { state: { ...evaluated.state, shared }, found, input, prints };
}

const verbs = { read: "reads", write: "writes", change: "reads and writes" } as const;

function templateOf(redirect: ShellRedirect): readonly WordTemplate[] {
  if (redirect.kind === "harmless") return [];
  return [redirect.kind === "input" ? redirect.content : redirect.target];
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
  { kind, target }: Extract<ShellRedirect, { kind: "read" | "write" | "change" }>,
  evaluated: Evaluated,
  walk: Walk,
): readonly Effect[] {
  const { view } = walk;
  const { directories, altered } = evaluated.state;
  if (altered !== undefined) return [unknown(`${altered} changed the shell before it`)];
  if (directories.length === 0) return [unknown("the working directory is not certain")];
  return directories.flatMap((cwd) =>
    choicesOf([target], evaluated.state).flatMap((choice) => {
      const [word, second] = expandWord(target, expansionIn(cwd, choice, evaluated, walk));
      if (word === undefined || second !== undefined || word.glob || word.unknown !== undefined) {
        return [unknown(`${target.text} is not certain`)];
      }
      const ops = kind === "change" ? (["read", "write"] as const) : [kind];
      return ops.map((op) => pathEffect(op, word, "file", { view, cwd }));
    }),
  );
}

import { calculate } from "./arithmetic.ts";
import { isKnown, someCount, someText, type Value } from "./expand-word.ts";
import type { ShellState } from "./state.ts";
import type { Substitution, WordTemplate } from "./tree.ts";
import { namesSecret } from "./variable-names.ts";
import { valueIn, type Walk } from "./walk.ts";

export type Substituted = ReadonlyMap<Substitution, Value>;

/** Runs through what stands in words and runs before the command does. Substitutions see a copy of the shell. */
export function substitute(
  templates: readonly WordTemplate[],
  state: ShellState,
  walk: Walk,
): Substituted | { readonly why: string } {
  const substituted = new Map<Substitution, Value>();
  for (const piece of templates.flatMap(({ pieces }) => pieces)) {
    if (piece.kind === "variable" && !state.variables.has(piece.name) && namesSecret(piece.name)) {
      return { why: `${piece.name} of the environment may be a secret` };
    }
    if (piece.kind === "arithmetic") {
      const read = calculate(piece.expression, state);
      if ("why" in read) return read;
      if (read !== state) return { why: `${piece.expression} changes a variable` };
    }
    if (piece.kind !== "command") continue;
    const { output } = walk.visit(piece.body, state, walk);
    if (piece.pipe || isKnown(output)) substituted.set(piece, output);
    // Line ends are taken off the end and NUL bytes dropped, and nothing may be left.
    else
      substituted.set(piece, {
        ...valueIn(output, output.separator === "nul" ? undefined : output.from),
        mayBeEmpty: true,
      });
  }
  return substituted;
}

export function expansionOf(substituted: Substituted, state: ShellState, { view }: Pick<Walk, "view">, cwd: string) {
  const { home } = view.workspace;
  const variable = (name: string): Value => {
    const value = state.variables.get(name);
    if (value !== undefined) return valueIn(value, cwd);
    if (name === "HOME") return { text: home };
    if (name === "PWD" && state.cwd !== undefined) return { text: cwd };
    if (name === "@") return { one: false };
    return counts.has(name) ? someCount : someText;
  };
  const value = (piece: Substitution): Value =>
    piece.pipe ? { one: true, plain: true, pipe: true } : valueIn(substituted.get(piece) ?? someText, cwd);
  return { cwd, home, variable, substituted: value };
}

const counts: ReadonlySet<string> = new Set(["?", "#", "$", "PPID"]);

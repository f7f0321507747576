import type { Effect, EffectPart, Risk } from "../../contract/effect.ts";
import type { EffectView } from "../../contract/ports.ts";
import type { NextStep } from "../../contract/tool.ts";
import { pipesDownload, substitutesDownload } from "./downloaded-code.ts";
import { parseShell } from "./parse-shell.ts";
import { pathEffect } from "./path-operands.ts";
import { type CommandReading, notUnderstood } from "./program-entry.ts";
import { readCommand } from "./read-command.ts";
import type { Opaque, Sequence, ShellNode, ShellRedirect, SimpleCommand } from "./shell-tree.ts";

export interface ShellReport {
  readonly effects: readonly Effect[];
  /** Every simple command, redirection and stretch that is not understood. */
  readonly parts: readonly EffectPart[];
  readonly raiseTo?: Risk;
  readonly raisedBecause?: string;
  /** Bash itself would refuse the text. */
  readonly syntaxError?: string;
  /** A narrower tool that does the same. */
  readonly next?: NextStep;
}

/** What a shell text would touch when it runs in `cwd`. Reads nothing but paths, runs nothing. */
export function analyseShell(text: string, context: { readonly view: EffectView; readonly cwd: string }): ShellReport {
  const { root, syntaxError } = parseShell(text);
  const shell: Shell = { view: context.view, directories: [context.cwd] };
  const found = visit(root, shell);
  const parts = found.map(({ part }) => part);
  const raisedBecause = found.find((entry) => entry.raisedBecause !== undefined)?.raisedBecause;
  const next = root.kind === "simple" && root.redirects.every(isHarmless) ? found[0]?.next : undefined;
  return {
    effects: parts.flatMap((part) => part.effects),
    parts,
    ...(raisedBecause === undefined ? {} : { raiseTo: "R4", raisedBecause }),
    ...(syntaxError === undefined ? {} : { syntaxError }),
    ...(next === undefined ? {} : { next }),
  };
}

/** The state of the shell on the way through the text. */
interface Shell {
  readonly view: EffectView;
  /** Where it may stand. More than one once a `cd` may or may not have happened. */
  directories: readonly string[];
  /** What happened that makes later words mean something else. */
  altered?: string;
}

interface Found {
  readonly part: EffectPart;
  readonly raisedBecause?: string;
  readonly next?: NextStep;
}

function visit(node: ShellNode, shell: Shell): readonly Found[] {
  switch (node.kind) {
    case "simple":
      return visitSimple(node, shell);
    case "sequence":
      return visitSequence(node, shell);
    case "pipeline": {
      // Each command of a pipeline runs in a copy of the shell.
      const found = node.commands.flatMap((command) => visit(command, { ...shell }));
      return pipesDownload(node) ? found.map(demandSavedRule) : found;
    }
    case "group": {
      // The shell opens the group's redirections before it runs the first command of it.
      const redirects = visitRedirects(node.redirects, shell);
      return [...visit(node.body, node.copy ? { ...shell } : shell), ...redirects];
    }
    case "opaque":
      return visitOpaque(node, shell);
  }
}

function visitSequence(node: Sequence, shell: Shell): readonly Found[] {
  const found: Found[] = [];
  const start = shell.directories;
  let leftOut: Shell["directories"] = [];
  for (const { node: item, before } of node.items) {
    // Behind && an item may be left out, and what follows the chain then stands where it began.
    if (before !== "&&") {
      shell.directories = union(shell.directories, leftOut);
      leftOut = [];
    }
    // Behind || anything before it may have been left out, and so may the item itself.
    if (before === "||") shell.directories = union(start, shell.directories);
    const entered = shell.directories;
    found.push(...visit(item, shell));
    if (before === "||") shell.directories = union(entered, shell.directories);
    if (before === "&&") leftOut = union(leftOut, entered);
  }
  shell.directories = union(shell.directories, leftOut);
  return found;
}

function visitSimple(node: SimpleCommand, shell: Shell): readonly Found[] {
  const redirects = visitRedirects(node.redirects, shell);
  const reading = readIn(shell, node);
  if (reading.altersShell) shell.altered = node.words[0].value;
  const { effects, reason, moves, needsSavedRule, raisedBecause, next } = reading;
  const part: EffectPart = {
    text: node.text,
    effects,
    reason,
    words: node.words.map((word) => word.value),
    ...(moves ? { moves } : {}),
    ...(needsSavedRule ? { needsSavedRule } : {}),
  };
  const notes = { ...(raisedBecause === undefined ? {} : { raisedBecause }), ...(next === undefined ? {} : { next }) };
  return [{ part, ...notes }, ...redirects];
}

/** In every directory where the shell may stand; what is possible counts. */
function readIn(shell: Shell, node: SimpleCommand): CommandReading {
  if (shell.altered !== undefined) return notUnderstood(`${shell.altered} changed the shell before it`);
  const readings = shell.directories.map((cwd) => readCommand(node, { view: shell.view, cwd }));
  const moved = readings.flatMap((reading) => reading.cwd ?? []);
  if (moved.length > 0)
    shell.directories = moved.length === readings.length ? union(moved, []) : union(shell.directories, moved);
  const [first, ...others] = readings;
  if (first === undefined) return notUnderstood("the working directory is not certain");
  return { ...Object.assign({}, ...others, first), effects: readings.flatMap((reading) => reading.effects) };
}

function visitRedirects(redirects: readonly ShellRedirect[], { view, directories }: Shell): readonly Found[] {
  return redirects.flatMap((redirect) => {
    if (redirect.kind === "harmless") return [];
    const { text, kind, target } = redirect;
    const effects = directories.map((cwd) => pathEffect(kind, target, "file", { view, cwd }));
    return [{ part: { text, effects, reason: `${kind}s by redirection` } }];
  });
}

/** Nothing is known about what comes after it either: it may have changed the shell. */
function visitOpaque(node: Opaque, shell: Shell): readonly Found[] {
  shell.altered = "something that was not understood";
  const why = `${clip(node.text)}: ${node.why}`;
  const whole: Found = { part: { text: node.text, ...notUnderstood(why) } };
  const inside = node.inside.map(({ text, words }) => ({ part: { text, words, ...notUnderstood(why) } }));
  const found = [whole, ...inside];
  return substitutesDownload(node) ? found.map(demandSavedRule) : found;
}

function demandSavedRule(found: Found): Found {
  return { ...found, part: { ...found.part, reason: "runs what it downloads", needsSavedRule: true } };
}

function clip(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

function isHarmless(redirect: ShellRedirect): boolean {
  return redirect.kind === "harmless";
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}

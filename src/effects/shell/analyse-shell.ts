import type { Effect, EffectPart, Risk } from "../../contract/effect.ts";
import type { EffectView } from "../../contract/ports.ts";
import type { NextStep } from "../../contract/tool.ts";
import { readsWhatGitBrings } from "../../programs/git/brings-files.ts";
import { limitedStep } from "../../programs/narrower-tool.ts";
import { formsInside } from "../../programs/plain-forms.ts";
import { nothingBrought } from "./brought.ts";
import { withCarried } from "./carried-commands.ts";
import { brings, feedsDownload, noteRedirected, settleOpaque } from "./downloaded-code.ts";
import { type Limits, limitedView } from "./limited-view.ts";
import { changesThroughOwnLink } from "./own-links.ts";
import { parseShell } from "./parse-shell.ts";
import { settleEndless } from "./settle-endless.ts";
import { alter, freshState, merge, received, type ShellState, sizeOf, someText, withInputOf } from "./shell-state.ts";
import type { Pipeline, Sequence, ShellNode } from "./shell-tree.ts";
import { visitCompound } from "./visit-compound.ts";
import { afterRedirects, visitRedirects } from "./visit-redirects.ts";
import { visitSimple } from "./visit-simple.ts";
import { demandSavedRule, type Found, type Step, spend, spendCharacters, step, stepOver, type Walk } from "./walk.ts";

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

const limits: Limits = { commands: 4_000, paths: 20_000, names: 250_000, characters: 4_000_000, reached: false };
/** For commands inside commands that were not understood. */
const fewLimits: Limits = { commands: 8_000, paths: 5_000, names: 50_000, characters: 1_000_000, reached: false };
const deepest = 24;

/** What a shell text would touch when it runs in `cwd`. Reads nothing but paths, runs nothing. */
export function analyseShell(text: string, context: { readonly view: EffectView; readonly cwd: string }): ShellReport {
  const { root, inside, syntaxError } = parseShell(text);
  const walk = startWalk(context.view, limits);
  const start = freshState([context.cwd]);
  visit(root, start, walk);
  if (walk.limits.reached) {
    const why = "it is too long or too deep to be followed";
    walk.found.length = 0;
    stepOver({ text, why, inside: inside() }, start, walk);
    // What it would touch is not known, so no rule about paths could hold: neither a mode nor a grant is enough.
    walk.found.push(
      ...walk.found.splice(0).map((found) => ({ ...found, part: { ...found.part, needsSavedRule: true } })),
    );
  }
  const found = withCarried(walk.found, {
    text,
    cwd: context.cwd,
    unread: () => (/\(\s*\)|\bfunction\b/.test(text) ? inside() : []),
    walk: startWalk(context.view, fewLimits),
  });
  const parts = withCommandsOf(
    text,
    found.map(({ part }) => part),
  );
  const raisedBecause =
    found.find((entry) => entry.raisedBecause !== undefined)?.raisedBecause ??
    readsWhatGitBrings(parts) ??
    changesThroughOwnLink(parts);
  const next = nextOf(root, found);
  return {
    effects: parts.flatMap((part) => part.effects),
    parts,
    ...(raisedBecause === undefined ? {} : { raiseTo: "R4", raisedBecause }),
    ...(syntaxError === undefined ? {} : { syntaxError }),
    ...(next === undefined ? {} : { next }),
  };
}

/** What was not understood may run whatever command stands anywhere in the text. */
function withCommandsOf(text: string, parts: readonly EffectPart[]): readonly EffectPart[] {
  const at = parts.findIndex(({ effects }) => effects.some(({ op }) => op === "unknown"));
  const forms = at < 0 ? [] : formsInside([text]);
  if (forms.length === 0) return parts;
  return parts.map((part, index) => (index === at ? { ...part, alsoAs: [...(part.alsoAs ?? []), ...forms] } : part));
}

function nextOf(root: ShellNode, [first, second, third]: readonly Found[]): NextStep | undefined {
  if (root.kind === "simple" && second === undefined) return first?.next;
  const two = root.kind === "pipeline" && root.commands.length === 2 && third === undefined;
  return two ? limitedStep(first?.next, second?.part.words) : undefined;
}

function startWalk(view: EffectView, most: Limits): Walk {
  const limits = { ...most };
  return {
    view: limitedView(view, limits),
    found: [],
    limits,
    depth: 0,
    visit,
    jumps: [],
    returns: [],
    calls: [],
    dialect: "bash",
    repeats: false,
    fed: false,
    downloaded: false,
    brought: nothingBrought(),
  };
}

function visit(node: ShellNode, state: ShellState, outer: Walk): Step {
  const walk: Walk = { ...outer, depth: outer.depth + 1 };
  spend(walk, 1);
  spendCharacters(walk, sizeOf(state));
  if (walk.depth > deepest) walk.limits.reached = true;
  if (walk.limits.reached) return step(state);
  switch (node.kind) {
    case "simple": {
      const from = walk.found.length;
      const ended = visitSimple(node, state, walk);
      settleEndless([node], from, walk);
      return ended;
    }
    case "sequence":
      return visitSequence(node, state, walk);
    case "pipeline":
      return visitPipeline(node, state, walk);
    case "group": {
      // The shell opens the group's redirections before it runs the first command of it.
      const from = walk.found.length;
      const redirected = visitRedirects(node.redirects, state, walk);
      if (redirected === undefined) return step(alter(state, "a redirection that was not understood"));
      const before = redirected.state;
      const downloaded = feedsDownload(node, [...walk.found.slice(from), ...redirected.found], walk);
      const inner = { ...walk, fed: redirected.fed, downloaded };
      const ended = visit(node.body, { ...before, input: redirected.input }, inner);
      walk.found.push(...redirected.found);
      noteRedirected(redirected.found, walk.found.slice(from), walk);
      const output = received(ended.output, ended.state, state);
      return afterRedirects(
        step(node.copy ? withInputOf(before, ended.state) : ended.state, output),
        before,
        redirected,
      );
    }
    case "background": {
      const from = walk.found.length;
      const ended = visit(node.body, state, walk);
      const started = walk.found.splice(from).map(inBackground);
      walk.found.push(...started);
      if (walk.repeats)
        stepOver({ text: "&", why: "a loop may start any number of processes", inside: [] }, state, walk);
      return step(withInputOf(state, ended.state));
    }
    case "opaque": {
      const from = walk.found.length;
      const over = stepOver(node, state, walk);
      settleOpaque(node, from, walk);
      return over;
    }
    default:
      return visitCompound(node, state, walk);
  }
}

function inBackground(found: Found): Found {
  return { ...found, part: { ...found.part, reason: `${found.part.reason}, in the background` } };
}

function visitSequence(node: Sequence, start: ShellState, walk: Walk): Step {
  let state = start;
  let leftOut: ShellState | undefined;
  let certain = false;
  let output: Step["output"] = someText;
  for (const { node: item, before } of node.items) {
    // Behind && an item may be left out, and what follows the chain then stands where it began.
    if (before !== "&&" && leftOut !== undefined) {
      state = merge(state, leftOut);
      leftOut = undefined;
    }
    // Behind || anything before it may have been left out, and so may the item itself.
    if (before === "||") state = merge(start, state);
    const entered = state;
    const ended = visit(item, state, walk);
    state = before === "||" ? merge(entered, ended.state) : ended.state;
    if (before === "&&" && !certain) leftOut = leftOut === undefined ? entered : merge(leftOut, entered);
    certain = ended.certain === true && (before !== "&&" || certain);
    output = node.items.length === 1 ? ended.output : someText;
  }
  return step(leftOut === undefined ? state : merge(state, leftOut), output);
}

/** Each command of a pipeline runs in a copy of the shell. */
function visitPipeline({ commands, withErrors }: Pipeline, state: ShellState, walk: Walk): Step {
  const start = walk.found.length;
  let { input } = state;
  let { downloaded } = walk;
  let after = state;
  for (const [index, command] of commands.entries()) {
    const from = walk.found.length;
    const ended = visit(command, { ...state, input }, { ...walk, fed: walk.fed || index > 0, downloaded });
    downloaded ||= walk.found.slice(from).some((found) => brings(found, walk));
    if (index === 0) after = withInputOf(state, ended.state);
    input = withErrors ? someText : received(ended.output, ended.state, state);
  }
  settleEndless(commands, start, walk);
  if (walk.found.slice(start).some(({ runsDownload }) => runsDownload === true))
    walk.found.push(...walk.found.splice(start).map(demandSavedRule));
  return step(after, input);
}

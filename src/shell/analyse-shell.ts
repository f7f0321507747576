import { dirname } from "node:path/posix";
import { type Effect, type EffectPart, type FileEffect, isFileEffect, type Risk } from "../contract/effect.ts";
import type { EffectView } from "../contract/ports.ts";
import type { NextStep } from "../contract/tool.ts";
import { readsWhatGitBrings } from "../programs/git/brings-files.ts";
import { limitedStep } from "../programs/narrower-tool.ts";
import { formsInside } from "../programs/plain-forms.ts";
import { feedsInterpreter, runsText, withCarried } from "./carried-commands.ts";
import { settleDownloads } from "./downloaded-code.ts";
import { someText } from "./expand-word.ts";
import { parseShell } from "./parse-shell.ts";
import { freshState } from "./state.ts";
import type { ShellNode } from "./tree.ts";
import { visit } from "./visit.ts";
import { type FoundCommand, limitedView, type ShellWalk, stepOver, type WalkLimits } from "./walk.ts";

export interface ShellReport {
  readonly effects: readonly Effect[];
  readonly parts: readonly EffectPart[];
  readonly raiseTo?: Risk;
  readonly raisedBecause?: string;
  readonly syntaxError?: string;
  readonly next?: NextStep;
  readonly mayPipe?: boolean;
}

const limits: WalkLimits = { commands: 4_000, looks: 200_000, reached: false };
const fewLimits: WalkLimits = { commands: 8_000, looks: 50_000, reached: false };

/** What a shell text would touch when it runs in `cwd`. Reads nothing but paths, runs nothing. */
export function analyseShell(text: string, context: { readonly view: EffectView; readonly cwd: string }): ShellReport {
  const { root, inside, syntaxError } = parseShell(text);
  const walk = startWalk(context.view, limits);
  const start = freshState(context.cwd);
  visit(root, start, walk);
  if (walk.limits.reached) {
    const why = "it is too long or too deep to be followed";
    walk.found.length = 0;
    stepOver({ text, why, inside: inside() }, start, walk);
    // What it would touch is not known, so no rule about paths could hold: neither a mode nor a grant is enough.
    for (const found of walk.found.splice(0)) {
      walk.found.push({ ...found, part: { ...found.part, needsSavedRule: true } });
    }
  }
  const carrying = startWalk(context.view, fewLimits);
  const found = withCarried(settleDownloads(walk.found), { text, cwd: context.cwd, walk: carrying });
  const parts = withCommandsOf(
    text,
    found.map((one) => (runsText(one) || feedsInterpreter(one) ? { ...one.part, runsText: true } : one.part)),
  );
  const raisedBecause =
    found.find((entry) => entry.raisedBecause !== undefined)?.raisedBecause ??
    readsWhatGitBrings(parts) ??
    changesThroughOwnLink(parts);
  return {
    effects: parts.flatMap((part) => part.effects),
    parts,
    ...(raisedBecause !== undefined && { raiseTo: "R4", raisedBecause }),
    syntaxError,
    next: nextOf(root, found),
    mayPipe: text.includes("|"),
  };
}

/** What was not understood may run whatever command stands anywhere in the text. */
function withCommandsOf(text: string, parts: readonly EffectPart[]): readonly EffectPart[] {
  const at = parts.findIndex(({ effects }) => effects.some(({ op }) => op === "unknown"));
  const forms = at < 0 ? [] : formsInside([text]);
  if (forms.length === 0) return parts;
  return parts.map((part, index) => (index === at ? { ...part, alsoAs: [...(part.alsoAs ?? []), ...forms] } : part));
}

function nextOf(root: ShellNode, [first, second, third]: readonly FoundCommand[]): NextStep | undefined {
  if (root.kind === "simple" && second === undefined) return first?.next;
  const two = root.kind === "pipeline" && root.commands.length === 2 && third === undefined;
  return two ? limitedStep(first?.next, second?.part.words) : undefined;
}

function startWalk(view: EffectView, most: WalkLimits): ShellWalk {
  const limits = { ...most };
  return {
    view: limitedView(view, limits),
    found: [],
    limits,
    depth: 0,
    visit,
    jumps: [],
    repeats: false,
    input: someText,
    fed: false,
  };
}

/**
 * Paths are followed before the text runs. Behind a link that the text itself makes a change happens elsewhere by
 * then, and not where it was judged. What a link leads to counts as read already.
 */
export function changesThroughOwnLink(parts: readonly EffectPart[]): string | undefined {
  const makers = parts.filter(({ words }) => /^(?:.*\/)?ln$/.test(words?.[0] ?? ""));
  for (const maker of makers.slice(0, 64)) {
    const links = new Set(changesOf(maker).flatMap(({ op, path }) => (op === "write" ? [path.resolved] : [])));
    const changes = parts.filter((part) => part !== maker).flatMap(changesOf);
    const through = changes.find((change) => leadsThrough(change, links));
    if (through !== undefined) return `goes through a link that it makes, to ${through.path.written}`;
  }
  return undefined;
}

function changesOf({ effects }: EffectPart): readonly FileEffect[] {
  return effects.filter(isFileEffect).filter(({ op }) => op === "write" || op === "delete");
}

/** Who removes a link leaves what it leads to. */
function leadsThrough({ op, path }: FileEffect, links: ReadonlySet<string>): boolean {
  let at = op === "delete" ? dirname(path.resolved) : path.resolved;
  for (; at !== "/"; at = dirname(at)) if (links.has(at)) return true;
  return false;
}

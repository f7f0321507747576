import { isStandardInput } from "../effects/devices.ts";
import { matchedLinks, patternDirectory } from "../programs/match-pattern.ts";
import { printedBy } from "../programs/outputs.ts";
import { pathEffect, roleEffects } from "../programs/path-operands.ts";
import type { CommandReading, ShellWord, Site } from "../programs/program-entry.ts";
import { notUnderstood } from "../programs/readings.ts";
import { type BuiltinReading, readBuiltin } from "./builtins.ts";
import { expandValue, expandWord, isKnown, type ShellValue, someText } from "./expand-word.ts";
import { readCommand } from "./read-command.ts";
import { insideGiven } from "./read-simple.ts";
import { alter, assign, merge, mergeValues, type ShellState, sameState } from "./state.ts";
import type { NodeOf, ShellNode, ShellRedirect, SimpleCommand, Substitution, WordTemplate } from "./tree.ts";
import { isForOneCommand, isForProjects, isHarmless, isOrdinaryName } from "./variable-names.ts";
import {
  expansionOf,
  type FoundCommand,
  foundOf,
  placeIn,
  type ShellStep,
  type ShellWalk,
  type Substituted,
  spend,
  step,
  stepOver,
  substitute,
} from "./walk.ts";

const deepest = 24;
const compounds: ReadonlySet<ShellNode["kind"]> = new Set(["sequence", "conditional", "loop", "for-each", "choice"]);

export function visit(node: ShellNode, state: ShellState, outer: ShellWalk): ShellStep {
  const plain = { ...outer, depth: outer.depth + 1 };
  // Several commands of one text share its input: none of them is known to get all of it.
  const walk: ShellWalk = compounds.has(node.kind) ? { ...plain, input: someText } : plain;
  const after = (body: ShellNode, before: ShellState) => either(visit(body, before, walk));
  spend(walk, 1);
  if (walk.depth > deepest) walk.limits.reached = true;
  if (walk.limits.reached) return step(state);
  switch (node.kind) {
    case "simple":
      return visitSimple(node, state, walk);
    case "sequence":
      return visitSequence(node, state, walk);
    case "pipeline":
      return visitPipeline(node, state, walk);
    case "group":
      return visitGroup(node, state, walk);
    case "background": {
      const from = walk.found.length;
      visit(node.body, state, walk);
      const started = walk.found.splice(from);
      for (const { part, ...found } of started) {
        walk.found.push({ ...found, part: { ...part, reason: `${part.reason}, in the background` } });
      }
      const many = "a loop may start any number of processes";
      if (walk.repeats) walk.found.push({ part: { text: "&", ...notUnderstood(many) } });
      return step(state);
    }
    case "opaque":
      // What it runs, if it runs at all, is looked at; what comes after it is not understood.
      if (node.body === undefined) return stepOver(node, state, walk);
      visit(node.body, { ...state, variables: new Map() }, { ...walk, jumps: [], repeats: true });
      return stepOver({ ...node, inside: [] }, state, walk);
    case "conditional": {
      const ends: ShellState[] = [];
      let reached = state;
      for (const { test, body } of node.branches) {
        const tested = visit(test, reached, walk);
        ends.push(after(body, tested.state));
        reached = tested.failed ?? tested.state;
      }
      return step(ends.reduce(merge, node.otherwise === undefined ? reached : after(node.otherwise, reached)));
    }
    case "loop":
      return repeat(state, walk, (entry, inner) => {
        const tested = visit(node.test, entry, inner);
        const [enters = tested.state, leaves = tested.state] =
          node.word === "while" ? [tested.state, tested.failed] : [tested.failed, tested.state];
        return { exit: leaves, next: either(visit(node.body, enters, inner)) };
      });
    case "for-each":
      return visitForEach(node, state, walk);
    case "choice": {
      const substituted = substitute(node.words, state, walk);
      if ("why" in substituted) return stepOver({ text: "case", why: substituted.why, inside: [] }, state, walk);
      return step(node.bodies.map((body) => after(body, state)).reduce(merge, state));
    }
  }
}

function visitSequence({ items }: NodeOf<"sequence">, start: ShellState, walk: ShellWalk): ShellStep {
  let state = start;
  let failed: ShellState | undefined;
  let entered = start;
  let output: ShellValue = someText;
  for (const { node, before } of items) {
    if (before === "||") {
      const ended = visit(node, failed ?? entered, walk);
      if (failed === undefined) continue;
      state = merge(state, ended.state);
      ({ failed } = ended);
    } else {
      entered = before === "&&" ? state : merge(state, failed);
      const ended = visit(node, entered, walk);
      const left = before === "&&" ? failed : undefined;
      failed = ended.failed === undefined || left === undefined ? (ended.failed ?? left) : merge(left, ended.failed);
      ({ state, output } = ended);
    }
  }
  return { state, output: items.length === 1 ? output : someText, failed };
}

function visitPipeline({ commands, withErrors }: NodeOf<"pipeline">, state: ShellState, walk: ShellWalk): ShellStep {
  let { input } = walk;
  for (const [index, command] of commands.entries()) {
    const ended = visit(command, state, { ...walk, input, fed: walk.fed || index > 0 });
    input = withErrors ? someText : ended.output;
  }
  return step(state, input);
}

/** The shell opens the group's redirections before it runs the first command of it. */
function visitGroup(node: NodeOf<"group">, state: ShellState, walk: ShellWalk): ShellStep {
  const redirected = visitRedirects(node.redirects, state, walk);
  if (redirected === undefined) return step(alter(state, "a redirection that was not understood"));
  const { input, fed, found } = redirected;
  const ended = visit(node.body, state, { ...walk, input, fed });
  walk.found.push(...found);
  // It may stand behind a `!`, so how it ends says nothing.
  const after = step(node.copy ? state : merge(ended.state, ended.failed), ended.output);
  return afterRedirects(after, state, redirected);
}

function visitSimple(node: SimpleCommand, state: ShellState, outer: ShellWalk): ShellStep {
  const inside = insideOf(node);
  const values = node.words.length === 0 ? [] : node.assignments.map(({ value }) => value);
  const substituted = substitute([...node.words, ...values], state, outer);
  if ("why" in substituted) return stepOver({ ...node, why: substituted.why, inside }, state, outer);
  const redirected = visitRedirects(node.redirects, state, outer);
  if (redirected === undefined) return stepOver({ ...node, why: "a redirection", inside }, state, outer);
  const walk = { ...outer, input: redirected.input, fed: redirected.fed };
  const ended = node.words.length === 0 ? assignAll(node, state, walk) : runSimple(node, substituted, state, walk);
  outer.found.push(...redirected.found);
  return afterRedirects(ended, state, redirected);
}

function runSimple(node: SimpleCommand, substituted: Substituted, state: ShellState, walk: ShellWalk): ShellStep {
  const { found } = walk;
  const expansion = expansionOf(substituted, state, walk, state.cwd ?? "/");
  const given = node.assignments.map(({ name, value }) => ({ name, value: expandValue(value, expansion) }));
  const odd = given.some(({ name, value }) => !isKnown(value) || !isForOneCommand(name, value.text));
  // `IFS= read -r x` cuts a line in its own way.
  const separates =
    node.words[0]?.text === "read" && given.every(({ name, value }) => name === "IFS" && isKnown(value));
  if (odd && !separates) {
    const why = `it is given ${given.map(({ name }) => name).join(" and ")}`;
    return stepOver({ ...node, why, inside: insideOf(node) }, state, walk);
  }
  const from = found.length;
  const words = node.words.flatMap((word) => expandWord(word, expansion));
  // A wrapper may begin at every word, and each is read with all words behind it.
  spend(walk, words.length ** 2 / 1_000);
  if (walk.limits.reached) return stepOver({ ...node, why: "it has too many words", inside: [] }, state, walk);
  const ended = runWords(node, words, state, walk);
  const textOf = (value: ShellValue) => (isKnown(value) ? value.text : "");
  const projects = given.some(({ name, value }) => !isHarmless(name, textOf(value)));
  const own = given.some(({ name, value }) => !isForProjects(name, textOf(value)));
  if (!projects || separates) return ended;
  const runs = found.slice(from).some(({ part }) => part.effects.some(({ op }) => op === "exec" || op === "unknown"));
  for (const one of found.splice(from)) {
    const reading = runs ? {} : notUnderstood(`${words[0]?.value} gets variables that may change what it does`);
    found.push({ ...one, part: { ...one.part, ...reading, ...(own && { given: true }) } });
  }
  return ended;
}

function runWords(node: SimpleCommand, words: readonly ShellWord[], state: ShellState, walk: ShellWalk): ShellStep {
  const { cwd, altered } = state;
  const inner: FoundCommand[] = [];
  const inside = { ...walk, found: inner };
  const read = readWords(words, state, inside);
  const { reading } = read;
  const text = shownText(node, words);
  walk.found.push(
    foundOf({ text, words, cwd: altered === undefined ? cwd : undefined }, reading, inner, walk),
    ...inner,
  );
  const place = cwd === undefined || altered !== undefined ? undefined : placeIn(cwd, walk, words);
  const output = place === undefined ? someText : outputOf(reading, words, walk.input, place);
  const after = reading.altersShell ? alter(read.state, words[0]?.value ?? "") : read.state;
  const failed = "failed" in read ? read.failed : after;
  return { state: after, output, failed };
}

function readWords(words: readonly ShellWord[], state: ShellState, walk: ShellWalk): BuiltinReading {
  const [command, ...rest] = words;
  const { cwd, altered } = state;
  // Without a word what stands in front of it changes this shell; with one that is not certain anything does.
  if (command === undefined || !isCertain(command)) {
    const why = command === undefined ? "it has no command word" : `${command.text} may become any command`;
    return { reading: { ...notUnderstood(why), altersShell: true }, state };
  }
  if (altered !== undefined || cwd === undefined) {
    const { effects, ...reading } = readCommand([command, ...rest], placeIn(walk.view.workspace.root, walk, words));
    const why = altered === undefined ? "the working directory is unknown" : `${altered} changed the shell before it`;
    const reached = effects.filter(({ op }) => op === "connect");
    return { reading: { ...reading, ...notUnderstood(why), effects: [{ op: "unknown", why }, ...reached] }, state };
  }
  const place = placeIn(cwd, walk, words);
  const builtin = readBuiltin(command.value, rest, state, place, walk);
  return builtin ?? { reading: readCommand([command, ...rest], place), state };
}

function isCertain({ value, glob, tilde, unknown, text }: ShellWord): boolean {
  return text === "[" || (unknown === undefined && !glob && !tilde && /^[\x21-\x7e]+$/.test(value));
}

/** As it is written; where variables were filled in, as it could have been written without them. */
function shownText(node: SimpleCommand, words: readonly ShellWord[]): string {
  const written = node.words.every(({ pieces }) => pieces.every(({ kind }) => kind === "text" || kind === "home"));
  if (written || words.some((word) => word.unknown !== undefined)) return node.words.map(({ text }) => text).join(" ");
  return words.map((word) => (word.glob || word.tilde ? word.value : quoted(word.value))).join(" ");
}

function quoted(value: string): string {
  return /^[\w./:@%+=,-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

function insideOf({ words: templates, assignments }: SimpleCommand) {
  const words = templates.map(rawText);
  return [
    ...(words.length === 0 ? [] : [{ text: words.join(" "), words }]),
    ...assignments.flatMap(({ value }) => insideGiven(rawText(value))),
  ];
}

function rawText({ text, pieces }: WordTemplate): string {
  return pieces.every((piece) => piece.kind === "text") ? pieces.map((piece) => piece.value).join("") : text;
}

interface Redirected {
  readonly found: readonly FoundCommand[];
  readonly input: ShellWalk["input"];
  readonly fed: boolean;
  readonly prints: boolean;
  readonly mayFail: boolean;
}

/** `undefined` when one of them cannot be understood; that is reported then. */
function visitRedirects(
  redirects: readonly ShellRedirect[],
  state: ShellState,
  walk: ShellWalk,
): Redirected | undefined {
  const templates = redirects.flatMap(templateOf);
  const odd = templates.find((template) => template.odd !== undefined)?.odd;
  const substituted = odd === undefined ? substitute(templates, state, walk) : { why: odd };
  if ("why" in substituted) {
    const text = redirects.map((redirect) => redirect.text).join(" ");
    walk.found.push({ part: { text, ...notUnderstood(substituted.why) } });
    return undefined;
  }
  const found: FoundCommand[] = [];
  let { input, fed } = walk;
  let mayFail = false;
  for (const redirect of redirects) {
    const { kind, descriptor } = redirect;
    const pipe = kind === "read" ? pipeOf(redirect.target) : undefined;
    const isNothing = kind === "sink" && redirect.empty;
    if (descriptor === 0) {
      fed = !isNothing;
      if (kind === "input") input = textOf(redirect.content, substituted, state, walk);
      else if (kind !== "copy" || redirect.source !== 0) {
        input = isNothing ? { text: "" } : ((pipe && substituted.get(pipe)) ?? someText);
      }
    }
    mayFail ||= kind === "copy" ? redirect.source > 2 || redirect.byName === true : kind !== "input" && !isNothing;
    if (kind === "copy" || kind === "sink" || kind === "input" || pipe !== undefined) continue;
    const effects = targetEffects(redirect, substituted, state, walk);
    const verb = kind === "read" ? "reads" : kind === "write" ? "writes" : "reads and writes";
    found.push({ part: { text: redirect.text, effects, reason: `${verb} by redirection` } });
  }
  const prints = redirects.every(({ descriptor, kind }) => descriptor === 0 || (descriptor === 2 && kind === "sink"));
  return { found, input, fed, prints, mayFail };
}

function afterRedirects(ended: ShellStep, before: ShellState, { prints, mayFail }: Redirected): ShellStep {
  const output = prints && !(mayFail && isKnown(ended.output)) ? ended.output : someText;
  const failed = mayFail ? merge(before, ended.failed) : ended.failed;
  return { state: ended.state, output, failed };
}

function templateOf(redirect: ShellRedirect): readonly WordTemplate[] {
  if (redirect.kind === "copy" || redirect.kind === "sink") return [];
  return [redirect.kind === "input" ? redirect.content : redirect.target];
}

function textOf(content: WordTemplate, substituted: Substituted, state: ShellState, walk: ShellWalk): ShellValue {
  if (state.cwd === undefined || state.altered !== undefined) return someText;
  const value = expandValue(content, expansionOf(substituted, state, walk, state.cwd));
  return isKnown(value) ? value : someText;
}

function pipeOf({ pieces: [only] }: WordTemplate): Substitution | undefined {
  return only?.kind === "command" && only.pipe ? only : undefined;
}

function targetEffects(
  { kind, target, text }: Extract<ShellRedirect, { kind: "read" | "write" | "change" }>,
  substituted: Substituted,
  { cwd, ...state }: ShellState,
  walk: ShellWalk,
): CommandReading["effects"] {
  const { view } = walk;
  if (state.altered !== undefined) return notUnderstood(`${state.altered} changed the shell before it`).effects;
  if (cwd === undefined) return notUnderstood("the working directory is unknown").effects;
  const [word, second] = expandWord(target, expansionOf(substituted, { cwd, ...state }, walk, cwd));
  const role = kind === "read" ? "read" : /^\d?>>/.test(text) ? "edit" : undefined;
  // One name of those that were found; several would be an error.
  if (role !== undefined && second === undefined && word?.unknown?.names !== undefined) {
    return roleEffects(role, { ...word, unknown: { ...word.unknown, one: true } }, false, { view, cwd });
  }
  const odd = word === undefined || second !== undefined || word.glob || word.unknown !== undefined;
  // As it is written it would be seen to share the input.
  if (odd || (kind === "read" && isStandardInput(word.value)))
    return notUnderstood(`${target.text} is known only when it runs`).effects;
  const ops = kind === "change" ? (["read", "write"] as const) : [kind];
  return ops.map((op) => pathEffect(op, word, "file", { view, cwd }));
}

function outputOf(reading: CommandReading, words: readonly ShellWord[], input: ShellValue, place: Site): ShellValue {
  if (reading.effects.some((effect) => effect.op === "unknown")) return someText;
  // Some of the lines of a text are another text.
  if (reading.output === "input") return isKnown(input) ? someText : input;
  return printedBy(reading, words, place) ?? someText;
}

function either({ state, failed }: ShellStep): ShellState {
  return merge(state, failed);
}

/** A command that only assigns: each assignment sees those before it. */
function assignAll(node: SimpleCommand, start: ShellState, walk: ShellWalk): ShellStep {
  let state = start;
  let certain = true;
  for (const { name, value } of node.assignments) {
    const substituted = substitute([value], state, walk);
    if ("why" in substituted) return stepOver({ ...node, why: substituted.why, inside: [] }, state, walk);
    if (state.altered !== undefined || !isOrdinaryName(name)) {
      return stepOver({ ...node, why: `it sets ${name}`, inside: [] }, state, walk);
    }
    certain &&= substituted.size === 0;
    state = assign(state, name, expandValue(value, expansionOf(substituted, state, walk, state.cwd ?? "/")));
  }
  return { state, output: someText, ...(!certain && { failed: state }) };
}

const mostRounds = 3;

/** Repeats the round until its start state is stable. Only the last round is reported: it covers the others. */
function repeat(
  start: ShellState,
  walk: ShellWalk,
  round: (entry: ShellState, walk: ShellWalk) => { readonly exit: ShellState; readonly next: ShellState },
): ShellStep {
  let entry = start;
  for (let count = 0; count < mostRounds; count++) {
    const found: FoundCommand[] = [];
    const jumps: ShellState[] = [];
    const { exit, next } = round(entry, { ...walk, found, jumps, repeats: true });
    const again = [next, ...jumps].reduce(merge, entry);
    if (sameState(again, entry)) {
      walk.found.push(...found);
      return step(jumps.reduce(merge, exit));
    }
    entry = again;
    if (count === mostRounds - 1) walk.found.push(...found);
  }
  return stepOver({ text: "loop", why: "what it does changes between iterations", inside: [] }, start, walk);
}

const mostRuns = 16;

function visitForEach(node: NodeOf<"for-each">, start: ShellState, walk: ShellWalk): ShellStep {
  const substituted = substitute(node.words, start, walk);
  const over = (why: string) => stepOver({ text: `for ${node.name}`, why, inside: [] }, start, walk);
  if ("why" in substituted) return over(substituted.why);
  if (!isOrdinaryName(node.name)) return over("it sets the name");
  const cwd = start.cwd ?? "/";
  const expansion = expansionOf(substituted, start, walk, cwd);
  const values = node.words.flatMap((word) => expandWord(word, expansion)).map((word) => boundValue(word, cwd, walk));
  if (values.every(isKnown) && values.length <= mostRuns) return runInTurn(node, values, start, walk);
  const value = values.length === 0 ? someText : values.reduce(mergeValues);
  return repeat(start, walk, (entry, inner) => ({
    exit: entry,
    next: either(visit(node.body, assign(entry, node.name, value), inner)),
  }));
}

function runInTurn(
  node: NodeOf<"for-each">,
  values: readonly ShellValue[],
  start: ShellState,
  walk: ShellWalk,
): ShellStep {
  const left: ShellState[] = [];
  const seen = new Set<string>();
  let state = start;
  for (const value of values) {
    const found: FoundCommand[] = [];
    const jumps: ShellState[] = [];
    state = jumps.reduce(merge, either(visit(node.body, assign(state, node.name, value), { ...walk, found, jumps })));
    left.push(...jumps);
    for (const entry of found) {
      const key = JSON.stringify(entry);
      if (!seen.has(key)) walk.found.push(entry);
      seen.add(key);
    }
  }
  return step(left.reduce(merge, state));
}

function boundValue(word: ShellWord, cwd: string, { view }: ShellWalk): ShellValue {
  if (word.unknown !== undefined) {
    const { mayBeEmpty: _never, ...unknown } = word.unknown;
    return { ...unknown, one: true };
  }
  const text = word.tilde ? view.workspace.home + word.value.slice(1) : word.value;
  if (!word.glob) return { text };
  const directory = patternDirectory(text, cwd);
  const links = directory === undefined ? undefined : matchedLinks(text, { view, cwd });
  if (directory === undefined || links === undefined || links.length > 0) return someText;
  return { one: true, names: [directory], from: cwd, ...(/^[^-*?[]/.test(text) && { plain: true }) };
}

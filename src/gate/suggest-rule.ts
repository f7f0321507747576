import { dirname } from "node:path/posix";
import {
  type Effect,
  type EffectPart,
  type FileEffect,
  isFileEffect,
  isInside,
  isNeverShown,
} from "../contract/effect.ts";
import type { EffectRisk, GateQuestion } from "../contract/gate.ts";
import type { Verdict } from "../contract/verdict.ts";
import { type Coverage, mayChange, type Uncovered } from "./allow-rules.ts";
import { escapeCommand, fixedText } from "./command-pattern.ts";
import { escapePattern } from "./path-pattern.ts";
import { confinementOf, decideByRisk } from "./risk-table.ts";

const longestSuggestion = 500;
const mostPaths = 8;
const mostRules = 5;

type Suggestion = Pick<Verdict, "suggestedRules" | "suggestedFor">;

/**
 * The smallest rules that would allow what is left over, and nothing else: one for each simple command that
 * needs one, or the one for the whole where its parts cannot be told apart. None when they could not be read
 * back, when they would be too many, or when the call is raised for a reason that no rule speaks to.
 */
export function suggestRules(question: GateQuestion, coverage: Coverage): Suggestion {
  return rulesFor(
    coverage.uncovered.filter((entry) => holdsBack(entry, question)),
    question,
    coverage,
  );
}

export function commandRules(question: GateQuestion, coverage: Coverage): Suggestion {
  const needed = coverage.uncovered.filter(({ effect }) => mayChange(effect, question));
  const found = rulesFor(needed, question, coverage);
  return found.suggestedRules?.some((rule) => rule.startsWith("Bash(")) ? found : {};
}

function rulesFor(needed: readonly Uncovered[], question: GateQuestion, coverage: Coverage): Suggestion {
  if (needed.some((entry) => entry.risk === "R5")) return {};
  const { command } = question.report;
  if (command === undefined) return suggestion(coverage.raised ? undefined : effectRules(needed, question));
  const parts = coverage.raised ? undefined : partRules(needed, question);
  if (parts !== undefined) return { suggestedRules: parts.rules, suggestedFor: parts.directory };
  return suggestion(sound([`Bash(${escapeCommand(command.text.trim())})`]));
}

const addDir =
  "Run where someone can answer, or name a place in the workspace. A user can open a directory with --add-dir.";

export function openingRules(
  writes: readonly EffectRisk[],
  { workspace }: GateQuestion,
): Pick<Verdict, "suggestedRules" | "opens" | "recovery"> {
  const isWide = (path: string) => [...workspace.roots, workspace.home].some((inner) => isInside(inner, path));
  const places = writes.map(({ effect }) => {
    if (!isFileEffect(effect)) return "/";
    const { kind, resolved } = effect.path;
    const directory = effect.scope === "tree" || kind === "directory" ? resolved : dirname(resolved);
    return isWide(directory) || isNeverShown(directory) ? resolved : directory;
  });
  const rules = places.some(isWide) ? undefined : sound(places.map((place) => `Edit(/${escapePattern(place)})`));
  return rules === undefined ? { recovery: addDir } : { suggestedRules: rules, opens: true };
}

function holdsBack(entry: Uncovered, question: GateQuestion): boolean {
  return entry.part?.needsSavedRule === true || tabled(entry, question) !== "allow";
}

export function tabled(entry: Uncovered, question: GateQuestion): Verdict["decision"] {
  return decideByRisk(entry.risk, question.mode, confinementOf(question));
}

function suggestion(suggestedRules: readonly string[] | undefined): Suggestion {
  return suggestedRules === undefined ? {} : { suggestedRules };
}

/** `undefined` unless every part that needs a rule can be spoken for by itself, all in one directory. */
function partRules(needed: readonly Uncovered[], question: GateQuestion) {
  const byPart = new Map<EffectPart, Uncovered[]>();
  for (const entry of needed) {
    if (entry.part === undefined) return undefined;
    const own = byPart.get(entry.part);
    if (own === undefined) byPart.set(entry.part, [entry]);
    else own.push(entry);
  }
  const commands = [...byPart.keys()].filter((part) => part.words !== undefined);
  const [directory, ...elsewhere] = commands.length === 0 ? [question.report.command?.cwd.resolved] : cwdsOf(commands);
  if (directory === undefined || elsewhere.length > 0) return undefined;
  const rules: string[] = [];
  for (const [part, entries] of byPart) {
    const own = part.words === undefined ? redirectRules(entries, question) : commandRule(part);
    if (own === undefined) return undefined;
    rules.push(...own);
  }
  const sane = sound(rules);
  return sane === undefined ? undefined : { rules: sane, directory };
}

function cwdsOf(parts: readonly EffectPart[]): readonly (string | undefined)[] {
  return [...new Set(parts.map((part) => part.cwd))];
}

function commandRule(part: EffectPart): readonly string[] | undefined {
  const text = fixedText(part);
  return text === undefined ? undefined : [`Bash(${escapeCommand(text)})`];
}

function redirectRules(entries: readonly Uncovered[], question: GateQuestion): readonly string[] | undefined {
  return entries.every((entry) => isFileEffect(entry.effect)) ? effectRules(entries, question) : undefined;
}

function effectRules(needed: readonly Uncovered[], question: GateQuestion): readonly string[] | undefined {
  const rules: string[] = [];
  const files = needed.map((entry) => entry.effect).filter(isFileEffect);
  for (const name of ["Edit", "Delete", "Read"]) {
    const named = files.filter((effect) => ruleName(effect, question) === name);
    const paths = [...new Set(named.map((effect) => rulePath(effect.path.resolved, question)))];
    if (paths.length > mostPaths) return undefined;
    rules.push(...merged(paths).map((pattern) => `${name}(${pattern})`));
  }
  for (const { effect } of needed) {
    if (isFileEffect(effect)) continue;
    const rule = otherRule(effect, question);
    if (rule === undefined) return undefined;
    rules.push(rule);
  }
  return sound(rules) ?? wholeTool(needed, question);
}

function wholeTool(needed: readonly Uncovered[], { checked }: GateQuestion): readonly string[] | undefined {
  const onlyAsks = needed.length > 0 && needed.every(({ effect }) => effect.op === "call");
  return onlyAsks && checked.tool.source === "builtin" ? [checked.tool.name] : undefined;
}

function otherRule(effect: Effect, { checked }: GateQuestion): string | undefined {
  switch (effect.op) {
    case "connect":
      return `WebFetch(domain:${effect.host})`;
    case "call":
      // The server names its tools, and a rule about one of them must not read back as one about all, or another.
      return effect.server === "*" || effect.tool === "*" || effect.tool === "" || effect.tool !== effect.tool.trim()
        ? undefined
        : `mcp__${effect.server}__${effect.tool}`;
    case "unknown":
      return checked.tool.name;
    default:
      return undefined;
  }
}

function sound(rules: readonly string[]): readonly string[] | undefined {
  const distinct = [...new Set(rules)];
  if (distinct.length === 0 || distinct.length > mostRules) return undefined;
  return distinct.every((rule) => rule.length <= longestSuggestion && !/[\n\r\0]/.test(rule)) ? distinct : undefined;
}

function ruleName({ op }: FileEffect, { report }: GateQuestion): "Edit" | "Delete" | "Read" {
  if (op === "write" || (op === "delete" && report.moves === true)) return "Edit";
  return op === "delete" ? "Delete" : "Read";
}

function rulePath(resolved: string, { workspace }: GateQuestion): string {
  const inside = isInside(resolved, workspace.root);
  return escapePattern(inside ? resolved.slice(workspace.root.length) || "/**" : `/${resolved}`);
}

/** Only paths with the same base fit one pair of braces. */
function merged(paths: readonly string[]): readonly string[] {
  const absolute = paths.filter((path) => path.startsWith("//"));
  const below = paths.filter((path) => !path.startsWith("//"));
  return [...inBraces("/", below), ...inBraces("//", absolute)];
}

function inBraces(base: string, paths: readonly string[]): readonly string[] {
  return paths.length <= 1 ? paths : [`${base}{${paths.map((path) => path.slice(base.length)).join(",")}}`];
}

import { dirname } from "node:path/posix";
import {
  type Effect,
  type FileEffect,
  isFileEffect,
  isInside,
  isInsideAny,
  isNeverShown,
  kernelTrees,
} from "../../contract/effect.ts";
import type { EffectRisk, GateQuestion } from "../../contract/gate.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { fixedText } from "../../shell/command-text.ts";
import { confinementOf, decideByRisk } from "../risk-table.ts";
import { escapeCommand } from "./command-pattern.ts";
import { type Coverage, mayChange, type Uncovered } from "./match-rules.ts";
import { escapePattern } from "./path-pattern.ts";

const longestSuggestion = 500;
const mostPaths = 8;
const mostRules = 5;

type Suggestion = Pick<Verdict, "suggestedRules" | "suggestedFor">;

/** The narrowest rules that allow the uncovered effects and nothing else. Empty if no rule can express that. */
export function suggestRules(question: GateQuestion, coverage: Coverage): Suggestion {
  const holdsBack = (entry: Uncovered) => entry.part?.needsSavedRule === true || tabled(entry, question) !== "allow";
  return rulesFor(coverage.uncovered.filter(holdsBack), question, coverage);
}

export function commandRules(question: GateQuestion, coverage: Coverage): Suggestion {
  const needed = coverage.uncovered.filter(({ effect }) => mayChange(effect, question));
  const found = rulesFor(needed, question, coverage);
  return found.suggestedRules?.some((rule) => rule.startsWith("Bash(")) ? found : {};
}

export function tabled(entry: Uncovered, question: GateQuestion): Verdict["decision"] {
  return decideByRisk(entry.risk, question.mode, confinementOf(question));
}

function rulesFor(needed: readonly Uncovered[], question: GateQuestion, { raised }: Coverage): Suggestion {
  if (needed.some((entry) => entry.risk === "R5")) return {};
  const { command } = question.report;
  if (command === undefined) return raised ? {} : { suggestedRules: effectRules(needed, question) };
  const byPart = raised ? undefined : partRules(needed, question);
  return byPart ?? { suggestedRules: sound([`Bash(${escapeCommand(command.text.trim())})`]) };
}

const addDir =
  "Run where a user can answer, or use a path in the workspace. A user can add a directory with --add-dir.";

export function openingRules(
  writes: readonly EffectRisk[],
  { workspace }: GateQuestion,
): Pick<Verdict, "suggestedRules" | "opens" | "recovery"> {
  const isWide = (path: string) => [...workspace.roots, workspace.home].some((inner) => isInside(inner, path));
  const places = writes.map(({ effect }) => {
    if (!isFileEffect(effect)) return "/";
    const directory = directoryOf(effect);
    return isWide(directory) || isNeverShown(directory) ? effect.path.resolved : directory;
  });
  const rules = sound(places.some(isWide) ? undefined : places.map((place) => `Edit(/${escapePattern(place)})`));
  return rules === undefined ? { recovery: addDir } : { suggestedRules: rules, opens: true };
}

/** One rule for each part that needs one, if all of them run in one directory. */
function partRules(needed: readonly Uncovered[], question: GateQuestion): Suggestion | undefined {
  const byPart = Map.groupBy(needed, ({ part }) => part);
  const commands = [...byPart.keys()].filter((part) => part?.words !== undefined);
  const directories = new Set(commands.map((part) => part?.cwd));
  const [directory = commands.length === 0 ? question.report.command?.cwd.resolved : undefined] = directories;
  if (byPart.has(undefined) || directory === undefined || directories.size > 1) return undefined;
  const rules = [...byPart].map(([part, entries]) => {
    if (part?.words === undefined) return entries.every(isAboutFile) ? effectRules(entries, question) : undefined;
    const text = fixedText(part);
    return text === undefined ? undefined : [`Bash(${escapeCommand(text)})`];
  });
  const suggestedRules = sound(allOf(rules)?.flat());
  return suggestedRules && { suggestedRules, suggestedFor: directory };
}

function isAboutFile({ effect }: Uncovered): boolean {
  return isFileEffect(effect);
}

function effectRules(needed: readonly Uncovered[], question: GateQuestion): readonly string[] | undefined {
  const rules = needed.filter((entry) => !isAboutFile(entry)).map(({ effect }) => otherRule(effect, question));
  const files = needed.map(({ effect }) => effect).filter(isFileEffect);
  const toolFor = ({ op }: FileEffect) =>
    op === "write" || (op === "delete" && question.report.moves === true)
      ? "Edit"
      : op === "delete"
        ? "Delete"
        : "Read";
  for (const name of ["Read", "Delete", "Edit"]) {
    const named = files.filter((effect) => toolFor(effect) === name);
    const paths = [...new Set(named.map((effect) => rulePath(effect.path.resolved, question)))];
    if (paths.length > mostPaths) return undefined;
    rules.unshift(...merged(paths).map((pattern) => `${name}(${pattern})`));
  }
  const all = allOf(rules);
  return all && (sound(all) ?? wholeTool(needed, question));
}

/** `undefined` if any of them is `undefined`. */
function allOf<Item>(items: readonly (Item | undefined)[]): readonly Item[] | undefined {
  const all = items.filter((item) => item !== undefined);
  return all.length === items.length ? all : undefined;
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
      // The server names its tools; a rule about one must not parse as a rule about all or about another.
      return effect.server === "*" || effect.tool === "*" || effect.tool === "" || effect.tool !== effect.tool.trim()
        ? undefined
        : `mcp__${effect.server}__${effect.tool}`;
    case "unknown":
      return checked.tool.name;
    default:
      return undefined;
  }
}

function sound(rules: readonly string[] = []): readonly string[] | undefined {
  const distinct = [...new Set(rules)];
  if (distinct.length === 0 || distinct.length > mostRules) return undefined;
  return distinct.every((rule) => rule.length <= longestSuggestion && !/[\n\r\0]/.test(rule)) ? distinct : undefined;
}

function rulePath(resolved: string, { workspace }: GateQuestion): string {
  const inside = isInside(resolved, workspace.root);
  return escapePattern(inside ? resolved.slice(workspace.root.length) || "/**" : `/${resolved}`);
}

/** Only paths with the same base fit one pair of braces. */
function merged(paths: readonly string[]): readonly string[] {
  return ["/", "//"].flatMap((base) => {
    const own = paths.filter((path) => path.startsWith("//") === (base === "//"));
    return own.length <= 1 ? own : [`${base}{${own.map((path) => path.slice(base.length)).join(",")}}`];
  });
}

export function outsideRecovery({ assessment, workspace }: GateQuestion): Pick<Verdict, "recovery" | "suggestedRules"> {
  const judged = assessment.parts.length > 0 ? assessment.parts.flatMap(({ effects }) => effects) : assessment.effects;
  const closed = judged.filter(({ risk }) => risk === "R5");
  if (closed.length === 0) return {};
  const place = allOf(closed.map(outsidePlace))?.[0];
  if (place !== undefined) {
    const settings = "--add-dir or with permissions.additionalDirectories";
    return { recovery: `Use a path in the workspace. A user can open ${place} with ${settings}.` };
  }
  const rules = allOf(closed.map((entry) => secretRule(entry, workspace.root)));
  if (rules === undefined) return {};
  const suggestedRules = [...new Set(rules)];
  const named = suggestedRules.join(" and ");
  return { recovery: `Use another approach. A user can allow it with ${named} in permissions.allow.`, suggestedRules };
}

function outsidePlace({ effect, reason }: EffectRisk): string | undefined {
  if (!isFileEffect(effect) || effect.op === "delete" || !reason.endsWith(", outside the workspace")) return undefined;
  const directory = directoryOf(effect);
  if (isNeverShown(effect.path.resolved) || isInsideAny(directory, kernelTrees)) return undefined;
  return isNeverShown(directory) ? `a directory below ${directory}, but not itself,` : directory;
}

function directoryOf({ scope, path: { kind, resolved } }: FileEffect): string {
  return scope === "tree" || kind === "directory" ? resolved : dirname(resolved);
}

function secretRule({ effect, reason }: EffectRisk, root: string): string | undefined {
  if (!isFileEffect(effect) || effect.op !== "read" || effect.scope !== "file") return undefined;
  const { resolved } = effect.path;
  if (!reason.includes(", a secret (") || !isInside(resolved, root)) return undefined;
  return `Read(${escapePattern(resolved.slice(root.length))})`;
}

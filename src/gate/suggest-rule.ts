import { type FileEffect, isFileEffect } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { isInside } from "../contract/path-scope.ts";
import type { Coverage, Uncovered } from "./allow-rules.ts";
import { escapeCommand } from "./command-pattern.ts";
import { escapePattern } from "./path-pattern.ts";
import { confinementOf, decideByRisk } from "./risk-table.ts";

const longestSuggestion = 500;
const mostPaths = 8;

/**
 * The smallest rule that would allow what is left over, and nothing else. None when that takes more than one
 * rule, when it could not be read back, or when the call is raised for a reason that no rule speaks to.
 */
export function suggestRule(question: GateQuestion, coverage: Coverage): string | undefined {
  const { report, mode } = question;
  const confinement = confinementOf(question);
  const stops = (entry: Uncovered) => decideByRisk(entry.risk, mode, confinement) !== "allow";
  const needed = coverage.uncovered.filter((entry) => entry.part?.needsSavedRule || stops(entry));
  if (needed.some((entry) => entry.risk === "R5")) return undefined;
  const rule =
    report.command === undefined ? effectRule(question, coverage, needed) : commandRule(question, coverage, needed);
  return rule === undefined || rule.length > longestSuggestion || /[\n\r\0]/.test(rule) ? undefined : rule;
}

function commandRule(question: GateQuestion, coverage: Coverage, needed: readonly Uncovered[]): string | undefined {
  const text = question.report.command?.text.trim();
  if (text === undefined) return undefined;
  const parts = new Set(needed.map((entry) => entry.part));
  const [only] = parts;
  const single = parts.size === 1 && only?.words !== undefined && !coverage.raised ? only : undefined;
  return `Bash(${escapeCommand(single?.text ?? text)})`;
}

function effectRule(question: GateQuestion, coverage: Coverage, needed: readonly Uncovered[]): string | undefined {
  const { checked } = question;
  const effects = needed.map((entry) => entry.effect);
  if (coverage.raised) return undefined;
  const files = effects.filter(isFileEffect);
  if (files.length === effects.length && files.length > 0) {
    const moves = question.report.moves === true;
    const name = ruleName(files.map(({ op }) => (op === "delete" && moves ? "write" : op)));
    if (name === undefined) return undefined;
    const paths = new Set(files.map((effect) => rulePath(effect.path.resolved, question)));
    if (paths.size > mostPaths) return undefined;
    const [first = ""] = paths;
    const pattern = paths.size === 1 ? first : alternatives([...paths]);
    return pattern === undefined ? undefined : `${name}(${pattern})`;
  }
  const [effect, second] = effects;
  if (effect === undefined || second !== undefined) return undefined;
  switch (effect.op) {
    case "connect":
      return `WebFetch(domain:${effect.host})`;
    case "call":
      return `mcp__${effect.server}__${effect.tool}`;
    case "unknown":
      return checked.tool.name;
    default:
      return undefined;
  }
}

/** One rule has one name; what needs two is not suggested. */
function ruleName(ops: readonly FileEffect["op"][]): string | undefined {
  if (ops.every((op) => op === "write")) return "Edit";
  if (ops.every((op) => op === "delete")) return "Delete";
  return ops.every((op) => op === "read" || op === "list") ? "Read" : undefined;
}

/** `/src/a.ts` below the workspace, `//etc/hosts` elsewhere. */
function rulePath(resolved: string, { workspace }: GateQuestion): string {
  const inside = isInside(resolved, workspace.root);
  return escapePattern(inside ? resolved.slice(workspace.root.length) || "/**" : `/${resolved}`);
}

/** Only paths with the same base fit one pair of braces. */
function alternatives(paths: readonly string[]): string | undefined {
  const absolute = paths.filter((path) => path.startsWith("//")).length;
  if (absolute !== 0 && absolute !== paths.length) return undefined;
  const base = absolute > 0 ? "//" : "/";
  return `${base}{${paths.map((path) => path.slice(base.length)).join(",")}}`;
}

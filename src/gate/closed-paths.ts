import { join } from "node:path/posix";
import {
  aSecret,
  type FileEffect,
  isFileEffect,
  isInside,
  isInsideAny,
  isOfSystem,
  isOwnOfSandbox,
  type PathException,
} from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { isInScratch } from "../contract/ports.ts";
import type { GatePolicy } from "./policy.ts";
import { matchesPath, mayEndWith, mayMatchBelow } from "./rules/path-pattern.ts";
import { type CompiledRule, pathRules } from "./rules/rule.ts";

export const everyVersion = "every version of every file";

export function isDenied(op: FileEffect["op"], path: string, { rules, clock }: GatePolicy): boolean {
  const denying = pathRules(rules, { action: "deny", op, now: clock.now() });
  return denying.some(({ pattern }) => pattern === undefined || matchesPath(pattern, path));
}

export function deniesEveryChange({ action, target }: CompiledRule): boolean {
  return action === "deny" && target.kind === "path" && target.pattern === undefined && target.ops.includes("write");
}

/** Existing paths below a directory that a deny rule names, each with its rule. */
function deniedBelow(op: FileEffect["op"], directory: string, policy: GatePolicy): ReadonlyMap<string, CompiledRule> {
  const found = new Map<string, CompiledRule>();
  const patterns = pathRules(policy.rules, { action: "deny", op, now: policy.clock.now() }).flatMap(
    ({ rule, pattern }) => (pattern !== undefined && mayMatchBelow(pattern, directory) ? [{ rule, pattern }] : []),
  );
  if (patterns.length === 0) return found;
  policy.find(directory, (name, path) => {
    const hit = patterns.find(({ pattern }) => mayEndWith(pattern, name) && matchesPath(pattern, path));
    if (hit !== undefined) found.set(path, hit.rule);
    return hit !== undefined;
  });
  return found;
}

/** Secrets and denied paths inside the trees that are read. */
export function exceptionsOf(
  { report, sandbox, workspace }: GateQuestion,
  policy: GatePolicy,
): readonly PathException[] {
  // A confined command can list the whole tree of a directory, except the directories that a sandbox replaces.
  const confined = report.command !== undefined && sandbox.backend === "bubblewrap";
  const read = report.effects
    .filter(isFileEffect)
    .filter((effect) => (effect.op === "read" || effect.op === "list") && !isInScratch(effect, workspace.scratch));
  const directories = read.filter(
    ({ path }) => path.kind === "directory" && !(confined && isOwnOfSandbox(path.resolved)),
  );
  const trees = outermost(directories.filter(({ scope }) => scope === "tree").map(({ path }) => path.resolved));
  const listed = directories
    .filter(({ scope }) => scope === "file" && confined)
    .map(({ path }) => path.resolved)
    .filter((path) => !isInsideAny(path, [...workspace.roots, ...trees]) && !isOfSystem(path));
  const shown = [...workspace.roots, ...read.map(({ path }) => path.resolved)];
  const which = report.command === undefined ? "asked" : "hidden";
  return [
    ...trees.flatMap((directory) => closedBelow(directory, policy, which)),
    ...listed.flatMap((directory) => closedToListing(directory, shown, policy)),
  ];
}

/** Each hidden path is a mount; with more of them the whole tree is checked instead. */
const mostCovered = 300;

/** A permit to list a directory shows names only: its sub-directories stay closed. */
function closedToListing(directory: string, shown: readonly string[], policy: GatePolicy): readonly PathException[] {
  const entries = policy.entries?.(directory) ?? [];
  if (policy.entries === undefined || entries.length > mostCovered) return closedBelow(directory, policy);
  return entries.flatMap(({ name, kind }): readonly PathException[] => {
    const path = join(directory, name);
    if (shown.includes(path)) return [];
    if (shown.some((place) => isInside(place, path))) return closedToListing(path, shown, policy);
    const isClosed = ["secret", "state"].includes(policy.classify(path) ?? "") || isDenied("read", path, policy);
    if (shown.includes(directory) && kind !== "directory" && !isClosed) return [];
    return [{ path, scope: "tree", reason: isClosed ? aSecret : "the call reads only names" }];
  });
}

/** Everything below a directory that stays closed to reading, each once and without its descendants. */
export function closedBelow(
  directory: string,
  policy: GatePolicy,
  which?: Parameters<GatePolicy["findSecrets"]>[1],
): readonly PathException[] {
  const found = new Map<string, PathException>();
  for (const path of policy.findSecrets(directory, which)) found.set(path, { path, scope: "tree", reason: aSecret });
  for (const [path, { text: rule }] of deniedBelow("read", directory, policy))
    found.set(path, { path, scope: "tree", reason: `denied by ${rule}`, rule });
  return outermost([...found.keys()]).flatMap((path) => found.get(path) ?? []);
}

/** Paths that stay read-only below writable roots. A root inside another root has its own reserved names. */
export function closedToWriting(
  roots: readonly string[],
  policy: GatePolicy,
  { git }: { readonly git: boolean },
): readonly string[] {
  const below = outermost(roots).flatMap((root) => [
    ...policy.findProtected(root).filter((path) => !path.toLowerCase().endsWith("/.git")),
    ...policy.findRepositories(root).flatMap(({ believed, closed }) => (git ? believed : closed)),
    ...deniedBelow("write", root, policy).keys(),
  ]);
  return [...below, ...roots.flatMap((root) => policy.findAbsent(root, { git }))];
}

export function outermost(paths: readonly string[]): readonly string[] {
  // With `/` as the lowest character, everything below a directory follows it directly.
  const sorted = [...new Set(paths)].map((path) => path.replaceAll("/", "\0")).sort();
  const kept: string[] = [];
  for (const path of sorted.map((key) => key.replaceAll("\0", "/"))) {
    const last = kept.at(-1);
    if (last === undefined || !isInside(path, last)) kept.push(path);
  }
  return kept;
}

import { type Effect, type FileEffect, isFileEffect } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import { isInside, isInsideAny, type PathException } from "../contract/path-scope.ts";
import type { SandboxProfile } from "../contract/verdict.ts";
import { opensRepositories, readsBeside, runsGit, runsGitAlone } from "./git-commands.ts";
import { closedBelow, deniedBelow, isDenied, outermost } from "./guard-rules.ts";
import { networkOf } from "./network-profile.ts";
import type { LinkedRepository, Policy } from "./policy.ts";
import type { CompiledRule } from "./rule.ts";

/** What a process of this call may see and touch. Closed paths are hidden from it whatever it is. */
export function profileOf(
  question: GateQuestion,
  policy: Policy,
  exceptions: readonly PathException[],
): SandboxProfile {
  const { report, workspace } = question;
  const outside = report.effects
    .filter(isFileEffect)
    .filter(isRead)
    .map((effect) => effect.path.resolved);
  const readable = [...workspace.roots, ...outside.filter((path) => !isInsideAny(path, workspace.roots))];
  const writable = report.effects.some(changes) && !policy.rules.some(deniesEveryChange) ? [...workspace.roots] : [];
  if (report.command === undefined)
    return { readable, writable: [], protected: [], masked: exceptions, network: "none" };
  // Git looks into submodules, and believes what it finds there.
  const mayRunGit = report.effects.some(changes) || runsGit(question);
  const linked = mayRunGit ? workspace.roots.flatMap((root) => linkedTo(root, policy)) : [];
  const opened = writable.length > 0 && opensRepositories(question) ? linked : [];
  return {
    ...(mayRunGit ? {} : { onlyReads: true }),
    readable: [...readable, ...linked.flatMap((one) => one.readable)],
    writable: [...writable, ...opened.flatMap((one) => one.writable)],
    protected:
      writable.length === 0 ? [] : [...protectedIn(question, policy), ...opened.flatMap(({ believed }) => believed)],
    ...(opened.length === 0 ? {} : { opened: opened.flatMap((one) => one.opened) }),
    ...closedToReading(question, policy, { mayWrite: writable.length > 0 }),
    network: networkOf(question, policy),
  };
}

/** The repository of a linked worktree, as far as nothing closes it: it lies where nobody was asked about anything. */
function linkedTo(root: string, policy: Policy): readonly LinkedRepository[] {
  const found = policy.findLinked?.(root);
  if (found === undefined) return [];
  const isOpen = (op: "read" | "write") => (path: string) => {
    const kind = policy.classify(path);
    return kind !== "secret" && kind !== "state" && !isDenied(op, path, policy);
  };
  const readable = found.readable.filter(isOpen("read"));
  return [{ ...found, readable, writable: found.writable.filter(isOpen("read")).filter(isOpen("write")) }];
}

function closedToReading(
  question: GateQuestion,
  policy: Policy,
  { mayWrite }: { readonly mayWrite: boolean },
): Pick<SandboxProfile, "masked" | "kept"> {
  const masked = [...maskedIn(question, policy), ...maskedStores(question, policy)];
  if (!mayWrite || !runsGit(question)) return { masked };
  const paths = masked.filter(({ path }) => policy.classify(path) !== "state");
  if (paths.length === 0) return { masked };
  return { masked: masked.filter((one) => !paths.includes(one)), kept: { paths, alone: runsGitAlone(question) } };
}

function maskedIn(question: GateQuestion, policy: Policy): readonly PathException[] {
  const closed = outermost(question.workspace.roots).flatMap((root) => closedBelow(root, policy));
  // What the same call also reads stays closed to it: the order of the two is the command's own affair.
  const onlyRemoves = question.report.effects.every((effect) => effect.op === "delete");
  const removed = onlyRemoves ? understoodChanges(question) : [];
  // A mask is a mount: with it in place the tree around it could not be removed.
  return closed.filter(({ path }) => !removed.some((effect) => isInside(path, effect.path.resolved)));
}

/** Every version of every file. A program that is run may itself run git, so only what just reads is kept from it. */
function maskedStores(question: GateQuestion, policy: Policy): readonly PathException[] {
  const { report, workspace } = question;
  if (report.effects.some(changes)) return [];
  const stores = outermost(workspace.roots).flatMap((root) => policy.findObjectStores(root));
  // A person who agreed to a look into the store gets one.
  const agreed = report.effects.filter(isFileEffect).filter(({ op }) => op === "read");
  const named = stores.some((store) => agreed.some(({ path }) => isInside(path.resolved, store)));
  if (named || (runsGit(question) && !readsBeside(question, stores))) return [];
  return stores.map((path) => ({ path, scope: "tree", reason: "every version of every file" }));
}

function protectedIn(question: GateQuestion, policy: Policy): readonly string[] {
  const found = closedToWriting(question.workspace.roots, policy, { git: opensRepositories(question) });
  const agreed = understoodChanges(question);
  return outermost(found).filter((path) => !agreed.some((change) => givesWay(path, change)));
}

/**
 * To a change there or below it, or of a tree around it: both ask a person who is shown it. A directory around it that
 * changes only itself opens nothing, or a link made in the same command would lead in unseen.
 */
function givesWay(path: string, { path: target, scope }: FileEffect): boolean {
  return isInside(target.resolved, path) || (scope === "tree" && isInside(path, target.resolved));
}

/** What stays as it is below roots that can be written. One inside another has names of its own to keep free. */
export function closedToWriting(
  roots: readonly string[],
  policy: Policy,
  { git }: { readonly git: boolean },
): readonly string[] {
  const below = outermost(roots).flatMap((root) => [
    ...policy.findProtected(root).filter((path) => !isRepository(path)),
    ...policy.findRepositories(root).flatMap(({ believed, closed }) => (git ? believed : closed)),
    ...deniedBelow("write", root, policy).keys(),
  ]);
  return [...below, ...roots.flatMap((root) => policy.findAbsent(root, { git }))];
}

/** Closed as far as git has to leave it alone, and not by its name. */
function isRepository(path: string): boolean {
  return path.toLowerCase().endsWith("/.git");
}

/** Changes that were shown one by one. As soon as a part is not understood, no protection gives way to them. */
function understoodChanges({ report }: GateQuestion): readonly FileEffect[] {
  const understood = report.effects.every(isFileEffect);
  return understood ? report.effects.filter(isFileEffect).filter((effect) => !isRead(effect)) : [];
}

function isRead(effect: FileEffect): boolean {
  return effect.op === "read" || effect.op === "list";
}

function changes(effect: Effect): boolean {
  return !(effect.op === "read" || effect.op === "list" || effect.op === "session");
}

export function deniesEveryChange({ action, target }: CompiledRule): boolean {
  return action === "deny" && target.kind === "path" && target.pattern === undefined && target.ops.includes("write");
}

import { dirname } from "node:path/posix";
import { firstOf } from "../base/async.ts";
import type { Change } from "../contract/changes.ts";
import { isBesideStart, isFileEffect, isInside, isInsideAny } from "../contract/effect.ts";
import {
  type ChangesQuestion,
  type ChangesVerdict,
  classWords,
  type GateQuestion,
  type NotableChange,
} from "../contract/gate.ts";
import type { Mode } from "../contract/verdict.ts";
import { generatedPart, installWrites, isCache, selfIgnored } from "./generated-paths.ts";
import {
  gitFile,
  isGitAlone,
  isOfLinkedTree,
  isRestored,
  plantedRepositories,
  whyClass,
  whyGit,
  whyIndex,
} from "./git-changes.ts";
import { opensRepositories } from "./git-commands.ts";
import type { GatePolicy } from "./policy.ts";
import { type Coverage, coverageOf, isOpened, liveRules, mayChange } from "./rules/match-rules.ts";
import { matchesPath, type PathPattern } from "./rules/path-pattern.ts";
import { type CompiledRule, pathRules } from "./rules/rule.ts";
import { commandRules } from "./rules/suggest-rules.ts";

const mostEdits = 200;

/** Shared by the steps of one judgement. */
interface Judging extends ChangesQuestion {
  readonly policy: GatePolicy;
  readonly rules: readonly CompiledRule[];
}

/** The second judgement of a command: its changes in the view, by the same rules. */
export function judgeChanges(given: ChangesQuestion, policy: GatePolicy): ChangesVerdict {
  const { question, changes } = given;
  const { mode } = question;
  const isTracked = trackedIn(question.workspace.roots, policy);
  // A tracked file never counts as build output, even if an ignore file now lists it.
  const isIgnored = (path: string) => (selfIgnored.test(path) || given.isIgnored(path)) && !isTracked(path);
  const asked: Judging = { ...given, isIgnored, policy, rules: liveRules(question, policy) };
  const refusal = firstOf(changes, (change) => refusalOf(change, asked));
  if (refusal !== undefined) return refusal;
  const isDroppable = (change: Change) =>
    dropsCaches(mode) && isCached(change.path, asked) && ruleFor("allow", change, asked) === undefined;
  const isGone = goneWith(changes.filter((change) => !isDroppable(change)));
  const dropped = changes.filter((change) => (isDroppable(change) && !isGone(change)) || isRefresh(change, question));
  const gone = new Set(dropped);
  const apply = changes.filter((change) => !gone.has(change));
  const isPlanted = plantedRepositories(apply, asked);
  const notable = apply.flatMap((change): readonly NotableChange[] => {
    const why =
      whyNotable(change, asked) ?? (isPlanted(change) ? "git would treat this directory as a repository" : "");
    return why === "" ? [] : [{ change, why }];
  });
  // Applying half of an `mv` would lose the file.
  const isMove = question.report.effects.every(isFileEffect) && apply.some(({ operation }) => operation === "delete");
  const whole = isGitAlone(question) || isMove ? (true as const) : undefined;
  const verdict = { source: "mode", firm: false, apply, dropped, notable, whole } as const;
  const asking = firstOf(apply, (change) => ruleFor("ask", change, asked));
  if (asking !== undefined) {
    const { source, text: rule } = asking;
    return settled({ ...verdict, decision: "ask", reason: `${rule} asks for it`, source, firm: true, rule }, mode);
  }
  const coverage = coverageOf(question, policy);
  const isCoveredAll = isAllowedCommand(question, coverage);
  const isAsked = askedWith(notable);
  const open = apply.filter((change) => !isCoveredAll && !isAsked(change) && !isCovered(change, asked));
  const asksIn = (one: Mode) => whyAsk(open, { ...asked, question: { ...question, mode: one } });
  const why = asksIn(mode);
  if (why === undefined) {
    const isSettled = open.length < apply.length;
    const reason = isSettled ? "rules or the earlier answer cover its changes" : "no change needs approval";
    return settled({ ...verdict, decision: "allow", reason }, mode);
  }
  const appliedIn =
    notable.length > 0 ? undefined : (["acceptEdits", "auto"] as const).find((one) => asksIn(one) === undefined);
  return settled({ ...verdict, decision: "ask", reason: why, ...commandRules(question, coverage), appliedIn }, mode);
}

function refusalOf(change: Change, asked: Judging): ChangesVerdict | undefined {
  const rule = ruleFor("deny", change, asked);
  if (rule === undefined && asked.policy.classify(change.path) !== "state") return undefined;
  const why = rule === undefined ? "it is state of Gauntlet" : `${rule.text} denies it`;
  const reason = `${change.path}: ${why}`;
  const source = rule?.source ?? "path_boundary";
  return { decision: "deny", reason, source, firm: true, apply: [], dropped: [], notable: [], rule: rule?.text };
}

function askedWith(notable: readonly NotableChange[]): (change: Change) => boolean {
  const paths = new Set<string>();
  for (const { change } of notable)
    for (let path = change.path; path !== "/" && !paths.has(path); path = dirname(path)) paths.add(path);
  const marked = new Set(notable.map(({ change }) => change));
  return (change) =>
    marked.has(change) || (change.kind === "directory" && change.operation === "create" && paths.has(change.path));
}

function settled(asked: ChangesVerdict, mode: Mode): ChangesVerdict {
  if (asked.decision === "allow" && (mode !== "dontAsk" || asked.notable.length === 0)) return asked;
  if (mode === "bypass" && !asked.firm) return { ...asked, decision: "allow", reason: `bypass mode: ${asked.reason}` };
  if (mode !== "dontAsk") return asked;
  return {
    ...asked,
    decision: "deny",
    code: "approval_unavailable",
    reason: `dontAsk mode never asks: ${asked.notable[0]?.why ?? asked.reason}`,
  };
}

function isRefresh({ operation, path }: Change, question: GateQuestion): boolean {
  const file = operation === "touch" ? gitFile(path) : undefined;
  return file !== undefined && (file.startsWith("objects/") || !isGitAlone(question));
}

function trackedIn(roots: readonly string[], policy: GatePolicy): (path: string) => boolean {
  const directories = new Map<string, boolean>();
  const holds = (directory: string): boolean => {
    const known = directories.get(directory);
    if (known !== undefined) return known;
    const found = roots.includes(directory) || (holds(dirname(directory)) && policy.isTracked?.(directory) === true);
    directories.set(directory, found);
    return found;
  };
  return (path) => isInsideAny(path, roots) && holds(dirname(path)) && policy.isTracked?.(path) === true;
}

function placeOf(path: string, { workspace }: GateQuestion): { readonly root: string; readonly local: string } {
  const [root = path] = workspace.roots.filter((one) => isInside(path, one)).sort((a, b) => b.length - a.length);
  return { root, local: path.slice(root.length) };
}

function isCached(path: string, { isIgnored, question }: ChangesQuestion): boolean {
  return isCache(placeOf(path, question).local, isIgnored(path));
}

/** A poisoned cache is code that runs later, so modes that ask for every change drop caches. */
function dropsCaches(mode: Mode): boolean {
  return mode === "default" || mode === "dontAsk" || mode === "plan";
}

/** A cache goes with the directory around it. */
function goneWith(changes: readonly Change[]): (change: Change) => boolean {
  const isRemoval = ({ operation }: Change) => operation === "delete" || operation === "replace";
  const removed = changes.filter((change) => !change.within && change.kind === "directory" && isRemoval(change));
  const isRemoved = (path: string) => removed.some((top) => top.path !== path && isInside(path, top.path));
  return ({ operation, path, within }) => within === true && operation === "delete" && isRemoved(path);
}

/** Where git keeps what a branch, a tag or the stash leads to. */
const keepsHistory = /^(?:(?:logs\/)?refs\/|packed-refs$|objects\/)/;

function whyAsk(open: readonly Change[], asked: Judging): string | undefined {
  const { question, isIgnored, deleteLimit, policy } = asked;
  const real = open.filter((change) => change.operation !== "touch" && !isFailedFetch(change));
  if (real.length === 0) return undefined;
  const kept = real.filter(({ path }) => !isIgnored(path));
  const other = real.find(({ path }) => gitFile(path) !== undefined);
  if (other !== undefined && !opensRepositories(question))
    return `a program other than git changed the repository: ${other.path}`;
  const loss = question.report.parts?.find(({ losesWork }) => losesWork);
  if (loss !== undefined && real.some(({ path }) => keepsHistory.test(gitFile(path) ?? ""))) return loss.reason;
  const beside = real.find(({ path }) => gitFile(path) === undefined && isBesideStart(path, question.workspace));
  if (beside !== undefined) return `it changes ${beside.path}, outside the directory that the session started in`;
  const careful = real.find((change) => isCareful(change, asked));
  if (careful !== undefined)
    return `it changes ${careful.path}, ${classWords[policy.classify(careful.path) ?? "hidden"]}`;
  // Git's own deletions were judged separately.
  const isOwn = ({ path }: Change) => gitFile(path) !== undefined;
  const isMoved = moveFinder(real, asked);
  const isLost = (change: Change) => change.operation === "delete" && !isOwn(change) && !isMoved(change);
  switch (question.mode) {
    case "auto": {
      const lost = kept.filter((change) => change.kind !== "directory" && isLost(change));
      return lost.length > deleteLimit ? `it deletes ${lost.length} files` : undefined;
    }
    case "acceptEdits": {
      const isReplaced = ({ operation, kind }: Change) => operation === "replace" && kind === "directory";
      const replaced = real.find((change) => isLost(change) || (isReplaced(change) && !isOwn(change)));
      if (replaced !== undefined)
        return `it ${replaced.operation === "delete" ? "deletes" : "replaces"} ${replaced.path}`;
      return kept.length > mostEdits ? `it changes ${kept.length} files` : undefined;
    }
    default: {
      const files = real.filter(({ kind }) => kind !== "directory");
      const told = files.length === 0 ? real : files;
      return `it changes ${told.length === 1 ? told[0]?.path : `${told.length} ${told === real ? "paths" : "files"}`}`;
    }
  }
}

/** A fetch begins by emptying this file. What it then brings is a change of its own. */
function isFailedFetch({ kind, operation, path, size }: Change): boolean {
  return gitFile(path) === "FETCH_HEAD" && kind === "file" && operation !== "delete" && size === 0;
}

function moveFinder(changes: readonly Change[], { contentOf }: ChangesQuestion): (change: Change) => boolean {
  const isMade = ({ operation, kind, path }: Change) =>
    operation === "create" && kind === "file" && gitFile(path) === undefined;
  const made = Map.groupBy(changes.filter(isMade), ({ size }) => size);
  const gone = changes.filter(({ operation, kind }) => operation === "delete" && kind !== "directory");
  const places = new Set(gone.map(({ path }) => dirname(path)));
  return (change) => {
    if (change.kind === "directory") return [...places].some((place) => isInside(place, change.path));
    const same = made.get(change.size) ?? [];
    const before = same.length === 0 ? undefined : contentOf(change);
    const at = same.findIndex((one) => {
      const after = before && contentOf(one);
      return after !== undefined && before !== undefined && Buffer.compare(before, after) === 0;
    });
    return at >= 0 && same.splice(at, 1).length > 0;
  };
}

function isCareful(change: Change, asked: Judging): boolean {
  const found = asked.policy.classify(change.path);
  if (found !== "lockfile" && (found !== "hidden" || asked.isIgnored(change.path))) return false;
  return !isRestored(change, asked) && !isGenerated(change.path, asked);
}

function isGenerated(path: string, { isIgnored, question, policy }: Judging): boolean {
  const { root, local } = placeOf(path, question);
  const part = generatedPart(local, isIgnored(path));
  if (part === undefined || policy.isConfigured?.(path)) return false;
  return /\/\.yarn\/[^/]+$/.test(part) || whyClass(policy.classify(root + part)) === undefined;
}

function ruleFor(
  action: CompiledRule["action"],
  { operation, path }: Change,
  { rules, policy }: Judging,
): CompiledRule | undefined {
  const op = operation === "delete" ? "delete" : "write";
  const matches = (pattern: PathPattern | undefined) =>
    pattern === undefined ? action !== "allow" : matchesPath(pattern, path);
  return pathRules(rules, { action, op, now: policy.clock.now() }).find(({ pattern }) => matches(pattern))?.rule;
}

function whyNotable(change: Change, asked: Judging): string | undefined {
  const { question, policy, holdsSecret } = asked;
  const { conflict, flags, kind, operation, path } = change;
  if (conflict !== undefined) return conflict;
  if (flags.includes("points_outside")) return "a link that points outside the workspace";
  if (operation === "touch") return undefined;
  const isOutside = !isInsideAny(path, question.workspace.roots);
  if (isOutside && isAgreed(change, asked)) return undefined;
  const git = gitFile(path);
  if (git !== undefined && (!isOutside || isGitAlone(question) || isOfLinkedTree(path, asked)))
    return (
      whyGit(git, change, asked) ?? whyIndex(git, change, { ...asked, isGenerated: (one) => isGenerated(one, asked) })
    );
  if (isOutside && (git !== undefined || !isOpened(path, question, policy))) return "outside the workspace";
  if (kind === "symlink" && operation !== "delete" && policy.leadsToClass?.(path) && !isInstalled(change, asked))
    return "protected configuration would be read through this link";
  if (isGenerated(path, asked) || isInstalled(change, asked)) return undefined;
  if (flags.includes("hard_link_broken")) return "it has other hard links, which keep the old content";
  // A new directory is judged by its content.
  if (kind === "directory" && operation === "create") return undefined;
  const why = whyClass(policy.classify(path)) ?? (holdsSecret(change) ? "it contains a secret" : undefined);
  return why === undefined || isRestored(change, asked) ? undefined : why;
}

function isCovered(change: Change, asked: Judging): boolean {
  if (isCached(change.path, asked)) return !asked.policy.isConfigured?.(change.path);
  if (ruleFor("allow", change, asked) !== undefined) return true;
  return isInstalled(change, asked) || isAgreed(change, asked) || isOfAgreedGit(change, asked);
}

function isOfAgreedGit(change: Change, asked: Judging): boolean {
  if (!asked.agreed || !isGitAlone(asked.question)) return false;
  return gitFile(change.path) !== undefined || isRestored(change, asked);
}

function isInstalled({ path }: Change, { question, agreed }: ChangesQuestion): boolean {
  return (
    agreed && installWrites(placeOf(path, question).local) && question.report.effects.some(({ op }) => op === "connect")
  );
}

function isAgreed(change: Change, { question, agreed }: ChangesQuestion): boolean {
  if (!agreed) return false;
  return question.report.effects
    .filter(isFileEffect)
    .some(
      ({ op, path, scope }) =>
        (op === "write" || op === "delete") &&
        (scope === "tree" ? isInside(change.path, path.resolved) : change.path === path.resolved),
    );
}

function isAllowedCommand(question: GateQuestion, { uncovered, used }: Coverage): boolean {
  return (
    used.some(({ target }) => target.kind === "command" || target.kind === "tool") &&
    !uncovered.some(({ effect }) => mayChange(effect, question)) &&
    question.report.effects.some((effect) => mayChange(effect, question))
  );
}

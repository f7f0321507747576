import { basename, dirname, join, resolve } from "node:path/posix";
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
import { type Coverage, coverageOf, grantRules, isOpened, mayChange } from "./allow-rules.ts";
import { generatedPart, installWrites, isCache, selfIgnored } from "./generated-paths.ts";
import { gitVerbs, opensRepositories } from "./git-commands.ts";
import { matchesPath } from "./path-pattern.ts";
import type { Policy } from "./policy.ts";
import { type CompiledRule, isLive } from "./rule.ts";
import { commandRules } from "./suggest-rule.ts";

const mostEdits = 200;

/**
 * The second judgement of a command: not on what it might do, but on what it changed in its view. The same rules
 * decide, on real paths.
 */
export function judgeChanges(given: ChangesQuestion, policy: Policy): ChangesVerdict {
  const { question, changes } = given;
  const isTracked = trackedIn(question.workspace.roots, policy);
  // What git tracks is no output, whatever an ignore file says by now.
  const isIgnored = (path: string) => (selfIgnored.test(path) || given.isIgnored(path)) && !isTracked(path);
  const asked = { ...given, isIgnored };
  const { mode } = question;
  const rules = rulesNow(question, policy);
  const denied = changes.flatMap((change) => deniedBy(change, rules, policy) ?? []);
  const [refused] = denied;
  if (refused !== undefined) {
    const { change, why, rule } = refused;
    const source = rule?.source ?? "path_boundary";
    const reason = `${change.path}: ${why}`;
    return { decision: "deny", reason, source, firm: true, apply: [], dropped: [], notable: [], ...ruleText(rule) };
  }
  const isDroppable = (change: Change) =>
    dropsCaches(mode) && isCached(change.path, asked) && ruleFor("allow", change, rules) === undefined;
  const dropped = [
    ...changes.filter(isDroppable).filter(isNotGone(changes.filter((change) => !isDroppable(change)))),
    ...changes.filter((change) => isRefresh(change, question)),
  ];
  const gone = new Set(dropped);
  const apply = changes.filter((change) => !gone.has(change));
  const isPlanted = plantedRepositories(apply, asked);
  const notable = apply.flatMap(
    (change) =>
      notableFor(change, asked, policy) ??
      (isPlanted(change) ? { change, why: "git would take this directory for a repository" } : []),
  );
  const [asking] = apply.flatMap((change) => ruleFor("ask", change, rules) ?? []);
  // Half of an `mv` is a lost file.
  const isMove = question.report.effects.every(isFileEffect) && apply.some(({ operation }) => operation === "delete");
  const isOneAction = isGitAlone(question) || isMove;
  const verdict = { apply, dropped, notable, ...(isOneAction ? { whole: true as const } : {}) };
  if (asking !== undefined) {
    const { source, text } = asking;
    return settled(
      { decision: "ask", reason: `${text} asks for it`, source, firm: true, ...verdict, rule: text },
      mode,
    );
  }
  const coverage = coverageOf(question, policy);
  const isCoveredAll = isAllowedCommand(question, coverage);
  const isAsked = askedWith(notable);
  const open = apply.filter(
    (change) => !isCoveredAll && !isAsked(change) && !isCovered(change, asked, { rules, policy }),
  );
  const asksIn = (one: Mode) => whyAsk(open, { ...asked, question: { ...question, mode: one } }, policy);
  const why = asksIn(mode);
  if (why === undefined) {
    const reason =
      open.length < apply.length
        ? "rules or the answer before it cover what it changed"
        : "it changed nothing that needs an answer";
    return settled({ decision: "allow", reason, source: "mode", firm: false, ...verdict }, mode);
  }
  const appliedIn =
    notable.length > 0 ? undefined : (["acceptEdits", "auto"] as const).find((one) => asksIn(one) === undefined);
  const offered = { ...commandRules(question, coverage), ...(appliedIn === undefined ? {} : { appliedIn }) };
  return settled({ decision: "ask", reason: why, source: "mode", firm: false, ...verdict, ...offered }, mode);
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
    reason: `dontAsk mode asks nobody: ${asked.notable[0]?.why ?? asked.reason}`,
  };
}

function isRefresh({ operation, path }: Change, question: GateQuestion): boolean {
  const file = operation === "touch" ? gitFile(path) : undefined;
  return file !== undefined && (file.startsWith("objects/") || !isGitAlone(question));
}

function trackedIn(roots: readonly string[], policy: Policy): (path: string) => boolean {
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

/** Of the modes that apply nothing unasked. A poisoned cache is code that somebody runs later. */
function dropsCaches(mode: Mode): boolean {
  return mode === "default" || mode === "dontAsk" || mode === "plan";
}

function isNotGone(changes: readonly Change[]): (change: Change) => boolean {
  const isRemoval = ({ operation }: Change) => operation === "delete" || operation === "replace";
  const removed = changes.filter((change) => !change.within && change.kind === "directory" && isRemoval(change));
  const isRemoved = (path: string) => removed.some((top) => top.path !== path && isInside(path, top.path));
  return ({ operation, path, within }) => !(within && operation === "delete" && isRemoved(path));
}

function whyAsk(open: readonly Change[], asked: ChangesQuestion, policy: Policy): string | undefined {
  const { question, isIgnored, deleteLimit } = asked;
  const real = open.filter(({ operation }) => operation !== "touch");
  if (real.length === 0) return undefined;
  const kept = real.filter(({ path }) => !isIgnored(path));
  const other = real.find(({ path }) => gitFile(path) !== undefined);
  if (other !== undefined && !opensRepositories(question))
    return `a program other than git changed the repository: ${other.path}`;
  const beside = real.find(({ path }) => gitFile(path) === undefined && isBesideStart(path, question.workspace));
  if (beside !== undefined) return `it changes ${beside.path}, outside the directory that the session started in`;
  const careful = real.find((change) => isCareful(change, asked, policy));
  if (careful !== undefined)
    return `it changes ${careful.path}, ${classWords[policy.classify(careful.path) ?? "hidden"]}`;
  // What git takes away of its own was looked at by itself.
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

function isCareful(change: Change, asked: ChangesQuestion, policy: Policy): boolean {
  const found = policy.classify(change.path);
  if (found !== "lockfile" && (found !== "hidden" || asked.isIgnored(change.path))) return false;
  return !isRestored(change, asked, policy) && !isGenerated(change.path, asked, policy);
}

function isGenerated(path: string, { isIgnored, question }: ChangesQuestion, policy: Policy): boolean {
  const { root, local } = placeOf(path, question);
  const part = generatedPart(local, isIgnored(path));
  if (part === undefined || policy.isConfigured?.(path)) return false;
  return /\/\.yarn\/[^/]+$/.test(part) || whyClass(policy.classify(root + part)) === undefined;
}

function rulesNow(question: GateQuestion, policy: Policy): readonly CompiledRule[] {
  const now = policy.clock.now();
  return [...policy.rules, ...grantRules(question)].filter((rule) => isLive(rule, now));
}

function deniedBy(
  change: Change,
  rules: readonly CompiledRule[],
  policy: Policy,
): { readonly change: Change; readonly why: string; readonly rule?: CompiledRule } | undefined {
  const rule = ruleFor("deny", change, rules);
  if (rule !== undefined) return { change, why: `${rule.text} denies it`, rule };
  return policy.classify(change.path) === "state" ? { change, why: "it is state of the runtime" } : undefined;
}

function ruleFor(action: CompiledRule["action"], { operation, path }: Change, rules: readonly CompiledRule[]) {
  const op = operation === "delete" ? "delete" : "write";
  return rules.find(
    ({ target, ...rule }) =>
      rule.action === action &&
      target.kind === "path" &&
      target.ops.includes(op) &&
      (target.pattern === undefined ? action !== "allow" : matchesPath(target.pattern, path)),
  );
}

function notableFor(change: Change, asked: ChangesQuestion, policy: Policy): NotableChange | undefined {
  const { question } = asked;
  const { conflict, flags, kind, operation, path } = change;
  if (conflict !== undefined) return { change, why: conflict };
  if (flags.includes("points_outside")) return { change, why: "a link that leads out of the workspace" };
  if (operation === "touch") return undefined;
  const isOutside = !isInsideAny(path, question.workspace.roots);
  if (isOutside && isAgreed(change, asked)) return undefined;
  const git = gitFile(path);
  if (git !== undefined && (!isOutside || isGitAlone(question) || isOfLinkedTree(path, question, policy)))
    return whyGit(git, change, asked) ?? whyIndex(git, change, asked, policy);
  if (isOutside && (git !== undefined || !isOpened(path, question, policy)))
    return { change, why: "outside the workspace" };
  if (kind === "symlink" && operation !== "delete" && policy.leadsToClass?.(path) && !isInstalled(change, asked))
    return { change, why: "a link that protected configuration would be read through" };
  if (isGenerated(path, asked, policy) || isInstalled(change, asked)) return undefined;
  if (flags.includes("hard_link_broken")) return { change, why: "it has other names, which keep the old content" };
  // A new directory is what is in it.
  if (kind === "directory" && operation === "create") return undefined;
  const found = policy.classify(path);
  const why = whyClass(found) ?? (asked.holdsSecret(change) ? "it holds a secret" : "");
  return why === "" || isRestored(change, asked, policy) ? undefined : { change, why };
}

const bareParts = ["HEAD", "config", "objects", "refs"];

function plantedRepositories(changes: readonly Change[], asked: ChangesQuestion): (change: Change) => boolean {
  const { question, isThere } = asked;
  if (isGitAlone(question)) return () => false;
  const partOf = ({ path, operation }: Change) =>
    operation !== "delete" && gitFile(path) === undefined && bareParts.includes(basename(path))
      ? dirname(path)
      : undefined;
  const arrived = new Set(changes.filter(partOf).map(({ path }) => path));
  const isRepository = (directory: string) =>
    ["HEAD", "objects"].every((name) => arrived.has(join(directory, name)) || isThere(join(directory, name)));
  return (change) => {
    const directory = partOf(change);
    return directory !== undefined && isRepository(directory);
  };
}

function isRestored(change: Change, { question, contentOf }: ChangesQuestion, policy: Policy): boolean {
  if (!isGitAlone(question)) return false;
  // The files in it are changes of their own.
  if (change.kind === "directory" && change.operation === "delete") return true;
  const content = contentOf(change);
  return content !== undefined && policy.isCommitted?.(change.path, content) === true;
}

function whyClass(found: ReturnType<Policy["classify"]>): string | undefined {
  return found === "secret" ? "a file for secrets" : found === "protected" ? "protected configuration" : undefined;
}

const believed =
  /^(?:hooks|config|config\.worktree|info\/(?:attributes|exclude|grafts|sparse-checkout)|modules|commondir|gitdir|worktrees\/[^/]+\/(?:config|config\.worktree|hooks|commondir|gitdir))(?:\/|$)/;

const resumed = /^(?:worktrees\/[^/]+\/)?(?:rebase-merge|rebase-apply|sequencer)(?:\/|$)/;

function gitFile(path: string): string | undefined {
  const found = /^.*\/\.git(?:\/(.*))?$/.exec(path);
  return found === null ? undefined : (found[1] ?? "");
}

function isGitAlone(question: GateQuestion): boolean {
  return gitVerbs(question).size > 0;
}

const making = ["init", "worktree", "submodule", "clone"];
const removing =
  "branch tag stash gc repack prune pack-refs remote reflog update-ref worktree submodule maintenance fetch pull notes bisect".split(
    " ",
  );
const stopping = ["rebase", "am", "cherry-pick", "revert", "pull"];

function isOfLinkedTree(path: string, question: GateQuestion, policy: Policy): boolean {
  return question.workspace.roots.some((root) => {
    const linked = policy.findLinked?.(root);
    return linked !== undefined && isInsideAny(path, linked.writable) && !isInsideAny(path, linked.believed);
  });
}

function whyGit(file: string, change: Change, asked: ChangesQuestion): NotableChange | undefined {
  const verbs = gitVerbs(asked.question);
  const does = (those: readonly string[]) => those.some((verb) => verbs.has(verb));
  if (change.kind === "symlink") return { change, why: "a link that git would write through" };
  if (file === "" && does(making) && change.operation === "create" && isOwnLink(change, asked)) return undefined;
  if (!does(stopping) && change.operation !== "delete" && resumed.test(file))
    return { change, why: "git runs it when it continues" };
  if (file === "" || (believed.test(file) && !(does(making) && comesWithGit(file, change, asked))))
    return { change, why: "git runs or follows it" };
  const isGone = change.operation === "delete" || isOverwritten(file, change, asked);
  const isLost = isGone && !does(removing) && !isLock(file);
  return isLost ? { change, why: "something of the repository's history may be lost" } : undefined;
}

/** Objects never change, logs grow, and what a branch was before stands in its log. */
function isOverwritten(file: string, change: Change, { changes, isAppended, question }: ChangesQuestion): boolean {
  const { kind, operation, path } = change;
  if (operation !== "modify" && operation !== "replace") return false;
  if (kind === "directory" || /^objects\/(?:[0-9a-f]{2}\/|pack\/pack-)/.test(file)) return true;
  if (/^(?:worktrees\/[^/]+\/)?logs\//.test(file)) return !isAppended(change);
  if (isGitAlone(question)) return false;
  const log = `${path.slice(0, -file.length)}logs/${file}`;
  const isLogged = changes.some((one) => one.path === log && (one.operation === "create" || isAppended(one)));
  return file === "packed-refs" || (file.startsWith("refs/") && !isLogged);
}

function whyIndex(file: string, change: Change, asked: ChangesQuestion, policy: Policy): NotableChange | undefined {
  if (!/^(?:worktrees\/[^/]+\/)?index$/.test(file) || change.operation === "delete") return undefined;
  const verbs = [...gitVerbs(asked.question)];
  // Both take what a commit has.
  if (verbs.length > 0 && verbs.every((verb) => verb === "reset" || verb === "restore")) return undefined;
  const why = asked.whyStaged(change, (path, id) => {
    const found = whyClass(policy.classify(path));
    const isKnown = found === undefined || isGenerated(path, asked, policy) || policy.isCommitted?.(path, id);
    return isKnown ? undefined : found;
  });
  return why === undefined ? undefined : { change, why };
}

function comesWithGit(file: string, change: Change, asked: ChangesQuestion): boolean {
  const { kind, operation, within } = change;
  if (file.startsWith("worktrees/"))
    return operation === "delete"
      ? within === true
      : operation === "create" && (file.endsWith("/gitdir") || textAt(change.path, asked) === "../..");
  if (!within || operation !== "create") return false;
  if (file.endsWith("config")) return firstLines.test(Buffer.from(asked.contentOf(change) ?? "?").toString());
  return kind === "directory" || /\.sample$|^info\/exclude$/.test(file);
}

function isOwnLink({ kind, path }: Change, asked: ChangesQuestion): boolean {
  if (kind === "directory") return true;
  const own = resolve(dirname(path), textAt(path, asked)?.replace(/^gitdir: /, "") ?? "");
  if (/\/\.git\/modules\/./.test(own)) return true;
  const common = /^(.*)\/worktrees\/[^/]+$/.exec(own)?.[1] ?? "";
  if (!common.endsWith("/.git") && !asked.isThere(join(common, "HEAD"))) return false;
  return textAt(join(own, "commondir"), asked) === "../.." && textAt(join(own, "gitdir"), asked) === path;
}

function textAt(path: string, { changes, contentOf }: ChangesQuestion): string | undefined {
  const change = changes.find((one) => one.path === path && one.operation === "create");
  const content = change && contentOf(change);
  return content && Buffer.from(content).toString().trim();
}

const firstLines =
  /^(?:\s*(?:\[core\]|(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks) = \w+|\[(?:remote|branch) "[\w./-]+"\]|url = https?:\/\/\S+|fetch = \+refs\/\S+|remote = \w+|merge = refs\/\S+)\n)*$/;

function isLock(file: string): boolean {
  return /(?:\.lock|_HEAD|_MSG|_EDITMSG|(?:^|\/)(?:AUTO_MERGE|MERGE_\w+|BISECT_\w+)|rebase-(?:merge|apply)(?:\/.*)?|sequencer(?:\/.*)?)$/.test(
    file,
  );
}

function isCovered(
  change: Change,
  asked: ChangesQuestion,
  { rules, policy }: { readonly rules: readonly CompiledRule[]; readonly policy: Policy },
): boolean {
  if (isCached(change.path, asked)) return !policy.isConfigured?.(change.path);
  if (ruleFor("allow", change, rules) !== undefined) return true;
  return isInstalled(change, asked) || isAgreed(change, asked) || isOfAgreedGit(change, asked, policy);
}

function isOfAgreedGit(change: Change, asked: ChangesQuestion, policy: Policy): boolean {
  if (!asked.agreed || !isGitAlone(asked.question)) return false;
  return gitFile(change.path) !== undefined || isRestored(change, asked, policy);
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

function ruleText(rule: CompiledRule | undefined) {
  return rule === undefined ? {} : { rule: rule.text };
}

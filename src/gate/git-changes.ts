import { basename, dirname, join, resolve } from "node:path/posix";
import type { Change } from "../contract/changes.ts";
import { isInsideAny } from "../contract/effect.ts";
import type { ChangesQuestion, GateQuestion, PathClass } from "../contract/gate.ts";
import { type GitVerbKind, isGitVerb } from "../programs/git/verbs.ts";
import { gitVerbs } from "./git-commands.ts";
import type { GatePolicy } from "./policy.ts";

interface GitJudging extends ChangesQuestion {
  readonly policy: GatePolicy;
}

const bareParts = ["HEAD", "config", "objects", "refs"];

export function plantedRepositories(changes: readonly Change[], asked: ChangesQuestion): (change: Change) => boolean {
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

export function isRestored(change: Change, { question, contentOf, policy }: GitJudging): boolean {
  if (!isGitAlone(question)) return false;
  // Each file in it is listed as a separate change.
  if (change.kind === "directory" && change.operation === "delete") return true;
  const content = contentOf(change);
  return content !== undefined && policy.isCommitted?.(change.path, content) === true;
}

export function whyClass(found: PathClass | undefined): string | undefined {
  return found === "secret" ? "a secret file" : found === "protected" ? "protected configuration" : undefined;
}

const believed =
  /^(?:hooks|config|config\.worktree|info\/(?:attributes|exclude|grafts|sparse-checkout)|objects\/info\/alternates|refs\/replace|remotes|branches|modules|commondir|gitdir|worktrees\/[^/]+\/(?:config|config\.worktree|hooks|modules|commondir|gitdir))(?:\/|$)/;

const resumed = /^(?:worktrees\/[^/]+\/)?(?:rebase-merge|rebase-apply|sequencer)(?:\/|$)/;

export function gitFile(path: string): string | undefined {
  const found = /^.*\/\.git(?:\/(.*))?$/.exec(path);
  return found === null ? undefined : (found[1] ?? "");
}

export function isGitAlone(question: GateQuestion): boolean {
  return gitVerbs(question).size > 0;
}

export function isOfLinkedTree(path: string, { question, policy }: GitJudging): boolean {
  return question.workspace.roots.some((root) => {
    const linked = policy.findLinked?.(root);
    return linked !== undefined && isInsideAny(path, linked.writable) && !isInsideAny(path, linked.believed);
  });
}

export function whyGit(file: string, change: Change, asked: ChangesQuestion): string | undefined {
  const verbs = [...gitVerbs(asked.question)];
  const does = (kind: GitVerbKind) => verbs.some((verb) => isGitVerb(kind, verb));
  if (change.kind === "symlink") return "a link that git would write through";
  if (file === "" && does("makes") && change.operation === "create" && isOwnLink(change, asked)) return undefined;
  if (!does("stops") && change.operation !== "delete" && resumed.test(file))
    return "git runs it when the operation continues";
  if (file === "" || (believed.test(file) && !(does("makes") && comesWithGit(file, change, asked))))
    return "git runs or follows it";
  const isGone = change.operation === "delete" || isOverwritten(file, change, asked);
  const isLost = isGone && !does("removes") && !isLock(file);
  return isLost ? "something of the repository's history may be lost" : undefined;
}

/** Objects never change, logs grow, and a branch's earlier commits are in its log. */
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

export function whyIndex(
  file: string,
  change: Change,
  asked: GitJudging & { readonly isGenerated: (path: string) => boolean },
): string | undefined {
  if (!/^(?:worktrees\/[^/]+\/)?index$/.test(file) || change.operation === "delete") return undefined;
  const { policy, isGenerated } = asked;
  const verbs = [...gitVerbs(asked.question)];
  if (verbs.length > 0 && verbs.every((verb) => isGitVerb("unstages", verb))) return undefined;
  return asked.whyStaged(change, (path, id) => {
    const found = whyClass(policy.classify(path));
    const isKnown = found === undefined || isGenerated(path) || policy.isCommitted?.(path, id);
    return isKnown ? undefined : found;
  });
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

import {
  type FileEffect,
  isFileEffect,
  isInside,
  isInsideAny,
  isOfSystem,
  type PathException,
} from "../contract/effect.ts";
import type { GateQuestion, LinkedRepository } from "../contract/gate.ts";
import { type HostRule, parseHost, parseHostPattern } from "../contract/network.ts";
import { isInScratch, isScratch } from "../contract/ports.ts";
import type { SandboxProfile } from "../contract/verdict.ts";
import { closedBelow, closedToWriting, deniesEveryChange, everyVersion, isDenied, outermost } from "./closed-paths.ts";
import { opensRepositories, readsBeside, runsGit, runsGitAlone, runsProjectCode } from "./git-commands.ts";
import type { GatePolicy } from "./policy.ts";
import { liveRules } from "./rules/match-rules.ts";

export function profileOf(
  question: GateQuestion,
  policy: GatePolicy,
  exceptions: readonly PathException[],
): SandboxProfile {
  const { report, workspace } = question;
  const outside = report.effects
    .filter(isFileEffect)
    .filter((effect) => isRead(effect) && !isScratch(effect.path.resolved, workspace.scratch))
    .map((effect) => effect.path.resolved);
  const isOutside = (path: string) => !isInsideAny(path, workspace.roots) && !isOfSystem(path);
  const readable = [...workspace.roots, ...outside.filter(isOutside)];
  const scratch = workspace.scratch === undefined ? {} : { scratch: workspace.scratch.directory };
  const agreed = understoodChanges(question).filter(
    (effect) => isOutside(effect.path.resolved) && !isInScratch(effect, workspace.scratch),
  );
  const mayChange = changesHost(question) && !policy.rules.some(deniesEveryChange);
  const agreedFiles = agreed.filter(({ path }) => path.kind === "file").map(({ path }) => path.resolved);
  const writable = mayChange ? [...workspace.roots, ...(question.view ? [] : agreedFiles)] : [];
  if (report.command === undefined)
    return { readable, writable: [], protected: [], masked: exceptions, network: "none", ...scratch };
  // Git reads submodules and follows the configuration in them.
  const mayRunGit = changesHost(question) || runsGit(question);
  const linked = mayRunGit ? workspace.roots.flatMap((root) => linkedTo(root, policy)) : [];
  const opened = writable.length > 0 && opensRepositories(question) ? linked : [];
  if (question.view) {
    const repositories = opened.flatMap(({ directory }) => directory ?? []);
    const { kept, masked } = closedToReading(question, policy, { mayWrite: true, outside: exceptions });
    const directories = mayChange ? outermost([...(question.beside ?? []), ...repositories]) : [];
    const changed = report.effects.filter(isFileEffect).filter((effect) => !isRead(effect));
    const outsidePaths = changed.map(({ path }) => path.resolved).filter(isOutside);
    const paths = [...outsidePaths, ...opened.flatMap((one) => one.readable)];
    return {
      view: true,
      ...(directories.length === 0 ? {} : { beside: { directories, paths } }),
      readable: [...readable, ...linked.flatMap((one) => one.readable)].filter(
        (path) => !isInsideAny(path, directories),
      ),
      writable: [...directories, ...outermost(writable)],
      protected: [],
      masked,
      // In a view hooks run together with git, so git never has these paths to itself.
      ...(kept === undefined ? {} : { kept: { ...kept, alone: false } }),
      network: networkOf(question, policy),
      // Each is a mount; a command that only copies files or runs git needs none.
      ...(runsProjectCode(question) ? { caches: true } : {}),
      ...scratch,
    };
  }
  return {
    ...(mayRunGit ? {} : { onlyReads: true }),
    readable: [...readable, ...linked.flatMap((one) => one.readable)],
    writable: [...writable, ...opened.flatMap((one) => one.writable)],
    protected:
      writable.length === 0 ? [] : [...protectedIn(question, policy), ...opened.flatMap(({ believed }) => believed)],
    ...(opened.length === 0 ? {} : { opened: opened.flatMap((one) => one.opened) }),
    ...closedToReading(question, policy, { mayWrite: writable.length > 0, outside: exceptions }),
    network: networkOf(question, policy),
    caches: true,
    ...scratch,
  };
}

function linkedTo(root: string, policy: GatePolicy): readonly LinkedRepository[] {
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
  policy: GatePolicy,
  { mayWrite, outside }: { readonly mayWrite: boolean; readonly outside: readonly PathException[] },
): Pick<SandboxProfile, "masked" | "kept"> {
  const { roots } = question.workspace;
  const secrets = [...maskedIn(question, policy), ...outside.filter(({ path }) => !isInsideAny(path, roots))];
  // Git's store contains these too.
  const stored = secrets.filter(
    ({ path, rule }) => policy.hidesCommitted === true || (rule !== undefined && policy.classify(path) !== "secret"),
  );
  // Git would commit the mask of a tracked file. A file that is only staged is in the store too.
  const isTracked = ({ path, asCommitted }: PathException) => !asCommitted && policy.isTracked?.(path) === true;
  const isInStore = stored.length > 0 || (question.view === true && secrets.some(isTracked));
  const masked = isInStore ? [...secrets, ...maskedStores(question, policy)] : secrets;
  if (!mayWrite || !runsGit(question)) return { masked };
  const paths = secrets.filter(
    (one) => policy.classify(one.path) !== "state" && (stored.includes(one) || isTracked(one)),
  );
  if (paths.length === 0) return { masked };
  // An uncommitted secret must not get into a commit: git must fail there.
  const alone = runsGitAlone(question) && paths.every((one) => stored.includes(one));
  return { masked: masked.filter((one) => !paths.includes(one)), kept: { paths, alone } };
}

function maskedIn(question: GateQuestion, policy: GatePolicy): readonly PathException[] {
  const closed = outermost(question.workspace.roots).flatMap((root) => closedBelow(root, policy));
  // A path that the same call also reads stays closed: the command chooses the order of the two.
  const onlyRemoves = question.report.effects.every((effect) => effect.op === "delete");
  const removed = onlyRemoves ? understoodChanges(question) : [];
  // A mask is a mount, and a mount would prevent the removal of the tree around it.
  return closed
    .filter(({ path }) => !removed.some((effect) => isInside(path, effect.path.resolved)))
    .map((one) =>
      one.rule === undefined && policy.hasCommittedCover?.(one.path) ? { ...one, asCommitted: true } : one,
    );
}

function maskedStores(question: GateQuestion, policy: GatePolicy): readonly PathException[] {
  const { report, workspace } = question;
  if (changesHost(question) && (!question.view || runsGit(question))) return [];
  const stores = outermost(workspace.roots).flatMap((root) => policy.findObjectStores(root));
  // The user approved reading the store.
  const agreed = report.effects.filter(isFileEffect).filter(({ op }) => op === "read");
  const named = stores.some((store) => agreed.some(({ path }) => isInside(path.resolved, store)));
  if (named || (runsGit(question) && !readsBeside(question, stores))) return [];
  return stores.map((path) => ({ path, scope: "tree", reason: everyVersion }));
}

function protectedIn(question: GateQuestion, policy: GatePolicy): readonly string[] {
  const found = closedToWriting(question.workspace.roots, policy, { git: opensRepositories(question) });
  const agreed = understoodChanges(question);
  return outermost(found).filter((path) => !agreed.some((change) => givesWay(path, change)));
}

/** Protection ends only for a change there, below it, or of the whole tree around it: each was shown to the user. */
function givesWay(path: string, { path: target, scope }: FileEffect): boolean {
  return isInside(target.resolved, path) || (scope === "tree" && isInside(path, target.resolved));
}

function understoodChanges({ report }: GateQuestion): readonly FileEffect[] {
  const understood = report.effects.every(isFileEffect);
  return understood ? report.effects.filter(isFileEffect).filter((effect) => !isRead(effect)) : [];
}

function isRead(effect: FileEffect): boolean {
  return effect.op === "read" || effect.op === "list";
}

function changesHost({ report, workspace }: GateQuestion): boolean {
  return report.effects.some((effect) =>
    isFileEffect(effect) ? !isRead(effect) && !isInScratch(effect, workspace.scratch) : effect.op !== "session",
  );
}

/** A command that declares no connection gets no network, whatever rules allow. */
function networkOf(question: GateQuestion, policy: GatePolicy): SandboxProfile["network"] {
  const { report } = question;
  const connects = report.effects.filter((effect) => effect.op === "connect");
  if (report.command === undefined || connects.length === 0) return "none";
  const rules = liveRules(question, policy).flatMap(({ action, target, text }) =>
    target.kind === "host" ? [{ action, host: target.host, below: target.below, by: text }] : [],
  );
  const declared = connects.flatMap(({ host, port }): HostRule[] => {
    const parsed = parseHost(host);
    const ports = port === undefined ? undefined : [port];
    return parsed ? [{ action: "allow", host: parsed.host, below: false, ports, by: "the permit" }] : [];
  });
  const distinct = new Map(declared.map((rule) => [`${rule.host}:${rule.ports ?? ""}`, rule])).values();
  const acting = (action: HostRule["action"]) => rules.filter((rule) => rule.action === action);
  return {
    // Declared hosts were approved, so they come before the ask rules.
    hosts: [...acting("deny"), ...distinct, ...acting("ask"), ...acting("allow")],
    privateHosts: policy.privateHosts ?? [],
  };
}

export interface ServerNeeds {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: readonly string[];
  /** The user is asked about other hosts. */
  readonly asks?: boolean;
}

/** The sandbox of a server's process: the workspace without its secrets, and the paths that its entry names. */
export function serverProfile(
  { roots, needs }: { readonly roots: readonly string[]; readonly needs: ServerNeeds },
  policy: GatePolicy,
): SandboxProfile | { readonly problem: string } {
  const own = [...needs.read, ...needs.write];
  const closed = own.find((path) => policy.classify(path) === "state");
  if (closed !== undefined) return { problem: `${closed} belongs to Gauntlet` };
  const hosts: HostRule[] = [];
  for (const written of needs.network) {
    const named = parseHostPattern(written);
    if (named === undefined) return { problem: `${JSON.stringify(written)} is not a valid host` };
    hosts.push({ action: "allow", ...named, by: "the server's entry" });
  }
  const denied = policy.rules.flatMap(({ action, target, text }): HostRule[] =>
    action === "deny" && target.kind === "host" ? [{ action, host: target.host, below: target.below, by: text }] : [],
  );
  const isOnline = hosts.length > 0 || needs.asks === true;
  const writing = writable(needs.write, policy);
  const readable = [...new Set([...roots, ...needs.read, ...writing.writable])];
  // A store contains every committed secret. It is visible only if an entry names the repository itself.
  const named = own.filter((path) => /(?:^|\/)[^/]*\.git(?:\/|$)/.test(path));
  const isHidden = (store: string) => !named.some((path) => isInside(store, path));
  const masked = outermost(readable).flatMap((root): PathException[] => [
    ...closedBelow(root, policy, "named"),
    ...policy
      .findObjectStores(root)
      .filter(isHidden)
      .map((path) => ({ path, scope: "tree", reason: everyVersion }) as const),
  ]);
  const network = isOnline ? { hosts: [...denied, ...hosts], privateHosts: policy.privateHosts ?? [] } : "none";
  return { readable, ...writing, masked, network };
}

/** The sandbox of a hook: the workspace without its secrets, and the hook's own files. Never a network. */
export function hookProfile(
  {
    roots,
    own,
    writes,
  }: { readonly roots: readonly string[]; readonly own: readonly string[]; readonly writes: boolean },
  policy: GatePolicy,
): SandboxProfile {
  return {
    readable: [...roots, ...own],
    ...writable(writes ? roots : [], policy),
    masked: outermost(roots).flatMap((root) => closedBelow(root, policy)),
    network: "none",
  };
}

function writable(wanted: readonly string[], policy: GatePolicy): Pick<SandboxProfile, "writable" | "protected"> {
  if (wanted.length === 0 || policy.rules.some(deniesEveryChange)) return { writable: [], protected: [] };
  return { writable: wanted, protected: outermost(closedToWriting(wanted, policy, { git: false })) };
}

import { dirname } from "node:path/posix";
import { inflateSync } from "node:zlib";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { digestOf } from "../base/digest.ts";
import { clip, looksBinary, markedLines, plainText } from "../base/text.ts";
import type { CommandTrial } from "../contract/app/door.ts";
import type { ArtifactRef } from "../contract/artifact.ts";
import type { Change, ChangeSet, Transaction } from "../contract/changes.ts";
import { isInside } from "../contract/effect.ts";
import type { ChangesVerdict, CheckedQuestion, NotableChange } from "../contract/gate.ts";
import type { CommandEnd } from "../contract/ports.ts";
import type { ListedChange, PermissionRequest } from "../contract/verdict.ts";
import { inOneLine, shownChange } from "../gate/prompt.ts";
import { escapePattern } from "../gate/rules/path-pattern.ts";
import { newRequest } from "./ask.ts";
import type { SessionParts } from "./parts.ts";

export interface ChangedCall {
  readonly invocationId: string;
  readonly question: CheckedQuestion;
  readonly trial: CommandTrial;
  /** The user allowed the command before it ran. */
  readonly agreed: boolean;
  /** Lets other calls run while the user decides. A change by one of them is a conflict when this one is applied. */
  readonly aside: <Value>(wait: () => Promise<Value>) => Promise<Value>;
}

export interface PendingChanges {
  readonly session: SessionParts;
  readonly call: ChangedCall;
  readonly transaction: Transaction;
  readonly set: ChangeSet;
  readonly verdict: ChangesVerdict;
  readonly end: CommandEnd | undefined;
  readonly artifact: ArtifactRef | undefined;
}

export interface ChangesRequest {
  readonly questioned: readonly Change[];
  readonly request: PermissionRequest;
}

export const scannedBytes = 1_000_000;
const digestedInAll = 64_000_000;
/** More of them share a last question: a user does not read a hundred one by one. */
const mostSingly = 5;
const shownFiles = 40;
const diffedFiles = 20;
const diffedBytes = 100_000;
/** For one file. A command can write files whose diff would take hours. */
const diffMs = 250;
const namedInGit = 5;
const mostRules = 3;
const [endLines, endColumns] = [5, 200];

export function* changeRequests(pending: PendingChanges, ordinary: readonly Change[]): Generator<ChangesRequest> {
  const { notable, apply } = pending.verdict;
  const marked = new Set(notable.map(({ change }) => change.path));
  const outermost = notable.filter(({ change }) => !isBelow(change, marked));
  // The files of a repository can only be kept together.
  const tops = new Set(apply.flatMap(({ path, within }) => (within ? [] : path)));
  const wholeOf = ({ path, within }: Change) => (within ? parentsOf(path).find((one) => tops.has(one)) : path) ?? path;
  const repositoryOf = (path: string) => /^.*\/\.git(?=\/|$)/.exec(path)?.[0];
  const groups = [...Map.groupBy(outermost, ({ change }) => repositoryOf(change.path) ?? wholeOf(change)).values()];
  const together = [...groups.slice(0, mostSingly), groups.slice(mostSingly).flat()].filter(({ length }) => length > 0);
  if (ordinary.length > 0) yield ordinaryRequest(pending, ordinary);
  for (const [at, group] of together.entries()) yield notableRequest(pending, group, ordinary.length + at > 0);
}

function ordinaryRequest(pending: PendingChanges, questioned: readonly Change[]): ChangesRequest {
  const { call, transaction, verdict } = pending;
  const { root } = call.question.workspace;
  const rules = suggestedRules(questioned, verdict, root);
  const listed = listChanges(questioned, transaction, root);
  const separately = verdict.notable
    .slice(0, mostSingly)
    .map((one) => `!  ${describeNotable(one, verdict.apply, root).slice(3)}, asked separately`);
  const request = changesRequest(pending, questioned, {
    title: "Keep the changes of this command?",
    effects: [...separately, ...foldChanges(listed, questioned)],
    changes: listed,
    risk: riskOf(verdict.firm, questioned),
    reason: verdict.reason,
    ...(rules.length > 0 && { suggestedRules: rules }),
  });
  return { questioned, request };
}

function notableRequest(pending: PendingChanges, notable: readonly NotableChange[], isLater: boolean): ChangesRequest {
  const { apply } = pending.verdict;
  const { root } = pending.call.question.workspace;
  const paths = new Set(notable.map(({ change }) => change.path));
  const questioned = apply.filter((change) => paths.has(change.path) || isBelow(change, paths));
  const changes = notable.map((one) => ({ path: one.change.path, line: describeNotable(one, apply, root) }));
  const [first] = notable;
  const prompt = {
    title: notable.length === 1 ? "Keep this change of the command?" : "Keep these changes of the command?",
    effects: changes.map(({ line }) => line),
    changes,
    risk: "R4",
    reason: `${first?.change.path}: ${first?.why}`,
  } as const;
  return { questioned, request: changesRequest(pending, questioned, prompt, isLater) };
}

function changesRequest(
  pending: PendingChanges,
  changes: readonly Change[],
  prompt: Pick<PermissionRequest["prompt"], "title" | "effects" | "changes" | "risk" | "reason" | "suggestedRules">,
  isLater = false,
): PermissionRequest {
  const { session, call, end, verdict } = pending;
  const { redact } = session.storage;
  const { checked, report, workspace } = call.question;
  const { command } = report;
  const budget = { left: digestedInAll };
  const shown = (text: string) => inOneLine(redact(text));
  const diff = redactedDiff(pending, changes);
  return newRequest(session, {
    cwd: verdict.suggestedFor ?? command?.cwd.resolved ?? workspace.root,
    intentId: checked.intent.id,
    tool: checked.tool.name,
    // Not the call's digest: an answer to this question can never start the call.
    digest: digestOf([checked.digest, "apply", changes.map((change) => contentOf(change, pending, budget))]),
    prompt: {
      ...prompt,
      action: inOneLine(command?.text ?? checked.tool.name),
      effects: prompt.effects.map(shown),
      changes: (prompt.changes ?? []).map(({ path, line }) => ({ path, line: shown(line) })),
      reason: inOneLine(prompt.reason),
      sandbox: `The command has run on a copy of the workspace.${isLater ? "" : " The workspace has not changed yet."}`,
      outputLimit: "The changes that you keep are applied as listed; the rest is discarded.",
      ...(end !== undefined && { ended: shownEnd(end, redact) }),
      ...(diff !== "" && { diff: shownChange(diff) }),
    },
  });
}

/** Redacted before it is cut: a part of a secret would not be recognised. */
function shownEnd({ exitCode, signal, stdout, stderr }: CommandEnd, redact: (text: string) => string): string {
  const how = signal === null ? `with exit code ${exitCode}` : `by ${signal}`;
  const printed = [stdout, stderr].flatMap(({ complete, tail }) => {
    const lines = redact(plainText(complete ?? tail)).split("\n");
    const whole = complete === undefined ? lines.slice(1) : lines;
    return whole.filter((line) => line.trim() !== "").slice(-endLines);
  });
  return shownChange([how, ...printed.map((line) => markedLines(clip(line, endColumns)))].join("\n"));
}

/** Equal for the same result of another run: a late answer applies to the next identical result. */
function contentOf(change: Change, { set, transaction }: PendingChanges, budget: { left: number }): readonly unknown[] {
  const { path, operation, kind, mode, size } = change;
  budget.left -= size;
  const { before, after } = budget.left < 0 ? {} : transaction.contents(change, scannedBytes);
  const isKnown = kind === "directory" || operation === "delete" || after !== undefined;
  const contents = [before, after].map((bytes) => (bytes === undefined ? null : Buffer.from(bytes).toString("base64")));
  return [path, operation, kind, mode, size, isKnown ? digestOf(contents) : set.digest];
}

export function parentsOf(path: string): readonly string[] {
  const parents: string[] = [];
  for (let above = dirname(path); above !== "/"; above = dirname(above)) parents.push(above);
  return parents;
}

export function isBelow({ path, within }: Change, marked: ReadonlySet<string>): boolean {
  return within !== undefined && marked.size > 0 && parentsOf(path).some((above) => marked.has(above));
}

export function riskOf(firm: boolean, changes: readonly Change[]): "R2" | "R4" {
  const deletes = changes.some(({ operation, path }) => operation === "delete" && !path.includes("/.git/"));
  return firm || deletes ? "R4" : "R2";
}

/** Rules for paths: each top-level directory with changes, or the single files. Otherwise rules for the command. */
export function suggestedRules(changes: readonly Change[], verdict: ChangesVerdict, root: string): readonly string[] {
  const { firm, suggestedRules: ofCommand = [] } = verdict;
  if (firm) return [];
  const own = changes.filter(({ operation }) => operation !== "touch");
  const isRemembered = ({ operation, path }: Change) =>
    isInside(path, root) && operation !== "delete" && !path.includes("/.git/");
  if (!own.every(isRemembered)) return ofCommand;
  const patterns = new Set(
    own.map(({ path }) => {
      const [first = "", ...below] = path.slice(root.length + 1).split("/");
      return `/${escapePattern(first)}${below.length === 0 ? "" : "/**"}`;
    }),
  );
  return patterns.size > mostRules ? ofCommand : [...patterns].map((pattern) => `Edit(${pattern})`);
}

const signs = { create: "A", modify: "M", delete: "D", replace: "R", mode: "m", touch: "t" } as const;

function listChanges(changes: readonly Change[], from: Transaction, root: string): readonly ListedChange[] {
  const own = changes.filter((change) => change.within === undefined && change.operation !== "touch");
  const listed = (change: Change) => ({ path: change.path, line: lineOf(change, changes, root) });
  const repositoryOf = ({ path }: Change) => path.slice(0, path.indexOf("/.git/") + "/.git".length);
  const records = Map.groupBy(changes.filter(isRecord), repositoryOf);
  return [
    ...own.filter((change) => !isPlain(change)).map(listed),
    ...[...new Set(own.filter(isRecord).map(repositoryOf))].map((path) => ({
      path,
      line: `M  ${shownPath(path, root)}/ ${movedIn(path, records.get(path) ?? [], from)}`,
    })),
    ...own.filter((change) => isPlain(change) && !isRecord(change)).map(listed),
  ];
}

function movedIn(repository: string, records: readonly Change[], { contents }: Transaction): string {
  const files = records.filter(({ kind }) => kind !== "directory");
  const nameOf = ({ path }: Change) => path.slice(repository.length + 1);
  const isReference = (change: Change) => /^(?:(?:worktrees|modules)\/[^/]+\/)?(?:HEAD$|refs\/)/.test(nameOf(change));
  const references = files.filter(isReference);
  const named = references.length > 0 ? references : files;
  const shown = named.slice(0, namedInGit).map((change) => {
    const name = nameOf(change).replace("refs/heads/", "");
    if (!isReference(change)) return name;
    const { before, after } = contents(change, diffedBytes);
    const [old, now] = [before, after].map((bytes) => (bytes ? Buffer.from(bytes).toString().trim() : ""));
    const made = files.find(({ path }) => path.endsWith(`/objects/${now?.replace(/^../, "$&/")}`));
    const subject = made && subjectOf(contents(made, diffedBytes).after);
    return `${name} ${shortId(old)} → ${shortId(now)}${subject ? ` ${JSON.stringify(subject)}` : ""}`;
  });
  const more = named.length - shown.length;
  return `(${filesIn(files)}): ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function shortId(written = ""): string {
  return written.replace(/^ref: |(?<=^[0-9a-f]{7})[0-9a-f]{33,}$/g, "").slice(0, 200) || "nothing";
}

function subjectOf(object: Uint8Array | undefined): string | undefined {
  try {
    const text = inflateSync(object ?? "", { maxOutputLength: diffedBytes }).toString();
    return /^commit .*?\n\n([^\n]{1,100})/s.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

function foldChanges(listed: readonly ListedChange[], changes: readonly Change[]): readonly string[] {
  const lines = listed.map(({ line }) => line);
  const isFolded = (change: Change) => change.within === undefined && isPlain(change) && !isRecord(change);
  const more = Math.max(0, changes.filter(isFolded).length - shownFiles);
  return [...lines.slice(0, lines.length - more), ...(more > 0 ? [`and ${more} more new or modified files`] : [])];
}

function isPlain({ operation, kind }: Change): boolean {
  return operation === "create" || (operation === "modify" && kind !== "directory");
}

function isRecord(change: Change): boolean {
  return isPlain(change) && change.path.includes("/.git/");
}

function describeNotable({ change, why }: NotableChange, all: readonly Change[], root: string): string {
  return `${lineOf(change, all, root)}: ${why}`;
}

function lineOf(change: Change, all: readonly Change[], root: string): string {
  const { kind, path, operation, target } = change;
  const start = `${signs[operation]}  ${shownPath(path, root)}`;
  const link = target === undefined ? start : `${start} -> ${target}`;
  if ((kind !== "directory" && operation !== "replace") || operation === "mode") return link;
  const files = all.filter((one) => one.within && one.kind !== "directory" && one.path.startsWith(`${path}/`));
  if (kind === "directory") return `${start}/ (${filesIn(files)})`;
  return files.length === 0 ? link : `${link} (was a directory, deletes ${filesIn(files)})`;
}

function filesIn({ length }: readonly Change[]): string {
  return `${length} ${length === 1 ? "file" : "files"}`;
}

function shownPath(path: string, root: string): string {
  return isInside(path, root) ? path.slice(root.length + 1) : path;
}

export function redactedDiff({ session, call, transaction }: PendingChanges, changes: readonly Change[]): string {
  return session.storage.redact(diffOf(changes, transaction, call.question.workspace.root));
}

export function diffOf(changes: readonly Change[], transaction: Transaction, root: string): string {
  // In a repository, only files that git runs or follows are shown.
  const isHidden = (path: string) => /\/\.git\/(?!(?:.*\/)?(?:config|hooks|info)(?:\.|\/|$))/.test(path);
  const files = changes.filter(
    ({ kind, operation, path }) => kind === "file" && operation !== "touch" && !isHidden(path),
  );
  const texts = files.slice(0, diffedFiles).map((change) => {
    const name = shownPath(change.path, root);
    if (change.operation === "delete") return `deleted ${name}`;
    if (change.operation === "mode") return `${name}: mode ${change.mode.toString(8)}`;
    const { before, after } = transaction.contents(change, diffedBytes);
    if (after === undefined || looksBinary(after) || (before !== undefined && looksBinary(before)))
      return `${name}: ${change.size} bytes, not text`;
    const [old, now] = [before, after].map((content) => new TextDecoder().decode(content));
    const oldName = change.operation === "create" ? "/dev/null" : `a/${name}`;
    const options = { headerOptions: FILE_HEADERS_ONLY, timeout: diffMs };
    const patch = createTwoFilesPatch(oldName, `b/${name}`, old ?? "", now ?? "", undefined, undefined, options);
    return patch ?? `${name}: ${change.size} bytes, too many differences to show`;
  });
  const more = files.length - diffedFiles;
  return [...texts, ...(more > 0 ? [`and ${more} more files`] : [])].join("\n");
}

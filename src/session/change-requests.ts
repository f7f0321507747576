import { dirname } from "node:path/posix";
import { digestOf } from "../base/digest.ts";
import { clip, markedLines, plainText } from "../base/text.ts";
import type { CommandTrial } from "../contract/app/door.ts";
import type { ArtifactRef } from "../contract/artifact.ts";
import type { Change, ChangeSet, Transaction } from "../contract/changes.ts";
import type { ChangesVerdict, CheckedQuestion, NotableChange } from "../contract/gate.ts";
import type { CommandEnd } from "../contract/ports.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import { inOneLine, shownChange } from "../gate/prompt.ts";
import { newRequest } from "./ask.ts";
import { describeNotable, diffOf, foldChanges, listChanges, suggestedRules } from "./describe-changes.ts";
import type { SessionParts } from "./parts.ts";

/** The call whose command made the changes. */
export interface ChangedCall {
  readonly invocationId: string;
  readonly question: CheckedQuestion;
  readonly trial: CommandTrial;
  /** The user allowed the command before it ran. */
  readonly agreed: boolean;
  /** Lets other calls run while the user thinks: what they change meanwhile is a conflict when this is applied. */
  readonly aside: <Value>(wait: () => Promise<Value>) => Promise<Value>;
}

/** One change set that waits for its decision. */
export interface PendingChanges {
  readonly session: SessionParts;
  readonly call: ChangedCall;
  readonly transaction: Transaction;
  readonly set: ChangeSet;
  readonly verdict: ChangesVerdict;
  readonly end: CommandEnd | undefined;
  /** The change set, as it was captured. */
  readonly artifact: ArtifactRef | undefined;
}

export const scannedBytes = 1_000_000;
const digestedInAll = 64_000_000;
/** More of them share a last question: nobody reads a hundred one by one. */
const mostSingly = 5;

export function ordinaryRequest(pending: PendingChanges, changes: readonly Change[]): PermissionRequest {
  const { call, transaction, verdict } = pending;
  const { root } = call.question.workspace;
  const rules = suggestedRules(changes, verdict, root);
  const listed = listChanges(changes, transaction, root);
  const separately = verdict.notable
    .slice(0, mostSingly)
    .map((one) => `!  ${describeNotable(one, verdict.apply, root).slice(3)}, asked separately`);
  return changesRequest(pending, changes, {
    title: "Keep what this command changed?",
    effects: [...separately, ...foldChanges(listed, changes)],
    changes: listed,
    risk: riskOf(verdict.firm, changes),
    reason: verdict.reason,
    ...(rules.length > 0 && { suggestedRules: rules }),
  });
}

export function notableRequests(pending: PendingChanges, marked: ReadonlySet<string>, isLater: boolean) {
  const { call, verdict } = pending;
  const { root } = call.question.workspace;
  const outermost = verdict.notable.filter(({ change }) => !isBelow(change, marked));
  // One file of a repository cannot be kept without the others.
  const tops = new Set(verdict.apply.flatMap(({ path, within }) => (within ? [] : path)));
  const groups = Map.groupBy(outermost, ({ change }) => repositoryOf(change.path) ?? wholeOf(change, tops));
  const singly = [...groups.values()].slice(0, mostSingly);
  const rest = [...groups.values()].slice(mostSingly).flat();
  return [...singly, ...(rest.length === 0 ? [] : [rest])].map((notable: readonly NotableChange[], at) => {
    const paths = new Set(notable.map(({ change }) => change.path));
    const questioned = verdict.apply.filter((change) => paths.has(change.path) || isBelow(change, paths));
    const listed = notable.map((one) => ({
      path: one.change.path,
      line: describeNotable(one, verdict.apply, root),
    }));
    const [first] = notable;
    const request = changesRequest(
      pending,
      questioned,
      {
        title: notable.length === 1 ? "Keep this change of the command?" : "Keep these changes of the command?",
        effects: listed.map(({ line }) => line),
        changes: listed,
        risk: "R4",
        reason: `${first?.change.path}: ${first?.why}`,
      },
      isLater || at > 0,
    );
    return { questioned, request };
  });
}

/** Whether it is created or removed together with one of these. */
export function isBelow({ path, within }: Change, marked: ReadonlySet<string>): boolean {
  if (!within || marked.size === 0) return false;
  for (let above = dirname(path); above !== "/"; above = dirname(above)) if (marked.has(above)) return true;
  return false;
}

/** The new directory that brings it. */
function wholeOf({ path, within }: Change, tops: ReadonlySet<string>): string {
  for (let above = dirname(path); within && above !== "/"; above = dirname(above)) if (tops.has(above)) return above;
  return path;
}

function repositoryOf(path: string): string | undefined {
  return /^.*\/\.git(?=\/|$)/.exec(path)?.[0];
}

export function riskOf(firm: boolean, changes: readonly Change[]): "R2" | "R4" {
  const deletes = changes.some(({ operation, path }) => operation === "delete" && !path.includes("/.git/"));
  return firm || deletes ? "R4" : "R2";
}

export function redactedDiff({ session, call, transaction }: PendingChanges, changes: readonly Change[]): string {
  return session.storage.redact(diffOf(changes, transaction, call.question.workspace.root));
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
      sandbox: `The command has run on a copy of the workspace.${isLater ? "" : " Nothing of it is in the workspace yet."}`,
      outputLimit: "What you keep is applied as it is listed; the rest is discarded.",
      ...(end !== undefined && { ended: shownEnd(end, redact) }),
      ...(diff !== "" && { diff: shownChange(diff) }),
    },
  });
}

const [endLines, endColumns] = [5, 200];

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

/** Equal for the same result of another run: a late answer is for the next one that is like it. */
function contentOf(change: Change, { set, transaction }: PendingChanges, budget: { left: number }): readonly unknown[] {
  const { path, operation, kind, mode, size } = change;
  budget.left -= size;
  const { before, after } = budget.left < 0 ? {} : transaction.contents(change, scannedBytes);
  const isKnown = kind === "directory" || operation === "delete" || after !== undefined;
  const contents = [before, after].map((bytes) => (bytes === undefined ? null : Buffer.from(bytes).toString("base64")));
  return [path, operation, kind, mode, size, isKnown ? digestOf(contents) : set.digest];
}

import { dirname } from "node:path/posix";
import { digestOf } from "../base/digest.ts";
import { clip, markedLines, plainText } from "../base/text.ts";
import type { ArtifactRef, ArtifactStore } from "../contract/artifact.ts";
import type { Change, ChangedFile, ChangeSet, SettledChanges, Transaction } from "../contract/changes.ts";
import { type Failure, type Outcome, ok } from "../contract/codes.ts";
import { isInsideAny } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { AnsweredChanges, ChangesVerdict, CheckedQuestion, NotableChange } from "../contract/gate.ts";
import type { CommandEnd } from "../contract/ports.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import { inOneLine, shownChange } from "../gate/prompt.ts";
import { describeNotable, diffOf, foldChanges, listChanges, suggestedRules } from "./describe-changes.ts";
import { type SessionParts, timestamp } from "./parts.ts";

type SettlingParts = Pick<
  SessionParts,
  "changes" | "jobs" | "kept" | "log" | "desk" | "gate" | "ids" | "clock" | "settings" | "artifacts" | "mask" | "redact"
>;

export interface SettledCall {
  readonly invocationId: string;
  readonly question: CheckedQuestion;
  /** A person agreed to the command before it ran. */
  readonly agreed: boolean;
  /** Lets other calls pass while somebody thinks: what they change meanwhile is a conflict when this is applied. */
  readonly aside: <Value>(wait: () => Promise<Value>) => Promise<Value>;
}

/** One change set on its way to a decision. */
interface Settling {
  readonly parts: SettlingParts;
  readonly call: SettledCall;
  readonly transaction: Transaction;
  readonly set: ChangeSet;
  readonly verdict: ChangesVerdict;
  readonly end: CommandEnd | undefined;
  /** The change set, as it was captured. */
  readonly artifact?: ArtifactRef;
}

/**
 * From the end of a command in a view to a workspace that either has its changes or not: capture, judge, ask, apply.
 * Whatever goes wrong on the way, the workspace stays as it is.
 */
export async function settleChanges(
  parts: SettlingParts,
  call: SettledCall,
  transaction: Transaction,
  end?: CommandEnd,
): Promise<Outcome<SettledChanges>> {
  const captured = await transaction.capture(parts.jobs.list().some(({ state }) => state === "running"));
  if (!captured.ok) return discardedFor(captured.failure, transaction);
  const set = captured.value;
  if (set.changes.length === 0 && set.special.length === 0) {
    await transaction.discard();
    return ok({ state: "unchanged", changed: [], dropped: 0, special: [] });
  }
  const changes = selected(set.changes, parts.kept?.only);
  if (changes.length === 0 && parts.kept?.only !== undefined)
    return discardedFor(noneSelected(parts.kept.only), transaction);
  const verdict = parts.gate.judgeChanges({
    question: call.question,
    digest: set.digest,
    changes,
    agreed: call.agreed,
    isIgnored: transaction.isIgnored,
    contentOf(change) {
      const { before, after } = transaction.contents(change, scannedBytes);
      return change.operation === "delete" ? before : after;
    },
    isAppended(change) {
      const { before, after } = transaction.contents(change, largestLog);
      return (
        before !== undefined && after !== undefined && Buffer.from(before).equals(after.subarray(0, before.length))
      );
    },
    whyStaged: transaction.whyStaged,
    isThere: transaction.isThere,
    holdsSecret: secretSearch(parts, transaction),
    deleteLimit: parts.settings.transactions.deleteLimit,
  });
  const artifact = keepText(parts.artifacts, set);
  const settling = { parts, call, transaction, set, verdict, end, ...(artifact === undefined ? {} : { artifact }) };
  const known = parts.log.append([capturedEvent(settling)]);
  if (!known.ok) return discardedFor(known.failure, transaction);
  const decided = await decide(settling);
  const noted = parts.log.append([decidedEvent(settling, decided)]);
  if (!noted.ok) return discardedFor(noted.failure, transaction);
  if (decided.keep !== undefined) return apply(settling, decided);
  return parts.changes === "keep" ? hold(settling) : discard(settling, decided);
}

/** What arrives, goes or is replaced as one directory is chosen as one. */
function selected(changes: readonly Change[], only: readonly string[] | undefined): readonly Change[] {
  if (only === undefined) return changes;
  const own = new Set(changes.filter(({ path, within }) => within === undefined && isInsideAny(path, only)));
  const places = [...own].map(({ path }) => path);
  return changes.filter((change) => own.has(change) || (change.within && isInsideAny(change.path, places)));
}

function noneSelected(only: readonly string[]): Failure {
  return {
    code: "bad_request",
    message: `The command changed nothing at ${only.join(", ")}.`,
    recovery: "Name paths of its change set. A directory that is new as a whole is named as a whole.",
  };
}

async function discardedFor(failure: Failure, transaction: Transaction): Promise<Outcome<never>> {
  await transaction.discard();
  return { ok: false, failure: { ...failure, happened: "nothing" } };
}

const scannedBytes = 1_000_000;
const largestLog = 64_000_000;
/** Of a larger change set the rest counts as holding one: it is asked about. */
const scannedInAll = 64_000_000;

function secretSearch({ mask }: SettlingParts, transaction: Transaction): (change: Change) => boolean {
  let left = scannedInAll;
  return (change) => {
    if (mask === undefined) return false;
    const { after } = transaction.contents(change, scannedBytes);
    if (after === undefined) return false;
    left -= after.length;
    if (left < 0) return true;
    const masked = Buffer.from(after);
    mask(masked);
    return !masked.equals(after);
  };
}

interface Decided {
  /** What is applied; nothing at all when absent. */
  readonly keep?: readonly Change[];
  readonly by: string;
  readonly reason: string;
  readonly answers: readonly AnsweredChanges[];
  /** Why nothing is applied, where something could have been. */
  readonly failure?: Failure;
}

/** One question about all that is ordinary, then one about each change that nothing else covers. */
async function decide(settling: Settling): Promise<Decided> {
  const { parts, call, verdict } = settling;
  const { apply, notable, reason, source, code = "policy_denied" } = verdict;
  const nothing = { answers: [], reason };
  if (parts.changes === "keep") return { ...nothing, by: "user", reason: "the changes are kept for later" };
  if (parts.changes === "discard") return { ...nothing, by: "user", reason: "the command was only tried" };
  if (call.question.mode === "plan") {
    const failure = parts.kept && notKept(parts, "policy_denied", "plan mode keeps nothing.");
    return { ...nothing, by: "mode", reason: "plan mode keeps nothing", ...(failure && { failure }) };
  }
  if (verdict.decision === "deny") return { ...nothing, by: source, failure: notKept(parts, code, `${reason}.`) };
  const marked = new Set(notable.map(({ change }) => change.path));
  const ordinary = apply.filter((change) => !marked.has(change.path) && !isBelow(change, marked));
  const answers: AnsweredChanges[] = [];
  let by: string = source;
  if (ordinary.length > 0 && (verdict.decision === "ask" || parts.changes === "ask")) {
    const asked = await ask(settling, ordinary, ordinaryRequest(settling, ordinary));
    if ("failure" in asked) return { ...nothing, ...asked };
    answers.push(asked);
    by = asked.answer.by ?? "user";
  }
  for (const { questioned, request } of notableRequests(settling, marked, ordinary.length > 0)) {
    const asked = await ask(settling, questioned, request);
    // A no to one of them leaves the others as they are; where nobody can say yes, nothing is half applied.
    if ("failure" in asked && (verdict.whole || asked.failure.code !== "user_denied")) return { ...nothing, ...asked };
    if (!("failure" in asked)) answers.push(asked);
  }
  const { mode } = parts.log.state;
  if (mode !== call.question.mode && (mode === "plan" || mode === "dontAsk"))
    return { ...nothing, by: "mode", failure: notKept(parts, "policy_denied", `the mode became ${mode} meanwhile.`) };
  const unasked = verdict.decision === "allow" && parts.changes !== "ask" ? ordinary : [];
  const allowed = new Set([...unasked, ...answers.flatMap(({ changes }) => changes)]);
  const keep = withoutEmptied(apply, allowed);
  if (keep.length > 0 || apply.length === 0) return { keep, by, reason, answers };
  return { ...nothing, by: "user", failure: declined(parts) };
}

/** A new directory of which everything was left out is left out too. */
function withoutEmptied(apply: readonly Change[], allowed: ReadonlySet<Change>): readonly Change[] {
  const kept = apply.filter((change) => allowed.has(change));
  if (kept.length === apply.length) return kept;
  const filled = directoriesOf(kept.filter(({ kind }) => kind !== "directory"));
  const emptied = directoriesOf(apply.filter((change) => !allowed.has(change)));
  const isEmptied = ({ kind, operation, path }: Change) =>
    kind === "directory" && operation === "create" && emptied.has(path) && !filled.has(path);
  return kept.filter((change) => !isEmptied(change));
}

function directoriesOf(changes: readonly Change[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { path } of changes)
    for (let above = dirname(path); above !== "/" && !found.has(above); above = dirname(above)) found.add(above);
  return found;
}

/** What comes or goes with one of these. */
function isBelow({ path, within }: Change, marked: ReadonlySet<string>): boolean {
  if (!within || marked.size === 0) return false;
  for (let above = dirname(path); above !== "/"; above = dirname(above)) if (marked.has(above)) return true;
  return false;
}

type Asked = AnsweredChanges | { readonly by: string; readonly failure: Failure };

async function ask(settling: Settling, changes: readonly Change[], request: PermissionRequest): Promise<Asked> {
  const { parts, call, verdict } = settling;
  const hook = await parts.gate.askHookAboutChanges(call.question, request.prompt);
  if (hook.decision === "deny") return { by: "hook", failure: notKept(parts, "hook_denied", hook.reason) };
  // As before a command: it may agree to whatever is not firm.
  const isFirm = verdict.firm || verdict.notable.some(({ change }) => changes.includes(change));
  if (hook.decision === "allow" && !isFirm)
    return { changes, answer: { request: request.id, answer: "allow", by: "hook" } };
  const settled = await call.aside(() => parts.desk.ask(request, []));
  if (!settled.ok) return { by: "runtime", failure: settled.failure };
  const ending = settled.value;
  switch (ending.kind) {
    case "unavailable":
      return {
        by: "runtime",
        failure: notKept(parts, "approval_unavailable", `${request.prompt.reason}${unasked(settling)}.`),
      };
    case "expired":
      return { by: "runtime", failure: notKept(parts, "approval_expired", "nobody answered in time.") };
    case "withdrawn":
      return { by: "user", failure: notKept(parts, "cancelled", "the question was withdrawn.") };
    case "answered": {
      const { answer } = ending;
      const { only } = answer;
      if (answer.answer === "deny") return { by: answer.by ?? "user", failure: declined(parts, answer.message) };
      return { changes: selected(changes, only), answer };
    }
  }
}

function unasked({ parts, call, verdict }: Settling): string {
  const which = verdict.appliedIn === undefined ? "" : `, which ${call.question.mode} mode asks about`;
  const allowed = "--yes keeps only what rules and the mode allow";
  return `${which}${parts.changes === "allowed" ? `; ${allowed}` : ", and nobody could be asked"}`;
}

/** What the person says comes after what they decided: without the decision it would read as anybody's advice. */
function declined(parts: SettlingParts, message?: string): Failure {
  return notKept(parts, "user_denied", `the user declined the changes${message === undefined ? "." : `: ${message}`}`);
}

function notKept({ kept }: SettlingParts, code: Failure["code"], why: string): Failure {
  const said = kept
    ? "Nothing was applied, and the changes are still kept"
    : "The command ran, and nothing that it changed was applied";
  return { code, message: `${said}: ${why}`, happened: "nothing" };
}

async function discard(settling: Settling, { failure }: Decided): Promise<Outcome<SettledChanges>> {
  const { parts, transaction, verdict } = settling;
  const ending = failure === undefined ? { diff: redactedDiff(settling, verdict.apply) } : refusedAs(failure, settling);
  await transaction.discard();
  parts.log.append([endedEvent(settling, "discarded")]);
  const id = parts.kept === undefined ? {} : { id: parts.kept.id };
  const discarded = verdict.apply.map(nameOf);
  return ok({ state: "discarded", ...id, changed: [], discarded, ...factsOf(settling), ...ending });
}

/** The workspace stays as it is, and somebody decides later. */
async function hold(settling: Settling): Promise<Outcome<SettledChanges>> {
  const { parts, call, transaction, verdict } = settling;
  const diff = redactedDiff(settling, verdict.apply);
  const { report, workspace } = call.question;
  const kept = await transaction.keep({
    command: report.command?.text ?? "",
    workspace: workspace.root,
    session: parts.log.id,
    keptAt: timestamp(parts.clock),
  });
  if (!kept.ok) return discardedFor(kept.failure, transaction);
  parts.log.append([endedEvent(settling, "kept")]);
  const { id } = transaction;
  return ok({ state: "kept", id, changed: [], discarded: verdict.apply.map(nameOf), ...factsOf(settling), diff });
}

function factsOf({ verdict, set, artifact }: Settling) {
  const facts = { dropped: verdict.dropped.length, special: set.special };
  return artifact === undefined ? facts : { ...facts, artifact };
}

function judgedOf({ call, verdict }: Settling): NonNullable<SettledChanges["judged"]> {
  const { decision, reason, source, firm, apply, notable } = verdict;
  const [first] = decision === "deny" ? [] : notable;
  if (first !== undefined)
    return { decision: "ask", reason: `${first.change.path}: ${first.why}`, source: "path_boundary", risk: "R4" };
  const rules = suggestedRules(apply, verdict, call.question.workspace.root);
  return {
    decision,
    reason,
    source,
    risk: riskOf(firm, apply),
    ...(rules.length === 0 ? {} : { suggestedRules: rules }),
  };
}

function riskOf(firm: boolean, changes: readonly Change[]): "R2" | "R4" {
  const deletes = changes.some(({ operation, path }) => operation === "delete" && !path.includes("/.git/"));
  return firm || deletes ? "R4" : "R2";
}

/** Where nobody could be asked: what would apply the changes next time. */
function refusedAs(failure: Failure, settling: Settling) {
  const judged = judgedOf(settling);
  if (failure.code !== "approval_unavailable") return { failure, judged };
  const { suggestedRules: rules = [] } = judged;
  const { appliedIn } = settling.verdict;
  const ways = [
    `Run it${settling.parts.changes === "allowed" ? " without --yes" : ""} where someone can answer`,
    ...(rules.length === 0 ? [] : [`allow ${rules.join(" and ")}`]),
    ...(appliedIn === undefined ? [] : [`use --mode ${appliedIn}`]),
  ];
  return { failure: { ...failure, recovery: `${ways.join(", or ")}.` }, judged };
}

function redactedDiff({ parts, call, transaction }: Settling, changes: readonly Change[]): string {
  return parts.redact(diffOf(changes, transaction, call.question.workspace.root));
}

async function apply(settling: Settling, { keep = [], answers }: Decided): Promise<Outcome<SettledChanges>> {
  const { parts, transaction, verdict, set } = settling;
  if (!parts.gate.redeemChanges(verdict, { digest: set.digest, keep, answers }))
    throw new Error("These changes were not allowed");
  const applied = await transaction.apply(keep, (content) => parts.artifacts.put("before", content));
  const stored = parts.log.append([
    applied.ok ? endedEvent(settling, "applied") : endedEvent(settling, "failed", applied.failure),
  ]);
  const gone = new Set(applied.ok ? [...keep, ...verdict.dropped] : verdict.dropped);
  const left = set.changes.filter((change) => !gone.has(change));
  const facts = { ...factsOf(settling), discarded: left.map(nameOf) };
  if (!applied.ok) {
    // One that was applied in part is taken back when the next session starts.
    if (applied.failure.happened === "nothing") await transaction.discard();
    return ok({ state: "discarded", changed: [], ...facts, failure: applied.failure });
  }
  if (!stored.ok) return stored;
  return ok({
    state: keep.length === 0 ? "unchanged" : "applied",
    changed: withNotes(applied.value, verdict),
    ...facts,
  });
}

function nameOf({ path, operation }: Change) {
  return { path, operation };
}

function withNotes(changed: readonly ChangedFile[], { notable }: ChangesVerdict): readonly ChangedFile[] {
  const reasons = new Map(notable.map(({ change, why }) => [change.path, why]));
  return changed.map((change) => {
    const why = reasons.get(change.path);
    return why === undefined ? change : { ...change, notable: why };
  });
}

function ordinaryRequest(settling: Settling, changes: readonly Change[]): PermissionRequest {
  const { call, transaction, verdict } = settling;
  const { root } = call.question.workspace;
  const rules = suggestedRules(changes, verdict, root);
  const listed = listChanges(changes, transaction, root);
  return newRequest(settling, changes, {
    title: "Keep what this command changed?",
    effects: [...askedSeparately(settling), ...foldChanges(listed, changes)],
    changes: listed,
    risk: riskOf(verdict.firm, changes),
    reason: verdict.reason,
    ...(rules.length === 0 ? {} : { suggestedRules: rules }),
  });
}

function askedSeparately({ call, verdict }: Settling): readonly string[] {
  const { root } = call.question.workspace;
  return verdict.notable
    .slice(0, mostSingly)
    .map((one) => `!  ${describeNotable(one, verdict.apply, root).slice(3)}, asked separately`);
}

/** More of them than this share a last question: nobody reads a hundred one by one. */
const mostSingly = 5;

function notableRequests(settling: Settling, marked: ReadonlySet<string>, isLater: boolean) {
  const { call, verdict } = settling;
  const outermost = verdict.notable.filter(({ change }) => !isBelow(change, marked));
  // Nobody can keep one file of a repository and leave another.
  const tops = new Set(verdict.apply.flatMap(({ path, within }) => (within ? [] : path)));
  const groups = Map.groupBy(outermost, ({ change }) => repositoryOf(change.path) ?? wholeOf(change, tops));
  const singly = [...groups.values()].slice(0, mostSingly);
  const rest = [...groups.values()].slice(mostSingly).flat();
  return [...singly, ...(rest.length === 0 ? [] : [rest])].map((notable, at) => {
    const changes = new Set(notable.map(({ change }) => change.path));
    const questioned = verdict.apply.filter((change) => changes.has(change.path) || isBelow(change, changes));
    const lines = notable.map((one: NotableChange) =>
      describeNotable(one, verdict.apply, call.question.workspace.root),
    );
    const [first] = notable;
    const reason = `${first?.change.path}: ${first?.why}`;
    const title = notable.length === 1 ? "Keep this change of the command?" : "Keep these changes of the command?";
    const listed = notable.map(({ change }, index) => ({ path: change.path, line: lines[index] ?? change.path }));
    const words = { title, effects: lines, changes: listed, risk: "R4", reason } as const;
    return { questioned, request: newRequest(settling, questioned, words, isLater || at > 0) };
  });
}

/** The new directory that brings it. */
function wholeOf({ path, within }: Change, tops: ReadonlySet<string>): string {
  for (let above = dirname(path); within && above !== "/"; above = dirname(above)) if (tops.has(above)) return above;
  return path;
}

function repositoryOf(path: string): string | undefined {
  return /^.*\/\.git(?=\/|$)/.exec(path)?.[0];
}

function newRequest(
  settling: Settling,
  changes: readonly Change[],
  prompt: Pick<PermissionRequest["prompt"], "title" | "effects" | "changes" | "risk" | "reason" | "suggestedRules">,
  isLater = false,
): PermissionRequest {
  const { parts, call } = settling;
  const { checked, report } = call.question;
  const budget = { left: scannedInAll };
  const shown = (text: string) => inOneLine(parts.redact(text));
  const diff = redactedDiff(settling, changes);
  return {
    id: parts.ids.next("req"),
    cwd: settling.verdict.suggestedFor ?? report.command?.cwd.resolved ?? call.question.workspace.root,
    intentId: checked.intent.id,
    tool: checked.tool.name,
    // Another one than the call's: an answer to this question can never start the call.
    digest: digestOf([checked.digest, "apply", changes.map((change) => contentOf(change, settling, budget))]),
    prompt: {
      ...prompt,
      action: inOneLine(report.command?.text ?? checked.tool.name),
      effects: prompt.effects.map(shown),
      changes: (prompt.changes ?? []).map(({ path, line }) => ({ path, line: shown(line) })),
      reason: inOneLine(prompt.reason),
      sandbox: `The command has run on a copy of the workspace.${isLater ? "" : " Nothing of it is in the workspace yet."}`,
      outputLimit: "What you keep is applied as it is listed; the rest is discarded.",
      ...(settling.end === undefined ? {} : { ended: shownEnd(settling.end, parts.redact) }),
      ...(diff === "" ? {} : { diff: shownChange(diff) }),
    },
    requestedAt: timestamp(parts.clock),
    expiresAt: new Date(parts.clock.now() + parts.settings.limits.approvalMs).toISOString(),
  };
}

const [endLines, endColumns] = [5, 200];

/** What a command printed may be half of a secret after a cut: it is redacted before. */
function shownEnd({ exitCode, signal, stdout, stderr }: CommandEnd, redact: (text: string) => string): string {
  const how = signal === null ? `with exit code ${exitCode}` : `by ${signal}`;
  const printed = [stdout, stderr].flatMap(({ complete, tail }) => {
    const lines = redact(plainText(complete ?? tail)).split("\n");
    const whole = complete === undefined ? lines.slice(1) : lines;
    return whole.filter((line) => line.trim() !== "").slice(-endLines);
  });
  return shownChange([how, ...printed.map((line) => markedLines(clip(line, endColumns)))].join("\n"));
}

/** The same for the same result of another run: an answer that comes too late is for the next one that is like it. */
function contentOf(change: Change, { set, transaction }: Settling, budget: { left: number }): readonly unknown[] {
  const { path, operation, kind, mode, size } = change;
  budget.left -= size;
  const { before, after } = budget.left < 0 ? {} : transaction.contents(change, scannedBytes);
  const isKnown = kind === "directory" || operation === "delete" || after !== undefined;
  const contents = [before, after].map((bytes) => (bytes === undefined ? null : Buffer.from(bytes).toString("base64")));
  return [path, operation, kind, mode, size, isKnown ? digestOf(contents) : set.digest];
}

function eventFacts({ call, transaction }: Settling) {
  return { transactionId: transaction.id, invocationId: call.invocationId };
}

function capturedEvent(settling: Settling): EventDraft {
  const { set, verdict, artifact } = settling;
  const count = (...operations: readonly Change["operation"][]) =>
    set.changes.filter(({ operation }) => operations.includes(operation)).length;
  return {
    type: "transaction.captured",
    data: {
      ...eventFacts(settling),
      digest: set.digest,
      counts: {
        created: count("create"),
        modified: count("modify", "replace", "mode", "touch"),
        deleted: count("delete"),
        dropped: verdict.dropped.length,
        special: set.special.length,
      },
      ...(artifact === undefined ? {} : { artifact: artifact.id }),
    },
  };
}

function decidedEvent(settling: Settling, { keep, by, reason, failure }: Decided): EventDraft {
  const { changes } = settling.parts;
  const decision = keep !== undefined ? "apply" : changes === "keep" ? "keep" : "discard";
  const { digest } = settling.set;
  return {
    type: "transaction.decided",
    data: { ...eventFacts(settling), digest, decision, reason: failure?.message ?? reason, by },
  };
}

function endedEvent(
  settling: Settling,
  outcome: "applied" | "discarded" | "failed" | "kept",
  failure?: Failure,
): EventDraft {
  const why = failure === undefined ? {} : { failure: failure.message };
  return { type: "transaction.ended", data: { ...eventFacts(settling), outcome, ...why } };
}

function keepText(artifacts: ArtifactStore, { changes }: ChangeSet): ArtifactRef | undefined {
  const lines = changes.map(({ path, operation, kind, mode, size, flags, conflict }) =>
    JSON.stringify({
      path,
      operation,
      kind,
      mode: mode.toString(8),
      size,
      ...(flags.length === 0 ? {} : { flags }),
      conflict,
    }),
  );
  const kept = artifacts.put("changes", new TextEncoder().encode(`${lines.join("\n")}\n`));
  return kept.ok ? kept.value : undefined;
}

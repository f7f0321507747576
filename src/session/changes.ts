import type { ArtifactRef, ArtifactStore } from "../contract/artifact.ts";
import type { Change, ChangeSet, SettledChanges, Transaction } from "../contract/changes.ts";
import { type Failure, type Outcome, ok } from "../contract/codes.ts";
import { isInsideAny } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { AnsweredChanges, ChangesVerdict } from "../contract/gate.ts";
import type { CommandEnd } from "../contract/ports.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import {
  type ChangedCall,
  changeRequests,
  isBelow,
  type PendingChanges,
  parentsOf,
  redactedDiff,
  riskOf,
  scannedBytes,
  suggestedRules,
} from "./change-requests.ts";
import { type SessionParts, timestamp } from "./parts.ts";

/**
 * The end of a command in a view: capture, judge, ask, then apply or discard its changes. On any failure the workspace
 * stays unchanged.
 */
export async function settleChanges(
  session: SessionParts,
  call: ChangedCall,
  transaction: Transaction,
  end?: CommandEnd,
): Promise<Outcome<SettledChanges>> {
  const { log, execution, storage } = session;
  const { kept, changes: wanted } = call.trial;
  const captured = await transaction.capture(execution.jobs.list().some(({ state }) => state === "running"));
  if (!captured.ok) return discardedFor(captured.failure, transaction);
  const set = captured.value;
  if (set.changes.length === 0 && set.special.length === 0) {
    await transaction.discard();
    return ok({ state: "unchanged", changed: [], dropped: 0, special: [] });
  }
  const changes = selected(set.changes, kept?.only);
  if (changes.length === 0 && kept?.only !== undefined) {
    const message = `The command changed nothing at ${kept.only.join(", ")}.`;
    const recovery = "Name paths of its change set. Name a new directory as a whole.";
    return discardedFor({ code: "bad_request", message, recovery }, transaction);
  }
  const verdict = judge(session, call, transaction, { ...set, changes });
  const artifact = keepList(storage.artifacts, set);
  const pending: PendingChanges = { session, call, transaction, set, verdict, end, artifact };
  const known = log.append([capturedEvent(pending)]);
  if (!known.ok) return discardedFor(known.failure, transaction);
  const decided = await decide(pending);
  const noted = log.append([decidedEvent(pending, decided)]);
  if (!noted.ok) return discardedFor(noted.failure, transaction);
  if (decided.keep !== undefined) return apply(pending, decided);
  return wanted === "keep" ? hold(pending) : discard(pending, decided);
}

/** A directory that is new, removed or replaced as a whole is one choice. */
function selected(changes: readonly Change[], only: readonly string[] | undefined): readonly Change[] {
  if (only === undefined) return changes;
  const own = new Set(changes.filter(({ path, within }) => within === undefined && isInsideAny(path, only)));
  const places = [...own].map(({ path }) => path);
  return changes.filter((change) => own.has(change) || (change.within && isInsideAny(change.path, places)));
}

async function discardedFor(failure: Failure, transaction: Transaction): Promise<Outcome<never>> {
  await transaction.discard();
  return { ok: false, failure: { ...failure, happened: "nothing" } };
}

const largestLog = 64_000_000;
/** In a larger change set the rest counts as containing a secret: the user is asked. */
const scannedInAll = 64_000_000;

function judge(
  { gate, settings, storage: { mask } }: SessionParts,
  { question, agreed }: ChangedCall,
  transaction: Transaction,
  { digest, changes }: ChangeSet,
): ChangesVerdict {
  const { isIgnored, isThere, whyStaged, contents } = transaction;
  let left = scannedInAll;
  return gate.judgeChanges({
    ...{ question, digest, changes, agreed, isIgnored, isThere, whyStaged },
    contentOf(change) {
      const { before, after } = contents(change, scannedBytes);
      return change.operation === "delete" ? before : after;
    },
    isAppended(change) {
      const { before, after } = contents(change, largestLog);
      return (
        before !== undefined && after !== undefined && Buffer.from(before).equals(after.subarray(0, before.length))
      );
    },
    holdsSecret(change) {
      const after = mask && contents(change, scannedBytes).after;
      if (after === undefined) return false;
      left -= after.length;
      if (left < 0) return true;
      const masked = Buffer.from(after);
      mask?.(masked);
      return !masked.equals(after);
    },
    deleteLimit: settings.transactions.deleteLimit,
  });
}

interface DecidedChanges {
  readonly keep?: readonly Change[];
  readonly by: string;
  readonly reason: string;
  readonly answers: readonly AnsweredChanges[];
  readonly failure?: Failure;
}

async function decide(pending: PendingChanges): Promise<DecidedChanges> {
  const { session, call, verdict } = pending;
  const { apply, notable, reason, source, code = "policy_denied" } = verdict;
  const { changes: wanted, kept } = call.trial;
  const nothing = { answers: [], reason };
  if (wanted === "keep") return { ...nothing, by: "user", reason: "the changes are kept for later" };
  if (wanted === "discard") return { ...nothing, by: "user", reason: "the command was a trial" };
  if (call.question.mode === "plan") {
    const failure = kept && notKept(call, "policy_denied", "plan mode discards changes.");
    return { ...nothing, by: "mode", reason: "plan mode discards changes", failure };
  }
  if (verdict.decision === "deny") return { ...nothing, by: source, failure: notKept(call, code, `${reason}.`) };
  const marked = new Set(notable.map(({ change }) => change.path));
  const ordinary = apply.filter((change) => !marked.has(change.path) && !isBelow(change, marked));
  const isAsked = verdict.decision === "ask" || wanted === "ask";
  const answers: AnsweredChanges[] = [];
  let by: string = source;
  for (const { questioned, request } of changeRequests(pending, isAsked ? ordinary : [])) {
    const isOrdinary = questioned === ordinary;
    const asked = await ask(pending, questioned, request);
    if ("failure" in asked) {
      // Denying a notable change keeps the others. If the user cannot be asked, nothing is applied in part.
      if (isOrdinary || verdict.whole || asked.failure.code !== "user_denied") return { ...nothing, ...asked };
      continue;
    }
    answers.push(asked);
    if (isOrdinary) by = asked.answer.by ?? "user";
  }
  const { mode } = session.log.state;
  if (mode !== call.question.mode && (mode === "plan" || mode === "dontAsk"))
    return { ...nothing, by: "mode", failure: notKept(call, "policy_denied", `the mode became ${mode} meanwhile.`) };
  const allowed = new Set([...(isAsked ? [] : ordinary), ...answers.flatMap(({ changes }) => changes)]);
  const keep = withoutEmptied(apply, allowed);
  if (keep.length > 0 || apply.length === 0) return { keep, by, reason, answers };
  return { ...nothing, by: "user", failure: declined(call) };
}

/** A new directory without any kept entry is dropped too. */
function withoutEmptied(apply: readonly Change[], allowed: ReadonlySet<Change>): readonly Change[] {
  const directoriesOf = (changes: readonly Change[]) => new Set(changes.flatMap(({ path }) => parentsOf(path)));
  const kept = apply.filter((change) => allowed.has(change));
  const filled = directoriesOf(kept.filter(({ kind }) => kind !== "directory"));
  const emptied = directoriesOf(apply.filter((change) => !allowed.has(change)));
  const isEmptied = ({ kind, operation, path }: Change) =>
    kind === "directory" && operation === "create" && emptied.has(path) && !filled.has(path);
  return kept.filter((change) => !isEmptied(change));
}

type AskedChanges = AnsweredChanges | { readonly by: string; readonly failure: Failure };

async function ask(
  pending: PendingChanges,
  changes: readonly Change[],
  request: PermissionRequest,
): Promise<AskedChanges> {
  const { session, call, verdict } = pending;
  const hook = await session.gate.askHookAboutChanges(call.question, request.prompt);
  if (hook.decision === "deny") return { by: "hook", failure: notKept(call, "hook_denied", hook.reason) };
  // As before a command, a hook may allow anything that is not firm.
  const isFirm = verdict.firm || verdict.notable.some(({ change }) => changes.includes(change));
  if (hook.decision === "allow" && !isFirm)
    return { changes, answer: { request: request.id, answer: "allow", by: "hook" } };
  const settled = await call.aside(() => session.requests.ask(request, []));
  if (!settled.ok) return { by: "runtime", failure: unanswered(pending, request, settled.failure) };
  const { answer } = settled.value;
  if (answer.answer === "deny") return { by: answer.by ?? "user", failure: declined(call, answer.message) };
  return { changes: selected(changes, answer.only), answer };
}

function unanswered({ call, verdict }: PendingChanges, { prompt }: PermissionRequest, failure: Failure): Failure {
  const { code, message } = failure;
  if (code === "log_unavailable") return failure;
  if (code !== "approval_unavailable") return notKept(call, code, message);
  const which = verdict.appliedIn === undefined ? "" : `, and ${call.question.mode} mode asks`;
  const nobody =
    call.trial.changes === "allowed"
      ? "; --yes keeps only what rules and the mode allow"
      : ", and no user could be asked";
  return notKept(call, code, `${prompt.reason}${which}${nobody}.`);
}

/** The user's message comes after the decision: alone it would read as advice. */
function declined(call: ChangedCall, message?: string): Failure {
  return notKept(call, "user_denied", `the user declined the changes${message === undefined ? "." : `: ${message}`}`);
}

function notKept({ trial }: ChangedCall, code: Failure["code"], why: string): Failure {
  const said = trial.kept
    ? "Nothing was applied, and the changes are still kept"
    : "The command ran, and its changes were discarded";
  return { code, message: `${said}: ${why}`, happened: "nothing" };
}

async function discard(pending: PendingChanges, { failure }: DecidedChanges): Promise<Outcome<SettledChanges>> {
  const { session, call, transaction, verdict } = pending;
  const end = failure === undefined ? { diff: redactedDiff(pending, verdict.apply) } : refusedAs(failure, pending);
  await transaction.discard();
  session.log.append([endedEvent(pending, "discarded")]);
  const facts = factsOf(pending, verdict.apply);
  return ok({ state: "discarded", id: call.trial.kept?.id, changed: [], ...facts, ...end });
}

async function hold(pending: PendingChanges): Promise<Outcome<SettledChanges>> {
  const { session, call, transaction, verdict } = pending;
  const diff = redactedDiff(pending, verdict.apply);
  const command = call.question.report.command?.text ?? "";
  const workspace = call.question.workspace.root;
  const keptAt = timestamp(session.runtime.clock);
  const kept = await transaction.keep({ command, workspace, session: session.log.id, keptAt });
  if (!kept.ok) return discardedFor(kept.failure, transaction);
  session.log.append([endedEvent(pending, "kept")]);
  return ok({ state: "kept", id: transaction.id, changed: [], ...factsOf(pending, verdict.apply), diff });
}

function factsOf({ verdict, set, artifact }: PendingChanges, discarded: readonly Change[]) {
  return {
    discarded: discarded.map(({ path, operation }) => ({ path, operation })),
    dropped: verdict.dropped.length,
    special: set.special,
    artifact,
  };
}

function refusedAs(failure: Failure, { call, verdict }: PendingChanges): Pick<SettledChanges, "failure" | "judged"> {
  const { decision, reason, source, firm, apply, notable, appliedIn } = verdict;
  const [first] = decision === "deny" ? [] : notable;
  const rules = first === undefined ? suggestedRules(apply, verdict, call.question.workspace.root) : [];
  const judged: SettledChanges["judged"] =
    first === undefined
      ? { decision, reason, source, risk: riskOf(firm, apply), ...(rules.length > 0 && { suggestedRules: rules }) }
      : { decision: "ask", reason: `${first.change.path}: ${first.why}`, source: "path_boundary", risk: "R4" };
  if (failure.code !== "approval_unavailable") return { failure, judged };
  const ways = [
    `Run it${call.trial.changes === "allowed" ? " without --yes" : ""} where a user can answer`,
    ...(rules.length === 0 ? [] : [`allow ${rules.join(" and ")}`]),
    ...(appliedIn === undefined ? [] : [`use --mode ${appliedIn}`]),
  ];
  return { failure: { ...failure, recovery: `${ways.join(", or ")}.` }, judged };
}

async function apply(
  pending: PendingChanges,
  { keep = [], answers }: DecidedChanges,
): Promise<Outcome<SettledChanges>> {
  const { session, transaction, verdict, set } = pending;
  if (!session.gate.redeemChanges(verdict, { digest: set.digest, keep, answers }))
    throw new Error("These changes were denied");
  const applied = await transaction.apply(keep, (content) => session.storage.artifacts.put("before", content));
  const stored = session.log.append([
    applied.ok ? endedEvent(pending, "applied") : endedEvent(pending, "failed", applied.failure),
  ]);
  const gone = new Set(applied.ok ? [...keep, ...verdict.dropped] : verdict.dropped);
  const facts = factsOf(
    pending,
    set.changes.filter((change) => !gone.has(change)),
  );
  if (!applied.ok) {
    // A partial apply is rolled back when the next session starts.
    if (applied.failure.happened === "nothing") await transaction.discard();
    return ok({ state: "discarded", changed: [], ...facts, failure: applied.failure });
  }
  if (!stored.ok) return stored;
  const reasons = new Map(verdict.notable.map(({ change, why }) => [change.path, why]));
  const changed = applied.value.map((change) => {
    const notable = reasons.get(change.path);
    return notable === undefined ? change : { ...change, notable };
  });
  return ok({ state: keep.length === 0 ? "unchanged" : "applied", changed, ...facts });
}

function idsOf({ call, transaction }: PendingChanges) {
  return { transactionId: transaction.id, invocationId: call.invocationId };
}

function capturedEvent(pending: PendingChanges): EventDraft {
  const { set, verdict, artifact } = pending;
  const count = (...operations: readonly Change["operation"][]) =>
    set.changes.filter(({ operation }) => operations.includes(operation)).length;
  const counts = {
    created: count("create"),
    modified: count("modify", "replace", "mode", "touch"),
    deleted: count("delete"),
    dropped: verdict.dropped.length,
    special: set.special.length,
  };
  const data = { ...idsOf(pending), digest: set.digest, counts, artifact: artifact?.id };
  return { type: "transaction.captured", data };
}

function decidedEvent(pending: PendingChanges, { keep, by, reason, failure }: DecidedChanges): EventDraft {
  const { call, set } = pending;
  const decision = keep !== undefined ? "apply" : call.trial.changes === "keep" ? "keep" : "discard";
  const data = { digest: set.digest, decision, reason: failure?.message ?? reason, by } as const;
  return { type: "transaction.decided", data: { ...idsOf(pending), ...data } };
}

function endedEvent(
  pending: PendingChanges,
  outcome: "applied" | "discarded" | "failed" | "kept",
  failure?: Failure,
): EventDraft {
  return { type: "transaction.ended", data: { ...idsOf(pending), outcome, failure: failure?.message } };
}

function keepList(artifacts: ArtifactStore, { changes }: ChangeSet): ArtifactRef | undefined {
  const lines = changes.map(({ path, operation, kind, mode, size, flags, conflict }) =>
    JSON.stringify({
      ...{ path, operation, kind, mode: mode.toString(8), size },
      ...(flags.length > 0 && { flags }),
      conflict,
    }),
  );
  const kept = artifacts.put("changes", new TextEncoder().encode(`${lines.join("\n")}\n`));
  return kept.ok ? kept.value : undefined;
}

import path from "node:path";
import { timerMs } from "../../base/async.ts";
import { clip, mentionsIn } from "../../base/text.ts";
import type { MessageOptions, RunReport } from "../../contract/app/agent.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { EventData, EventDraft } from "../../contract/events/index.ts";
import type { IntentInput } from "../../contract/intent.ts";
import type { ProviderError } from "../../contract/model.ts";
import type { Observation } from "../../contract/observation.ts";
import { stop as stopOccasion, userPromptSubmit } from "../../gate/hooks/occasion.ts";
import type { SessionParts } from "../../session/parts.ts";
import type { TakenPiped } from "../context/context-policy.ts";
import { hookNotes, runtimeNote } from "../context/notes.ts";
import { decide, describeEnd } from "./decide.ts";
import { fallBack } from "./recover-turn.ts";
import { currentModel, cutShort, type LoopParts, nextModel, type Run, type RunEnd, unrecordable } from "./run.ts";
import { type ModelTurn, takeTurn } from "./take-turn.ts";
import { intentInputs, recordUnrun } from "./turn-events.ts";

export interface Message {
  readonly text: string;
  readonly readMentions: boolean;
  readonly calls: NonNullable<MessageOptions["calls"]>;
  readonly piped: string;
}

/** How often hooks, or a truncated answer, may continue one run after the model stopped. */
const mostResumed = 3;

/**
 * One message and everything that follows: project the context, ask the model, submit its calls as one batch, and
 * repeat until it proposes none. Never rejects because of a model, a provider, a tool or a user.
 */
export async function runTask(parts: LoopParts, run: Run, message: Message): Promise<RunReport> {
  const clock = startClock(parts, run);
  try {
    return conclude(parts, run, await carryOut(parts, run, message));
  } finally {
    clearTimeout(clock);
  }
}

/** The time limit interrupts a run as a user does: calls are cancelled, and the log stays complete. */
function startClock({ door }: LoopParts, run: Run): NodeJS.Timeout | undefined {
  const { maxMs } = run.limits;
  if (maxMs === undefined) return undefined;
  return setTimeout(() => {
    run.outOfTime = true;
    void door.interrupt("The time limit of the run is reached.");
  }, timerMs(maxMs));
}

async function carryOut(parts: LoopParts, run: Run, message: Message): Promise<RunEnd> {
  const begun = (await begin(parts, run, message)) ?? (await attach(parts, run, message));
  if (begun !== undefined) return begun;
  for (;;) {
    const turn = await takeTurn(parts, run);
    if ("stop" in turn) return turn;
    run.answer = turn.text;
    run.turnId = turn.turnId;
    const ended =
      turn.intents.length + turn.malformed.length === 0 ? await rest(parts, run, turn) : await act(parts, run, turn);
    if (ended !== undefined) return ended;
  }
}

const longestGoal = 4_000;

/** Records a run and its message: the goal first; then, unless a hook refuses, the message and its notes. */
async function begin(parts: LoopParts, run: Run, { text, piped }: Message): Promise<RunEnd | undefined> {
  const { session, context, notify, opening } = parts;
  const { log, hooks } = session;
  const model = currentModel(parts, run);
  const taken = piped === "" ? undefined : await context.piped(piped, model);
  if (taken?.ok === false) return unrecordable(taken.failure);
  const { ref, baseUrl } = model;
  const data = {
    ...{ runId: run.id, goal: clip(text, longestGoal), model: { provider: ref.provider, id: ref.id } },
    ...{ baseUrl, chosen: run.chain.reason, limits: run.limits },
  };
  const started: EventDraft[] = [...abandonedRun(log.state.run), { type: "run.started", data }];
  // Durable before a hook runs; without hooks it is stored with the message.
  const opened = hooks === undefined ? log.append(started) : log.append(started);
  if (!opened.ok) return unrecordable(opened.failure);
  const shown = taken?.value.shown;
  const answer = await hooks?.tell(userPromptSubmit(text, shown?.text));
  if (run.signal.aborted) return cutShort(run);
  if (answer?.stop !== undefined) return { stop: "hook_stopped", detail: answer.stop };
  if (answer?.decision === "deny") return { stop: "hook_stopped", detail: answer.reason };
  const notes = hooks === undefined ? [] : hookNotes([...opening(), ...(answer?.remarks ?? [])]);
  const stored = log.append([...(await context.standing()), ...notes, ...messageEvents(parts, text, taken?.value)]);
  if (!stored.ok) return unrecordable(stored.failure);
  if (shown === undefined) return undefined;
  const { bytes, lines, omittedBytes } = shown;
  notify({ kind: "piped", bytes, lines, omittedBytes });
  return undefined;
}

function messageEvents({ by }: LoopParts, text: string, piped: TakenPiped | undefined): readonly EventDraft[] {
  const message: EventData<"user.message"> = { text, by };
  if (piped === undefined) return [{ type: "user.message", data: message }];
  return [
    { type: "artifact.stored", data: { artifact: piped.artifact } },
    { type: "user.message", data: { ...message, piped: piped.shown } },
  ];
}

function abandonedRun(open: { readonly runId: string; readonly turns: number } | null): readonly EventDraft[] {
  if (open === null) return [];
  const { runId, turns } = open;
  return [{ type: "run.ended", data: { runId, stop: "interrupted", detail: "Its process ended.", turns } }];
}

async function attach(parts: LoopParts, run: Run, { text, readMentions, calls }: Message): Promise<RunEnd | undefined> {
  const { session } = parts;
  const named = [...calls, ...(readMentions ? mentionedReads(session, text) : [])];
  if (named.length === 0) return undefined;
  const origin = { source: "person", turnId: session.runtime.ids.next("turn") } as const;
  const inputs = named.map(({ tool, input }) => ({ tool, input, origin }));
  if (run.signal.aborted) return cutShort(run);
  const ended = endOf(await parts.door.batch(inputs));
  return ended ?? (run.signal.aborted ? cutShort(run) : undefined);
}

const mostMentions = 20;

function mentionedReads(
  { places: { metadata }, log }: Pick<SessionParts, "places" | "log">,
  message: string,
): readonly Pick<IntentInput, "tool" | "input">[] {
  const { workspace } = log.state;
  const kindOf = (name: string) => {
    try {
      return metadata.lstat(path.resolve(workspace, name))?.kind;
    } catch {
      // Too long for a name, or in a closed directory.
      return undefined;
    }
  };
  const found = new Map<string, "read" | "list">();
  for (const names of mentionsIn(message)) {
    const name = names.find((one) => kindOf(one) !== undefined);
    if (name !== undefined) found.set(name, kindOf(name) === "directory" ? "list" : "read");
    if (found.size === mostMentions) break;
  }
  return [...found].map(([name, tool]) => ({ tool, input: { path: name } }));
}

async function act(parts: LoopParts, run: Run, turn: ModelTurn): Promise<RunEnd | undefined> {
  const { session, door } = parts;
  const inputs = intentInputs(turn);
  if (run.signal.aborted) {
    recordUnrun(session, inputs);
    return cutShort(run);
  }
  const observations = inputs.length === 0 ? [] : await door.batch(inputs);
  const ended = endOf(observations);
  if (ended !== undefined) return ended;
  if (run.signal.aborted) return cutShort(run);
  const unreadable = [...turn.malformed, ...unrecorded(parts, run, observations)];
  if (unreadable.length > 0) return askAgain(parts, run, { turnId: turn.turnId, unreadable });
  run.reEmits = 0;
  return undefined;
}

/** Refusals go to the model. Only a failing log and hooks end a run. */
function endOf(observations: readonly Observation[]): RunEnd | undefined {
  const lost = observations.find(({ code }) => code === "log_unavailable");
  if (lost !== undefined) return { stop: "log_unavailable", detail: lost.summary };
  const stopped = observations.find(({ stop }) => stop !== undefined);
  return stopped?.stop === undefined ? undefined : { stop: "hook_stopped", detail: stopped.stop };
}

/** A call that cannot be recorded, such as one that is nested too deeply; the history does not contain it. */
function unrecorded(parts: LoopParts, run: Run, observations: readonly Observation[]): readonly ProviderError[] {
  const { provider, id } = currentModel(parts, run).ref;
  return observations
    .filter(({ code, intentId }) => code === "bad_request" && !parts.session.log.hasIntent(intentId))
    .map(({ tool, summary }) => ({
      kind: "malformed_tool_call",
      retryable: false,
      provider,
      model: id,
      message: `${tool}: ${summary}`,
    }));
}

/** Asks again for calls with invalid arguments, a limited number of times. */
function askAgain(
  parts: LoopParts,
  run: Run,
  { turnId, unreadable }: { readonly turnId: string; readonly unreadable: readonly ProviderError[] },
): RunEnd | undefined {
  const { session, random } = parts;
  const [error] = unreadable;
  if (error === undefined) return undefined;
  const situation = { attempts: 1, reEmits: run.reEmits, canFallback: nextModel(run) !== undefined, canCompact: false };
  const { step } = decide({ error, ...situation, leftMs: Number.POSITIVE_INFINITY }, random);
  if (step === "fallback") {
    const ended = fallBack(parts, run, { turnId, error, before: [] });
    if (ended !== undefined) return ended;
    run.reEmits = 0;
  } else if (step !== "re_emit") return { stop: "provider_error", error, detail: describeEnd(error, "fail") };
  run.reEmits += 1;
  const named = unreadable.map(({ message }) => `- ${message}`).join("\n");
  const text = `The arguments of ${unreadable.length === 1 ? "a call" : "some calls"} could not be parsed, so nothing ran:\n${named}\nSend it again with complete, valid arguments.`;
  const stored = session.log.append([runtimeNote(text)]);
  return stored.ok ? undefined : unrecordable(stored.failure);
}

/** The model proposes no more calls. Hooks may continue the run, a limited number of times. */
async function rest(parts: LoopParts, run: Run, turn: ModelTurn): Promise<RunEnd | undefined> {
  const next = await afterAnswer(parts, run, turn);
  if (typeof next === "object") return next;
  if (run.signal.aborted) return cutShort(run);
  if (next === undefined || run.resumed >= mostResumed) return { stop: "done" };
  run.resumed += 1;
  const stored = parts.session.log.append([runtimeNote(next)]);
  return stored.ok ? undefined : unrecordable(stored.failure);
}

/** Returns a text to continue the run. A truncated answer is not done. */
async function afterAnswer(
  { session: { hooks } }: LoopParts,
  run: Run,
  { cutBy, text }: ModelTurn,
): Promise<RunEnd | string | undefined> {
  if (cutBy === "filter") return { stop: "provider_error", detail: "The provider's content filter ended the answer." };
  if (cutBy === "limit" && run.resumed >= mostResumed)
    return { stop: "provider_error", detail: "Every answer reached the output limit." };
  if (cutBy === "limit") return "Your answer was cut off by the output limit. Continue from there, and be brief.";
  const answer = await hooks?.tell(stopOccasion({ active: run.resumed > 0, lastMessage: text }));
  if (answer?.stop !== undefined) return { stop: "hook_stopped", detail: answer.stop };
  return answer?.decision === "deny" ? `A hook tells you to continue: ${answer.reason}` : undefined;
}

function conclude(parts: LoopParts, run: Run, ended: RunEnd): RunReport {
  const { session, verifier } = parts;
  const { stop, detail } = ended;
  const { id: runId, turnId, turns, usage, answer } = run;
  const claims = stop === "done" ? verifier.claims(answer) : [];
  const checked = claims.map((claim): EventDraft => ({ type: "claim.checked", data: { ...claim, runId, turnId } }));
  const stored: Outcome<unknown> =
    stop === "log_unavailable"
      ? ok(undefined)
      : session.log.append([...checked, { type: "run.ended", data: { runId, stop, detail, turns } }]);
  const end = stored.ok ? ended : unrecordable(stored.failure);
  return {
    ...{ runId, sessionId: session.log.id, stop: end.stop },
    ...(end.detail !== undefined && { detail: end.detail }),
    ...(ended.error !== undefined && { error: ended.error }),
    ...{ answer, model: currentModel(parts, run).ref, turns, usage },
    ...(run.unpriced === 0 && { costUsd: run.costUsd }),
    durationMs: session.runtime.clock.now() - run.startedAt,
    ...run.facts.facts(),
    lastChange: session.log.state.lastChange,
    claims,
  };
}

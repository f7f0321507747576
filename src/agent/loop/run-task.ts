import { timerMs } from "../../base/async.ts";
import type { RunReport } from "../../contract/app/agent.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { ProviderError } from "../../contract/model.ts";
import type { Observation } from "../../contract/observation.ts";
import { stop as stopOccasion } from "../../gate/hooks/occasion.ts";
import { runtimeNote } from "../context/notes.ts";
import { beginRun, type Message, mentionedReads } from "./begin-run.ts";
import { decide, describeEnd } from "./decide.ts";
import { fallBack } from "./mend-turn.ts";
import { currentModel, cutShort, type LoopParts, type Run, type RunEnd, standIn, unrecordable } from "./run.ts";
import { type ModelTurn, takeTurn } from "./take-turn.ts";
import { intentInputs, recordUnrun } from "./turn-events.ts";

/** How often hooks, or an answer that was cut off, may continue one run after the model stopped. */
const mostResumed = 3;

/**
 * One message and all that follows: project the context, ask the model, put what it proposes through the door as
 * one batch, and again, until it proposes nothing. Never rejects for anything a model, a provider, a tool or a
 * person did.
 */
export async function runTask(parts: LoopParts, run: Run, message: Message): Promise<RunReport> {
  const clock = startClock(parts, run);
  try {
    return conclude(parts, run, await carryOut(parts, run, message));
  } finally {
    clearTimeout(clock);
  }
}

/** The time limit interrupts a run like a user does: calls are cancelled, and the log stays whole. */
function startClock({ door }: LoopParts, run: Run): NodeJS.Timeout | undefined {
  const { maxMs } = run.limits;
  if (maxMs === undefined) return undefined;
  return setTimeout(() => {
    run.outOfTime = true;
    void door.interrupt("The time limit of the run is reached.");
  }, timerMs(maxMs));
}

async function carryOut(parts: LoopParts, run: Run, message: Message): Promise<RunEnd> {
  const begun = (await beginRun(parts, run, message)) ?? (await attach(parts, run, message));
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

/** Reads what the message mentions. Refusals are shown to the user and the model. */
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

/** A call that cannot be recorded, such as one that is nested too deeply: the history does not contain it. */
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

/** Asks again for calls whose arguments could not be read, a limited number of times. */
function askAgain(
  parts: LoopParts,
  run: Run,
  { turnId, unreadable }: { readonly turnId: string; readonly unreadable: readonly ProviderError[] },
): RunEnd | undefined {
  const { session, random } = parts;
  const [error] = unreadable;
  if (error === undefined) return undefined;
  const situation = { attempts: 1, reEmits: run.reEmits, canFallback: standIn(run) !== undefined, canCompact: false };
  const { step } = decide({ error, ...situation, leftMs: Number.POSITIVE_INFINITY }, random);
  if (step === "fallback") {
    const ended = fallBack(parts, run, { turnId, error, before: [] });
    if (ended !== undefined) return ended;
    run.reEmits = 0;
  } else if (step !== "re_emit") return { stop: "provider_error", error, detail: describeEnd(error, "fail") };
  run.reEmits += 1;
  const named = unreadable.map(({ message }) => `- ${message}`).join("\n");
  const text = `The arguments of ${unreadable.length === 1 ? "a call" : "some calls"} could not be read, and nothing of it ran:\n${named}\nSend it again with complete, valid arguments.`;
  const stored = session.log.append([runtimeNote(text)]);
  return stored.ok ? undefined : unrecordable(stored.failure);
}

/** The model proposes nothing more. Hooks may continue the run, a limited number of times. */
async function rest(parts: LoopParts, run: Run, turn: ModelTurn): Promise<RunEnd | undefined> {
  const why = await whyGoOn(parts, run, turn);
  if (!why.ok) return why.ended;
  if (run.signal.aborted) return cutShort(run);
  if (why.text === undefined || run.resumed >= mostResumed) return { stop: "done" };
  run.resumed += 1;
  const stored = parts.session.log.append([runtimeNote(why.text)]);
  return stored.ok ? undefined : unrecordable(stored.failure);
}

/** An answer that the provider cut off is not done. */
function unfinished(detail: string): RunEnd {
  return { stop: "provider_error", detail };
}

type GoOn = { readonly ok: true; readonly text?: string } | { readonly ok: false; readonly ended: RunEnd };

async function whyGoOn({ session: { hooks } }: LoopParts, run: Run, turn: ModelTurn): Promise<GoOn> {
  if (turn.cutBy === "filter") return { ok: false, ended: unfinished("The provider's filter ended the answer.") };
  if (turn.cutBy === "limit" && run.resumed >= mostResumed)
    return { ok: false, ended: unfinished("The answer was cut off by the output limit each time.") };
  if (turn.cutBy === "limit")
    return { ok: true, text: "Your answer was cut off by the output limit. Go on where it ended, and be brief." };
  if (hooks === undefined) return { ok: true };
  const answer = await hooks.tell(stopOccasion({ active: run.resumed > 0, lastMessage: turn.text }));
  if (answer.stop !== undefined) return { ok: false, ended: { stop: "hook_stopped", detail: answer.stop } };
  return answer.decision === "deny" ? { ok: true, text: `A hook asks you to go on: ${answer.reason}` } : { ok: true };
}

function conclude(parts: LoopParts, run: Run, ended: RunEnd): RunReport {
  const { session, verifier } = parts;
  const { stop, detail, error } = ended;
  const claims = stop === "done" ? verifier.claims(run.answer) : [];
  const stored: Outcome<unknown> =
    stop === "log_unavailable"
      ? ok(undefined)
      : session.log.append([
          ...claims.map(
            (claim): EventDraft => ({ type: "claim.checked", data: { ...claim, runId: run.id, turnId: run.turnId } }),
          ),
          {
            type: "run.ended",
            data: { runId: run.id, stop, detail, turns: run.turns },
          },
        ]);
  const end = stored.ok ? ended : unrecordable(stored.failure);
  return {
    runId: run.id,
    sessionId: session.log.id,
    stop: end.stop,
    ...(end.detail !== undefined && { detail: end.detail }),
    ...(error !== undefined && { error }),
    answer: run.answer,
    model: currentModel(parts, run).ref,
    turns: run.turns,
    usage: run.usage,
    ...(run.unpriced === 0 && { costUsd: run.costUsd }),
    durationMs: session.runtime.clock.now() - run.startedAt,
    ...run.facts.facts(),
    lastChange: session.log.state.lastChange,
    claims,
  };
}

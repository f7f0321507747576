import { ok } from "../../contract/codes.ts";
import { noUsage } from "../../contract/model.ts";
import { keeps } from "../context/context-policy.ts";
import { overLimit } from "./budget.ts";
import { followStream, type Heard } from "./follow-stream.ts";
import { account, mend, type Trouble, type TurnRequest } from "./mend-turn.ts";
import {
  compactHistory,
  currentModel,
  cutShort,
  type LoopParts,
  type Run,
  type RunEnd,
  spentBy,
  unrecordable,
} from "./run.ts";
import { cutOffEvents, intentInputs, recordUnrun, turnEvents } from "./turn-events.ts";

/** One answer of a model, on record. What it proposes has not been looked at yet. */
export interface ModelTurn extends Pick<Heard, "text" | "intents" | "malformed"> {
  readonly turnId: string;
  readonly messageId: string;
  /** The output limit or a filter of the provider ended it, not the model. */
  readonly cutBy?: "limit" | "filter";
}

/** Asks the model until there is an answer, or nothing left to try. */
export async function takeTurn(parts: LoopParts, run: Run): Promise<ModelTurn | RunEnd> {
  const trouble: Trouble = { compactions: 0 };
  let asked: TurnRequest | undefined;
  for (;;) {
    if (run.signal.aborted) return cutShort(run);
    const request = asked ?? (await prepare(parts, run));
    if ("stop" in request) return request;
    request.attempts += 1;
    const heard = await listen(parts, run, request);
    if (run.signal.aborted) return breakOff(parts, run, request, heard);
    if (heard.error === undefined) return conclude(parts, run, request, heard);
    const mended = await mend(parts, run, { request, heard, error: heard.error, trouble });
    if (mended !== "again" && mended !== "anew") return mended;
    asked = mended === "again" ? request : undefined;
  }
}

async function prepare(parts: LoopParts, run: Run): Promise<TurnRequest | RunEnd> {
  const { context, session } = parts;
  const model = currentModel(parts, run);
  const news = context.news();
  const told = news.length === 0 ? ok([]) : session.log.append(news);
  if (!told.ok) return unrecordable(told.failure);
  const pressure = context.pressure(model);
  if (pressure.level !== "low") {
    const among = pressure.level === "full" ? keeps.slice(1) : keeps;
    const made = await compactHistory(parts, { reason: "pressure", model, among });
    if (run.signal.aborted) return cutShort(run);
    if (!made.ok && made.failure.code === "log_unavailable") return unrecordable(made.failure);
  }
  const over = overLimit(run.limits, spentBy(parts, run), { model, inputTokens: context.pressure(model).estimate });
  if (over !== undefined) return over;
  const turnId = session.runtime.ids.next("turn");
  const projected = context.project({ turnId, model });
  if (!projected.ok) return unrecordable(projected.failure);
  return { ...projected.value, turnId, model, attempts: 0 };
}

function listen({ session, notify }: LoopParts, run: Run, request: TurnRequest): Promise<Heard> {
  const { turnId, model, messages, tools } = request;
  const { effort } = session.settings.models;
  if (request.attempts === 1) notify({ kind: "turn_started", turnId, turn: run.turns + 1, model: model.ref });
  return followStream(
    model.runtime,
    {
      runId: run.id,
      turnId,
      model: model.ref,
      messages,
      tools,
      options: { signal: run.signal, effort },
    },
    {
      signal: run.signal,
      listener: {
        begun: () => session.tools.servers?.begin(),
        text: (text) => notify({ kind: "text", turnId, text }),
        reasoning: (text) => notify({ kind: "reasoning", turnId, text }),
        proposing: (call) => notify({ kind: "proposing", turnId, ...call }),
      },
    },
  );
}

function conclude(parts: LoopParts, run: Run, request: TurnRequest, heard: Heard): ModelTurn | RunEnd {
  const { session, notify, context } = parts;
  const { turnId, model } = request;
  const messageId = session.runtime.ids.next("evt");
  const costUsd = account(run, request, heard);
  const drafts = turnEvents(session, { ...request, messageId, heard, costUsd });
  const stored = session.log.append(drafts);
  if (!stored.ok) return unrecordable(stored.failure);
  run.turns += 1;
  const finish = heard.finish ?? "other";
  const usage = heard.usage ?? noUsage;
  const pressure = heard.usage === undefined ? request.pressure.share : context.counted(heard.usage, model);
  notify({
    kind: "turn_ended",
    turnId,
    reason: finish,
    usage,
    costUsd,
    pressure,
  });
  for (const error of heard.malformed) notify({ kind: "provider_error", turnId, error });
  const { text, intents, malformed } = heard;
  const cutBy = finish === "length" ? "limit" : finish === "content_filter" ? "filter" : undefined;
  return { turnId, messageId, text, intents, malformed, cutBy };
}

/** Text until then stays; proposals are recorded as never run. */
function breakOff(parts: LoopParts, run: Run, request: TurnRequest, heard: Heard): RunEnd {
  const { session } = parts;
  const { turnId } = request;
  const messageId = session.runtime.ids.next("evt");
  const costUsd = account(run, request, heard);
  const drafts = cutOffEvents({ ...request, messageId, heard, costUsd });
  const stored = drafts.length === 0 ? ok([]) : session.log.append(drafts);
  if (!stored.ok) return unrecordable(stored.failure);
  recordUnrun(session, intentInputs({ turnId, messageId, intents: heard.intents }));
  return cutShort(run);
}

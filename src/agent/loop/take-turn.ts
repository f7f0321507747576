import { ok } from "../../contract/codes.ts";
import { noUsage } from "../../contract/model.ts";
import { keeps } from "../context/context-policy.ts";
import { followStream, type Heard, type StreamListener } from "./follow-stream.ts";
import { account, recoverTurn, type Trouble, type TurnRequest } from "./recover-turn.ts";
import {
  compactHistory,
  currentModel,
  cutShort,
  type LoopParts,
  overLimit,
  type Run,
  type RunEnd,
  spentBy,
  unrecordable,
} from "./run.ts";
import { cutOffEvents, intentInputs, recordUnrun, turnEvents } from "./turn-events.ts";

/** One recorded answer of a model. Its calls have not been checked yet. */
export interface ModelTurn extends Pick<Heard, "text" | "intents" | "malformed"> {
  readonly turnId: string;
  readonly messageId: string;
  readonly cutBy?: "limit" | "filter";
}

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
    const { error } = heard;
    if (error === undefined) return conclude(parts, run, request, heard);
    const recovered = await recoverTurn(parts, run, request, { ...heard, error }, trouble);
    if (recovered !== "again" && recovered !== "new") return recovered;
    asked = recovered === "again" ? request : undefined;
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
  const { signal } = run;
  const { effort } = session.settings.models;
  if (request.attempts === 1) notify({ kind: "turn_started", turnId, turn: run.turns + 1, model: model.ref });
  const listener = {
    begun: () => session.tools.servers?.begin(),
    text: (text: string) => notify({ kind: "text", turnId, text }),
    reasoning: (text: string) => notify({ kind: "reasoning", turnId, text }),
    proposing: (call: Parameters<StreamListener["proposing"]>[0]) => notify({ kind: "proposing", turnId, ...call }),
  };
  const asked = { runId: run.id, turnId, model: model.ref, messages, tools, options: { signal, effort } };
  return followStream(model.runtime, asked, { signal, listener });
}

function conclude(parts: LoopParts, run: Run, request: TurnRequest, heard: Heard): ModelTurn | RunEnd {
  const { session, notify, context } = parts;
  const { turnId, model } = request;
  const { text, intents, malformed, finish: reason = "other", usage = noUsage } = heard;
  const messageId = session.runtime.ids.next("evt");
  const costUsd = account(run, request, heard);
  const stored = session.log.append(turnEvents(session, { ...request, messageId, heard, costUsd }));
  if (!stored.ok) return unrecordable(stored.failure);
  run.turns += 1;
  const pressure = heard.usage === undefined ? request.pressure.share : context.counted(heard.usage, model);
  notify({ kind: "turn_ended", turnId, reason, usage, costUsd, pressure });
  for (const error of malformed) notify({ kind: "provider_error", turnId, error });
  const cutBy = reason === "length" ? "limit" : reason === "content_filter" ? "filter" : undefined;
  return { turnId, messageId, text, intents, malformed, cutBy };
}

/** The partial text stays; calls are recorded as never run. */
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

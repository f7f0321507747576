import { takeTurns } from "./encode-openai-chat.ts";
import { argumentsOf, finishOf, pieces, type SaidPart, type SpokenTurn, usageOf } from "./server-turn.ts";

interface WireEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

export function encodeOpenaiResponses(
  turn: SpokenTurn,
  { turnNumber, model }: { turnNumber: number; model: string },
): string[] {
  const usage = usageOf(turn);
  const finish = finishOf(turn);
  const response = { id: `resp_${turnNumber}`, object: "response", created_at: 1_700_000_000, model, output: [] };
  const items = turn.say.map((part, index) => itemEvents(part, { index, turnNumber, size: turn.piece ?? 12 }));
  const incomplete = finish === "length" || finish === "content_filter";
  const reason = finish === "length" ? "max_output_tokens" : "content_filter";
  const events: WireEvent[] = [
    { type: "response.created", response: { ...response, status: "in_progress" } },
    ...(turn.interleave === true ? takeTurns(items) : items.flat()),
    {
      type: incomplete ? "response.incomplete" : "response.completed",
      response: {
        ...response,
        status: incomplete ? "incomplete" : "completed",
        incomplete_details: incomplete ? { reason } : null,
        usage: {
          input_tokens: usage.input,
          input_tokens_details: { cached_tokens: usage.cached },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: usage.input + usage.output,
        },
      },
    },
  ];
  return events.map(
    (event, sequence_number) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
  );
}

function itemEvents(
  part: SaidPart,
  { index, turnNumber, size }: { index: number; turnNumber: number; size: number },
): WireEvent[] {
  const output_index = index;
  const added = (item: object): WireEvent => ({ type: "response.output_item.added", output_index, item });
  const done = (item: object): WireEvent => ({ type: "response.output_item.done", output_index, item });
  if ("text" in part) {
    const id = `msg_${turnNumber}_${index}`;
    const item = { id, type: "message", role: "assistant", status: "in_progress", content: [] };
    const content = [{ type: "output_text", text: part.text, annotations: [], logprobs: [] }];
    return [
      added(item),
      ...pieces(part.text, size).map((delta) => ({
        type: "response.output_text.delta",
        item_id: id,
        output_index,
        content_index: 0,
        delta,
        logprobs: [],
      })),
      done({ ...item, status: "completed", content }),
    ];
  }
  if ("reasoning" in part) {
    const id = `rs_${turnNumber}_${index}`;
    const item = { id, type: "reasoning", summary: [], encrypted_content: null };
    const place = { item_id: id, output_index, summary_index: 0 };
    return [
      added(item),
      { type: "response.reasoning_summary_part.added", ...place, part: { type: "summary_text", text: "" } },
      ...pieces(part.reasoning, size).map((delta) => ({
        type: "response.reasoning_summary_text.delta",
        ...place,
        delta,
      })),
      {
        type: "response.reasoning_summary_part.done",
        ...place,
        part: { type: "summary_text", text: part.reasoning },
      },
      done({
        ...item,
        encrypted_content: part.signature ?? "signed",
        summary: [{ type: "summary_text", text: part.reasoning }],
      }),
    ];
  }
  const id = `fc_${turnNumber}_${index}`;
  const text = argumentsOf(part);
  const item = {
    id,
    type: "function_call",
    status: "in_progress",
    call_id: part.id ?? `call_${turnNumber}_${index}`,
    name: part.call,
    arguments: "",
  };
  const place = { item_id: id, output_index };
  return [
    added(item),
    ...pieces(text, size).map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta })),
    { type: "response.function_call_arguments.done", ...place, arguments: text },
    done({ ...item, status: "completed", arguments: text }),
  ];
}

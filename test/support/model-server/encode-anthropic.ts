import { argumentsOf, finishOf, pieces, type SpokenTurn, usageOf } from "./server-turn.ts";

const stopReasons = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens", content_filter: "refusal" };

export function encodeAnthropic(
  turn: SpokenTurn,
  { turnNumber, model }: { turnNumber: number; model: string },
): string[] {
  const usage = usageOf(turn);
  const size = turn.piece ?? 12;
  const events: { readonly type: string; readonly [member: string]: unknown }[] = [
    {
      type: "message_start",
      message: {
        id: `msg_${turnNumber}`,
        type: "message",
        role: "assistant",
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage.input - usage.cached,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: usage.cached,
          output_tokens: 1,
        },
      },
    },
  ];
  for (const [index, part] of turn.say.entries()) {
    const start = (content_block: object) => events.push({ type: "content_block_start", index, content_block });
    const delta = (delta: object) => events.push({ type: "content_block_delta", index, delta });
    if ("text" in part) {
      start({ type: "text", text: "" });
      for (const text of pieces(part.text, size)) delta({ type: "text_delta", text });
    } else if ("reasoning" in part) {
      start({ type: "thinking", thinking: "", signature: "" });
      for (const thinking of pieces(part.reasoning, size)) delta({ type: "thinking_delta", thinking });
      delta({ type: "signature_delta", signature: part.signature ?? "signed" });
    } else {
      start({ type: "tool_use", id: part.id ?? `toolu_${turnNumber}_${index}`, name: part.call, input: {} });
      delta({ type: "input_json_delta", partial_json: "" });
      for (const partial_json of pieces(argumentsOf(part), size)) delta({ type: "input_json_delta", partial_json });
    }
    events.push({ type: "content_block_stop", index });
  }
  events.push({
    type: "message_delta",
    delta: { stop_reason: stopReasons[finishOf(turn)], stop_sequence: null },
    usage: { output_tokens: usage.output },
  });
  events.push({ type: "message_stop" });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

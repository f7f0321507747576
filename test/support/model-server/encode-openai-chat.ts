import { argumentsOf, finishOf, pieces, type SpokenTurn, usageOf } from "./server-turn.ts";

export function encodeOpenaiChat(
  turn: SpokenTurn,
  { turnNumber, model }: { turnNumber: number; model: string },
): string[] {
  const usage = usageOf(turn);
  const size = turn.piece ?? 12;
  const base = { id: `chatcmpl-${turnNumber}`, object: "chat.completion.chunk", created: 1_700_000_000, model };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const events: object[] = [chunk({ role: "assistant", content: "" })];
  const callDeltas: object[][] = [];
  for (const [position, part] of turn.say.entries()) {
    if ("text" in part) for (const content of pieces(part.text, size)) events.push(chunk({ content }));
    else if ("reasoning" in part) {
      for (const reasoning_content of pieces(part.reasoning, size)) events.push(chunk({ reasoning_content }));
    } else {
      const index = callDeltas.length;
      const id = part.id ?? `call_${turnNumber}_${position}`;
      const call = (fields: object) => chunk({ tool_calls: [{ index, ...fields }] });
      callDeltas.push([
        call({ id, type: "function", function: { name: part.call, arguments: "" } }),
        ...pieces(argumentsOf(part), size).map((text) => call({ function: { arguments: text } })),
      ]);
    }
  }
  events.push(...(turn.interleave === true ? takeTurns(callDeltas) : callDeltas.flat()));
  events.push(chunk({}, finishOf(turn)));
  events.push({
    ...base,
    choices: [],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached },
    },
  });
  return [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), "data: [DONE]\n\n"];
}

export function takeTurns<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}

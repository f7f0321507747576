import { argumentsOf, finishOf, pieces, type SpokenTurn, usageOf } from "./server-turn.ts";

const finishReasons = { stop: "STOP", tool_calls: "STOP", length: "MAX_TOKENS", content_filter: "SAFETY" };

/** Gemini sends a call whole: it can neither be interleaved nor cut in the middle of its arguments. */
export function encodeGoogle(turn: SpokenTurn, { turnNumber, model }: { turnNumber: number; model: string }): string[] {
  const usage = usageOf(turn);
  const chunk = (parts: readonly object[], rest: object = {}) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...rest }],
    modelVersion: model,
    responseId: `resp_${turnNumber}`,
  });
  const events: object[] = turn.say.flatMap((part) => {
    if ("text" in part) return pieces(part.text, turn.piece ?? 12).map((text) => chunk([{ text }]));
    if ("reasoning" in part) {
      const thoughts = pieces(part.reasoning, turn.piece ?? 12);
      return thoughts.map((text, index) =>
        chunk([
          {
            text,
            thought: true,
            ...(index === thoughts.length - 1 ? { thoughtSignature: part.signature ?? "signed" } : {}),
          },
        ]),
      );
    }
    const id = part.id === undefined ? {} : { id: part.id };
    return [chunk([{ functionCall: { ...id, name: part.call, args: JSON.parse(argumentsOf(part)) } }])];
  });
  events.push({
    ...chunk([{ text: "" }], { finishReason: finishReasons[finishOf(turn)] }),
    usageMetadata: {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
    },
  });
  return events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`);
}

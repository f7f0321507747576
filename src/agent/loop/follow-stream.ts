import { untilOver } from "../../base/async.ts";
import { messageOf } from "../../base/text.ts";
import type {
  FinishReason,
  Keepsake,
  ModelEvent,
  ModelRequest,
  ProposedIntent,
  ProviderError,
  ProviderRuntime,
  TokenUsage,
} from "../../contract/model.ts";

export interface Heard {
  readonly requestId?: string;
  /** Reasoning and text in the order in which they began. */
  readonly said: readonly SpokenText[];
  readonly text: string;
  readonly intents: readonly ProposedIntent[];
  /** Calls with invalid arguments. The stream continued after them. */
  readonly malformed: readonly ProviderError[];
  readonly usage?: TokenUsage;
  readonly finish?: FinishReason;
  readonly error?: ProviderError;
}

export interface SpokenText {
  readonly kind: "text" | "reasoning";
  readonly text: string;
  readonly keepsake?: Keepsake;
  readonly afterCalls: number;
}

export interface StreamListener {
  begun(): void;
  text(text: string): void;
  reasoning(text: string): void;
  proposing(call: { readonly callId: string; readonly tool: string; readonly text: string }): void;
}

type SpokenBlock = { -readonly [Key in keyof SpokenText]: SpokenText[Key] };

/** Reads to the end or until the signal; then the partial answer is the result. Never rejects. */
export async function followStream(
  runtime: ProviderRuntime,
  request: ModelRequest,
  { signal, listener }: { readonly signal: AbortSignal; readonly listener: StreamListener },
): Promise<Heard> {
  const said: SpokenBlock[] = [];
  const reasoning = new Map<string, SpokenBlock>();
  const intents: ProposedIntent[] = [];
  const malformed: ProviderError[] = [];
  let begun = false;
  let text = "";
  let requestId: string | undefined;
  let usage: TokenUsage | undefined;
  let finish: FinishReason | undefined;
  let error: ProviderError | undefined;

  function begin(kind: SpokenText["kind"]): SpokenBlock {
    const block = { kind, text: "", afterCalls: intents.length };
    said.push(block);
    return block;
  }

  /** One block until a call or reasoning comes in between. */
  function textBlock(): SpokenBlock {
    const last = said.at(-1);
    return last?.kind === "text" && last.afterCalls === intents.length ? last : begin("text");
  }

  function take(event: ModelEvent): void {
    switch (event.type) {
      case "model.started":
        requestId = event.requestId;
        return;
      case "model.text_delta":
        text += event.text;
        textBlock().text += event.text;
        listener.text(event.text);
        return;
      case "model.reasoning_delta": {
        const block = reasoning.get(event.block) ?? begin("reasoning");
        block.text += event.text;
        if (event.keepsake !== undefined) block.keepsake = event.keepsake;
        reasoning.set(event.block, block);
        if (event.text !== "") listener.reasoning(event.text);
        return;
      }
      case "tool_intent.delta":
        listener.proposing({ callId: event.providerCallId, tool: event.tool, text: event.text });
        return;
      case "tool_intent.proposed":
        if (event.intent.tool === "")
          malformed.push(outsideContract(request, "malformed_tool_call", "A call has no tool name."));
        else intents.push(event.intent);
        return;
      case "model.usage":
        ({ usage } = event);
        return;
      case "model.finished":
        finish = event.reason;
        return;
      case "provider.error":
        if (event.error.kind === "malformed_tool_call" || event.error.kind === "intent_parse_failed")
          malformed.push(event.error);
        else error = event.error;
        return;
    }
  }

  try {
    for await (const event of untilAborted(runtime.stream(request), signal)) {
      if (!begun) listener.begun();
      begun = true;
      take(event);
    }
  } catch (thrown) {
    error = outsideContract(request, "unknown", messageOf(thrown));
  }
  if (error === undefined && finish === undefined && !signal.aborted)
    error = outsideContract(request, "stream_incomplete", "The stream ended before the answer did.");
  return { requestId, said, text, intents, malformed, usage, finish, error };
}

function outsideContract(
  { model }: ModelRequest,
  kind: "unknown" | "stream_incomplete" | "malformed_tool_call",
  message: string,
): ProviderError {
  return { kind, retryable: kind === "stream_incomplete", provider: model.provider, model: model.id, message };
}

/** Ends at the signal even if the stream does not: a provider may hang. */
async function* untilAborted<Item>(stream: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    while (!signal.aborted) {
      const result = await untilOver(iterator.next(), signal);
      if (result === undefined || result.done === true) return;
      yield result.value;
    }
  } finally {
    // Not awaited: a stream that hangs would hang here as well.
    iterator.return?.().catch(() => {});
  }
}

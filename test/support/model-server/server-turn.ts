export type WireFormat = "openai-chat" | "openai-responses" | "anthropic" | "google";

export type SaidPart =
  | { readonly text: string }
  /** The signature or encrypted form is what a provider wants to see again. */
  | { readonly reasoning: string; readonly signature?: string }
  | {
      readonly call: string;
      readonly input?: unknown;
      /** The arguments as they stand, in the place of `input`. */
      readonly raw?: string;
      readonly id?: string;
    };

export interface SpokenTurn {
  readonly say: readonly SaidPart[];
  /** `length` and the like; what follows from what is said when absent. */
  readonly finish?: "stop" | "tool_calls" | "length" | "content_filter";
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
  /** Characters in a delta. */
  readonly piece?: number;
  /** Only where calls carry an index: the deltas of all calls of the turn take turns. */
  readonly interleave?: boolean;
  /** Events, already encoded, put in after the first one. */
  readonly alien?: readonly string[];
  /** Ends after so many events: as if it were complete, or by losing the connection. */
  readonly cut?: { readonly after: number; readonly how: "end" | "reset" };
  /** Awaited before each event. */
  readonly before?: (event: number) => Promise<void> | void;
}

export interface AnsweredTurn {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export type ServerTurn = SpokenTurn | AnsweredTurn;

export function pieces(text: string, size: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
  return parts;
}

export function argumentsOf(part: Extract<SaidPart, { call: string }>): string {
  return part.raw ?? JSON.stringify(part.input ?? {});
}

export function finishOf(turn: SpokenTurn): NonNullable<SpokenTurn["finish"]> {
  return turn.finish ?? (turn.say.some((part) => "call" in part) ? "tool_calls" : "stop");
}

export function usageOf(turn: SpokenTurn) {
  return { input: 100, output: 10, cached: 0, ...turn.usage };
}

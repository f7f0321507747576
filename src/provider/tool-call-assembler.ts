import type { Keepsake, ProposedIntent, ProviderErrorKind } from "../contract/model.ts";

export type Assembled =
  | { readonly ok: true; readonly intent: ProposedIntent }
  | {
      readonly ok: false;
      readonly callId: string;
      readonly kind: Extract<ProviderErrorKind, "malformed_tool_call" | "intent_parse_failed">;
      readonly message: string;
      readonly rawInputText: string;
    };

export interface FinishedCall {
  readonly callId: string;
  readonly tool: string;
  readonly inputText: string;
  readonly keepsake?: Keepsake;
}

export interface ToolCallAssembler {
  start(callId: string, tool: string, offset: number): void;
  add(callId: string, text: string): string | undefined;
  finish(call: FinishedCall, offset: number): Assembled;
  unfinished(): readonly string[];
}

interface Pieces {
  readonly tool: string;
  readonly firstOffset: number;
  eventCount: number;
  readonly texts: string[];
}

/**
 * Collects the arguments of each call in one stream. Only `finish` completes a call, even if its arguments parse
 * earlier.
 */
export function createToolCallAssembler(source: Omit<ProposedIntent["source"], "streamIndex">): ToolCallAssembler {
  const open = new Map<string, Pieces>();
  let finished = 0;
  return {
    start(callId, tool, offset) {
      open.set(callId, { tool, firstOffset: offset, eventCount: 1, texts: [] });
    },
    add(callId, text) {
      const pieces = open.get(callId);
      if (pieces === undefined) return undefined;
      pieces.eventCount++;
      pieces.texts.push(text);
      return pieces.tool;
    },
    finish({ callId, tool, inputText, keepsake }, offset) {
      const pieces = open.get(callId) ?? { firstOffset: offset, eventCount: 0, texts: [inputText] };
      open.delete(callId);
      const streamed = pieces.texts.join("");
      // The pieces are the model's own text; a parser in between may have substituted an empty object.
      const rawInputText = streamed === "" && inputText !== "{}" ? inputText : streamed;
      const refuse = (kind: "malformed_tool_call" | "intent_parse_failed", message: string): Assembled => ({
        ok: false,
        callId,
        kind,
        message,
        rawInputText,
      });
      if (tool === "") return refuse("malformed_tool_call", "The model called a tool without a name.");
      if (streamed !== "" && streamed !== inputText) {
        return refuse("malformed_tool_call", `The final arguments for ${tool} differ from the streamed ones.`);
      }
      const hadRepair = rawInputText.trim() === "";
      const read = hadRepair ? { value: {} } : readJson(rawInputText);
      if (read === undefined) return refuse("intent_parse_failed", `The arguments for ${tool} are not JSON.`);
      if (typeof read.value !== "object" || read.value === null || Array.isArray(read.value)) {
        return refuse("malformed_tool_call", `The arguments for ${tool} are not an object.`);
      }
      return {
        ok: true,
        intent: {
          providerCallId: callId,
          tool,
          input: read.value,
          rawInputText,
          source: { ...source, streamIndex: finished++ },
          status: "proposed",
          assembledFrom: {
            eventCount: pieces.eventCount + 1,
            firstOffset: pieces.firstOffset,
            lastOffset: offset,
            hadRepair,
          },
          keepsake,
        },
      };
    },
    unfinished: () => [...open.keys()],
  };
}

function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

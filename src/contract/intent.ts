import { z } from "zod";
import { lazy } from "../base/async.ts";
import type { IntentId } from "./ids.ts";
import type { Tool } from "./tool.ts";
import type { ToolSource } from "./tool-facts.ts";

export const intentOrigin = lazy(() =>
  z.object({
    /** `person`: somebody named it in a message. */
    source: z.enum(["program", "model", "agent", "server", "mcp", "person"]),
    client: z.exactOptional(z.string()),
    turnId: z.exactOptional(z.string()),
    modelMessageId: z.exactOptional(z.string()),
    provider: z.exactOptional(
      z.object({
        name: z.string(),
        model: z.string(),
        callId: z.string(),
        keepsake: z.exactOptional(z.record(z.string(), z.unknown())),
      }),
    ),
  }),
);
export type IntentOrigin = Readonly<z.infer<ReturnType<typeof intentOrigin>>>;

export interface IntentInput {
  readonly id?: IntentId;
  readonly tool: string;
  readonly input: unknown;
  /** Recorded and shown, never read by the gate. */
  readonly reason?: string;
  readonly origin?: IntentOrigin;
  readonly sources?: readonly ToolSource[];
  readonly signal?: AbortSignal;
}

export interface ToolIntent {
  readonly id: IntentId;
  readonly tool: string;
  readonly input: unknown;
  readonly reason?: string;
  readonly origin: IntentOrigin;
  readonly createdAt: string;
}

export interface AcceptedSpelling {
  readonly written: string;
  readonly canonical: string;
}

export interface IdentifiedIntent {
  readonly intent: ToolIntent;
  readonly tool: Tool;
  readonly input: unknown;
  readonly digest: string;
  readonly spellings: readonly AcceptedSpelling[];
}

declare const checked: unique symbol;

export interface CheckedIntent extends IdentifiedIntent {
  readonly [checked]: true;
}

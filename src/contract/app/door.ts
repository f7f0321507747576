import type { Outcome } from "../codes.ts";
import type { ContextDecision } from "../events/run.ts";
import type { SessionId } from "../ids.ts";
import type { IntentInput } from "../intent.ts";
import type { Observation } from "../observation.ts";
import type { Progress } from "../ports.ts";
import type { Elicitor, ServerEntry, ServerPrompt, ServerResource, ServerStatus } from "../server/server.ts";
import type { HookEvent } from "../settings.ts";
import type { SessionState } from "../state.ts";
import type { JsonSchema, MenuEntry, ToolSource } from "../tool-facts.ts";
import type { Asker, Explanation, Mode, PermissionAnswer } from "../verdict.ts";

export type DoorNotice =
  | { readonly kind: "queued" | "started"; readonly intentId: string; readonly tool: string; readonly title: string }
  | { readonly kind: "progressed"; readonly intentId: string; readonly progress: Progress }
  | {
      readonly kind: "hook";
      readonly event: HookEvent;
      readonly hook: string;
      readonly message: string;
      readonly intentId?: string;
    }
  | { readonly kind: "observed"; readonly observation: Observation }
  | { readonly kind: "server"; readonly status: ServerStatus; readonly message?: string }
  | { readonly kind: "resource_updated"; readonly server: string; readonly uri: string }
  | { readonly kind: "menu_changed" };

export interface DoorOptions {
  readonly session?: SessionId;
  /** Only explanations: nothing is recorded and nothing can run. */
  readonly preview?: boolean;
  readonly mode?: Mode;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly addDirectories?: readonly string[];
  /** Without it an ask ends as `approval_unavailable`. */
  readonly ask?: Asker;
  readonly elicit?: Elicitor;
  readonly servers?: readonly ServerEntry[];
  readonly sources?: readonly ToolSource[];
  readonly onNotice?: (notice: DoorNotice) => void;
  /** Commands are waited for and never moved to the background. */
  readonly oneCall?: boolean;
  /** Commands run on a view of the workspace; this says what becomes of their changes. */
  readonly changes?: "discard" | "ask" | "allowed" | "keep";
}

export interface CommandTrial extends Pick<DoorOptions, "changes"> {
  readonly kept?: { readonly id: string; readonly only?: readonly string[] };
}

export function passesOn({ sources }: Pick<DoorOptions, "sources">): boolean {
  return sources?.every((source) => source === "mcp") ?? false;
}

export interface RecordedInput {
  readonly hash: string;
  readonly total: number;
}

export interface Door {
  readonly sessionId: SessionId;
  readonly state: SessionState;
  /** Never rejects for anything a tool, a model or a person did. */
  call(intent: IntentInput, trial?: CommandTrial): Promise<Observation>;
  batch(intents: readonly IntentInput[]): Promise<readonly Observation[]>;
  explain(intent: IntentInput): Promise<Explanation>;
  answer(answer: PermissionAnswer): Outcome<{ readonly resumed?: Promise<Observation> }>;
  interrupt(note?: string): Promise<void>;
  projectContext(context: {
    readonly turnId?: string;
    readonly phase?: string;
    readonly modelInput?: { readonly added: string; readonly continues?: RecordedInput };
    readonly decisions?: readonly ContextDecision[];
    readonly tokens?: { readonly estimate: number; readonly pressure: number };
  }): Outcome<{ readonly menuHash: string; readonly input?: RecordedInput }>;
  menu(): readonly MenuEntry[];
  outputSchema(tool: string): JsonSchema | undefined;
  servers(): readonly ServerStatus[];
  resources(server: string, signal: AbortSignal): Promise<Outcome<readonly ServerResource[]>>;
  prompts(server: string, signal: AbortSignal): Promise<Outcome<readonly ServerPrompt[]>>;
  endWatch(server: string, uri: string): Promise<void>;
  redact<Value>(value: Value): Value;
  setMode(mode: Mode): Outcome<void>;
  close(): Promise<void>;
}

export interface ServingAddress {
  readonly host: string;
  readonly port: number;
  readonly names: readonly string[];
  readonly tokenEnv?: string;
}

export interface Serving {
  readonly name: string;
  readonly instructions: string;
  readonly door: DoorOptions;
  readonly serversFile?: string;
  readonly address?: ServingAddress;
  readonly stop: AbortSignal;
  readonly onTrouble?: (status: ServerStatus) => void;
  readonly onFailure?: (what: string) => void;
  readonly onReady: (ready: {
    readonly session: string;
    readonly url?: string;
    readonly token?: string;
    readonly notices?: readonly string[];
  }) => Promise<void>;
}

import type { Outcome } from "./codes.ts";
import type { SessionId } from "./ids.ts";
import type { IntentInput } from "./intent.ts";
import type { Observation } from "./observation.ts";
import type { Progress } from "./ports.ts";
import type { HookEvent } from "./settings.ts";
import type { SessionState } from "./state.ts";
import type { Explanation, Mode, PermissionAnswer } from "./verdict.ts";

/** Told while calls are under way. Nothing that a listener does changes a call. */
export type DoorNotice =
  | { readonly kind: "queued" | "started"; readonly intentId: string; readonly tool: string; readonly title: string }
  | { readonly kind: "progressed"; readonly intentId: string; readonly progress: Progress }
  /** What a hook tells the person, or what was wrong with it. */
  | {
      readonly kind: "hook";
      readonly event: HookEvent;
      readonly hook: string;
      readonly message: string;
      readonly intentId?: string;
    }
  | { readonly kind: "observed"; readonly observation: Observation };

/** The one entrance. CLI, API, sub-agents, MCP and ACP are all callers of it. */
export interface Door {
  readonly sessionId: SessionId;
  readonly state: SessionState;
  /** Never rejects for anything a tool, a model or a person did. */
  call(intent: IntentInput): Promise<Observation>;
  /** One turn's intents. Answers in request order. */
  batch(intents: readonly IntentInput[]): Promise<readonly Observation[]>;
  /** The verdict without execution; hooks are skipped, and it says so. */
  explain(intent: IntentInput): Promise<Explanation>;
  /** Answers a pending request. A call that an earlier process left waiting goes on, and ends as `resumed`. */
  answer(answer: PermissionAnswer): Outcome<{ readonly resumed?: Promise<Observation> }>;
  /** Cancels what may be cancelled, lets `block` tools finish, clears pending requests. */
  interrupt(note?: string): Promise<void>;
  /** Records the menu and the exact input a model is shown. */
  projectContext(context: {
    readonly turnId?: string;
    /** From now on; decides with the mode which tools are offered. */
    readonly phase?: string;
    readonly modelInput?: string;
  }): Outcome<{ readonly menuHash: string }>;
  setMode(mode: Mode): Outcome<void>;
  close(): Promise<void>;
}

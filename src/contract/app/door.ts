import type { Outcome } from "../codes.ts";
import type { SessionId } from "../ids.ts";
import type { IntentInput } from "../intent.ts";
import type { Observation } from "../observation.ts";
import type { Progress } from "../ports.ts";
import type { Elicitor, ServerEntry, ServerPrompt, ServerResource, ServerStatus } from "../server/server.ts";
import type { HookEvent } from "../settings.ts";
import type { SessionState } from "../state.ts";
import type { JsonSchema, MenuEntry, ToolSource } from "../tool-facts.ts";
import type { Asker, Explanation, Mode, PermissionAnswer } from "../verdict.ts";

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
  | { readonly kind: "observed"; readonly observation: Observation }
  /** A server came, went, or says something. */
  | { readonly kind: "server"; readonly status: ServerStatus; readonly message?: string }
  /** A resource that somebody watches changed, or its server was lost or came back. */
  | { readonly kind: "resource_updated"; readonly server: string; readonly uri: string }
  /** Other tools are offered from now on. */
  | { readonly kind: "menu_changed" };

/** What a surface may choose for a session; the model may choose none of it. */
export interface DoorOptions {
  readonly session?: SessionId;
  /** Only explanations are wanted: nothing is recorded, and so nothing can run. */
  readonly preview?: boolean;
  readonly mode?: Mode;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly addDirectories?: readonly string[];
  /** Absent: nobody can be asked, and an ask ends as `approval_unavailable`. */
  readonly ask?: Asker;
  /** Absent: nobody can be asked, and a server that wants to know something is told so. */
  readonly elicit?: Elicitor;
  /** Servers beside those of the settings, from whoever opens the session. */
  readonly servers?: readonly ServerEntry[];
  /** Only tools from these sources are offered. */
  readonly sources?: readonly ToolSource[];
  readonly onNotice?: (notice: DoorNotice) => void;
  /** The session ends with its one call: a command that takes long is waited for, and not moved to the background. */
  readonly oneCall?: boolean;
  /**
   * Commands are only tried, on a view of the workspace: what they change is discarded, asked about whatever the mode
   * allows, applied as far as the mode allows, or kept for later. Where there can be no view they do not run.
   */
  readonly changes?: "discard" | "ask" | "allowed" | "keep";
}

/** How one command is tried. */
export interface Trial extends Pick<DoorOptions, "changes"> {
  /** Nothing runs: what the same command changed earlier is judged and applied, or only what is at these paths. */
  readonly kept?: { readonly id: string; readonly only?: readonly string[] };
}

/** The session stands in front of its servers for somebody else: what of them is no tool is passed on with the tools. */
export function passesOn({ sources }: Pick<DoorOptions, "sources">): boolean {
  return sources?.every((source) => source === "mcp") ?? false;
}

/** An input that was recorded: its hash and how long it is as a whole. */
export interface RecordedInput {
  readonly hash: string;
  readonly total: number;
}

/** What became of a part of the history in the next input, and why. */
export interface ContextDecision {
  readonly what: string;
  readonly decision: "include" | "summarise" | "reference" | "exclude";
  readonly reason: string;
}

/** The one entrance. CLI, API, sub-agents, MCP and ACP are all callers of it. */
export interface Door {
  readonly sessionId: SessionId;
  readonly state: SessionState;
  /** Never rejects for anything a tool, a model or a person did. */
  call(intent: IntentInput, trial?: Trial): Promise<Observation>;
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
    /** What is new since the input that it continues. */
    readonly modelInput?: { readonly added: string; readonly continues?: RecordedInput };
    readonly decisions?: readonly ContextDecision[];
    readonly tokens?: { readonly estimate: number; readonly pressure: number };
  }): Outcome<{ readonly menuHash: string; readonly input?: RecordedInput }>;
  /** What is offered now. */
  menu(): readonly MenuEntry[];
  /** What the server of a tool says of its structured results, for who offers the tool to others. */
  outputSchema(tool: string): JsonSchema | undefined;
  /** The servers of this session, as they are now. */
  servers(): readonly ServerStatus[];
  /**
   * What a server offers beside its tools, in its own words. It is started where it is not. Listing is not asked about,
   * as little as listing its tools is; what policy denies is not listed, and its server not asked for it.
   */
  resources(server: string, signal: AbortSignal): Promise<Outcome<readonly ServerResource[]>>;
  prompts(server: string, signal: AbortSignal): Promise<Outcome<readonly ServerPrompt[]>>;
  /** Nobody wants to know any longer whether the resource changed. To begin with it is an intent like any other. */
  endWatch(server: string, uri: string): Promise<void>;
  /** For what somebody is shown of a session that is no observation: without secrets. */
  redact<Value>(value: Value): Value;
  setMode(mode: Mode): Outcome<void>;
  close(): Promise<void>;
}

/** Where a protocol is served, and to whom. */
export interface ServingAddress {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** Names under which clients may ask, beside those of this machine. */
  readonly names: readonly string[];
  /** Environment variable with the token. Absent: one is made up. */
  readonly tokenEnv?: string;
}

/** A session for clients of the Model Context Protocol. */
export interface Serving {
  /** What clients are told that it is. */
  readonly name: string;
  readonly instructions: string;
  readonly door: DoorOptions;
  /**
   * A file of servers beside those of the settings, as many programs write it. The project's own brings only what of it
   * is trusted.
   */
  readonly serversFile?: string;
  /** Absent: one client on standard input and output. */
  readonly address?: ServingAddress;
  readonly stop: AbortSignal;
  /** Told when a server, or while it is ready something of it, cannot be used, and again when that is for another reason. */
  readonly onTrouble?: (status: ServerStatus) => void;
  /** Told of a request over HTTP that could not be answered, which is a bug; not again while it is the same one. */
  readonly onFailure?: (what: string) => void;
  /** Told once, when clients can come. The token is there only when it was made up. */
  readonly onReady: (ready: {
    readonly session: string;
    readonly url?: string;
    readonly token?: string;
    /** What of the file of servers is not used. */
    readonly notices?: readonly string[];
  }) => Promise<void>;
}

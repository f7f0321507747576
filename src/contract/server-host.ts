import type { Outcome } from "./codes.ts";
import type { ServerPrompt, ServerStatus, Servers } from "./server.ts";
import type { Tool } from "./tool.ts";

/** Tools that come and go while a session lasts. */
export interface ToolOffers {
  /** Another number whenever `tools` gives something else. */
  readonly version: number;
  tools(): readonly Tool[];
}

/** All servers of one session. Owns their processes and connections until it is closed. */
export interface ServerHost extends ToolOffers, Servers {
  status(): readonly ServerStatus[];
  /** Directories of this machine that the server's program may change. */
  writes(server: string): readonly string[];
  /** What holds this server, for whoever is asked about something that goes to it. `undefined` for one that is not there. */
  confinement(server: string): Promise<string | undefined>;
  /** Starts, in the background and at most once, whichever servers are not known from an earlier session. */
  begin(): void;
  /** Waits for whatever a tool name may lead to, for as long as that server may take to start. */
  prepare(toolName: string): Promise<void>;
  /** Waits until every server that has begun is ready or has failed. */
  settled(): Promise<void>;
  /** Nobody wants to know any longer whether the resource changed. */
  endWatch(server: string, uri: string): Promise<void>;
  listPrompts(server: string, signal: AbortSignal): Promise<Outcome<readonly ServerPrompt[]>>;
  close(): Promise<void>;
}

import type { Outcome } from "./codes.ts";
import type { ServerContent, ServerPrompt, ServerStatus, Servers } from "./server.ts";
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
  /** Starts, in the background and at most once, whichever servers are not known from an earlier session. */
  begin(): void;
  /** Waits for whatever a tool name may lead to, for as long as that server may take to start. */
  prepare(toolName: string): Promise<void>;
  /** Waits until every server that has begun is ready or has failed. */
  settled(): Promise<void>;
  listPrompts(server: string): Promise<Outcome<readonly ServerPrompt[]>>;
  getPrompt(
    server: string,
    name: string,
    values: Readonly<Record<string, string>>,
  ): Promise<Outcome<readonly { readonly role: "user" | "assistant"; readonly content: ServerContent }[]>>;
  /** What could stand for an argument of a prompt or of a resource template. */
  complete(
    server: string,
    target: { readonly prompt: string } | { readonly template: string },
    argument: { readonly name: string; readonly value: string },
  ): Promise<Outcome<readonly string[]>>;
  close(): Promise<void>;
}

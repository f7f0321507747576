import type { Outcome } from "./codes.ts";
import type { Elicitor, ServerEntry, ServerPrompt, ServerResource, ServerSetting, ServerStatus } from "./server.ts";

/** Where a person writes a server down: for themselves, or for everybody who works on the project. */
export const serverScopes = ["user", "project"] as const;
export type ServerScope = (typeof serverScopes)[number];

export interface KnownTool {
  /** As the server spells it. */
  readonly name: string;
  /** Of name, description and schema as a model would be sent them. */
  readonly bytes: number;
}

/** A server that stands in some file, whether or not it has an effect. Nothing was started to find it. */
export interface ListedServer {
  readonly name: string;
  readonly transport: ServerStatus["transport"];
  /** The command or the address, as written. */
  readonly target: string;
  readonly origin: string;
  /** `own`: the person's, the company's or the command line's; a project's is trusted or not. */
  readonly trust: "own" | "trusted" | "untrusted";
  readonly inForce: boolean;
  /** Why it is not. */
  readonly detail?: string;
  /** Of an item that somebody may trust. */
  readonly hash?: string;
  /** From the last time that it ran; absent when that never happened. */
  readonly tools?: readonly KnownTool[];
}

/** What a server answered when it was started to see. All of it is the server's words. */
export interface ServerTest {
  readonly status: ServerStatus;
  readonly tools: readonly KnownTool[];
  readonly resources: readonly ServerResource[];
  readonly prompts: readonly ServerPrompt[];
  /** What went wrong on the way without ending it. */
  readonly problems: readonly string[];
}

/** A login that is under way: the address is for the person's browser. */
export interface LoginOptions {
  readonly show: (url: string) => void | Promise<void>;
  readonly signal: AbortSignal;
}

export interface LoginDone {
  /** Where the tokens are kept, for people. Absent: the server is content without another login. */
  readonly kept?: string;
}

/** Questions about servers instead of calls of their tools. */
export interface ServerDesk {
  list(): Promise<Outcome<readonly ListedServer[]>>;
  /** Writes it down. Fails when one of that name stands there already. */
  add(name: string, setting: ServerSetting, scope: ServerScope): Outcome<{ readonly file: string }>;
  /** Takes it out of the only file that has it, or out of the one that is named, and forgets its login. */
  remove(name: string, scope?: ServerScope): Promise<Outcome<{ readonly file: string }>>;
  /** Starts it as a session would, and ends it again. */
  test(
    name: string,
    options: { readonly elicit?: Elicitor; readonly signal: AbortSignal },
  ): Promise<Outcome<ServerTest>>;
  login(name: string, options: LoginOptions): Promise<Outcome<LoginDone>>;
}

/** What the desk needs of whoever can really reach servers. */
export interface ServerReach {
  test(
    entry: ServerEntry,
    options: { readonly elicit?: Elicitor; readonly signal: AbortSignal },
  ): Promise<Outcome<ServerTest>>;
  login(entry: ServerEntry, options: LoginOptions): Promise<Outcome<LoginDone>>;
  /** Removes its tokens, where it has any. */
  forget(entry: ServerEntry): Outcome<void>;
  /** What is remembered of the last time that this entry ran. */
  lastKnown(entry: ServerEntry): readonly KnownTool[] | undefined;
}

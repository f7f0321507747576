import { type Failure, fail, type Outcome } from "../../contract/codes.ts";
import {
  type Elicitation,
  type ElicitationAnswer,
  type PromptMessage,
  type ServerAnswer,
  type ServerCall,
  type ServerContent,
  type ServerEntry,
  type ServerPrompt,
  type ServerResource,
  type ServerStatus,
  type ServerTool,
  type SoughtValue,
  serverArgument,
  type WantedPrompt,
} from "../../contract/server/server.ts";

/** One server, reached and agreed with on a protocol. Nothing that it says is believed. */
export interface Connection {
  /** Revision that was agreed on. */
  readonly protocol: string;
  /** Where it is another than the entry names: the server speaks only the older one. */
  readonly transport?: ServerStatus["transport"];
  readonly info?: { readonly name: string; readonly version: string };
  readonly offers: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean };
  /** All pages. */
  listTools(signal: AbortSignal): Promise<Outcome<readonly ServerTool[]>>;
  call(request: Omit<ServerCall, "server">): Promise<Outcome<ServerAnswer>>;
  listResources(signal: AbortSignal): Promise<Outcome<readonly Omit<ServerResource, "server">[]>>;
  readResource(uri: string, signal: AbortSignal): Promise<Outcome<readonly ServerContent[]>>;
  /** Told whenever the resource changed, until the promise's answer is called. */
  watchResource(uri: string, told: () => void): Promise<Outcome<() => Promise<void>>>;
  listPrompts(signal: AbortSignal): Promise<Outcome<readonly ServerPrompt[]>>;
  getPrompt(wanted: WantedPrompt, signal: AbortSignal): Promise<Outcome<readonly PromptMessage[]>>;
  complete(sought: SoughtValue, signal: AbortSignal): Promise<Outcome<readonly string[]>>;
  /** Settles when the connection is gone, with why; never rejects. */
  readonly gone: Promise<string>;
  close(): Promise<void>;
}

/** A confined program with its two streams. */
export interface ServerProcess {
  write(chunk: Uint8Array): Promise<void>;
  /** Called with whatever the program writes; its promise holds the program back. */
  onOutput(told: (chunk: Uint8Array) => void | Promise<void>): void;
  /** The last of what it said on standard error, for people. */
  lastWords(): string;
  /** What is known of why it ended beside its own words, a sentence each. */
  causes?(exitCode: number | null): readonly string[];
  readonly exited: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
  kill(): Promise<void>;
}

/** Text frames both ways, as `ws` and in-process connections have them. */
export interface MessageSocket {
  send(text: string): Promise<void>;
  onMessage(told: (text: string) => void): void;
  readonly gone: Promise<string>;
  close(): Promise<void>;
}

/** What a server may ask of whoever connected to it. */
export interface ServerRequestHandlers {
  elicit?(question: Omit<Elicitation, "id" | "server">, signal: AbortSignal): Promise<ElicitationAnswer>;
  /** Absent where the settings do not let this server use the model. */
  sample?(request: SamplingRequest, signal: AbortSignal): Promise<Outcome<SamplingAnswer>>;
  roots?(): readonly string[];
}

export interface SamplingRequest {
  readonly system?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  readonly maxTokens: number;
}

export interface SamplingAnswer {
  readonly text: string;
  readonly model: string;
  readonly stop: "end" | "length";
}

export type ServerNotification =
  | { readonly kind: "tools_changed" | "resources_changed" | "prompts_changed" }
  | { readonly kind: "log"; readonly level: string; readonly text: string };

/** Tokens and registrations of one server, private to the person. Never in a log. */
export interface CredentialStore {
  read(server: string): Outcome<Readonly<Record<string, unknown>>>;
  write(server: string, value: Readonly<Record<string, unknown>>): Outcome<void>;
  remove(server: string): Outcome<void>;
}

/** Everything that a connection needs of the world. */
export interface ConnectionParts {
  /** With its variables filled in. */
  readonly entry: ServerEntry;
  /** For `stdio`. */
  readonly spawn: () => Outcome<ServerProcess>;
  /** For `ws`. */
  readonly openSocket: (url: string, headers: Readonly<Record<string, string>>) => Promise<Outcome<MessageSocket>>;
  /** For a server inside this process. */
  readonly inProcess?: MessageSocket;
  readonly fetch: typeof fetch;
  readonly wishes: ServerRequestHandlers;
  readonly news: (news: ServerNotification) => void;
  readonly credentials: CredentialStore;
  /** Opens the browser for a login and gives back where it was led to; absent when nobody is there for it. */
  readonly authorize?: (url: URL) => Promise<Outcome<URL>>;
  /** Where a login leads back to. */
  readonly redirectUrl: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** For connecting and agreeing on a protocol. */
  readonly startMs: number;
  readonly signal: AbortSignal;
}

const loginCommand = "Run `gauntlet mcp login ";

/** The server answers nobody who has not logged in. `needsLogin` tells this failure from others. */
export function loginNeeded(server: string, message: string): ReturnType<typeof fail> {
  return fail("server_unavailable", message, { recovery: `${loginCommand}${server}\`.`, happened: "nothing" });
}

/** The same failure, with the command as it has to be written for this very entry. */
export function loginFor(entry: ServerEntry, failure: Failure): Failure {
  return needsLogin(failure) ? { ...failure, recovery: `${loginCommand}${serverArgument(entry)}\`.` } : failure;
}

export function needsLogin(failure: Failure): boolean {
  return failure.code === "server_unavailable" && failure.recovery?.startsWith(loginCommand) === true;
}

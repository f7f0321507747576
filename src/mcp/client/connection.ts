import { type Failure, fail, type Outcome } from "../../contract/codes.ts";
import {
  type Elicitation,
  type ElicitationAnswer,
  type PromptMessage,
  type SamplingAnswer,
  type SamplingWords,
  type ServerAnswer,
  type ServerCall,
  type ServerContent,
  type ServerEntry,
  type ServerPrompt,
  type ServerResource,
  type ServerSocket,
  type ServerStatus,
  type ServerTool,
  type SoughtValue,
  serverArgument,
  type WantedPrompt,
} from "../../contract/server/server.ts";

/** An open connection to a server. Everything that the server says is untrusted. */
export interface McpConnection {
  readonly protocol: string;
  readonly transport?: ServerStatus["transport"];
  readonly info?: { readonly name: string; readonly version: string };
  readonly offers: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean };
  listTools(signal: AbortSignal): Promise<Outcome<readonly ServerTool[]>>;
  call(request: Omit<ServerCall, "server">): Promise<Outcome<ServerAnswer>>;
  listResources(signal: AbortSignal): Promise<Outcome<readonly Omit<ServerResource, "server">[]>>;
  readResource(uri: string, signal: AbortSignal): Promise<Outcome<readonly ServerContent[]>>;
  watchResource(uri: string, told: () => void): Promise<Outcome<() => Promise<void>>>;
  listPrompts(signal: AbortSignal): Promise<Outcome<readonly ServerPrompt[]>>;
  getPrompt(wanted: WantedPrompt, signal: AbortSignal): Promise<Outcome<readonly PromptMessage[]>>;
  complete(sought: SoughtValue, signal: AbortSignal): Promise<Outcome<readonly string[]>>;
  readonly gone: Promise<string>;
  close(): Promise<void>;
}

export interface ServerProcess {
  write(chunk: Uint8Array): Promise<void>;
  onOutput(told: (chunk: Uint8Array) => void | Promise<void>): void;
  lastWords(): string;
  causes?(exitCode: number | null): readonly string[];
  readonly exited: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
  kill(): Promise<void>;
}

export interface ServerRequestHandlers {
  elicit?(question: Omit<Elicitation, "id" | "server">, signal: AbortSignal): Promise<ElicitationAnswer>;
  sample?(request: SamplingRequest, signal: AbortSignal): Promise<Outcome<SamplingAnswer>>;
  roots?(): readonly string[];
}

export interface SamplingRequest extends SamplingWords {
  readonly maxTokens: number;
}

export type ServerNotification =
  | { readonly kind: "tools_changed" | "resources_changed" | "prompts_changed" }
  | { readonly kind: "log"; readonly level: string; readonly text: string };

export interface CredentialStore {
  read(server: string): Outcome<Readonly<Record<string, unknown>>>;
  write(server: string, value: Readonly<Record<string, unknown>>): Outcome<void>;
  remove(server: string): Outcome<void>;
}

export interface ConnectionParts {
  readonly entry: ServerEntry;
  readonly spawn: () => Outcome<ServerProcess>;
  readonly openSocket: (url: string, headers: Readonly<Record<string, string>>) => Promise<Outcome<ServerSocket>>;
  readonly inProcess?: ServerSocket;
  readonly fetch: typeof fetch;
  readonly handlers: ServerRequestHandlers;
  readonly notify: (notification: ServerNotification) => void;
  readonly credentials: CredentialStore;
  readonly authorize?: (url: URL) => Promise<Outcome<URL>>;
  readonly redirectUrl: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly startMs: number;
  readonly signal: AbortSignal;
}

const loginCommand = "Run `gauntlet mcp login ";

export function loginNeeded(server: string, message: string): ReturnType<typeof fail> {
  return fail("server_unavailable", message, { recovery: `${loginCommand}${server}\`.`, happened: "nothing" });
}

export function loginFor(entry: ServerEntry, failure: Failure): Failure {
  return needsLogin(failure) ? { ...failure, recovery: `${loginCommand}${serverArgument(entry)}\`.` } : failure;
}

export function needsLogin(failure: Failure): boolean {
  return failure.code === "server_unavailable" && failure.recovery?.startsWith(loginCommand) === true;
}

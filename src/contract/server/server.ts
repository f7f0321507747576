import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { digestOf } from "../../base/digest.ts";
import type { Outcome } from "../codes.ts";
import type { JsonSchema } from "../tool-facts.ts";

export const serverName = lazy(() =>
  z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?=[A-Za-z0-9-])){0,31}$/, {
    error: "a server's name has letters, digits, hyphens and single underscores between them, 32 at most",
  }),
);

const common = lazy(() => ({
  /** Milliseconds that a call may take. */
  timeout: z.exactOptional(z.number().int().positive()),
  /** Its tools are never left out of the menu. */
  alwaysLoad: z.exactOptional(z.boolean()),
  disabled: z.exactOptional(z.boolean()),
  sampling: z.exactOptional(z.strictObject({ maxTokens: z.number().int().positive() })),
}));

export const stdioServer = lazy(() =>
  z.strictObject({
    type: z.exactOptional(z.literal("stdio")),
    command: z.string().min(1),
    args: z.exactOptional(z.array(z.string())),
    env: z.exactOptional(z.record(z.string(), z.string())),
    cwd: z.exactOptional(z.string()),
    sandbox: z.exactOptional(
      z.strictObject({
        write: z.exactOptional(z.array(z.string())),
        read: z.exactOptional(z.array(z.string())),
        network: z.exactOptional(z.array(z.string())),
        otherHosts: z.exactOptional(z.enum(["ask", "refuse"])),
      }),
    ),
    ...common(),
  }),
);

export const urlOfServer = lazy(() => z.url({ protocol: /^(?:https?|wss?)$/ }));

export const remoteServer = lazy(() =>
  z.strictObject({
    type: z.enum(["http", "streamable-http", "sse", "ws"], {
      error: ({ input }) =>
        input === undefined ? 'missing: how a "url" speaks, "http" for most, or "sse" or "ws"' : undefined,
    }),
    url: z.union([z.string().regex(/\$\{/), urlOfServer()]),
    headers: z.exactOptional(z.record(z.string(), z.string())),
    oauth: z.exactOptional(
      z.strictObject({
        clientId: z.exactOptional(z.string()),
        clientSecretEnv: z.exactOptional(z.string()),
        scopes: z.exactOptional(z.array(z.string())),
      }),
    ),
    ...common(),
  }),
);

export const serverSetting = lazy(() => z.union([stdioServer(), remoteServer()]));
export type ServerSetting = z.infer<ReturnType<typeof serverSetting>>;
export type StdioServer = z.infer<ReturnType<typeof stdioServer>>;
export type RemoteServer = z.infer<ReturnType<typeof remoteServer>>;

export function transportOf(setting: ServerSetting): ServerStatus["transport"] {
  if ("command" in setting) return "stdio";
  return setting.type === "streamable-http" ? "http" : setting.type;
}

export interface ServerEntry {
  readonly name: string;
  readonly setting: ServerSetting;
  readonly origin: string;
  readonly named?: true;
  readonly literal?: true;
  readonly inProcess?: () => ServerSocket;
}

export interface ServerSocket {
  send(text: string): Promise<void>;
  onMessage(told: (text: string) => void): void;
  /** Settles when it is gone, with why. Never rejects. */
  readonly gone: Promise<string>;
  close(): Promise<void>;
}

export const serverStates = ["configured", "connecting", "ready", "needs_login", "failed", "stopped"] as const;

export interface ServerStatus {
  readonly name: string;
  readonly state: (typeof serverStates)[number];
  readonly transport: "stdio" | "http" | "sse" | "ws" | "in-process";
  readonly origin: string;
  readonly named?: true;
  readonly protocol?: string;
  /** What the server says that it is. Untrusted words. */
  readonly info?: { readonly name: string; readonly version: string };
  readonly tools: number;
  readonly resources?: boolean;
  readonly prompts?: boolean;
  readonly detail?: string;
}

/** One tool in its server's words. Nothing of it is believed. */
export interface ServerTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

export type ServerContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: Uint8Array; readonly mediaType: string }
  | {
      readonly type: "resource";
      readonly uri: string;
      readonly mediaType?: string;
      readonly text?: string;
      readonly data?: Uint8Array;
    }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly description?: string;
      readonly mediaType?: string;
    };

export interface ServerAnswer {
  readonly content: readonly ServerContent[];
  readonly structured?: unknown;
  readonly isError: boolean;
  readonly notes?: readonly string[];
}

export interface ServerPieces<Piece> {
  readonly pieces: readonly Piece[];
  readonly notes?: readonly string[];
}

export interface ServerCall {
  readonly server: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly definition?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (update: { readonly message: string }) => void;
  readonly underWay?: CallUnderWay;
}

export interface CallUnderWay {
  readonly invocationId: string;
  readonly intentId: string;
  readonly tool: string;
}

export interface BusyServer {
  now(): (CallUnderWay & { readonly over: AbortSignal }) | undefined;
  /** In milliseconds. Of calls long ago nothing is known. */
  at(time: number): CallUnderWay | undefined;
}

export interface ServerResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mediaType?: string;
  readonly template?: true;
}

export const requestEffects = {
  listResources: "resources/list",
  readResource: "resources/read",
  getPrompt: "prompts/get",
} as const;

export interface Servers {
  call(request: ServerCall): Promise<Outcome<ServerAnswer>>;
  listResources(server: string, signal: AbortSignal): Promise<Outcome<readonly ServerResource[]>>;
  readResource(server: string, uri: string, signal: AbortSignal): Promise<Outcome<ServerPieces<ServerContent>>>;
  watchResource(server: string, uri: string, signal: AbortSignal): Promise<Outcome<void>>;
  getPrompt(server: string, wanted: WantedPrompt, signal: AbortSignal): Promise<Outcome<ServerPieces<PromptMessage>>>;
  complete(server: string, sought: SoughtValue, signal: AbortSignal): Promise<Outcome<readonly string[]>>;
}

export interface WantedPrompt {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ServerContent;
}

export interface SoughtValue {
  readonly of: { readonly prompt: string } | { readonly template: string };
  readonly argument: string;
  readonly begun: string;
  readonly values?: Readonly<Record<string, string>>;
}

export interface ServerPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly values: readonly { readonly name: string; readonly description?: string; readonly required: boolean }[];
}

export interface Elicitation {
  readonly id: string;
  readonly server: string;
  readonly message: string;
  readonly ask:
    | { readonly mode: "form"; readonly fields: readonly ElicitedField[] }
    | { readonly mode: "url"; readonly url: string };
}

export interface ElicitedField {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required: boolean;
  readonly kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  readonly choices?: readonly { readonly value: string; readonly title: string }[];
  readonly default?: string | number | boolean | readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly format?: "email" | "uri" | "date" | "date-time";
}

export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | {
      readonly action: "decline" | "cancel";
      readonly reason?: string;
    };

/** Puts a server's question to a person. Must not throw. Absent: no user can be asked, and the server gets that answer. */
export type Elicitor = (question: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>;

/** How long an MCP server has, in milliseconds. */
export const startMs = 30_000;
export const fetchMs = 180_000;
export const callMs = 120_000;
export const requestMs = 120_000;

export function serverArgument({ name, origin, named }: Pick<ServerEntry, "name" | "origin" | "named">): string {
  if (named === undefined) return name;
  return `${name} --config ${/^[\w./-]+$/.test(origin) ? origin : JSON.stringify(origin)}`;
}

export interface ToolIdentity {
  readonly server: string;
  readonly tool: string;
}

export const longestMenuName = 64;
const digits = 8;

export function exactName({ server, tool }: ToolIdentity): string {
  return `mcp__${server}__${tool}`;
}

export function plainName(identity: ToolIdentity): string {
  return exactName(identity).replace(/[^A-Za-z0-9_-]/g, "_");
}

export function hashedName(identity: ToolIdentity): string {
  const { server, tool } = identity;
  const start = plainName(identity).slice(0, longestMenuName - digits - 1);
  return `${start}_${digestOf([server, tool]).slice(0, digits)}`;
}

export const samplingEffect = "sampling/createMessage";

export function samplingRule(server: string): string {
  return `mcp__${server}__${samplingEffect}`;
}

export interface SamplingWords {
  readonly system?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
}

export interface Sampling {
  readonly server: string;
  readonly call: CallUnderWay;
  readonly words: SamplingWords;
  readonly maxTokens: number;
}

export interface SideModel {
  weigh(words: SamplingWords): number;
  refusal(asked: Omit<Sampling, "call">): string | undefined;
  ask(asked: Omit<Sampling, "call">, signal: AbortSignal): Promise<SideAnswer>;
}

export interface SamplingAnswer {
  readonly text: string;
  readonly model: string;
  readonly stop: "end" | "length";
}

export interface SideAnswer {
  readonly tokens: number;
  readonly said: Outcome<SamplingAnswer>;
}

export type SamplingVerdict =
  | { readonly decision: "allowed"; readonly by: string }
  | { readonly decision: "denied"; readonly why: string };

export interface SamplingAccess {
  model(): SideModel | undefined;
  used(server: string): number;
  judge(sampling: Sampling, signal: AbortSignal): Promise<SamplingVerdict>;
}

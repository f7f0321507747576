import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { digestOf } from "../../base/digest.ts";
import type { Outcome } from "../codes.ts";
import type { JsonSchema } from "../tool-facts.ts";

/** Part of every tool name of the server, so it is plain, and nothing in it can be read as the `__` behind it. */
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
  /** What it may ask of us beside answering: `sampling` lets it use the model, each time after a question. */
  sampling: z.exactOptional(z.strictObject({ maxTokens: z.number().int().positive() })),
}));

/** A program that we start, confined. */
export const stdioServer = lazy(() =>
  z.strictObject({
    type: z.exactOptional(z.literal("stdio")),
    command: z.string().min(1),
    args: z.exactOptional(z.array(z.string())),
    /** All that it gets of an environment, beside what every confined program gets. */
    env: z.exactOptional(z.record(z.string(), z.string())),
    cwd: z.exactOptional(z.string()),
    /** Confinement beyond the usual: the workspace to read, nothing to write, no network. */
    sandbox: z.exactOptional(
      z.strictObject({
        /** Directories that it may write, relative to the workspace. */
        write: z.exactOptional(z.array(z.string())),
        /** Directories outside that it may read. */
        read: z.exactOptional(z.array(z.string())),
        /** `host` or `*.host`, each with `:port` where it is not 443 or 80. */
        network: z.exactOptional(z.array(z.string())),
        /** Hosts that nobody named. They are refused unless this says that a person is asked while a call is under way. */
        otherHosts: z.exactOptional(z.enum(["ask", "refuse"])),
      }),
    ),
    ...common(),
  }),
);

/** Where a server is reached, with nothing left to fill in. */
export const urlOfServer = lazy(() => z.url({ protocol: /^(?:https?|wss?)$/ }));

/** A server that runs somewhere else. */
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
        /** An https address is that of a document about the client, for servers that read such documents. */
        clientId: z.exactOptional(z.string()),
        /** Environment variable with the secret of the client. */
        clientSecretEnv: z.exactOptional(z.string()),
        scopes: z.exactOptional(z.array(z.string())),
      }),
    ),
    ...common(),
  }),
);

/** One entry of `mcpServers`. `${VAR}` and `${VAR:-default}` are filled in when it is used. */
export const serverSetting = lazy(() => z.union([stdioServer(), remoteServer()]));
export type ServerSetting = z.infer<ReturnType<typeof serverSetting>>;
export type StdioServer = z.infer<ReturnType<typeof stdioServer>>;
export type RemoteServer = z.infer<ReturnType<typeof remoteServer>>;

export function transportOf(setting: ServerSetting): ServerStatus["transport"] {
  if ("command" in setting) return "stdio";
  return setting.type === "streamable-http" ? "http" : setting.type;
}

/** A server of a session with where its entry came from. */
export interface ServerEntry {
  readonly name: string;
  readonly setting: ServerSetting;
  /** The file that it stands in, or what stood for one. */
  readonly origin: string;
  /** Somebody named that file: it is no part of the settings, and whoever does not name it does not find the server. */
  readonly named?: true;
  /** `${VAR}` in it stands for nothing but itself: whoever gave it is not to learn what our environment holds. */
  readonly literal?: true;
  /** A server inside this process, from the program that embeds us. Of its setting only what is common to all counts. */
  readonly inProcess?: () => ServerSocket;
}

/** Text frames both ways. */
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
  /** Protocol revision that was agreed on. */
  readonly protocol?: string;
  /** What the server says that it is. Untrusted words. */
  readonly info?: { readonly name: string; readonly version: string };
  readonly tools: number;
  readonly resources?: boolean;
  readonly prompts?: boolean;
  /** Why it is not ready, and what to do. */
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
  /** Checked against the tool's output schema. */
  readonly structured?: unknown;
  /** The server says that the call failed. */
  readonly isError: boolean;
  /** Words of ours about the call, a sentence each. */
  readonly notes?: readonly string[];
}

/** The same for what is no call of a tool. */
export interface Given<Piece> {
  readonly pieces: readonly Piece[];
  readonly notes?: readonly string[];
}

export interface ServerCall {
  readonly server: string;
  /** In the server's own spelling. */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Hash of the definition that was agreed to. Where the server has another by now, nothing is sent. */
  readonly definition?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (update: { readonly message: string }) => void;
  /** Whose call it is. */
  readonly underWay?: CallUnderWay;
}

/** The call of ours that a server is busy with. */
export interface CallUnderWay {
  readonly invocationId: string;
  readonly intentId: string;
  /** On the menu. */
  readonly tool: string;
}

/** What a server is busy with, for whoever has to say what something that it does is for. Its calls come one by one. */
export interface BusyServer {
  /** With a signal that aborts when the call has ended, in whichever way. */
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
  /** A pattern with `{…}` to fill in, not a thing to read. */
  readonly template?: true;
}

/** Names of effects for what is no tool of a server. No tool of these names is offered. */
export const requestEffects = {
  listResources: "resources/list",
  readResource: "resources/read",
  getPrompt: "prompts/get",
} as const;

/** What a running tool can reach of servers, narrowed to its permit's `call` effects. */
export interface Servers {
  call(request: ServerCall): Promise<Outcome<ServerAnswer>>;
  listResources(server: string, signal: AbortSignal): Promise<Outcome<readonly ServerResource[]>>;
  readResource(server: string, uri: string, signal: AbortSignal): Promise<Outcome<Given<ServerContent>>>;
  /** From now on the session tells whenever it changed, until the watch is ended. */
  watchResource(server: string, uri: string, signal: AbortSignal): Promise<Outcome<void>>;
  getPrompt(server: string, wanted: WantedPrompt, signal: AbortSignal): Promise<Outcome<Given<PromptMessage>>>;
  /** What could stand for an argument of a prompt or of a resource template. */
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
  /** As far as it is written. */
  readonly begun: string;
  /** The other arguments, as far as they are known. */
  readonly values?: Readonly<Record<string, string>>;
}

export interface ServerPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly values: readonly { readonly name: string; readonly description?: string; readonly required: boolean }[];
}

/** A question of a server to the person, on its way to whoever can answer. */
export interface Elicitation {
  readonly id: string;
  readonly server: string;
  /** The server's words. */
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
  /** The least and the most: of a number, of the characters of a text, of how many are chosen. */
  readonly min?: number;
  readonly max?: number;
  readonly format?: "email" | "uri" | "date" | "date-time";
}

export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | {
      readonly action: "decline" | "cancel";
      /** Where nobody was asked: why not, as a sentence. It stands in the observation of the call. */
      readonly reason?: string;
    };

/** Puts a server's question to a person. Must not throw. Absent: nobody can be asked, and the server is told so. */
export type Elicitor = (question: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>;

/** How long an MCP server has, in milliseconds. */
export const startMs = 30_000;
/** A first start may have to download all of it. */
export const fetchMs = 180_000;
/** For a call of a tool, where its entry says nothing else. */
export const callMs = 120_000;
/** For anything else that is asked of it. */
export const requestMs = 120_000;

/** How a command about a server has to name it: one of a file that somebody named is found only with that file. */
export function serverArgument({ name, origin, named }: Pick<ServerEntry, "name" | "origin" | "named">): string {
  if (named === undefined) return name;
  return `${name} --config ${/^[\w./-]+$/.test(origin) ? origin : JSON.stringify(origin)}`;
}

/** Who a tool of a server is, whatever a menu calls it. */
export interface ToolIdentity {
  readonly server: string;
  /** In the server's own spelling. */
  readonly tool: string;
}

export const longestMenuName = 64;
const digits = 8;

/** As the server spells it. */
export function exactName({ server, tool }: ToolIdentity): string {
  return `mcp__${server}__${tool}`;
}

/** With characters replaced that no model takes. Several tools may come to the same. */
export function plainName(identity: ToolIdentity): string {
  return exactName(identity).replace(/[^A-Za-z0-9_-]/g, "_");
}

/** With a part of its hash in the place of what is too long. */
export function hashedName(identity: ToolIdentity): string {
  const { server, tool } = identity;
  const start = plainName(identity).slice(0, longestMenuName - digits - 1);
  return `${start}_${digestOf([server, tool]).slice(0, digits)}`;
}

/** Name of the effect for a server that uses the model. No tool of this name is offered. */
export const samplingEffect = "sampling/createMessage";

/** The one rule that lets a server use the model without a question. A rule for all that the server does is none. */
export function samplingRule(server: string): string {
  return `mcp__${server}__${samplingEffect}`;
}

/** A server's words for the model: all of them are shown, and all that is shown is sent. */
export interface SamplingWords {
  readonly system?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
}

export interface Sampling {
  readonly server: string;
  /** The call that the server answers with it. */
  readonly call: CallUnderWay;
  readonly words: SamplingWords;
  /** Of the answer. */
  readonly maxTokens: number;
}

/** A model that says something beside the conversation of its session, in whose budget it stays. */
export interface SideModel {
  /** About how many tokens these words are. */
  weigh(words: SamplingWords): number;
  /** Why the run that is under way cannot pay for it. */
  refusal(asked: Omit<Sampling, "call">): string | undefined;
  /** What it used is on record when this settles, however it ended. */
  ask(asked: Omit<Sampling, "call">, signal: AbortSignal): Promise<SideAnswer>;
}

export interface SideAnswer {
  readonly tokens: number;
  readonly said: Outcome<{ readonly text: string; readonly model: string; readonly stop: "end" | "length" }>;
}

/** Whether a server may use the model, this once. */
export type SamplingVerdict =
  | { readonly decision: "allowed"; readonly by: string }
  | { readonly decision: "denied"; readonly why: string };

/** What a session with a model lends to servers whose entries say so. */
export interface SamplingDesk {
  /** Absent while the session is being opened. */
  model(): SideModel | undefined;
  /** Tokens that the server has used in this session, in earlier processes as well. */
  used(server: string): number;
  /** Settles by a rule or by a person, and at the signal. */
  judge(sampling: Sampling, signal: AbortSignal): Promise<SamplingVerdict>;
}

import type { Outcome } from "../codes.ts";
import type { Tool } from "../tool.ts";
import type {
  Elicitor,
  ServerPrompt,
  ServerResource,
  ServerSetting,
  ServerStatus,
  Servers,
  StdioServer,
} from "./server.ts";

export const serverScopes = ["local", "project", "user"] as const;
export type ServerScope = (typeof serverScopes)[number];

export interface KnownTool {
  readonly name: string;
  readonly bytes: number;
  readonly changed?: true;
}

export interface ChangedTool {
  readonly name: string;
  readonly diff: string;
}

export interface ListedServer {
  readonly name: string;
  readonly scope: ServerScope | "managed" | "command_line";
  readonly transport?: ServerStatus["transport"];
  readonly target?: string;
  readonly origin: string;
  readonly trust: "own" | "trusted" | "untrusted";
  readonly inForce: boolean;
  readonly broken?: true;
  readonly disabled?: true;
  readonly detail?: string;
  readonly fetches?: string;
  readonly hash?: string;
  readonly failed?: { readonly at: string; readonly why: string; readonly loggedOut?: true };
  /** From the last time that it ran; absent when that never happened. */
  readonly tools?: readonly KnownTool[];
}

export interface ServerFacts extends ListedServer {
  /** Of its environment, or of the headers that are sent: names, never values. */
  readonly given: readonly {
    readonly name: string;
    readonly from?: readonly { readonly variable: string; readonly set: boolean }[];
  }[];
  readonly sandbox?: readonly string[];
  readonly options: readonly string[];
  readonly login?: string;
}

export interface AddedServer {
  readonly file: string;
  readonly scope: ServerScope;
  readonly setting: ServerSetting;
  readonly notes: readonly string[];
}

export interface ServerTest {
  readonly status: ServerStatus;
  readonly tools: readonly KnownTool[];
  readonly changed: readonly ChangedTool[];
  readonly resources: readonly ServerResource[];
  readonly prompts: readonly ServerPrompt[];
  readonly fetches?: string;
  readonly limits?: string;
  readonly problems: readonly string[];
}

export interface LoginOptions extends ServersOf {
  readonly show: (url: string) => void | Promise<void>;
  readonly signal: AbortSignal;
}

export interface SwitchedServer {
  readonly file: string;
  readonly scope: ServerScope;
  readonly changed: boolean;
}

export interface LoginDone {
  readonly kept?: string;
}

export interface ServersOf {
  readonly file?: string;
}

export interface AcceptOptions extends ServersOf {
  readonly tool?: string;
  readonly elicit?: Elicitor;
  readonly signal: AbortSignal;
}

export interface ServerAdmin {
  list(): Promise<Outcome<readonly ListedServer[]>>;
  get(name: string): Promise<Outcome<readonly ServerFacts[]>>;
  shown(setting: StdioServer): Promise<Outcome<readonly string[]>>;
  unshown(setting: ServerSetting, scope: ServerScope): Promise<Outcome<readonly string[]>>;
  /** Fails if the name exists already. */
  add(name: string, setting: ServerSetting, scope: ServerScope): Outcome<AddedServer>;
  addJson(name: string, text: string, scope: ServerScope): Outcome<AddedServer>;
  remove(name: string, scope?: ServerScope): Promise<Outcome<{ readonly file: string; readonly scope: ServerScope }>>;
  switch(name: string, to: { readonly on: boolean; readonly scope?: ServerScope }): Outcome<SwitchedServer>;
  test(
    name: string,
    options: ServersOf & { readonly elicit?: Elicitor; readonly signal: AbortSignal },
  ): Promise<Outcome<ServerTest>>;
  accept(name: string, options: AcceptOptions): Promise<Outcome<readonly ChangedTool[]>>;
  login(name: string, options: LoginOptions): Promise<Outcome<LoginDone>>;
  logout(name: string, options: ServersOf): Promise<Outcome<{ readonly from: readonly string[] }>>;
}

export interface ToolOffers {
  readonly version: number;
  tools(): readonly Tool[];
}

export interface ServerHost extends ToolOffers, Servers {
  status(): readonly ServerStatus[];
  writes(server: string): readonly string[];
  /** How the server is confined, for permission prompts. `undefined` for an unknown server. */
  confinement(server: string): Promise<string | undefined>;
  begin(): void;
  prepare(toolName: string): Promise<void>;
  settled(): Promise<void>;
  endWatch(server: string, uri: string): Promise<void>;
  listPrompts(server: string, signal: AbortSignal): Promise<Outcome<readonly ServerPrompt[]>>;
  close(): Promise<void>;
}

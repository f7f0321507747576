import type { Outcome } from "../codes.ts";
import type { Settings } from "../settings.ts";
import type { Tool } from "../tool.ts";
import type {
  Elicitor,
  ServerEntry,
  ServerPrompt,
  ServerResource,
  ServerSetting,
  ServerStatus,
  Servers,
  StdioServer,
} from "./server.ts";

/**
 * Where a person writes a server down: for themselves in this project, for everybody who works on it, or for themselves
 * in all projects.
 */
export const serverScopes = ["local", "project", "user"] as const;
export type ServerScope = (typeof serverScopes)[number];

export interface KnownTool {
  /** As the server spells it. */
  readonly name: string;
  /** Of name, description and schema as a model would be sent them. */
  readonly bytes: number;
  /** Its server describes it in other words since somebody agreed to it. */
  readonly changed?: true;
}

/** A tool whose definition is another one than was agreed to. */
export interface ChangedTool {
  /** As the server spells it. */
  readonly name: string;
  /** From what was agreed to, to what the server says. */
  readonly diff: string;
}

/** A server that stands in some file, whether or not it has an effect. Nothing was started to find it. */
export interface ListedServer {
  readonly name: string;
  readonly scope: ServerScope | "managed" | "command_line";
  /** Of an entry that can be read. */
  readonly transport?: ServerStatus["transport"];
  /** The command or the address, as written, without what looks like a secret. */
  readonly target?: string;
  readonly origin: string;
  /** `own`: the person's, the company's or the command line's; a project's is trusted or not. */
  readonly trust: "own" | "trusted" | "untrusted";
  readonly inForce: boolean;
  /** Nothing can be started from the entry as it is, whoever agrees. */
  readonly broken?: true;
  /** Its entry switches it off. */
  readonly disabled?: true;
  /** Why it is not in force, or broken. */
  readonly detail?: string;
  /** What is downloaded before it runs, and from where. */
  readonly fetches?: string;
  /** Of an item that somebody may trust. */
  readonly hash?: string;
  /** It did not start when it was tested, or its login was forgotten, and it has not started since. */
  readonly failed?: { readonly at: string; readonly why: string; readonly loggedOut?: true };
  /** From the last time that it ran; absent when that never happened. */
  readonly tools?: readonly KnownTool[];
}

/** Everything about one of them that is no secret. */
export interface ServerFacts extends ListedServer {
  /** Of its environment, or of the headers that are sent: names, never values. */
  readonly given: readonly {
    readonly name: string;
    /** Variables of the person's environment that the value names, with whether they are set. Absent: written out. */
    readonly from?: readonly { readonly variable: string; readonly set: boolean }[];
  }[];
  /** What the sandbox lets a program do, a line each. */
  readonly sandbox?: readonly string[];
  /** What else the entry says, a line each. */
  readonly options: readonly string[];
  /** Of a server somewhere else: where its tokens lie, `none` when there are none. */
  readonly login?: string;
}

export interface AddedServer {
  readonly file: string;
  readonly scope: ServerScope;
  /** As it was written down. */
  readonly setting: ServerSetting;
  /** What a person should know about it. */
  readonly notes: readonly string[];
}

/** What a server answered when it was started to see. All of it is the server's words. */
export interface ServerTest {
  readonly status: ServerStatus;
  readonly tools: readonly KnownTool[];
  /** Calls of these ask again, whatever the rules say, until somebody agrees to them as they are now. */
  readonly changed: readonly ChangedTool[];
  readonly resources: readonly ServerResource[];
  readonly prompts: readonly ServerPrompt[];
  /** What was downloaded before it ran, and from where. */
  readonly fetches?: string;
  /** Of a program that is held by a sandbox: what its entry lets it read, write and reach. */
  readonly limits?: string;
  /** What went wrong on the way without ending it. */
  readonly problems: readonly string[];
}

/** A login that is under way: the address is for the person's browser. */
export interface LoginOptions extends ServersOf {
  readonly show: (url: string) => void | Promise<void>;
  readonly signal: AbortSignal;
}

export interface SwitchedServer {
  readonly file: string;
  readonly scope: ServerScope;
  /** It was like that before where this is false. */
  readonly changed: boolean;
}

export interface LoginDone {
  /** Where the tokens are kept, for people. Absent: the server is content without another login. */
  readonly kept?: string;
}

/** Which servers are meant. */
export interface ServersOf {
  /** Those of this file first, as `gauntlet mcp gateway` is given it; of the project's own, what is trusted. */
  readonly file?: string;
}

export interface AcceptOptions extends ServersOf {
  /** As the server spells it; all that changed when absent. */
  readonly tool?: string;
  readonly elicit?: Elicitor;
  readonly signal: AbortSignal;
}

/** Questions about servers instead of calls of their tools. */
export interface ServerDesk {
  list(): Promise<Outcome<readonly ListedServer[]>>;
  /** Every entry of that name, the one in force first. */
  get(name: string): Promise<Outcome<readonly ServerFacts[]>>;
  /** What a program of the person's own is shown beside the workspace where its entry has no `sandbox.read`. */
  shown(setting: StdioServer): Promise<Outcome<readonly string[]>>;
  /** What the words of an entry there name, and its sandbox does not show its program. */
  unshown(setting: ServerSetting, scope: ServerScope): Promise<Outcome<readonly string[]>>;
  /** Writes it down. Fails when one of that name stands there already. */
  add(name: string, setting: ServerSetting, scope: ServerScope): Outcome<AddedServer>;
  /** The same with an entry in JSON, as descriptions of servers have it. */
  addJson(name: string, text: string, scope: ServerScope): Outcome<AddedServer>;
  /** Takes it out of the only file that has it, or out of the one that is named, and forgets its login. */
  remove(name: string, scope?: ServerScope): Promise<Outcome<{ readonly file: string; readonly scope: ServerScope }>>;
  /** Writes `disabled` into the entry of the only file that has it, or of the one that is named, or takes it out. */
  switch(name: string, to: { readonly on: boolean; readonly scope?: ServerScope }): Outcome<SwitchedServer>;
  /** Starts it as a session would, and ends it again. */
  test(
    name: string,
    options: ServersOf & { readonly elicit?: Elicitor; readonly signal: AbortSignal },
  ): Promise<Outcome<ServerTest>>;
  /** Starts it and agrees to the definitions that changed, or to the one of that tool. Answers with what they were. */
  accept(name: string, options: AcceptOptions): Promise<Outcome<readonly ChangedTool[]>>;
  login(name: string, options: LoginOptions): Promise<Outcome<LoginDone>>;
  /** Forgets the tokens of every entry of that name, in force or not, and says where they lay. */
  logout(name: string, options: ServersOf): Promise<Outcome<{ readonly from: readonly string[] }>>;
}

/** What the desk needs of whoever can really reach servers. */
export interface ServerReach {
  test(
    entry: ServerEntry,
    options: { readonly elicit?: Elicitor; readonly signal: AbortSignal },
  ): Promise<Outcome<ServerTest>>;
  accept(entry: ServerEntry, options: AcceptOptions): Promise<Outcome<readonly ChangedTool[]>>;
  login(entry: ServerEntry, options: LoginOptions): Promise<Outcome<LoginDone>>;
  /** As in `ServerDesk`. */
  shown(setting: StdioServer): Promise<Outcome<readonly string[]>>;
  /** As in `ServerDesk`. */
  unshown(entry: ServerEntry): Promise<Outcome<readonly string[]>>;
  /** The servers of a file that the person names. */
  named(file: string, settings: () => Outcome<Settings>): Outcome<readonly ServerEntry[]>;
  /** What is downloaded before it runs, and from where. */
  fetches(entry: ServerEntry): string | undefined;
  /** Removes its tokens, where it has any. */
  forgetLogin(entry: ServerEntry): Outcome<void>;
  /** Removes its tokens and the packages that were downloaded for it, where it has any. */
  forget(entry: ServerEntry): Outcome<void>;
  /** Where its tokens lie, for people; absent when there are none. */
  loginKept(entry: ServerEntry): string | undefined;
  /** What came of the last test of this entry, or that its login is gone; nothing once it started or was logged in to. */
  lastFailure(entry: ServerEntry): ListedServer["failed"];
  /** What is remembered of the last time that this entry ran. */
  lastKnown(entry: ServerEntry): readonly KnownTool[] | undefined;
}

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

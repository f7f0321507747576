import type { AgentOptions } from "../contract/app/agent.ts";
import type { App, Editing } from "../contract/app/app.ts";
import type { Serving } from "../contract/app/door.ts";
import type { Outcome } from "../contract/codes.ts";

export interface Output {
  /** A person is looking. */
  readonly terminal: boolean;
  readonly colour: boolean;
  /** Width of the terminal; absent where nothing is wrapped or cut. */
  readonly columns?: number;
  /**
   * Settles when more may be written. Rejects with `OutputClosed` when nobody reads any more, and with
   * `OutputFailed` when what was to be written is lost.
   */
  write(text: string): Promise<void>;
}

export type Question = (text: string, signal: AbortSignal) => Promise<string | undefined>;

export interface SampleProject {
  readonly project: string;
  /** For the log of what happens in it. */
  readonly state: string;
  readonly script: string;
  remove(): void;
}

/**
 * What standard input is. `pipe`: a shell's pipe, or a file with something in it. `socket`: what a program gives the
 * programs that it starts, whether or not it writes to it. `none`: a terminal, an empty file, or closed.
 */
export type InputKind = "pipe" | "socket" | "none";

/** What the entry hands to the command line: the process it runs in, and the way to an App. */
export interface Surface {
  readonly version: string;
  readonly cwd: string;
  /** Machine output and nothing else. */
  readonly stdout: Output;
  /** Everything else. */
  readonly stderr: Output;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Asks the person at the terminal for a line; undefined at its end. Absent when there is no person. */
  readonly question?: Question;
  /** The same on the terminal itself, for when standard input holds something else. Absent without a terminal. */
  readonly terminalQuestion?: Question;
  /** Lines of a file, of standard input when no path is given, one after another without holding them all. */
  lines(path?: string): Outcome<Iterable<string>>;
  isDirectory(path: string): boolean;
  exists(path: string): boolean;
  inputKind(): InputKind;
  /** Nothing of the runtime is loaded before this is called. */
  createApp(options: { readonly cwd: string; readonly gauntletHome?: string }): Promise<Outcome<App>>;
  /** A project of these files in a temporary place, with a script for a model beside it. */
  makeSample(files: Readonly<Record<string, string>>, script: string): Outcome<SampleProject>;
  /** A session at the terminal, until the person leaves it. Absent when there is no terminal to draw on. */
  readonly converse?: (
    app: App,
    options: {
      readonly agent: Omit<AgentOptions, "ask" | "onNotice">;
      readonly welcome: readonly string[];
      /** Sent at once. */
      readonly task?: string;
    },
  ) => Promise<Outcome<{ readonly sessionId: string }>>;
  /** A session for clients of a protocol, until they are gone or it is stopped. */
  serve(app: App, serving: Serving): Promise<Outcome<void>>;
  /** Sessions for an editor on standard input and output, until it goes away or it is stopped. Rejects as `write` does. */
  edit(editing: Omit<Editing, "version" | "input" | "write" | "openApp">): Promise<Outcome<void>>;
  /** Told once; a second signal ends the process. Gives the way to stop listening. */
  onInterrupt(listener: (signal: string) => void): () => void;
}

/** The reader of our output went away: an end, not a failure. */
export class OutputClosed extends Error {
  constructor() {
    super("The output was closed.");
  }
}

/** The output could not take what was written, for example because its disk is full. */
export class OutputFailed extends Error {
  constructor(reason: string) {
    super(`standard output cannot be written: ${reason}`);
  }
}

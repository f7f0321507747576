import type { AgentOptions } from "../contract/app/agent.ts";
import type { App, Editing } from "../contract/app/app.ts";
import type { Serving } from "../contract/app/door.ts";
import type { Outcome } from "../contract/codes.ts";

export interface Output {
  readonly terminal: boolean;
  readonly colour: boolean;
  readonly columns?: number;
  /** Settles when more may be written. Rejects with `OutputClosed` without a reader, with `OutputFailed` if text is lost. */
  write(text: string): Promise<void>;
}

export type Question = (text: string, signal: AbortSignal) => Promise<string | undefined>;

interface SampleProject {
  readonly project: string;
  readonly state: string;
  readonly script: string;
  remove(): void;
}

export type InputKind = "pipe" | "socket" | "none";

export interface Surface {
  readonly version: string;
  readonly cwd: string;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly question?: Question;
  readonly terminalQuestion?: Question;
  lines(path?: string): Outcome<Iterable<string>>;
  isDirectory(path: string): boolean;
  exists(path: string): boolean;
  inputKind(): InputKind;
  /** Nothing of the runtime is loaded before this is called. */
  createApp(options: { readonly cwd: string; readonly gauntletHome?: string }): Promise<Outcome<App>>;
  makeSample(files: Readonly<Record<string, string>>, script: string): Outcome<SampleProject>;
  readonly converse?: (
    app: App,
    options: {
      readonly agent: Omit<AgentOptions, "ask" | "onNotice">;
      readonly welcome: readonly string[];
      readonly task?: string;
    },
  ) => Promise<Outcome<{ readonly sessionId: string }>>;
  serve(app: App, serving: Serving): Promise<Outcome<void>>;
  edit(editing: Omit<Editing, "version" | "input" | "write" | "openApp">): Promise<Outcome<void>>;
  /** Told once; a second signal ends the process. Gives the way to stop listening. */
  onInterrupt(listener: (signal: string) => void): () => void;
}

export class OutputClosed extends Error {
  constructor() {
    super("The output was closed.");
  }
}

export class OutputFailed extends Error {
  constructor(reason: string) {
    super(`standard output cannot be written: ${reason}`);
  }
}

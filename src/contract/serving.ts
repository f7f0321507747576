import type { DoorOptions } from "./door.ts";
import type { ServerStatus } from "./server.ts";

/** Where a protocol is served, and to whom. */
export interface ServingAddress {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** Names under which clients may ask, beside those of this machine. */
  readonly names: readonly string[];
  /** Environment variable with the token. Absent: one is made up. */
  readonly tokenEnv?: string;
}

/** A session for clients of the Model Context Protocol. */
export interface Serving {
  /** What clients are told that it is. */
  readonly name: string;
  readonly instructions: string;
  readonly door: DoorOptions;
  /**
   * A file of servers beside those of the settings, as many programs write it. The project's own brings only what of it
   * is trusted.
   */
  readonly serversFile?: string;
  /** Absent: one client on standard input and output. */
  readonly address?: ServingAddress;
  readonly stop: AbortSignal;
  /** Told when a server, or while it is ready something of it, cannot be used, and again when that is for another reason. */
  readonly onTrouble?: (status: ServerStatus) => void;
  /** Told of a request over HTTP that could not be answered, which is a bug; not again while it is the same one. */
  readonly onFailure?: (what: string) => void;
  /** Told once, when clients can come. The token is there only when it was made up. */
  readonly onReady: (ready: {
    readonly session: string;
    readonly url?: string;
    readonly token?: string;
    /** What of the file of servers is not used. */
    readonly notices?: readonly string[];
  }) => Promise<void>;
}

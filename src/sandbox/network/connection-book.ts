import type { Connection } from "../../contract/network.ts";

/** What is known of a connection when it is over. */
export interface ConnectionEnd {
  readonly outcome: Connection["outcome"];
  readonly reason?: string;
  readonly address?: string;
  readonly decidedBy?: string;
  readonly socket?: { readonly bytesWritten: number; readonly bytesRead: number };
}

/** Tells about every connection of a command once. Each is an event in a log, so there is an end to them. */
export class ConnectionBook {
  readonly #most: number;
  readonly #tell: (connection: Connection) => void;
  #made = 0;

  constructor(most: number, tell: (connection: Connection) => void) {
    this.#most = most;
    this.#tell = tell;
  }

  /** `undefined` when there were too many already. The first one too many is told. */
  begin({ host, port }: Pick<Connection, "host" | "port">): { end(how: ConnectionEnd): void } | undefined {
    this.#made += 1;
    if (this.#made > this.#most + 1) return undefined;
    const startedAt = new Date().toISOString();
    const end = ({ socket, ...how }: ConnectionEnd) => {
      const bytes = { bytesUp: socket?.bytesWritten ?? 0, bytesDown: socket?.bytesRead ?? 0 };
      this.#tell({ host, port, ...how, ...bytes, startedAt, endedAt: new Date().toISOString() });
    };
    if (this.#made <= this.#most) return { end };
    end({ outcome: "refused", reason: `the command made more than ${this.#most} connections` });
    return undefined;
  }

  /** Nobody was asked. Without a target it never became clear where it should lead. */
  refuse(target: Pick<Connection, "host" | "port"> | undefined, reason: string): void {
    this.begin(target ?? { host: "?", port: 0 })?.end({ outcome: "refused", reason });
  }
}

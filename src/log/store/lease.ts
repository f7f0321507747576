import type { DatabaseSync } from "node:sqlite";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Clock, Ids } from "../../contract/ids.ts";
import { livenessOf, type ProcessIdentity } from "../process-identity.ts";
import { transact } from "./database.ts";

/** Renewed after a third of this time. */
export const leaseTermMs = 30_000;

/** The process that may append. `token` grows with every lease, so a writer that lost its lease is detected. */
export interface Lease {
  readonly token: number;
  readonly owner: string;
  readonly holder: ProcessIdentity;
  readonly expires: number;
  readonly released: boolean;
}

export function readLease(database: DatabaseSync): Lease | undefined {
  const row = database.prepare("SELECT token, owner, pid, started, machine, expires, released FROM lease").get();
  if (row === undefined) return undefined;
  return {
    token: Number(row.token),
    owner: String(row.owner),
    holder: { pid: Number(row.pid), started: String(row.started), machine: String(row.machine) },
    expires: Number(row.expires),
    released: row.released === 1,
  };
}

/** `abandoned`: the holder died or did not renew it in time. */
export function leaseStanding(lease: Lease | undefined, now: number): "free" | "held" | "abandoned" {
  if (lease === undefined || lease.released) return "free";
  return lease.expires <= now || livenessOf(lease.holder) === "dead" ? "abandoned" : "held";
}

export function takeLease(
  database: DatabaseSync,
  { ids, clock, process }: { readonly ids: Ids; readonly clock: Clock; readonly process: ProcessIdentity },
): Outcome<number> {
  const now = clock.now();
  return transact(database, () => {
    const lease = readLease(database);
    if (lease !== undefined && leaseStanding(lease, now) === "held") {
      const { pid } = lease.holder;
      return fail("log_unavailable", `The session is open elsewhere, in process ${pid}.`, {
        recovery: "Use it there (in a terminal: /undo, /quit), or end that process. It can still be read.",
      });
    }
    const token = (lease?.token ?? 0) + 1;
    const { pid, started, machine } = process;
    database
      .prepare("INSERT OR REPLACE INTO lease VALUES (1, ?, ?, ?, ?, ?, ?, 0)")
      .run(token, ids.next("lse"), pid, started, machine, now + leaseTermMs);
    return ok(token);
  });
}

export function releaseLease(database: DatabaseSync, token: number): boolean {
  return database.prepare("UPDATE lease SET released = 1 WHERE token = ?").run(token).changes === 1;
}

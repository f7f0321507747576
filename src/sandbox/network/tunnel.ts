import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Copies in both directions, each side closing for itself. Settles when both are closed. */
export async function tunnel(client: Duplex, upstream: Socket, head: Buffer): Promise<void> {
  if (head.length > 0) upstream.write(head);
  await Promise.all([copy(client, upstream), copy(upstream, client)]);
}

function copy(from: Duplex, to: Duplex): Promise<void> {
  return new Promise((resolve) => {
    from.on("error", () => to.destroy());
    from.once("close", () => {
      // An end was passed on by the pipe; without one the connection was cut, and the other side has to learn it.
      if (!from.readableEnded) to.destroy();
      resolve();
    });
    from.pipe(to);
    if (from.destroyed) {
      to.destroy();
      resolve();
    }
  });
}

import type { Door } from "../../contract/door.ts";
import type { ServerStatus } from "../../contract/server.ts";

/** Says what of a server is not offered, and why; without a reason, that all of it is. */
export type TellTrouble = (server: string, what: string, why: string | undefined) => void;

/** Once for each reason, until there is none. A server that does not run is told of by whoever starts it. */
export function tellTroubleOnce(
  door: () => Pick<Door, "servers">,
  onTrouble: (status: ServerStatus) => void,
): TellTrouble {
  const told = new Map<string, string>();
  return (server, what, why) => {
    const key = `${server} ${what}`;
    const status = door()
      .servers()
      .find(({ name }) => name === server);
    if (why === undefined) told.delete(key);
    if (why === undefined || status?.state !== "ready" || told.get(key) === why) return;
    told.set(key, why);
    onTrouble({ ...status, detail: `Of its ${what}, ${why}` });
  };
}

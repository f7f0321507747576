import type { Door } from "../../contract/app/door.ts";
import type { ServerStatus } from "../../contract/server/server.ts";

/** Says what of a server is not offered, and why; without a reason, that all of it is. */
export type TellTrouble = (server: string, what: string, why: string | undefined) => void;

/** Each trouble is told once, until it is over or there is another reason for it. */
export function tellTroubleOnce(
  door: () => Pick<Door, "servers">,
  onTrouble: (status: ServerStatus) => void,
): {
  /** A server came, went, or cannot be used. */
  readonly changed: (status: ServerStatus) => void;
  /** Of a server that runs. */
  readonly tell: TellTrouble;
} {
  const told = new Map<string, string>();

  function once(key: string, why: string, status: ServerStatus): void {
    if (told.get(key) === why) return;
    told.set(key, why);
    onTrouble(status);
  }

  return {
    changed(status) {
      const { name, state, detail = "" } = status;
      if (state === "ready") told.delete(name);
      if (state === "failed" || state === "needs_login") once(name, detail, status);
    },
    tell(server, what, why) {
      const key = `${server} ${what}`;
      if (why === undefined) return void told.delete(key);
      const status = door()
        .servers()
        .find(({ name }) => name === server);
      if (status?.state === "ready") once(key, why, { ...status, detail: `Of its ${what}, ${why}` });
    },
  };
}

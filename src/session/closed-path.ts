import type { SessionLog } from "../contract/store.ts";
import { classifyPath } from "../effects/classify-path.ts";

/** Whether nobody may read what is there, which then is not kept either. */
export function isClosed(session: {
  readonly log: Pick<SessionLog, "state">;
  readonly home: string;
  readonly stateDirectory: string;
}): (path: string) => boolean {
  const { log, home, stateDirectory } = session;
  const places = { roots: log.state.roots, home, stateDirectory };
  return (path) => {
    const found = classifyPath(path, places);
    return found === "secret" || found === "state";
  };
}

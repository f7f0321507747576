import type { SessionLog } from "../contract/store.ts";
import { classifyPath, type PathPlaces } from "../effects/classify-path.ts";

interface PathView extends Omit<PathPlaces, "roots"> {
  readonly log: Pick<SessionLog, "state">;
}

/** What a path is judged by. */
export function pathPlaces({ log, home, scratch, stateDirectory, standing }: PathView): PathPlaces {
  const { roots } = log.state;
  return { roots, home, stateDirectory, ...(scratch && { scratch }), ...(standing && { standing }) };
}

/** Whether nobody may read what is there, which then is not kept either. */
export function isClosed(session: PathView): (path: string) => boolean {
  const places = pathPlaces(session);
  return (path) => {
    const found = classifyPath(path, places);
    return found === "secret" || found === "state";
  };
}

import { ownSkills } from "../contract/app/skill.ts";
import type { ChangedFile } from "../contract/changes.ts";
import { isInsideAny } from "../contract/effect.ts";
import type { PathClass } from "../contract/gate.ts";
import type { Metadata } from "../contract/ports.ts";
import type { SessionLog } from "../contract/store.ts";
import { classifyPath, describeClass, type PathPlaces } from "../effects/classify-path.ts";
import type { PrivatePath } from "../observation/observation-input.ts";

export interface PathView {
  readonly log: Pick<SessionLog, "state">;
  readonly places: Omit<PathPlaces, "roots">;
}

export function pathPlaces({ log, places }: PathView): PathPlaces {
  const { home, stateDirectory, scratch, standing } = places;
  return { roots: log.state.roots, home, stateDirectory, scratch, standing };
}

/** Whether the path is closed to every reader; then no copy of it is kept either. */
export function isClosed(session: PathView): (path: string) => boolean {
  const places = pathPlaces(session);
  return (path) => {
    const found = classifyPath(path, places);
    return found === "secret" || found === "state";
  };
}

/** The runtime's state is hidden. Scripts of the user's own skills are run by their path. */
export function privatePaths(stateDirectory: string): readonly PrivatePath[] {
  return [{ path: stateDirectory, shown: "<gauntlet state>", except: ownSkills(stateDirectory) }];
}

/** Lockfiles and hidden directories change with every other build, so they are left out. */
const reported: Readonly<Partial<Record<PathClass, string>>> = {
  protected: "protected",
  secret: "secret",
  committed: "secret",
  state: "closed",
};

/** The files that every commit writes. Git neither runs nor follows any of them. */
const bookkeeping =
  /\/\.git\/(?:worktrees\/[^/]+\/)?(?:index|HEAD|[A-Z]+_HEAD|COMMIT_EDITMSG|MERGE_MSG|packed-refs|logs(?:\/|$)|refs(?:\/|$)|objects(?:\/(?!info\/)|$))/;

export function isBookkeeping(path: string): boolean {
  return bookkeeping.test(path);
}

/** Why a user should know of a change that a command made, whether or not the command declared it. */
export function notableChange(
  session: PathView & { readonly places: { readonly metadata: Metadata } },
): (change: ChangedFile) => string | undefined {
  const places = pathPlaces(session);
  const ofPath = (path: string) => {
    const found = isBookkeeping(path) ? undefined : classifyPath(path, places);
    const word = found && reported[found];
    return word && `${word}: ${describeClass(path) ?? "state of Gauntlet"}`;
  };
  // Git never follows a link to an object. Outside the workspace only a linked worktree's repository is writable.
  const isOfGit = (path: string) =>
    (path.includes("/.git/") || !isInsideAny(path, places.roots)) && !path.includes("/objects/");
  return ({ path, to = path, stat }) => {
    const isLink = isOfGit(to) && session.places.metadata.lstat(to)?.kind === "symlink";
    const link = isLink ? "a link among git's own files that git would write through" : undefined;
    const names = stat !== undefined && stat.links > 1 ? "it has other hard links, which changed too" : undefined;
    return [link ?? ofPath(path) ?? ofPath(to), names].filter((reason) => reason !== undefined).join("; ") || undefined;
  };
}

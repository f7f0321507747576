import { ownSkills } from "../contract/app/skill.ts";
import type { ChangedFile } from "../contract/changes.ts";
import { isInsideAny } from "../contract/effect.ts";
import type { PathClass } from "../contract/gate.ts";
import type { Metadata } from "../contract/ports.ts";
import type { SessionLog } from "../contract/store.ts";
import { classifyPath, describeClass, type PathPlaces } from "../effects/classify-path.ts";
import type { PrivatePath } from "../observation/observation-input.ts";

/** Lockfiles and what lies in hidden directories change with every other build: told there, nobody would read it. */
const told: Readonly<Partial<Record<PathClass, string>>> = {
  protected: "protected",
  secret: "secret",
  committed: "secret",
  state: "closed",
};

/** What every commit writes. Nothing of it is run or followed. */
const bookkeeping =
  /\/\.git\/(?:worktrees\/[^/]+\/)?(?:index|HEAD|[A-Z]+_HEAD|COMMIT_EDITMSG|MERGE_MSG|packed-refs|logs(?:\/|$)|refs(?:\/|$)|objects(?:\/(?!info\/)|$))/;

export function isBookkeeping(path: string): boolean {
  return bookkeeping.test(path);
}

/**
 * Something that git writes by its name. It never follows a link to an object. Outside of the workspace a command
 * writes only the repository that a linked worktree belongs to.
 */
function isOfGit(path: string, roots: readonly string[]): boolean {
  return (path.includes("/.git/") || !isInsideAny(path, roots)) && !path.includes("/objects/");
}

/** One that could not be removed. */
const linkOfGit = "a link among git's own files, which git would write through";

/** Why a person should know of a change that a command made, whether or not it said so. */
export function notableChange(
  session: Parameters<typeof pathPlaces>[0] & { readonly metadata: Metadata },
): (change: ChangedFile) => string | undefined {
  const places = pathPlaces(session);
  const ofPath = (path: string) => {
    if (isBookkeeping(path)) return undefined;
    const found = classifyPath(path, places);
    const word = found === undefined ? undefined : told[found];
    return word === undefined ? undefined : `${word}: ${describeClass(path) ?? "state of this runtime"}`;
  };
  return ({ path, to, stat }) => {
    const isLink = isOfGit(to ?? path, places.roots) && session.metadata.lstat(to ?? path)?.kind === "symlink";
    const kept = isLink ? linkOfGit : (ofPath(path) ?? (to === undefined ? undefined : ofPath(to)));
    const names = stat !== undefined && stat.links > 1 ? "it has other names, which changed with it" : undefined;
    const reasons = [kept, names].filter((reason) => reason !== undefined);
    return reasons.length === 0 ? undefined : reasons.join("; ");
  };
}

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

/** Our state is nobody's business. Skills of the person's own have scripts, which are run by their path. */
export function privatePaths(stateDirectory: string): readonly PrivatePath[] {
  return [{ path: stateDirectory, shown: "<gauntlet state>", except: ownSkills(stateDirectory) }];
}

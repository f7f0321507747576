import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { inside, openDirectory } from "../host/descriptor.ts";
import { errnoOf, failureOf, Refused, shown } from "../host/failure.ts";
import type { Placeholder } from "./closed-paths.ts";
import { withRightsTo } from "./lent-rights.ts";
import { abandonedClaims, claimedNow, claimedOnce, PlaceholderClaims } from "./placeholder-claims.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * The sticky bit on something that nobody may write: no real entry of a workspace has it, and it is there from the
 * first moment on, so that a runtime killed at any time leaves nothing that a later one does not recognise.
 */
const sticky = 0o1000;
const fileMode = sticky | 0o444;
const directoryMode = sticky | 0o555;

/** Git refuses a repository in which this file is empty. A dot says that nothing is shared with another one. */
const contents: ReadonlyMap<string, string> = new Map([["commondir", ".\n"]]);

export interface HeldPlaceholders {
  /** Names that we could not take, and that no command of the same user can take either, whatever it does. */
  readonly impossible: ReadonlySet<string>;
  readonly giveBack: () => void;
}

/**
 * Empty stand-ins for protected names that nobody uses yet. Commands that run at the same time share them, also those
 * of another runtime.
 */
export class Placeholders {
  readonly #held = new Map<string, number>();
  /** Still there although nobody needs them. They stay ours, and are tried again. */
  readonly #left = new Set<string>();
  readonly #directory: string | undefined;
  #claims: PlaceholderClaims | undefined;

  /** `claims` is where runtimes tell each other what they need; without it there is no other one in the workspace. */
  constructor(claims?: string) {
    this.#directory = claims;
  }

  hold(wanted: readonly Placeholder[]): Outcome<HeldPlaceholders> {
    if (wanted.length === 0) return ok({ impossible: new Set(), giveBack: () => {} });
    try {
      if (this.#directory !== undefined) this.#claims ??= new PlaceholderClaims(this.#directory);
      this.#claims?.set([...this.#ours(), ...wanted.map(({ path }) => path)]);
    } catch (error) {
      return { ok: false, failure: failureOf(error, "The place where runtimes tell each other what they need") };
    }
    const impossible = new Set<string>();
    const taken: string[] = [];
    for (const placeholder of wanted) {
      const { path } = placeholder;
      const made = make(placeholder);
      if (!made.ok) {
        this.#giveBack(taken);
        return made;
      }
      if (made.value === "impossible") impossible.add(path);
      else {
        taken.push(path);
        this.#held.set(path, (this.#held.get(path) ?? 0) + 1);
      }
    }
    return ok({ impossible, giveBack: () => this.#giveBack(taken) });
  }

  #ours(): readonly string[] {
    return [...this.#held.keys(), ...this.#left];
  }

  #giveBack(taken: readonly string[]): void {
    const unused = new Set(this.#left);
    for (const path of taken) {
      const uses = (this.#held.get(path) ?? 1) - 1;
      if (uses > 0) this.#held.set(path, uses);
      else {
        this.#held.delete(path);
        unused.add(path);
      }
    }
    this.#left.clear();
    // Given up before we look: of two that end together at least one sees that nobody is left.
    this.#claim();
    const needed = this.#claims?.ofOthers() ?? (() => false);
    for (const path of unused) if (!this.#held.has(path) && !needed(path) && !remove(path)) this.#left.add(path);
    if (this.#left.size > 0) this.#claim();
    if (this.#directory !== undefined) removeAbandoned(this.#directory);
  }

  /** A claim that cannot be written claims too much: then others keep what they could remove. */
  #claim(): void {
    try {
      this.#claims?.set(this.#ours());
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }
}

export function isPlaceholder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && isOurs(stats, path);
}

/** For a look at the workspace: is it there only because a runtime keeps its name free, or did until it was killed? */
export function standsIn(claims: string): (path: string, mode: number) => boolean {
  return (path, mode) => hasOurMode(mode) && isPlaceholder(path) && claimedOnce(claims)(path);
}

/** What runtimes that were killed left, wherever that is, unless one that lives needs it. */
export function removeAbandoned(claims: string): void {
  const abandoned = abandonedClaims(claims);
  if (abandoned.length === 0) return;
  const needed = claimedNow(claims);
  for (const { paths, forget } of abandoned) {
    const stay = paths.filter((path) => needed(path) || !remove(path));
    // A look passes over it for as long as it is known whose it was.
    if (stay.length === 0) forget();
  }
}

function isOurs(stats: Stats, path: string): boolean {
  if (!hasOurMode(stats.mode)) return false;
  return stats.isFile() ? stats.size === 0 || stats.size === contentOf(path).length : stats.isDirectory();
}

function hasOurMode(mode: number): boolean {
  return (mode & 0o7000) === sticky && (mode & 0o222) === 0;
}

/** The workspace may be under the hands of another command: never through a link. */
function make({ path, kind }: Placeholder): Outcome<"taken" | "impossible"> {
  let directory: number | undefined;
  try {
    directory = openDirectory(dirname(path));
    const at = inside(directory, basename(path));
    if (kind === "directory") mkdirSync(at, directoryMode);
    else makeFile(at, contentOf(path));
    return ok("taken");
  } catch (error) {
    const errno = errnoOf(error);
    // Somebody else has the name, and the mount that follows covers what is there.
    if (errno === "EEXIST") return ok("taken");
    const foreign = directory !== undefined && fstatSync(directory).uid !== process.geteuid?.();
    if (errno === "EROFS" || (errno === "EACCES" && foreign)) return ok("impossible");
    return notTaken(path, error);
  } finally {
    if (directory !== undefined) closeSync(directory);
  }
}

/** A command that ran without it could make the name its own, if need be after it has put the reason right. */
function notTaken(path: string, error: unknown): Outcome<never> {
  const directory = shown(dirname(path));
  const reasons: Readonly<Record<string, readonly [string, string]>> = {
    EACCES: [`${directory} is yours, but may not be written`, `Let yourself write there: chmod u+wx ${directory}.`],
    ENOSPC: ["its file system has no room left", "Make room on it: for bytes, or for files when there are too many."],
    EDQUOT: ["the disk quota is used up", "Remove what is not needed any more."],
  };
  const [why, recovery] = reasons[errnoOf(error) ?? ""] ?? [
    failureOf(error, path).message,
    "Look at it and try again.",
  ];
  return fail(
    "runtime_precondition_failed",
    `${shown(path)} has to stay free while a command may write, and its name could not be taken: ${why}. Nothing was run.`,
    { happened: "nothing", recovery: `${recovery} Commands that only read still run.` },
  );
}

function makeFile(at: string, content: string): void {
  const descriptor = openSync(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, fileMode);
  try {
    if (content !== "") writeSync(descriptor, content);
  } catch (error) {
    unlinkSync(at);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function contentOf(path: string): string {
  return contents.get(basename(path)) ?? "";
}

/** Somebody else has the name, or its directory: nothing of ours is there. */
const gone = new Set(["ENOENT", "ENOTDIR", "ENOTEMPTY", "ELOOP"]);

/** Only while it still is what we put there. False when that could not be removed. */
function remove(path: string): boolean {
  try {
    withRightsTo(dirname(path), () => removeOnce(path));
    return true;
  } catch (error) {
    if (error instanceof Refused) return true;
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return gone.has(errno);
  }
}

function removeOnce(path: string): void {
  const directory = openDirectory(dirname(path));
  try {
    const at = inside(directory, basename(path));
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats === undefined || !isOurs(stats, path)) return;
    if (stats.isDirectory()) rmdirSync(at);
    else unlinkSync(at);
  } finally {
    closeSync(directory);
  }
}

import { z } from "zod";
import { lazy } from "../base/async.ts";

/** A path as a permission object: what was written, and what the kernel would reach. */
export const pathRef = lazy(() =>
  z.object({
    written: z.string(),
    /** Absolute. Symbolic links of the deepest existing ancestor are followed. */
    resolved: z.string(),
    kind: z.enum(["file", "directory", "missing", "special"]),
    /** More than one name leads to this file, so its path alone does not bound it. */
    hardLinked: z.exactOptional(z.boolean()),
  }),
);
export type PathRef = z.infer<ReturnType<typeof pathRef>>;

export const fileEffect = lazy(() =>
  z.object({
    op: z.enum(["read", "list", "write", "delete"]),
    path: pathRef(),
    scope: z.enum(["file", "tree"]),
  }),
);
export type FileEffect = z.infer<ReturnType<typeof fileEffect>>;

/** One thing a call would touch, with its extent. */
export const effect = lazy(() =>
  z.discriminatedUnion("op", [
    fileEffect(),
    z.object({ op: z.literal("exec"), program: z.string(), argv: z.array(z.string()) }),
    z.object({ op: z.literal("connect"), host: z.string(), port: z.exactOptional(z.number()) }),
    z.object({ op: z.literal("call"), server: z.string(), tool: z.string() }),
    z.object({ op: z.literal("delegate"), profile: z.string() }),
    z.object({ op: z.literal("session"), what: z.string() }),
    z.object({ op: z.literal("unknown"), why: z.string() }),
  ]),
);
export type Effect = z.infer<ReturnType<typeof effect>>;

export function isFileEffect(candidate: Effect): candidate is FileEffect {
  return candidate.op === "read" || candidate.op === "list" || candidate.op === "write" || candidate.op === "delete";
}

/** R0 metadata … R5 secrets, escapes, policy and state files. */
export const risk = lazy(() => z.enum(["R0", "R1", "R2", "R3", "R4", "R5"]));
export type Risk = z.infer<ReturnType<typeof risk>>;

/** The program by its own name, then its sub-command, without what may stand in front of it. */
export type PlainForm = readonly PlainWord[];

/** A word, or what only the running shell knows: one word, or with `many` any number of them. */
export type PlainWord = string | { readonly many: boolean };

/** One of the words of a command that only the running shell knows. */
export interface UnsureWord {
  readonly at: number;
  /** It stays exactly one word. Otherwise names in it fall apart at their blanks. */
  readonly one: boolean;
}

/** One simple command of a shell text, judged by itself. */
export interface EffectPart {
  readonly text: string;
  readonly effects: readonly Effect[];
  readonly reason: string;
  /** What the program would be given, word by word; absent when more than the text decides that. */
  readonly words?: readonly string[];
  /** The same command said plainly, in every way that it may be meant. Refusals look here too; permission never does. */
  readonly alsoAs?: readonly PlainForm[];
  /** Resolved directory that it would run in; absent when that is not certain. */
  readonly cwd?: string;
  /** Words are known only when it runs, or a program is fed: what it does is more than its words, and no rule names it exactly. */
  readonly openEnded?: boolean;
  /** The words that make it open-ended. A number or the name of a commit is none of them. */
  readonly unsure?: readonly UnsureWord[];
  /** It is fed something that the text does not spell out. */
  readonly fed?: boolean;
  /** It is given variables that its words do not show: only a rule that writes the whole text out speaks for it. */
  readonly given?: boolean;
  /** The deleted paths live on under another name. */
  readonly moves?: boolean;
  /** Loses or runs what nobody can look at first: denied unless a saved rule allows it. */
  readonly needsSavedRule?: boolean;
  /** Loses work that nothing else keeps: a person decides, in every mode but bypass. */
  readonly losesWork?: boolean;
  /** What commands inside it would touch if it ran them. Refusals look here; permission never does. */
  readonly mayTouch?: readonly FileEffect[];
}

/** The text that a permit will hold and that alone may run. */
export interface ShellCommand {
  readonly text: string;
  readonly cwd: PathRef;
}

/** What a tool says a call would touch. */
export interface EffectReport {
  readonly effects: readonly Effect[];
  readonly command?: ShellCommand;
  readonly parts?: readonly EffectPart[];
  /** The deleted paths live on under another name. */
  readonly moves?: boolean;
  /** Raises the computed risk, never lowers it. */
  readonly raiseTo?: Risk;
  /** Why it was raised, shown with the verdict. */
  readonly raisedBecause?: string;
  /** It goes on while other calls come: nothing can be judged at its end. */
  readonly background?: true;
  /** A narrower tool that would do the same, from a table. */
  readonly narrower?: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };
}

/** What the runtime itself saw happen. Reads are not observed inside a sandboxed command. */
export const seenEffect = lazy(() =>
  z.object({
    op: z.enum(["read", "write", "delete", "exec", "connect"]),
    target: z.string(),
    change: z.exactOptional(z.enum(["created", "modified", "deleted", "moved"])),
    note: z.exactOptional(z.string()),
  }),
);
export type SeenEffect = z.infer<ReturnType<typeof seenEffect>>;

/**
 * Is `path` the directory `root` or inside it? Both absolute and normalised.
 * Compares whole components: `/srv/app-evil` is not inside `/srv/app`.
 */
export function isInside(path: string, root: string): boolean {
  if (root === "/") return path.startsWith("/");
  return path === root || (path.startsWith(root) && path.charCodeAt(root.length) === 47);
}

/** An empty name, `.` or `..`, or a slash at the end. */
const unclear = /\/\.{0,2}(?:\/|$)/;

/**
 * Is it absolute and normalised? A look at the text tells. Node works paths out letter by letter, and before that code
 * is compiled it takes longer than all else that is done about a file.
 */
export function isNormalised(path: string): boolean {
  return path === "/" || (path.startsWith("/") && !unclear.test(path));
}

export function isInsideAny(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isInside(path, root));
}

/** In the repository around the workspace, but not in what the session was opened for. */
export function isBesideStart(
  path: string,
  { repository, roots }: { readonly repository?: string; readonly roots: readonly string[] },
): boolean {
  const start = roots.filter((root) => root !== repository);
  return repository !== undefined && isInside(path, repository) && !isInsideAny(path, start);
}

/** Showing one of these to a confined program would show more than it was asked for, or hide what it has there of its own. */
const neverShown = new Set("/ /boot /dev /etc /home /opt /proc /run /sys /tmp /usr /var /var/tmp".split(" "));

export function isNeverShown(path: string): boolean {
  return neverShown.has(path);
}

/** A sandbox has its own directory there, so the one of the machine is not shown. */
export function isOwnOfSandbox(path: string): boolean {
  return ownOfSandbox.has(path) || isInsideAny(path, kernelTrees);
}

const ownOfSandbox = new Set("/ /etc /run /tmp /usr /var/tmp".split(" "));

/** Every command is shown these, and the names of what is installed are known to all. */
export function isOfSystem(path: string): boolean {
  return isInsideAny(path, systemTrees);
}

const systemTrees = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];

/** Trees of the kernel's own, of which a confined program has other ones. */
export const kernelTrees: readonly string[] = ["/dev", "/proc", "/sys"];

/** Does this effect cover the file operation on `path`? */
function covers(effect: FileEffect, op: FileEffect["op"], path: string): boolean {
  if (effect.op !== op) return false;
  return effect.scope === "tree" ? isInside(path, effect.path.resolved) : path === effect.path.resolved;
}

/** Why a path is closed that nobody has to name in a rule. */
export const aSecret = "a secret";

/** A path inside a permitted tree that stays closed. */
export interface PathException {
  readonly path: string;
  readonly scope: "file" | "tree";
  readonly reason: string;
  /** The rule that closes it; absent where it is closed to everybody. */
  readonly rule?: string;
  /** A command finds it as it was committed: git would record an empty file as a change. */
  readonly asCommitted?: true;
}

export function isExcepted(path: string, exceptions: readonly PathException[]): boolean {
  return exceptions.some((exception) =>
    exception.scope === "tree" ? isInside(path, exception.path) : path === exception.path,
  );
}

export function permitsFile(
  permit: { readonly effects: readonly Effect[]; readonly exceptions: readonly PathException[] },
  op: FileEffect["op"],
  path: string,
): boolean {
  if (isExcepted(path, permit.exceptions)) return false;
  return permit.effects.some(
    (effect) =>
      (effect.op === "read" || effect.op === "list" || effect.op === "write" || effect.op === "delete") &&
      covers(effect, op, path),
  );
}

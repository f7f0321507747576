import { z } from "zod";
import { lazy } from "../base/async.ts";

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

export type PlainForm = readonly PlainWord[];

/** A word, or what only the running shell knows: one word, or with `many` any number of them. */
export type PlainWord = string | { readonly many: boolean };

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
  /** It runs its input, or a file that only the running shell can name. */
  readonly runsText?: boolean;
  /** It is given variables that its words do not show: only a rule that writes the whole text out speaks for it. */
  readonly given?: boolean;
  readonly moves?: boolean;
  /** Its effect cannot be reviewed first: denied unless a saved rule allows it. */
  readonly needsSavedRule?: boolean;
  /** Loses work that nothing else keeps: a person decides, in every mode but bypass. */
  readonly losesWork?: boolean;
  /** What commands inside it would touch if it ran them. Refusals look here; permission never does. */
  readonly mayTouch?: readonly FileEffect[];
}

export interface ShellCommand {
  readonly text: string;
  readonly cwd: PathRef;
}

export interface EffectReport {
  readonly effects: readonly Effect[];
  readonly command?: ShellCommand;
  readonly parts?: readonly EffectPart[];
  readonly moves?: boolean;
  /** Raises the computed risk, never lowers it. */
  readonly raiseTo?: Risk;
  readonly raisedBecause?: string;
  /** It keeps running beside later calls: nothing can be judged at its end. */
  readonly background?: true;
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

/** Compares whole components of normalised paths: `/srv/app-evil` is not inside `/srv/app`. */
export function isInside(path: string, root: string): boolean {
  if (root === "/") return path.startsWith("/");
  return path === root || (path.startsWith(root) && path.charCodeAt(root.length) === 47);
}

const unclear = /\/\.{0,2}(?:\/|$)/;

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

export function isOwnOfSandbox(path: string): boolean {
  return ownOfSandbox.has(path) || isInsideAny(path, kernelTrees);
}

const ownOfSandbox = new Set("/ /etc /run /tmp /usr /var/tmp".split(" "));

export function isOfSystem(path: string): boolean {
  return isInsideAny(path, systemTrees);
}

/** Programs and libraries of the machine, which every sandbox shows. */
export const systemTrees: readonly string[] = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"],
  ...["/nix/store", "/gnu/store"],
];

export const kernelTrees: readonly string[] = ["/dev", "/proc", "/sys"];

function covers(effect: FileEffect, op: FileEffect["op"], path: string): boolean {
  if (effect.op !== op) return false;
  return effect.scope === "tree" ? isInside(path, effect.path.resolved) : path === effect.path.resolved;
}

export const aSecret = "a secret";

export interface PathException {
  readonly path: string;
  readonly scope: "file" | "tree";
  readonly reason: string;
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

import type { SecretSpan, TextStretch } from "../base/secret-span.ts";
import type { SkillFacts, SkillLibrary } from "./app/skill.ts";
import type { ArtifactRef, ArtifactStore, OutputStream } from "./artifact.ts";
import type { ChangedFile, FileStat, KeptTransactions, SettledChanges, Transaction, ViewSupport } from "./changes.ts";
import type { Failure, Outcome } from "./codes.ts";
import { type FileEffect, isInside, isInsideAny, type PathException, type PathRef } from "./effect.ts";
import type { Baseline } from "./events/fact.ts";
import type { ArtifactId, Clock, InvocationId, JobId } from "./ids.ts";
import type { Connections } from "./network.ts";
import type { Servers } from "./server/server.ts";
import type { MenuEntry } from "./tool-facts.ts";
import type { SandboxProfile } from "./verdict.ts";

export interface FileContent {
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly stat: FileStat;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileStat["kind"];
}

export type Expected = { readonly hash: string } | "absent";

export interface FileWrite {
  readonly path: string;
  readonly content: Uint8Array;
  readonly expect: Expected;
}

/** By resolved path, through verified descriptors: a link that appears later is refused, never followed. */
export interface Files {
  /** Fails with `budget_exceeded` above `maxBytes` (default 64 MiB). Refuses anything but regular files. */
  read(path: string, options?: { readonly maxBytes?: number }): Promise<Outcome<FileContent>>;
  /** `undefined` when nothing is there. Does not follow a final link. */
  stat(path: string): Promise<Outcome<FileStat | undefined>>;
  list(path: string): Promise<Outcome<readonly DirectoryEntry[]>>;
  /** All or nothing. Keeps the mode of an existing file, creates missing parents. `stale_file_baseline` when `expect` does not hold. */
  write(writes: readonly FileWrite[]): Promise<Outcome<readonly ChangedFile[]>>;
  /** Never overwrites. */
  move(from: string, to: string): Promise<Outcome<ChangedFile>>;
  trash(path: string): Promise<Outcome<ChangedFile>>;
}

export interface HostFiles {
  tagged(tag: string): Files;
  /** Removes temporary files that an interrupted write left beside these paths. Returns what was removed. */
  removeLeftovers(tag: string, paths: readonly string[]): readonly string[];
}

/** Never follows a link. `undefined`: nothing is there; any other failure throws. Synchronous. */
export interface Metadata {
  lstat(path: string): FileStat | undefined;
  readlink(path: string): string | undefined;
  readonly realpath?: (path: string) => string | undefined;
  readonly entries?: (path: string) => readonly DirectoryEntry[];
}

export type ObjectKind = "commit" | "tree" | "blob" | "tag";

export interface GitDirectories {
  readonly own: string;
  readonly common: string;
}

export interface GitObjects {
  /** Of a worktree that its repository confirms: anybody can write a `.git` file. */
  linked(tree: string, roots: readonly string[]): GitDirectories | { readonly why: string };
  /** Kinds of all objects whose name starts with these hexadecimal digits. `undefined` when that is not certain. */
  kinds(repository: string, prefix: string): ReadonlySet<ObjectKind> | undefined;
  /** Kinds of everything that the name may mean; with `past`, also before. `undefined` when not certain. */
  named(
    repository: string,
    name: string,
    options: {
      readonly past: boolean;
      readonly own?: string;
    },
  ): ReadonlySet<ObjectKind> | undefined;
}

export interface SpawnRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly profile: SandboxProfile;
  readonly env?: Readonly<Record<string, string>>;
  /** What the program reads on standard input; `open`: what `write` is given. Nothing when absent. */
  readonly stdin?: Uint8Array | "open";
  readonly onStdout: (chunk: Uint8Array) => void | Promise<void>;
  readonly onStderr: (chunk: Uint8Array) => void | Promise<void>;
  readonly connections?: Connections;
  /** Where the profile has a network: a directory for what package managers keep, in place of that for commands. */
  readonly cache?: string;
}

export interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly cwd?: string;
  /** What a command left in its own home, which ends with it: names, without caches. */
  readonly inHome?: readonly string[];
  /** The program could not be started in its sandbox; it did not run. */
  readonly failure?: Failure;
}

export interface RunningProcess {
  readonly pid: number;
  /** Settles after the last output chunk was handled. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** Ends the whole tree: asks first, then forces. Settles when nothing of it is left. */
  kill(): Promise<void>;
  readonly transaction?: Transaction;
  /** For an open standard input. Settles when there is room for more; rejects without a reader. */
  readonly write?: (chunk: Uint8Array) => Promise<void>;
}

export interface SandboxDescription {
  readonly backend: "bubblewrap" | "external" | "none";
  readonly enforces: boolean;
  /** One sentence: what is enforced and what is not. */
  readonly detail: string;
  readonly limits: readonly string[];
}

export interface Sandbox {
  readonly description: SandboxDescription;
  /** Runs `bash --noprofile --norc -c text`; the text goes through byte for byte. */
  shell(text: string, request: Omit<SpawnRequest, "argv">): Outcome<RunningProcess>;
  program(request: Omit<SpawnRequest, "stdin">): Outcome<RunningProcess>;
  views?(): Promise<ViewSupport>;
  readonly kept?: KeptTransactions;
  close?(): Promise<void>;
}

export interface WorkspaceScan {
  /** Does not follow links. Unchanged directories are not asked again, so `matches` must be stable. */
  find(
    root: string,
    matches: (name: string, path: string) => boolean,
    /** `shut`: also unreadable directories that a command of their owner could open. */
    options?: { readonly shut: boolean },
  ): readonly string[];
  snapshot(roots: readonly string[]): ScanSnapshot;
  changes(before: ScanSnapshot, roots: readonly string[]): readonly ChangedFile[];
}

export interface ScanSnapshot {
  readonly at: number;
  /** Inode and mode; of what is not a directory also size, modification time, change time and number of names. */
  readonly entries: ReadonlyMap<string, readonly number[]>;
}

export interface NetworkFacts {
  readonly unreached?: readonly string[];
  /** Nothing here could hold or record its connections. */
  readonly networkOpen?: boolean;
}

export interface CommandResult extends NetworkFacts {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly cwd: string;
  readonly cwdAfter?: string;
  readonly inHome?: readonly string[];
  readonly changed: readonly ChangedFile[];
  readonly settled?: SettledChanges;
  readonly reopened?: string;
  /** Why a command that may write wrote to the workspace itself. */
  readonly direct?: string;
  readonly hidden?: readonly PathException[];
  readonly confined?: { readonly offline: boolean; readonly readOnly: boolean };
  readonly job?: JobId;
  readonly keepsView?: boolean;
}

export type CommandEnd = Pick<CommandResult, "exitCode" | "signal" | "stdout" | "stderr">;

export interface OwnedResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly cut: boolean;
}

export interface Processes {
  /** Runs the text that the permit holds. Takes no text of its own. */
  runPermitted(options: {
    readonly timeoutMs: number;
    /** Moves to the background after this long; 0 starts it there. */
    readonly foregroundMs?: number;
  }): Promise<Outcome<CommandResult>>;
  ripgrep(
    args: readonly string[],
    options: { readonly tree: string; readonly maxBytes: number },
  ): Promise<Outcome<OwnedResult>>;
}

export interface JobStatus extends NetworkFacts {
  readonly id: JobId;
  readonly state: "running" | "ended" | "stopped" | "interrupted";
  readonly command: string;
  readonly startedAt: string;
  readonly exitCode?: number | null;
  readonly signal?: string | null;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly notable?: readonly ChangedFile[];
  readonly settled?: SettledChanges | "waiting";
  readonly unrecorded?: string;
}

export interface Jobs {
  list(): readonly JobStatus[];
  get(id: JobId): JobStatus | undefined;
  wait(id: JobId, timeoutMs: number): Promise<JobStatus | undefined>;
  stop(id: JobId): Promise<Outcome<JobStatus>>;
}

export interface SessionPort {
  baseline(path: string): Baseline | undefined;
  recordBaseline(baseline: Baseline): void;
  forgetBaseline(path: string): void;
  /** For the next command. Returns the directory, or nothing if it was refused. */
  setWorkingDirectory(path: string): string | undefined;
  followSkill(skill: Pick<SkillFacts, "name" | "hash" | "allowedTools">): void;
}

export interface Progress {
  readonly message: string;
  readonly bytes?: number;
  readonly tail?: string;
}

export interface WorkspaceFacts {
  readonly root: string;
  readonly roots: readonly string[];
  readonly cwd: string;
  readonly home: string;
  readonly repository?: string;
  readonly npmRegistry?: { readonly host: string; readonly port?: number };
  readonly scratch?: Scratch;
  readonly ignoreGlobs?: readonly string[];
}

export interface ToolMenu {
  deferred(): readonly MenuEntry[];
  /** Waits shortly for connecting servers. Returns the names of those that are still connecting. */
  arriving(): Promise<readonly string[]>;
  load(names: readonly string[]): void;
}

export interface ToolContext {
  readonly invocationId: InvocationId;
  readonly workspace: WorkspaceFacts;
  readonly files: Files;
  readonly processes: Processes;
  readonly artifacts: Pick<ArtifactStore, "size" | "read"> & {
    keep(content: Uint8Array): Outcome<ArtifactRef>;
  };
  readonly jobs: Jobs;
  readonly menu: ToolMenu;
  readonly servers: Servers;
  readonly skills: SkillLibrary;
  readonly session: SessionPort;
  readonly sandbox: SandboxDescription;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** As in `EffectView`. Links may have changed since: the ports refuse what the permit does not name. */
  resolve(written: string, from?: string): Outcome<PathRef>;
  isClosed(path: string): boolean;
  /** A tool must mark these before it cuts a text: part of a secret cannot be recognised. */
  secretsIn(text: string, stretch?: TextStretch): readonly SecretSpan[];
  progress(update: Progress): void;
}

export interface PreconditionView {
  readonly workspace: WorkspaceFacts;
  resolve(written: string, from?: string): Outcome<PathRef>;
  /** `undefined` outside the roots and for protected secrets, whether or not something is there. */
  facts(path: PathRef): { readonly exists: boolean; readonly stat?: FileStat } | undefined;
  baseline(path: string): Baseline | undefined;
  content(path: string): Promise<Outcome<FileContent>>;
  artifactSize(id: ArtifactId): number | undefined;
  job(id: JobId): JobStatus | undefined;
}

export interface EffectView {
  readonly workspace: WorkspaceFacts;
  /** The path as a permission object. Fails on NUL bytes, `~user` and loops of links. `from` replaces the workspace root. */
  resolve(written: string, from?: string): Outcome<PathRef>;
  /** What a directory holds, for patterns that may match links. Nothing is looked at when absent. */
  readonly entries?: (directory: string) => readonly DirectoryEntry[];
  readonly skills?: Pick<SkillLibrary, "find">;
  readonly gitObjects?: GitObjects;
}

export interface Scratch {
  /** Where they are on the host. No tool names a path in here. */
  readonly directory: string;
  /** Paths below `/tmp` that stay the host's: workspaces, home and state, with everything beside them. */
  readonly kept: readonly string[];
}

const names = ["/tmp", "/var/tmp"] as const;

export function createScratch(directory: string, hostPaths: readonly string[]): Scratch {
  const kept = hostPaths.flatMap((path) =>
    names.filter((name) => isInside(path, name)).map((name) => path.split("/", name.split("/").length + 1).join("/")),
  );
  return { directory, kept };
}

export function scratchPlaces(directory: string): readonly { readonly from: string; readonly path: string }[] {
  return names.map((path) => ({ path, from: `${directory}${path}` }));
}

export function isScratch(path: string, scratch: Scratch | undefined): scratch is Scratch {
  return scratch !== undefined && isInsideAny(path, names) && !isInsideAny(path, scratch.kept);
}

/** A tree that contains a path of the host is not scratch. */
export function isInScratch({ op, path, scope }: FileEffect, scratch: Scratch | undefined): boolean {
  const { resolved } = path;
  if (!isScratch(resolved, scratch)) return false;
  if (op === "read" || op === "list") return true;
  return scope === "file" || !scratch.kept.some((kept) => isInside(kept, resolved));
}

export function hostPath(path: string, scratch: Scratch | undefined): string {
  return isScratch(path, scratch) ? `${scratch.directory}${path}` : path;
}

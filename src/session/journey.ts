import type { ArtifactStore } from "../contract/artifact.ts";
import type { DoorNotice } from "../contract/door.ts";
import type { Gate } from "../contract/gate.ts";
import type { Clock, Ids } from "../contract/ids.ts";
import type {
  ContentKeeper,
  GitObjects,
  HostFiles,
  Metadata,
  Sandbox,
  WorkspaceFacts,
  WorkspaceScan,
} from "../contract/ports.ts";
import type { Settings } from "../contract/settings.ts";
import type { SessionLog } from "../contract/store.ts";
import type { VisibilityContext } from "../contract/tool.ts";
import type { JobTable } from "../execution/jobs.ts";
import type { Scheduler } from "../execution/scheduler.ts";
import type { Registry } from "../registry/registry.ts";
import type { SessionHooks } from "./hooks/session-hooks.ts";
import type { PermissionDesk } from "./permission-desk.ts";

/** What a session is made of, wired once. Every call of the session walks through the same parts. */
export interface Journey {
  readonly log: SessionLog;
  readonly registry: Registry;
  readonly gate: Gate;
  readonly scheduler: Scheduler;
  readonly desk: PermissionDesk;
  /** Absent when nobody set any up. */
  readonly hooks?: SessionHooks;
  readonly jobs: JobTable;
  readonly sandbox: Sandbox;
  readonly files: HostFiles;
  readonly metadata: Metadata;
  readonly gitObjects: GitObjects;
  readonly scan: WorkspaceScan;
  readonly contents: ContentKeeper;
  readonly artifacts: ArtifactStore;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly home: string;
  readonly stateDirectory: string;
  readonly ripgrepPath: string;
  readonly version: string;
  readonly pid: number;
  readonly redact: (text: string) => string;
  readonly notify: (notice: DoorNotice) => void;
  /** Aborts when the user interrupts; a fresh one afterwards. */
  readonly interruption: () => AbortSignal;
}

/** As much of it as a verdict needs. */
export interface Viewpoint
  extends Pick<Journey, "registry" | "gate" | "metadata" | "gitObjects" | "settings" | "home" | "stateDirectory"> {
  readonly log: Pick<SessionLog, "state">;
  readonly sandbox: Pick<Sandbox, "description">;
}

export function workspaceFacts({ log, home, settings }: Pick<Viewpoint, "log" | "home" | "settings">): WorkspaceFacts {
  const { workspace, roots, cwd } = log.state;
  return { root: workspace, roots, cwd, home, ignoreGlobs: settings.ignoreGlobs };
}

export function visibilityContext({ log, sandbox }: Pick<Viewpoint, "log" | "sandbox">): VisibilityContext {
  return {
    mode: log.state.mode,
    phase: log.state.phase,
    sandbox: sandbox.description,
    hasWorkspace: log.state.roots.length > 0,
  };
}

export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

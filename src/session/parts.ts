import type { DoorNotice, DoorOptions, Trial } from "../contract/app/door.ts";
import type { SkillLibrary } from "../contract/app/skill.ts";
import type { ArtifactStore } from "../contract/artifact.ts";
import type { Refusal } from "../contract/codes.ts";
import type { Gate, SecretStanding } from "../contract/gate.ts";
import type { Clock, Ids } from "../contract/ids.ts";
import type { CheckedIntent, ToolIntent } from "../contract/intent.ts";
import type {
  GitObjects,
  HostFiles,
  Metadata,
  Sandbox,
  Scratch,
  ToolContext,
  WorkspaceFacts,
  WorkspaceScan,
} from "../contract/ports.ts";
import type { ServerHost } from "../contract/server/admin.ts";
import type { Settings } from "../contract/settings.ts";
import type { SessionLog } from "../contract/store.ts";
import type { Concurrency, VisibilityContext } from "../contract/tool.ts";
import type { MenuEntry, ToolSource } from "../contract/tool-facts.ts";
import type { JobTable } from "../execution/jobs.ts";
import type { Scheduler } from "../execution/scheduler.ts";
import type { Registry } from "../registry/registry.ts";
import type { SessionHooks } from "./hooks.ts";
import type { PermissionQueue } from "./permission-queue.ts";

/** What a session is made of, wired once. Every call of the session walks through the same parts. */
export interface SessionParts {
  readonly log: SessionLog;
  readonly registry: Registry;
  readonly gate: Gate;
  readonly scheduler: Scheduler;
  readonly desk: PermissionQueue;
  /** Absent when nobody set any up. */
  readonly hooks?: SessionHooks;
  readonly jobs: JobTable;
  /** Absent when the session has none. */
  readonly servers?: ServerHost;
  readonly skills: SkillLibrary;
  /** Puts the menu where programs and people find it as a file. */
  readonly keepCatalogue?: (menuHash: string, menu: () => readonly MenuEntry[]) => void;
  /** What the session's model can take; absent where there is no model, and every tool is at hand. */
  readonly contextTokens?: () => number;
  readonly sandbox: Sandbox;
  readonly files: HostFiles;
  readonly metadata: Metadata;
  readonly gitObjects: GitObjects;
  readonly scan: WorkspaceScan;
  readonly artifacts: ArtifactStore;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly home: string;
  readonly stateDirectory: string;
  /** Absent where commands see the host's `/tmp`. */
  readonly scratch?: Scratch;
  /** Which of the paths with a secret's name are not closed; none when absent. */
  readonly standing?: (path: string) => SecretStanding | undefined;
  readonly ripgrepPath: () => string;
  readonly version: string;
  readonly pid: number;
  readonly redact: (text: string) => string;
  /** Everything in it that is text. */
  readonly redactValue: <Value>(value: Value) => Value;
  readonly secretsIn: ToolContext["secretsIn"];
  /** Writes over known secrets in what a program printed. */
  readonly mask?: (bytes: Buffer) => void;
  readonly notify: (notice: DoorNotice) => void;
  /** Commands are only tried. */
  readonly changes?: DoorOptions["changes"];
  /** Nothing runs: the changes of an earlier command are judged. */
  readonly kept?: Trial["kept"];
  /** Aborts when the user interrupts; a fresh one afterwards. */
  readonly interruption: () => AbortSignal;
}

/** As much of it as a verdict needs. */
export interface VerdictParts
  extends Pick<
    SessionParts,
    | "changes"
    | "kept"
    | "registry"
    | "gate"
    | "metadata"
    | "gitObjects"
    | "settings"
    | "home"
    | "stateDirectory"
    | "scratch"
    | "standing"
    | "contextTokens"
  > {
  readonly log: Pick<SessionLog, "state">;
  readonly skills?: SkillLibrary;
  /** Absent where no server could be asked. */
  readonly servers?: Pick<ServerHost, "confinement">;
  readonly sandbox: Pick<Sandbox, "description" | "views">;
}

export function workspaceFacts(view: Pick<VerdictParts, "log" | "home" | "settings" | "scratch">): WorkspaceFacts {
  const { home, log, scratch, settings } = view;
  const { workspace, roots, cwd } = log.state;
  const { ignoreGlobs, npmRegistry, repository } = settings;
  return {
    ...{ root: workspace, roots, cwd, home, ignoreGlobs },
    ...(repository !== undefined && roots.includes(repository) ? { repository } : {}),
    ...(npmRegistry && { npmRegistry }),
    ...(scratch && { scratch }),
  };
}

export function visibilityContext(
  view: Pick<VerdictParts, "log" | "sandbox" | "registry" | "settings" | "contextTokens" | "skills">,
  intent?: Pick<ToolIntent, "origin">,
): VisibilityContext {
  const { mode, phase, roots, skill } = view.log.state;
  return {
    mode,
    phase,
    sandbox: view.sandbox.description,
    hasWorkspace: roots.length > 0,
    ...(skill === null ? {} : { skill }),
    ...(view.skills?.some === true ? { hasSkills: true } : {}),
    ...(intent?.origin.source === "person" ? { forPerson: true } : {}),
    ...deferralOf(view),
  };
}

function deferralOf({
  contextTokens,
  log,
  registry,
  settings,
}: Pick<VerdictParts, "log" | "registry" | "settings" | "contextTokens">): Pick<
  VisibilityContext,
  "deferral" | "deferring"
> {
  if (contextTokens === undefined) return {};
  const { deferAbove: above, deferShare: share } = settings.tools;
  const deferral = { loaded: log.state.loadedTools, contextTokens: contextTokens(), above, share };
  return { deferral, deferring: registry.isDeferring(deferral) };
}

export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** What belongs to one walk beside the session's parts. */
export interface CallState {
  readonly session: SessionParts;
  readonly intent: ToolIntent;
  /** Where the tools come from that are known to whoever proposed it. Absent: all are. */
  readonly sources?: readonly ToolSource[];
  /** Characters this call may give to the model, out of the turn's budget. */
  readonly allowance: number;
  /** Aborts when the user interrupts anywhere between the proposal and the end. */
  readonly interruption: AbortSignal;
}

export const cancelledBeforeStart: Refusal = {
  phase: "schedule",
  code: "cancelled",
  message: "The call was cancelled before it started.",
  happened: "nothing",
};

/** A tool that cannot say how it may run runs alone. */
export function laneOf({ tool, input }: Pick<CheckedIntent, "tool" | "input">): Concurrency {
  try {
    return tool.concurrency(input as never);
  } catch {
    return "exclusive";
  }
}

/** A tool that cannot describe its call is shown by its name. */
export function titleOf({ tool, input }: Pick<CheckedIntent, "tool" | "input">): string {
  try {
    return tool.describeCall(input as never);
  } catch {
    return tool.name;
  }
}

import type { CommandTrial, DoorNotice } from "../contract/app/door.ts";
import type { SkillLibrary } from "../contract/app/skill.ts";
import type { ArtifactStore } from "../contract/artifact.ts";
import type { Failure, Outcome } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Gate } from "../contract/gate.ts";
import type { Clock, Ids, RequestId } from "../contract/ids.ts";
import type { IntentInput, ToolIntent } from "../contract/intent.ts";
import type { Remembered } from "../contract/observation.ts";
import type { GitObjects, HostFiles, Metadata, Sandbox, ToolContext, WorkspaceScan } from "../contract/ports.ts";
import type { ServerHost } from "../contract/server/admin.ts";
import type { Settings } from "../contract/settings.ts";
import type { SessionLog } from "../contract/store.ts";
import type { MenuEntry, ToolSource } from "../contract/tool-facts.ts";
import type { PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import type { PathPlaces } from "../effects/classify-path.ts";
import type { JobTable } from "../execution/jobs.ts";
import type { Scheduler } from "../execution/scheduler.ts";
import type { Registry } from "../registry/registry.ts";
import type { SessionHooks } from "./hooks.ts";

export interface SessionParts {
  readonly log: SessionLog;
  readonly settings: Settings;
  readonly gate: Gate;
  readonly requests: PermissionQueue;
  readonly hooks?: SessionHooks;
  readonly tools: SessionTools;
  readonly places: SessionPlaces;
  readonly execution: ExecutionPorts;
  readonly storage: SessionStorage;
  readonly runtime: SessionRuntime;
}

interface SessionTools {
  readonly registry: Registry;
  readonly skills: SkillLibrary;
  readonly servers?: ServerHost;
  /** The limits of the session's model; absent without a model, and then every tool is loaded. */
  readonly contextTokens?: () => number;
  readonly keepCatalogue?: (menuHash: string, menu: () => readonly MenuEntry[]) => void;
}

interface SessionPlaces extends Omit<PathPlaces, "roots"> {
  readonly metadata: Metadata;
  readonly gitObjects: GitObjects;
}

interface ExecutionPorts {
  readonly sandbox: Sandbox;
  readonly scheduler: Scheduler;
  readonly jobs: JobTable;
  readonly files: HostFiles;
  readonly scan: WorkspaceScan;
  readonly ripgrepPath: () => string;
}

interface SessionStorage {
  readonly artifacts: ArtifactStore;
  readonly redact: (text: string) => string;
  readonly redactValue: <Value>(value: Value) => Value;
  readonly secretsIn: ToolContext["secretsIn"];
  /** Redacts known secrets in the output of a program. */
  readonly mask?: (bytes: Buffer) => void;
}

interface SessionRuntime {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly version: string;
  readonly pid: number;
  readonly notify: (notice: DoorNotice) => void;
  readonly interruption: () => AbortSignal;
}

export type RequestEnd =
  | PermissionAnswer
  | (Failure & { readonly code: "approval_expired" | "cancelled" | "approval_unavailable" });

export interface RecordedAnswer {
  readonly answer: PermissionAnswer;
  readonly remembered: Remembered;
}

/** A durable request that any surface can answer: an asker, `door.answer`, a later process. */
export interface PermissionQueue {
  /**
   * Durable before the user is asked, together with the facts `before`. Settles exactly once; fails without an answer.
   * Withdrawn by the interruption, or by the session's if none is given.
   */
  ask(
    request: PermissionRequest,
    before: readonly EventDraft[],
    interruption?: AbortSignal,
  ): Promise<Outcome<RecordedAnswer>>;
  /** Records how a request ended. Saves nothing yet. */
  settle(request: PermissionRequest, end: RequestEnd): Outcome<Remembered>;
  /** Saves the rule of an `always` answer. Only for a call that may still run. */
  keep(request: PermissionRequest, remembered: Remembered): Outcome<Remembered>;
  /** False when no call of this process waits for it. */
  answer(answer: PermissionAnswer): boolean;
  waitsFor(id: RequestId): boolean;
}

export interface VerdictParts extends Pick<SessionParts, "settings" | "gate" | "places"> {
  readonly log: Pick<SessionLog, "state">;
  readonly tools: Pick<SessionTools, "registry" | "contextTokens"> & {
    readonly skills?: SkillLibrary;
    readonly servers?: Pick<ServerHost, "confinement">;
  };
  readonly execution: { readonly sandbox: Pick<Sandbox, "description" | "views"> };
}

export interface CallState {
  readonly session: SessionParts;
  readonly intent: ToolIntent;
  readonly trial: CommandTrial;
  /** The caller knows only tools from these sources; all if absent. */
  readonly sources?: readonly ToolSource[];
  /** Characters that this call may return to the model, out of the turn's budget. */
  readonly allowance: number;
  /** Aborts when the user interrupts anywhere between the proposal and the end. */
  readonly interruption: AbortSignal;
  /** An earlier process asked, and this is the answer. */
  readonly resumed?: RecordedAnswer & { readonly request: PermissionRequest };
}

export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

export function newIntent({ runtime }: Pick<SessionParts, "runtime">, written: IntentInput): ToolIntent {
  const { tool, reason, origin = { source: "program" } } = written;
  const id = written.id ?? runtime.ids.next("int");
  return { id, tool, input: written.input ?? {}, reason, origin, createdAt: timestamp(runtime.clock) };
}

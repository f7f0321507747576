import path from "node:path";
import process from "node:process";
import { createApp } from "./compose/app.ts";
import type { Agent, AgentNotice } from "./contract/app/agent.ts";
import type { App } from "./contract/app/app.ts";
import { type Archive, type ProposedChange, proposedChanges, settledFacts } from "./contract/app/archive.ts";
import type { Door, DoorNotice } from "./contract/app/door.ts";
import type { UndoOptions, UndoReport } from "./contract/app/undo.ts";
import { type Failure, type Outcome, ok } from "./contract/codes.ts";
import type { ClassifierPort } from "./contract/gate.ts";
import type { ModelNeed, Models } from "./contract/model.ts";
import { type Observation, observation } from "./contract/observation.ts";
import type { Elicitor, ServerEntry } from "./contract/server/server.ts";
import type { SettingsFile } from "./contract/settings.ts";
import type { Asker, Mode } from "./contract/verdict.ts";
import type { ToolPackage } from "./registry/admit-package.ts";

export type { Agent, AgentNotice, RunReport } from "./contract/app/agent.ts";
export type { ProjectedMessage, ProposedChange, Replay, VerifyReport } from "./contract/app/archive.ts";
export type { Door, DoorNotice } from "./contract/app/door.ts";
export type { UndoOptions, UndoReport } from "./contract/app/undo.ts";
export { type Code, codes, type Failure, fail, type Outcome, ok, type Phase } from "./contract/codes.ts";
export type { Effect, EffectReport, FileEffect, PathRef, Risk } from "./contract/effect.ts";
export type { Event, EventType } from "./contract/events/index.ts";
export type { RunStop } from "./contract/events/run.ts";
export type { ClassifierPort, GateQuestion } from "./contract/gate.ts";
export type { IntentInput, IntentOrigin, ToolIntent } from "./contract/intent.ts";
export type {
  ModelChain,
  ModelEvent,
  ModelMessage,
  ModelNeed,
  ModelRequest,
  Models,
  ProviderError,
  ProviderRuntime,
  UsableModel,
} from "./contract/model.ts";
export type { ContentBlock, Observation } from "./contract/observation.ts";
export type { EffectView, PreconditionView, ToolContext } from "./contract/ports.ts";
export type {
  Elicitation,
  ElicitationAnswer,
  Elicitor,
  ServerEntry,
  ServerSetting,
  ServerSocket,
  ServerStatus,
} from "./contract/server/server.ts";
export type { RunLimits, SettingsFile } from "./contract/settings.ts";
export type { SessionState } from "./contract/state.ts";
export { defineTool, type RawResult, type Summary, type Tool, type ToolDefinition } from "./contract/tool.ts";
export type { Asker, Explanation, Mode, PermissionAnswer, PermissionRequest, Verdict } from "./contract/verdict.ts";
export type { ToolPackage } from "./registry/admit-package.ts";

export const observationSchema = observation();

export interface GauntletOptions {
  /** The project. Tools work inside it. */
  readonly workspace: string;
  /** Same layer as the command line: overrides the user's and the project's files, below managed policy. */
  readonly settings?: SettingsFile;
  readonly mode?: Mode;
  /** Your own tools. A call needs approval unless a rule allows it. */
  readonly tools?: readonly ToolPackage[];
  /** Decides what rules and hooks leave open, before a user is asked. If it fails or times out, the user is asked. */
  readonly classifier?: ClassifierPort;
  /** Directory for log, artifacts and trash; `GAUNTLET_HOME`, else `~/.gauntlet`. */
  readonly store?: string;
  readonly home?: string;
  /** Continues an earlier session. */
  readonly session?: string;
  /** Without it, a call that needs approval ends as `approval_unavailable`. */
  readonly onAsk?: Asker;
  readonly onNotice?: (notice: DoorNotice) => void;
  /** MCP servers in addition to those of the settings. A call needs approval unless a rule allows it. */
  readonly servers?: readonly ServerEntry[];
  /** Asks a user the questions of MCP servers. Without it, servers are told that no user is available. */
  readonly onElicit?: Elicitor;
}

export interface CreateAgentOptions extends Omit<GauntletOptions, "onNotice"> {
  /** `provider/id` and required features; by default the model of the settings. */
  readonly model?: ModelNeed;
  /** Your own models, instead of those of the settings and the environment. */
  readonly models?: Models;
  readonly onNotice?: (notice: AgentNotice) => void;
}

/** A command that ran on a copy of the workspace. The workspace is not changed yet. */
export interface TriedCommand {
  readonly observation: Observation;
  readonly changes: readonly ProposedChange[];
  /** Asks about changes that the mode does not allow. With paths, applies only those and discards the rest. */
  apply(paths?: readonly string[]): Promise<Observation>;
  discard(): Promise<Outcome<void>>;
}

export interface Gauntlet extends Pick<Door, "call" | "batch" | "explain"> {
  /** The changes are kept until `apply` or `discard`, also after the session: `gauntlet try list` lists them. */
  try(command: string): Promise<TriedCommand>;
  readonly session: Door;
  readonly archive: Archive;
  /** Undoes changes of calls in this session, or reports what that would change. */
  undo(options: Omit<UndoOptions, "session">): Promise<Outcome<UndoReport>>;
  close(): Promise<void>;
}

/** The session could not be opened. `failure` has the code and the recovery. */
export class GauntletError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.recovery === undefined ? failure.message : `${failure.message} ${failure.recovery}`);
    this.name = "GauntletError";
    this.failure = failure;
  }
}

/** Opens a session on a workspace. Rejects with `GauntletError` on failure. */
export async function createGauntlet(options: GauntletOptions): Promise<Gauntlet> {
  const app = appFor(options);
  try {
    const door = unwrap(await app.openDoor({ ...sessionOptions(options), onNotice: options.onNotice }));
    const archive = unwrap(app.archive());
    return {
      call: (intent) => door.call(intent),
      batch: (intents) => door.batch(intents),
      explain: (intent) => door.explain(intent),
      try: (command) => tryCommand(command, { app, door, archive }),
      session: door,
      archive,
      undo: (wanted) => app.undo({ ...wanted, session: door.sessionId }),
      async close() {
        await door.close();
        await app.close();
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function tryCommand(
  command: string,
  { app, door, archive }: { readonly app: App; readonly door: Door; readonly archive: Archive },
): Promise<TriedCommand> {
  const settings = app.settings({});
  // With a deadline of its own it is waited for, and does not move to the background.
  const timeout = settings.ok ? { timeout_ms: settings.value.limits.commandTimeoutMs } : {};
  const intent = { tool: "bash", input: { command, ...timeout } };
  const observation = await door.call(intent, { changes: "keep" });
  const { id } = settledFacts(observation);
  return {
    observation,
    changes: proposedChanges(observation, archive, door.sessionId),
    async apply(paths) {
      if (id === undefined) return observation;
      return door.call(intent, { kept: { id, only: paths?.map((one) => path.resolve(app.workspace, one)) } });
    },
    async discard() {
      const kept = await app.kept();
      if (!kept.ok) return kept;
      return id === undefined ? ok(undefined) : kept.value.discard(id);
    },
  };
}

export interface LibraryAgent extends Agent {
  readonly archive: Archive;
  /** Undoes changes of calls, or reports what that would change. Refused while a message is being processed. */
  undo(options: Omit<UndoOptions, "session">): Promise<Outcome<UndoReport>>;
}

/** Opens a session with a model: its tool calls go through the session. */
export async function createAgent(options: CreateAgentOptions): Promise<LibraryAgent> {
  const { model } = options;
  if (model !== undefined && (typeof model !== "object" || model === null)) {
    const recovery = `Write model: { wanted: "provider/id" }.`;
    throw new GauntletError({ code: "bad_request", message: "model must be an object.", field: "model", recovery });
  }
  const app = appFor(options, options.models);
  try {
    const { onNotice } = options;
    const agent = unwrap(await app.openAgent({ ...sessionOptions(options), by: "program", model, onNotice }));
    const close = async () => {
      await agent.close();
      await app.close();
    };
    const undo: LibraryAgent["undo"] = (wanted) => app.undo({ ...wanted, session: agent.sessionId });
    return Object.defineProperties(
      { ...agent, archive: unwrap(app.archive()), undo, close },
      { chain: { get: () => agent.chain }, isRunning: { get: () => agent.isRunning } },
    );
  } catch (error) {
    await app.close();
    throw error;
  }
}

function appFor(options: Omit<GauntletOptions, "onNotice">, models?: Models): App {
  const { workspace: cwd, home, store: gauntletHome, settings, tools: packages, classifier } = options;
  const environment = process.env;
  return unwrap(createApp({ cwd, environment, home, gauntletHome, settings, packages, classifier, models }));
}

function sessionOptions({ session, mode, onAsk, onElicit, servers }: Omit<GauntletOptions, "onNotice">) {
  return { session, mode, servers, ask: onAsk, elicit: onElicit };
}

function unwrap<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw new GauntletError(outcome.failure);
}

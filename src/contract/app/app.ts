import type { KeptTransactions } from "../changes.ts";
import type { Outcome } from "../codes.ts";
import type { SessionId } from "../ids.ts";
import type { FoundModel, ModelNeed } from "../model.ts";
import type { ServerDesk } from "../server/desk.ts";
import type { Settings } from "../settings.ts";
import type { MenuEntry } from "../tool-facts.ts";
import type { Mode } from "../verdict.ts";
import type { Agent, AgentOptions } from "./agent.ts";
import type { Archive, ReplayEntry, ReplayOptions } from "./archive.ts";
import type { Door, DoorOptions } from "./door.ts";
import type { PolicyDesk, Unanswered } from "./policy.ts";
import type { SkillDesk } from "./skill.ts";
import type { UndoOptions, UndoReport } from "./undo.ts";

export interface DoctorCheck {
  readonly name: string;
  /** `absent`: not there, and nothing needs it. `warning`: something is weaker or cannot be used. `missing`: it is needed. */
  readonly state: "ok" | "absent" | "warning" | "missing";
  readonly detail: string;
  /** The command that mends it. */
  readonly fix?: string;
}

/** What every surface receives from the composition root. */
export interface App {
  readonly version: string;
  readonly workspace: string;
  /** Where a rule goes that a person wants to keep for this project: their own file, never the repository. */
  readonly rulesFile: string;
  openDoor(options: DoorOptions): Promise<Outcome<Door>>;
  /** A session with a model. Fails before anything is recorded when no model can be used. */
  openAgent(options: AgentOptions): Promise<Outcome<Agent>>;
  /**
   * What could be asked without configuration. Looks at the environment and at this machine only; or, where an address
   * is given, there and nowhere else.
   */
  findModels(at?: string): Promise<readonly FoundModel[]>;
  /** Makes it the person's usual model. Gives the file that says so. */
  saveModel(name: string): Outcome<{ readonly file: string }>;
  settings(options: DoorOptions): Outcome<Settings>;
  /** Files of the workspace that a person may want to name, relative. Without secrets. */
  files(): readonly string[];
  /** What a model would be shown: the one that is named, else the usual one. None is asked and no server started. */
  menu(options: DoorOptions & Pick<AgentOptions, "model">): Promise<Outcome<readonly MenuEntry[]>>;
  archive(): Outcome<Archive>;
  /** Takes back what calls changed, or says what that would mean. A person's act: no tool can ask for it. */
  undo(options: UndoOptions): Promise<Outcome<UndoReport>>;
  /** Changes of tried commands that wait to be applied or discarded. Fails where there can be none. */
  kept(): Promise<Outcome<KeptTransactions & { diff(id: string): Promise<Outcome<string>> }>>;
  /** A session step by step, from its log alone. Ends early with a failure where something cannot be read. */
  replay(session: SessionId, options: ReplayOptions): Outcome<Iterable<Outcome<ReplayEntry>>>;
  /** Questions about policies and trust instead of calls. */
  readonly policy: PolicyDesk;
  /** MCP servers: which there are, and whether they answer. */
  readonly servers: ServerDesk;
  /** Skills: which there are here, and what they say. */
  readonly skills: SkillDesk;
  /** What waits for a person of this project. */
  readonly unanswered: Unanswered;
  readonly promptHistory: PromptHistory;
  doctor(options: { readonly fix: boolean }): Promise<readonly DoctorCheck[]>;
  /** What a person should know about the store, also after it was closed; empty as a rule. */
  notices(): readonly string[];
  close(): Promise<void>;
}

/** Sessions for an editor that speaks the Agent Client Protocol on our standard input and output. */
export interface Editing {
  readonly version: string;
  readonly input: AsyncIterable<Uint8Array>;
  /** Settles when more may be written. Rejects when nobody reads any more, or what is written is lost. */
  readonly write: (text: string) => Promise<void>;
  /** Every session has the directory that the editor names. */
  readonly openApp: (directory: string) => Promise<Outcome<App>>;
  /** The directory of whoever started us: sessions are listed from here when the editor names none. */
  readonly directory: string;
  readonly model: ModelNeed;
  readonly mode?: Mode;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly stop: AbortSignal;
}

/** What a person wrote in this project before, for them to take up again. No session and no model reads it. */
export interface PromptHistory {
  /** Oldest first. What cannot be read is as if it were not there. */
  read(): readonly string[];
  /** Secrets in it are kept as the log keeps them: as marks. */
  add(text: string): Outcome<void>;
}

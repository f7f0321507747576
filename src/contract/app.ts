import type { Agent, AgentOptions } from "./agent.ts";
import type { Archive } from "./archive.ts";
import type { Outcome } from "./codes.ts";
import type { Door, DoorOptions } from "./door.ts";
import type { SessionId } from "./ids.ts";
import type { MenuEntry } from "./menu.ts";
import type { FoundModel } from "./model.ts";
import type { PolicyDesk } from "./policy.ts";
import type { PromptHistory } from "./prompt-history.ts";
import type { ReplayEntry, ReplayOptions } from "./replay.ts";
import type { ServerDesk } from "./server-desk.ts";
import type { Settings } from "./settings.ts";
import type { SkillDesk } from "./skill.ts";
import type { KeptTransactions } from "./transaction.ts";
import type { Unanswered } from "./unanswered.ts";
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

import type { KeptTransactions } from "../changes.ts";
import type { Outcome } from "../codes.ts";
import type { SessionId } from "../ids.ts";
import type { FoundModel, ModelNeed } from "../model.ts";
import type { ServerAdmin } from "../server/admin.ts";
import type { Settings } from "../settings.ts";
import type { MenuEntry } from "../tool-facts.ts";
import type { Mode } from "../verdict.ts";
import type { Agent, AgentOptions } from "./agent.ts";
import type { Archive, ReplayEntry, ReplayOptions } from "./archive.ts";
import type { Door, DoorOptions } from "./door.ts";
import type { PolicyAdmin, Unanswered } from "./policy.ts";
import type { SkillCatalog } from "./skill.ts";
import type { UndoOptions, UndoReport } from "./undo.ts";

export interface DoctorCheck {
  readonly name: string;
  readonly state: "ok" | "absent" | "warning" | "missing";
  readonly detail: string;
  readonly fix?: string;
}

export interface App {
  readonly version: string;
  readonly workspace: string;
  /** Where a rule goes that a person wants to keep for this project: their own file, never the repository. */
  readonly rulesFile: string;
  openDoor(options: DoorOptions): Promise<Outcome<Door>>;
  openAgent(options: AgentOptions): Promise<Outcome<Agent>>;
  findModels(at?: string): Promise<readonly FoundModel[]>;
  saveModel(name: string): Outcome<{ readonly file: string }>;
  settings(options: DoorOptions): Outcome<Settings>;
  files(): readonly string[];
  menu(options: DoorOptions & Pick<AgentOptions, "model">): Promise<Outcome<readonly MenuEntry[]>>;
  archive(): Outcome<Archive>;
  undo(options: UndoOptions): Promise<Outcome<UndoReport>>;
  kept(): Promise<Outcome<KeptTransactions & { diff(id: string): Promise<Outcome<string>> }>>;
  replay(session: SessionId, options: ReplayOptions): Outcome<Iterable<Outcome<ReplayEntry>>>;
  readonly policy: PolicyAdmin;
  readonly servers: ServerAdmin;
  readonly skills: SkillCatalog;
  readonly unanswered: Unanswered;
  readonly promptHistory: PromptHistory;
  doctor(options: { readonly fix: boolean }): Promise<readonly DoctorCheck[]>;
  notices(): readonly string[];
  close(): Promise<void>;
}

export interface Editing {
  readonly version: string;
  readonly input: AsyncIterable<Uint8Array>;
  readonly write: (text: string) => Promise<void>;
  readonly openApp: (directory: string) => Promise<Outcome<App>>;
  readonly directory: string;
  readonly model: ModelNeed;
  readonly mode?: Mode;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly stop: AbortSignal;
}

export interface PromptHistory {
  read(): readonly string[];
  add(text: string): Outcome<void>;
}

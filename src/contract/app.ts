import type { Archive } from "./archive.ts";
import type { Outcome } from "./codes.ts";
import type { Door, DoorNotice } from "./door.ts";
import type { SessionId } from "./ids.ts";
import type { PolicyDesk } from "./policy.ts";
import type { Settings } from "./settings.ts";
import type { JsonSchema, Ownership, ToolFamily, ToolRisk, ToolSource } from "./tool.ts";
import type { Asker, Mode } from "./verdict.ts";

/** What a surface may choose for a session; the model may choose none of it. */
export interface DoorOptions {
  readonly session?: SessionId;
  /** Only explanations are wanted: nothing is recorded, and so nothing can run. */
  readonly preview?: boolean;
  readonly mode?: Mode;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly addDirectories?: readonly string[];
  /** Absent: nobody can be asked, and an ask ends as `approval_unavailable`. */
  readonly ask?: Asker;
  readonly onNotice?: (notice: DoorNotice) => void;
  /** The session ends with its one call: a command that takes long is waited for, and not moved to the background. */
  readonly oneCall?: boolean;
}

export interface MenuEntry {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly family: ToolFamily;
  readonly risks: readonly ToolRisk[];
  readonly source: ToolSource;
  readonly ownership: Ownership;
  readonly aliases: readonly string[];
  readonly schemaHash: string;
  readonly inputSchema: JsonSchema;
  /** Bytes of name, description and schema as a model would be sent them. */
  readonly bytes: number;
  readonly visible: boolean;
  readonly hiddenBecause?: string;
}

export interface DoctorCheck {
  readonly name: string;
  readonly state: "ok" | "warning" | "missing";
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
  settings(options: DoorOptions): Outcome<Settings>;
  menu(options: DoorOptions): Promise<Outcome<readonly MenuEntry[]>>;
  archive(): Outcome<Archive>;
  /** Questions about policies and trust instead of calls. */
  readonly policy: PolicyDesk;
  doctor(options: { readonly fix: boolean }): Promise<readonly DoctorCheck[]>;
  close(): Promise<void>;
}

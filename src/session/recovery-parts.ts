import type { ArtifactStore } from "../contract/artifact.ts";
import type { Clock, Ids } from "../contract/ids.ts";
import type { HostFiles, SandboxDescription } from "../contract/ports.ts";
import type { SessionLog } from "../contract/store.ts";

/** Recovery needs no tools, no gate and no sandbox: it only closes. */
export interface RecoveryParts {
  readonly log: SessionLog;
  readonly files: HostFiles;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly redact: (text: string) => string;
  readonly sandbox: Pick<SandboxDescription, "backend" | "enforces">;
}

import { type Outcome, ok } from "./contract/codes.ts";
import type { Clock, Ids } from "./contract/ids.ts";
import type { Metadata, Sandbox } from "./contract/ports.ts";
import type { ServerEntry, StdioServer } from "./contract/server.ts";
import type { Settings } from "./contract/settings.ts";
import type { resolvePath } from "./effects/resolve-path.ts";
import type { Policy as GatePolicy } from "./gate/policy.ts";
import type { Places } from "./host/find-places.ts";

/** What servers are reached with. */
export interface ServerWorld {
  readonly places: Places;
  readonly settings: Settings;
  readonly sandbox: Sandbox;
  readonly gatePolicy: GatePolicy;
  readonly metadata: Metadata;
  /** Asked at every start: whoever changed what a trusted entry runs has ended that trust, in this session too. */
  readonly isInForce: (entry: ServerEntry) => boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function resolveNeeds(
  { sandbox = {}, cwd = "." }: StdioServer,
  resolve: (written: string) => ReturnType<typeof resolvePath>,
): Outcome<{ readonly read: readonly string[]; readonly write: readonly string[]; readonly cwd: string }> {
  const all = [cwd, ...(sandbox.read ?? []), ...(sandbox.write ?? [])].map(resolve);
  const failed = all.find((one) => !one.ok);
  if (failed !== undefined && !failed.ok) return failed;
  const [at = "", ...others] = all.flatMap((one) => (one.ok ? [one.value.resolved] : []));
  const reads = sandbox.read?.length ?? 0;
  return ok({ cwd: at, read: others.slice(0, reads), write: others.slice(reads) });
}

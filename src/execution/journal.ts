import type { ArtifactRef } from "../contract/artifact.ts";
import type { SettledChanges } from "../contract/changes.ts";
import type { Failure, Happened } from "../contract/codes.ts";
import type { SeenEffect } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";

/** What the ports themselves saw during one invocation. A tool cannot write here. */
export interface Journal {
  readonly seen: SeenEffect[];
  /** Facts to be recorded together with the end of the invocation. */
  readonly facts: EventDraft[];
  readonly artifacts: ArtifactRef[];
  /** Outranks whatever the tool says: it touched what it may not, or its deadline passed. */
  forced: Failure | undefined;
  /** The verdict on what it changed, where that refused it. */
  judged: SettledChanges["judged"];
  /** A process was started for this call. */
  ranProcess: boolean;
  /** The call has ended, and its permit with it. */
  over: boolean;
}

export function createJournal(): Journal {
  return { seen: [], facts: [], artifacts: [], forced: undefined, judged: undefined, ranProcess: false, over: false };
}

/** For a call that ends at a port: what it had done before. */
export function happenedSoFar(journal: Journal): Happened {
  return journal.seen.some((effect) => effect.op !== "read") ? "partly" : "nothing";
}

export function notPermitted(journal: Journal, what: string): { readonly ok: false; readonly failure: Failure } {
  const failure: Failure = {
    code: "effect_not_permitted",
    message: `${what} is not named in the permit of this call; it did not happen.`,
    happened: happenedSoFar(journal),
  };
  journal.forced ??= failure;
  return { ok: false, failure };
}

import type { ArtifactRef } from "../contract/artifact.ts";
import type { SettledChanges } from "../contract/changes.ts";
import type { Failure, Happened } from "../contract/codes.ts";
import type { SeenEffect } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";

export interface Journal {
  readonly seen: SeenEffect[];
  readonly facts: EventDraft[];
  readonly artifacts: ArtifactRef[];
  forced: Failure | undefined;
  judged: SettledChanges["judged"];
  ranProcess: boolean;
  over: boolean;
}

export function createJournal(): Journal {
  return { seen: [], facts: [], artifacts: [], forced: undefined, judged: undefined, ranProcess: false, over: false };
}

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

import type { ArtifactRef } from "../contract/artifact.ts";
import type { SettledChanges } from "../contract/changes.ts";
import { type Failure, fail, type Happened } from "../contract/codes.ts";
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
    message: `${what} is not covered by the permit of this call; it did not happen.`,
    happened: happenedSoFar(journal),
  };
  journal.forced ??= failure;
  return { ok: false, failure };
}

/** A port of asynchronous operations that works only while its call runs: a tool cannot use it later. */
export function whileRunning<Port extends object>(port: Port, journal: Journal): Port {
  return new Proxy(port, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name);
      if (typeof operation !== "function") return operation;
      return async (...args: readonly unknown[]) =>
        journal.over ? callEnded() : Reflect.apply(operation, target, args);
    },
  });
}

export function callEnded(): { readonly ok: false; readonly failure: Failure } {
  return fail("effect_not_permitted", "The call that held this permit has ended.", { happened: "nothing" });
}

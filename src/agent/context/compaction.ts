import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { EventData } from "../../contract/events/index.ts";
import type { ModelMessage, ModelToolDescription, UsableModel } from "../../contract/model.ts";
import type { SessionLog } from "../../contract/store.ts";
import { estimateTokens, roomFor, tokensOf } from "./estimate-tokens.ts";
import { chooseKept, type LeftOut, leaveOut } from "./history-summary.ts";
import type { Transcript } from "./transcript.ts";

/** How much history stays: the last turns as far as they fit well, the last one, or nothing. */
export const keeps = ["turns", "last", "none"] as const;
export type KeptShare = (typeof keeps)[number];

export type CompactionReason = EventData<"context.compacted">["reason"];

export interface Compaction {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export interface CompactionPlan extends Compaction, LeftOut {
  readonly keep: KeptShare;
  readonly upTo: number;
  readonly messages: readonly ModelMessage[];
}

export interface WantedCompaction {
  readonly reason: CompactionReason;
  readonly model: UsableModel;
  /** The gentlest first. */
  readonly among: readonly KeptShare[];
}

export interface PlannerParts {
  readonly log: Pick<SessionLog, "events" | "state">;
  readonly transcript: Transcript;
  readonly tools: () => readonly ModelToolDescription[];
  /** Of the next request, in tokens. */
  readonly size: () => number;
}

interface Measures {
  readonly room: number;
  readonly fixed: number;
  readonly tokensBefore: number;
}

/** A compaction that leaves a larger share gains too little. */
const worthwhile = 0.9;

/** Plans as gentle a compaction as gains enough. Fails when none does. */
export function createCompactionPlanner({ log, transcript, tools, size }: PlannerParts) {
  /** The last search by itself; a compaction makes it outdated. */
  let looked: { readonly messages: readonly ModelMessage[]; readonly size: number } | undefined;

  /**
   * A look costs as much as the session is long. Where nothing came of it, because nothing was found or a hook refused
   * it, there is the next one once there is that much more to gain, and not at every turn.
   */
  function isTooSoon(now: number): boolean {
    return looked?.messages === transcript.messages && now >= looked.size && now < looked.size / worthwhile;
  }

  function planKeeping(keep: KeptShare, { room, fixed, tokensBefore }: Measures): Outcome<CompactionPlan> {
    const { messages, summarised } = transcript;
    const kept = chooseKept(transcript, { tokens: { turns: room / 5, last: 1, none: 0 }[keep] });
    if (kept === undefined) return nothingOlder;
    const isTooMuch = (tokens: number) => tokens > tokensBefore * worthwhile;
    const staying = fixed + kept.tokens;
    // The summary only adds to it, so the log need not be read for one.
    if (isTooMuch(staying)) return nothingOlder;
    const { upTo } = kept;
    const leftOut = leaveOut(log, log.state, { from: summarised + 1, upTo });
    if (!leftOut.ok) return leftOut;
    const tokensAfter = staying + estimateTokens(leftOut.value.summary);
    if (isTooMuch(tokensAfter)) return nothingOlder;
    return ok({ ...leftOut.value, keep, upTo, messages, tokensBefore, tokensAfter });
  }

  function measure({ profile }: UsableModel): Measures {
    const { messages, starts } = transcript;
    const menu = estimateTokens(JSON.stringify(tools()));
    const fixed = menu + tokensOf(messages.filter((_, index) => starts[index] === 0));
    return { room: roomFor(profile), fixed, tokensBefore: menu + tokensOf(messages) };
  }

  return ({ reason, model, among }: WantedCompaction): Outcome<CompactionPlan> => {
    if (reason === "pressure") {
      const now = size();
      if (isTooSoon(now)) return nothingOlder;
      looked = { messages: transcript.messages, size: now };
    }
    const measures = measure(model);
    for (const keep of among) {
      const plan = planKeeping(keep, measures);
      if (plan.ok || plan.failure.code === "log_unavailable") return plan;
    }
    return nothingOlder;
  };
}

export const nothingOlder = fail("runtime_precondition_failed", "There is no older history to leave out.");

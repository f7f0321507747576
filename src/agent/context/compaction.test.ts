import { expect, test } from "vitest";
import type { Event, EventDraft } from "../../contract/events/index.ts";
import type { UsableModel } from "../../contract/model.ts";
import { initialState } from "../../log/reduce.ts";
import { type CompactionReason, createCompactionPlanner, keeps } from "./compaction.ts";
import { createTranscript } from "./transcript.ts";

const model = {
  ref: { provider: "p", id: "m" },
  profile: { contextTokens: 10_000, maxOutputTokens: 1_000 },
} as UsableModel;

/** A history in a log that counts how often it is gone through. */
function planned({ menu = 0 }: { readonly menu?: number } = {}) {
  const events: Event[] = [];
  const passes: string[] = [];
  const transcript = createTranscript({ system: "s", original: () => undefined });
  const tools = [{ name: "t", description: "x".repeat(menu), inputSchema: {} }];
  const state = { size: 0 };
  const log = {
    state: initialState("ses_1"),
    *events({ types }: { readonly types?: readonly string[] } = {}) {
      passes.push(String(types));
      yield* events.filter(({ type }) => types?.includes(type));
    },
  };
  const plan = createCompactionPlanner({ log, transcript, tools: () => tools, size: () => state.size });
  const add = (draft: EventDraft) => {
    const seq = events.length + 1;
    const event = { ...draft, seq, id: `evt_${seq}`, session: "ses_1", at: "", v: 1, prev: "", hash: "" } as Event;
    events.push(event);
    transcript.fold(event);
  };
  return {
    say: (characters: number) => add({ type: "user.message", data: { text: "x".repeat(characters), by: "person" } }),
    answer(characters: number) {
      const turnId = `turn_${events.length}`;
      add({ type: "model.started", data: { turnId, model: model.ref } });
      add({ type: "model.text", data: { turnId, text: "x".repeat(characters) } });
    },
    compacted: (upTo: number) =>
      add({ type: "context.compacted", data: { reason: "asked", upTo, summary: "", tokensBefore: 2, tokensAfter: 1 } }),
    /** What came of a look, and the passes over the log that it took. */
    look({ reason = "pressure", size = 8_000 }: { readonly reason?: CompactionReason; readonly size?: number } = {}) {
      state.size = size;
      transcript.settle();
      passes.length = 0;
      const found = plan({ reason, model, among: keeps });
      return { found: found.ok ? found.value.keep : found.failure.code, passes: passes.length };
    },
  };
}

const none = "runtime_precondition_failed";

test("a log is not gone through for a summary where what stays is too much already", () => {
  const { say, look } = planned({ menu: 30_000 });
  for (let n = 0; n < 5; n++) say(300);
  expect(look()).toEqual({ found: none, passes: 0 });
});

test("what was looked for in vain is looked for again once there is a tenth more, and not before", () => {
  const { say, look } = planned();
  // The summary says all of it again.
  for (let n = 0; n < 5; n++) say(300);
  const vain = { found: none, passes: 2 };
  const unasked = { found: none, passes: 0 };
  expect(look({ size: 8_000 })).toEqual(vain);
  say(300);
  expect([8_000, 8_500, 8_888].map((size) => look({ size }))).toEqual([unasked, unasked, unasked]);
  expect(look({ size: 8_889 })).toEqual(vain);
  expect(look({ size: 9_000 })).toEqual(unasked);
});

test.each<[string, (history: ReturnType<typeof planned>) => unknown, object]>([
  ["a person asks", ({ look }) => look({ reason: "asked" }), { found: none, passes: 2 }],
  ["a provider refuses it", ({ look }) => look({ reason: "context_length" }), { found: none, passes: 2 }],
  ["it has become smaller", ({ look }) => look({ size: 7_900 }), { found: none, passes: 2 }],
  [
    "some of it went otherwise",
    ({ compacted, answer, look }) => {
      compacted(4);
      for (let n = 0; n < 20; n++) answer(3_000);
      return look();
    },
    { found: "turns", passes: 3 },
  ],
])("it is looked for all the same when %s", (_when, then, expected) => {
  const history = planned();
  for (let n = 0; n < 5; n++) history.say(300);
  expect(history.look()).toEqual({ found: none, passes: 2 });
  expect(then(history)).toEqual(expected);
});

test.each<[string, (history: ReturnType<typeof planned>) => void]>([
  [
    "turns",
    ({ answer }) => {
      for (let n = 0; n < 20; n++) answer(3_000);
    },
  ],
  [
    "last",
    ({ answer }) => {
      for (let n = 0; n < 3; n++) answer(1_500);
    },
  ],
  [
    "none",
    ({ answer, say }) => {
      answer(3_000);
      say(3_000);
    },
  ],
])("the gentlest compaction that gains enough is planned: %s", (found, grow) => {
  const history = planned();
  grow(history);
  expect(history.look()).toEqual({ found, passes: 3 });
});

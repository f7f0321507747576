import { expect, onTestFinished, test, vi } from "vitest";
import { sessionCreated } from "../../test/replay/event-drafts.ts";
import { must } from "../../test/replay/must.ts";
import { manualClock, temporaryStore } from "../../test/replay/temporary-store.ts";
import type { PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { createPermissionQueue } from "./ask.ts";

const dayMs = 24 * 60 * 60 * 1000;
const start = Date.parse("2026-01-01T00:00:00.000Z");

function request(days: number): PermissionRequest {
  return {
    id: "req_1",
    intentId: "int_1",
    tool: "bash",
    digest: "d",
    prompt: {
      title: "Run this command?",
      action: "make",
      effects: ["run make"],
      risk: "R3",
      reason: "it runs project code",
      sandbox: "none",
      outputLimit: "all",
    },
    requestedAt: new Date(start).toISOString(),
    expiresAt: new Date(start + days * dayMs).toISOString(),
  };
}

test.each([
  [1, { ok: false, failure: { code: "approval_expired" } }],
  [100, { ok: true, value: { answer: { answer: "allow" } } }],
])("a question that waits for %i days, answered after two, ends as %o", async (days, expected) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const queue = createPermissionQueue({
    log: must(temporaryStore().create(sessionCreated)),
    clock: manualClock(start),
    ask: () => new Promise<PermissionAnswer>(() => {}),
    interruption: () => new AbortController().signal,
  });
  const asked = queue.ask(request(days), []);
  await vi.advanceTimersByTimeAsync(2 * dayMs);
  queue.answer({ request: "req_1", answer: "allow" });
  expect(await asked).toMatchObject(expected);
});

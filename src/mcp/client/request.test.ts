import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { callLimits, Deadlines } from "./deadlines.ts";
import { type Ask, ask, type ServerLink } from "./request.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const message = 'The server "far" did not answer this in time.';

test.each<[string, Pick<Ask, "limits">, object]>([
  ["a question", {}, { code: "timeout", message, recovery: "Try again later or without this server." }],
  // Whoever made the call knows whose entry says how long it may take.
  ["a call", { limits: callLimits(100) }, { code: "timeout", message }],
])("%s that is not answered in time", async (_what, limits, failure) => {
  const link = {
    server: "far",
    deadlines: new Deadlines(),
    lost: () => undefined,
  } as Partial<ServerLink> as ServerLink;
  const asked = ask(link, { what: "this", signal: new AbortController().signal, ...limits }, ({ signal }) => {
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
  });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await asked).toEqual({ ok: false, failure });
});

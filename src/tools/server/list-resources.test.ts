import { expect, test } from "vitest";
import { fail, ok } from "../../contract/codes.ts";
import type { ToolContext } from "../../contract/ports.ts";
import type { Servers } from "../../contract/server/server.ts";
import { listServerResources } from "./list-resources.ts";

const unlessLate = (signal: AbortSignal) =>
  new Promise<ReturnType<typeof fail>>((resolve) => {
    signal.addEventListener("abort", () => resolve(fail("timeout", "late")), { once: true });
  });

test("one that hangs is named, and costs nothing of what the others have", async () => {
  const note = { server: "quick", uri: "note://1", name: "one" };
  const listResources: Servers["listResources"] = (server, signal) =>
    server === "quick" ? Promise.resolve(ok([note])) : unlessLate(signal);
  const context = { servers: { listResources }, signal: new AbortController().signal } as ToolContext;
  const tool = listServerResources(["quick", "slow"], 10);
  const result = await tool.run({} as never, context);
  expect(result).toEqual({
    ok: true,
    data: { resources: [note], unasked: [{ server: "slow", why: "it did not answer within 1 s" }] },
  });
  expect(tool.summarize?.(result, {} as never)).toMatchObject({ summary: expect.stringMatching(/slow/) });
});

import { expect, test } from "vitest";
import { passingTools, serverTools } from "./index.ts";

test("a request to a server lasts as long as a person may take for an answer", () => {
  const limits = { turnChars: 1, commandTimeoutMs: 1, foregroundMs: 1, approvalMs: 3_600_000, storeBytes: 1 };
  const asking = [...passingTools(limits), ...serverTools(limits, [])].filter(({ name }) =>
    /_(read|get|watch)$/.test(name),
  );
  expect(new Set(asking.map(({ name }) => name))).toEqual(
    new Set(["mcp_prompts_get", "mcp_resources_read", "mcp_resources_watch"]),
  );
  for (const tool of asking) expect(tool.timeoutMs({} as never)).toBeGreaterThan(limits.approvalMs);
});

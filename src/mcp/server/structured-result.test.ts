import { expect, test } from "vitest";
import { structuredOf } from "./results.ts";

test.each([
  ["as it is", '{"a":{"b":1}}', { state: "whole", content: { a: { b: 1 } } }],
  [
    "and not without a name that the protocol's parts would leave out",
    '{"a":1,"__proto__":{"b":1}}',
    { state: "lost", why: "The structured result was dropped: it contains the name __proto__." },
  ],
])("a structure is handed on %s", async (_how, text, handedOn) => {
  const content = [{ trust: "tool_output_untrusted", format: "json", label: "server memory", text } as const];
  const structured = await structuredOf(
    {
      ok: true,
      tool: "mcp__memory__read",
      data: { server: "memory", structured: true },
      model: { content, truncated: false, omittedBytes: 0 },
    },
    undefined,
  );
  expect(structured).toEqual(handedOn);
});

import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { admitTools } from "../tools/admit-tools.ts";
import { pinText, readPin } from "./server-state.ts";

const { definitions } = admitTools("docs", [
  { name: "a", title: "A", description: "Says \u001b[1mA.", inputSchema: { type: "object" } },
  { name: "b", inputSchema: {} },
]);
const [first] = definitions;
if (first === undefined) throw new Error("the first is offered");
describe("what was agreed to", () => {
  test("comes back as it was, and not when anything of it was changed", () => {
    expect(readPin(pinText(first))).toEqual({ hash: first.hash, tool: first.tool });
    expect(readPin(pinText(first).replace("Says", "Does"))).toBe("unreadable");
    expect(readPin("{}")).toBe("unreadable");
  });

  test.each([
    ["description", { description: "Says B." }],
    ["title", { title: "B" }],
    ["input schema", { inputSchema: { type: "object", properties: { x: {} } } }],
    ["output schema", { outputSchema: { type: "object" } }],
    ["annotations", { annotations: { readOnlyHint: true } }],
  ])("another %s is another definition", (_what, change) => {
    const [changed] = admitTools("docs", [{ ...first.tool, ...change }]).definitions;
    expect(changed?.hash).not.toBe(first.hash);
  });
});

describe("what a server says of a tool", () => {
  const deep = (levels: number): JsonSchema => {
    let schema: JsonSchema = { enum: [1] };
    for (let level = 0; level < levels; level++) schema = { not: schema };
    return schema;
  };
  const tool = { name: "a", inputSchema: { type: "object" } };

  test.each([
    ["output schema", { outputSchema: deep(200) }],
    ["output schema that would take all of the stack", { outputSchema: deep(100_000) }],
    ["annotations", { annotations: { readOnlyHint: true, more: deep(200) } }],
  ])("is bounded in its depth: %s", (_what, said) => {
    const { definitions, refused } = admitTools("docs", [
      { ...tool, ...said },
      { ...tool, name: "b" },
    ]);
    expect([definitions.map(({ name }) => name), refused]).toEqual([
      ["b"],
      ["a not offered: its definition is nested more than 100 levels deep"],
    ]);
  });
});

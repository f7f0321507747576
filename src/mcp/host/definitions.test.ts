import { describe, expect, test } from "vitest";
import { admitTools } from "./admit-tools.ts";
import { pinText, readPin } from "./definitions.ts";

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

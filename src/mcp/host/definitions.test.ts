import { describe, expect, test } from "vitest";
import { sha256 } from "../../contract/digest.ts";
import { admitTools, keptText, pinText, readKept, readPin } from "./definitions.ts";

const { definitions } = admitTools("docs", [
  { name: "a", title: "A", description: "Says \u001b[1mA.", inputSchema: { type: "object" } },
  { name: "b", inputSchema: {} },
]);
const [first] = definitions;
if (first === undefined) throw new Error("the first is offered");
const signed = (body: string) => `${sha256(body)}\n${body}`;
const text = keptText(definitions) ?? "";

describe("what is kept of a server", () => {
  test("comes back as it was", () => {
    expect(readKept(text)).toEqual(definitions);
    expect(first).toMatchObject({
      description: "Tool of the MCP server docs, in its words: Says \\u{1b}[1mA.",
      searchHint: "docs a A",
      inputSchema: { type: "object" },
    });
  });

  test.each([
    ["nothing", undefined],
    ["no line", "x"],
    ["changed by somebody", text.replace("Says", "Does")],
    ["cut off", text.slice(0, -10)],
    ["of another format", signed('{"format":0,"definitions":[]}')],
    ["no JSON", signed("{")],
    ["without a description", signed(text.slice(65).replaceAll('"description"', '"words"'))],
    ["not what we write", signed('{"format":1,"definitions":[null]}')],
  ])("%s is not known", (_what, kept) => {
    expect(readKept(kept)).toBeUndefined();
  });

  test("too much of it is not kept", () => {
    const long = Array.from({ length: 60 }, (_, at) => ({
      name: `t${at}`,
      description: "x".repeat(30_000),
      inputSchema: {},
    }));
    expect(keptText(admitTools("docs", long).definitions)).toBeUndefined();
  });
});

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

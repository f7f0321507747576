import { describe, expect, test } from "vitest";
import { sha256 } from "../../base/digest.ts";
import { admitTools } from "../tools/admit-tools.ts";
import { keptText, readKept } from "./server-state.ts";

const { definitions } = admitTools("docs", [
  { name: "a", title: "A", description: "Says \u001b[1mA.", inputSchema: { type: "object" } },
  { name: "b", inputSchema: {}, outputSchema: { properties: { said: { type: "string" } } } },
  { name: "c", inputSchema: {}, outputSchema: { type: "array" } },
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
    ["changed by somebody", text.replace('"a"', '"z"')],
    ["cut off", text.slice(0, text.indexOf("\n") + 10)],
    ["of another format", signed('{"format":3,"tools":[]}')],
    ["not JSON", signed("{")],
    ["not a list of tools", signed('{"format":4,"tools":{}}')],
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

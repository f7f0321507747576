import { describe, expect, test } from "vitest";
import { sha256 } from "../../base/digest.ts";
import { admitTools } from "../tools/admit-tools.ts";
import { type Definition, keptText, readKept } from "./server-state.ts";

const { definitions } = admitTools("docs", [
  { name: "a", title: "A", description: "Says \u001b[1mA.", inputSchema: { type: "object" } },
  { name: "b", inputSchema: {}, outputSchema: { properties: { said: { type: "string" } } } },
  { name: "c", inputSchema: {}, outputSchema: { type: "array" } },
]);
const [first] = definitions;
if (first === undefined) throw new Error("the first is offered");
/** Some of it is made when it is asked for. */
const whole = (one: Definition): Definition => {
  const { name, hash, shownHash, tool, inputSchema, outputSchema, description, searchHint } = one;
  return { name, hash, shownHash, tool, inputSchema, outputSchema, description, searchHint };
};
const signed = (body: string) => `${sha256(body)}\n${body}`;
const text = keptText(definitions) ?? "";

describe("what is kept of a server", () => {
  test("comes back as it was", () => {
    expect(readKept(text)?.map(whole)).toEqual(definitions);
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
    ["of another format", signed('{"format":0,"tools":[]}')],
    ["no JSON", signed("{")],
    ["not a list of tools", signed('{"format":3,"tools":[null]}')],
    ["a tool with something missing", signed('{"format":3,"tools":[["a","b","c"]]}')],
    ["a tool without a hash", signed('{"format":3,"tools":[["a","","c","{}"]]}')],
  ])("%s is not known", (_what, kept) => {
    expect(readKept(kept)).toBeUndefined();
  });

  test.each([
    ["no JSON", "{"],
    ["something else", "[]"],
    ["without a description", JSON.stringify({ tool: first.tool, inputSchema: {}, searchHint: "x" })],
    ["with something that is no schema", JSON.stringify({ ...first, inputSchema: "{}" })],
    ["with a result's schema that is none", JSON.stringify({ ...first, outputSchema: 1 })],
    ["not there", undefined],
    ["of another tool than its hash says", JSON.stringify(first)],
    ["another than was written", JSON.stringify({ ...first, description: "Harmless." }), "another"],
  ])("a tool whose rest is %s says nothing", (_what, rest, written = rest) => {
    const surface = JSON.stringify({ format: 3, tools: [["a", "b", "c", sha256(written ?? "")]] });
    const [kept] = readKept([signed(surface), ...(rest === undefined ? [] : [rest])].join("\n")) ?? [];
    const inputSchema = { type: "object" };
    const nothing = { tool: { name: "a", inputSchema }, inputSchema, description: "a", searchHint: "a" };
    const hash = sha256("unreadable b");
    expect(kept === undefined ? undefined : whole(kept)).toEqual({ name: "a", hash, shownHash: "c", ...nothing });
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

import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ToolIntent } from "../contract/intent.ts";
import { defineTool, type VisibilityContext } from "../contract/tool.ts";
import { assembleTools } from "./assemble.ts";
import { identifyIntent } from "./identify-intent.ts";
import { createRegistry } from "./registry.ts";

const shape = defineTool({
  name: "shape",
  version: "2",
  description: "Has one field of every kind.",
  family: "other",
  risks: ["write"],
  aliases: ["Shape"],
  inputAliases: { file_path: "path", oldText: "old_string" },
  input: z.strictObject({
    path: z.string().min(1),
    mode: z.enum(["fast", "slow"]).optional(),
    count: z.number().int().min(1).max(10).optional(),
    names: z.array(z.string()).max(2).optional(),
    either: z.union([z.string(), z.number()]).optional(),
    edits: z.array(z.strictObject({ old_string: z.string() })).optional(),
  }),
  run: async () => ({ ok: true, data: {} }),
});

const registry = createRegistry(assembleTools({ base: [shape], merged: [], features: {}, denied: () => undefined }));
const context: VisibilityContext = {
  mode: "default",
  hasWorkspace: true,
  sandbox: { backend: "none", enforces: false, detail: "", limits: [] },
};

function intent(tool: string, input: unknown): ToolIntent {
  return { id: "i", tool, input, origin: { source: "program" }, createdAt: "2026-01-01T00:00:00.000Z" };
}

async function refusal(tool: string, input: unknown, mode: VisibilityContext["mode"] = "default") {
  const identified = await identifyIntent(intent(tool, input), registry, { ...context, mode });
  return identified.ok ? undefined : identified.refusal;
}

test("a call is another one under another definition, even of the same version", async () => {
  const digestUnder = async (definitionHash: string | undefined) => {
    const tool = definitionHash === undefined ? shape : Object.freeze({ ...shape, definitionHash });
    const known = createRegistry(assembleTools({ base: [tool], merged: [], features: {}, denied: () => undefined }));
    const identified = await identifyIntent(intent("shape", { path: "a" }), known, context);
    return identified.ok ? identified.value.digest : undefined;
  };
  const digests = await Promise.all([undefined, "a", "b", "a"].map(digestUnder));
  expect(new Set(digests).size).toBe(3);
  expect(digests[3]).toBe(digests[1]);
});

describe("schema keywords", () => {
  test.each([
    ["required", {}, "input.path"],
    ["type", { path: 7 }, "input.path"],
    ["minimum length", { path: "" }, "input.path"],
    ["enum", { path: "a", mode: "medium" }, "input.mode"],
    ["lower bound", { path: "a", count: 0 }, "input.count"],
    ["upper bound", { path: "a", count: 11 }, "input.count"],
    ["integer", { path: "a", count: 1.5 }, "input.count"],
    ["array item", { path: "a", names: ["x", 3] }, "input.names[1]"],
    ["array length", { path: "a", names: ["x", "y", "z"] }, "input.names"],
    ["union", { path: "a", either: true }, "input.either"],
    ["nested", { path: "a", edits: [{}] }, "input.edits[0].old_string"],
    ["unknown field", { path: "a", colour: "red" }, "input"],
    ["not an object", "path", "input"],
    ["null", null, "input"],
  ])("%s", async (_keyword, input, field) => {
    const found = await refusal("shape", input);
    expect({ phase: found?.phase, code: found?.code, field: found?.field }).toEqual({
      phase: "validate",
      code: "schema_invalid",
      field,
    });
    expect(found?.message).toContain(field);
    expect(found?.recovery).toBe("Fields of shape: path, mode?, count?, names?, either?, edits?.");
  });
});

test("an unknown tool names what is near; a hidden one says why", async () => {
  expect(await refusal("shap", {})).toEqual({
    phase: "lookup",
    code: "unknown_tool",
    message: 'There is no tool named "shap". Did you mean shape?',
    recovery: "Call shape instead, or another available tool.",
  });
  expect(await refusal("shape", { path: 3 }, "plan")).toEqual({
    phase: "lookup",
    code: "tool_not_visible",
    message: "Tool shape is not available: shape is not offered in plan mode.",
  });
});

test.each([
  ["deny", "removed by the rule mcp__far", /A user must remove the rule from permissions.deny/],
  ["feature", "feature x is off", /A user must enable it under features /],
  ["ambiguous", "several tools would have this name", /Its server must give each tool a unique name/],
] as const)("a tool that was left out (%s) is not brought back by a mode", async (stage, why, recovery) => {
  const known = { ...registry, dropped: [{ name: "gone", aliases: [], stage, why }] };
  expect(await identifyIntent(intent("gone", {}), known, context)).toEqual({
    ok: false,
    refusal: {
      phase: "lookup",
      code: "tool_not_visible",
      message: `Tool gone is not available: ${why}.`,
      recovery: expect.stringMatching(recovery),
    },
  });
});

test("an unknown tool is answered with nothing that is not offered", async () => {
  expect(await refusal("shap", {}, "plan")).toMatchObject({
    message: 'There is no tool named "shap".',
    recovery: "No tool is available.",
  });
  expect(await refusal("teleport", {})).toMatchObject({ recovery: "Choose one of: shape." });
});

test("spellings from elsewhere are accepted, normalised and recorded; the digest is of the normal form", async () => {
  const written = await identifyIntent(
    intent("Shape", { file_path: "a", edits: [{ oldText: "x" }] }),
    registry,
    context,
  );
  const normal = await identifyIntent(intent("shape", { path: "a", edits: [{ old_string: "x" }] }), registry, context);
  if (!written.ok || !normal.ok) throw new Error("both must be identified");
  expect(written.value.input).toEqual({ path: "a", edits: [{ old_string: "x" }] });
  expect(written.value.spellings).toEqual([
    { written: "Shape", canonical: "shape" },
    { written: "file_path", canonical: "path" },
    { written: "oldText", canonical: "old_string" },
  ]);
  expect(written.value.digest).toBe(normal.value.digest);
});

test("both spellings at once are an error, never a silent choice", async () => {
  const found = await refusal("shape", { path: "a", file_path: "b" });
  expect(found).toMatchObject({ code: "schema_invalid", message: expect.stringContaining("file_path") });
});

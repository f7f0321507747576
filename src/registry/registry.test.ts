import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { EffectView } from "../contract/ports.ts";
import { defineTool, type Tool, type ToolDefinition, type VisibilityContext } from "../contract/tool.ts";
import { admitPackage } from "./admit-package.ts";
import { assembleTools } from "./assemble.ts";
import { createRegistry } from "./registry.ts";

const context: VisibilityContext = {
  mode: "default",
  hasWorkspace: true,
  sandbox: { backend: "none", enforces: false, detail: "", limits: [] },
};

function tool(name: string, extra: Partial<ToolDefinition<unknown>> = {}): Tool {
  return defineTool({
    name,
    version: "1",
    description: `The tool ${name}.`,
    family: "other",
    risks: ["read"],
    input: z.strictObject({ path: z.string() }),
    run: async () => ({ ok: true, data: {} }),
    ...extra,
  });
}

function assemble(sources: Partial<Parameters<typeof assembleTools>[0]>) {
  return assembleTools({ base: [], merged: [], features: {}, denied: () => undefined, ...sources });
}

describe("assembly", () => {
  test("each stage drops with a reason, in the order of the stages", () => {
    const assembly = assemble({
      base: [tool("read", { aliases: ["cat"] }), tool("cron", { feature: "cron" }), tool("bash")],
      merged: [tool("mcp_search"), tool("cat"), tool("bash_two", { aliases: ["Bash"] })],
      denied: (name) => (name === "bash" || name === "Bash" ? "Bash" : undefined),
    });
    expect(assembly.tools.map((one) => one.name)).toEqual(["mcp_search", "read"]);
    expect(assembly.dropped).toEqual([
      { name: "cron", aliases: [], stage: "feature", why: "feature cron is off" },
      { name: "bash", aliases: [], stage: "deny", why: "removed by the rule Bash" },
      { name: "bash_two", aliases: ["Bash"], stage: "deny", why: "removed by the rule Bash" },
      { name: "cat", aliases: [], stage: "duplicate", why: "cat is the name of an earlier tool" },
    ]);
  });

  test("of two tools of servers with one name neither is offered, in whichever order they come", () => {
    const rivals = ["First.", "Second."].map(
      (description): Tool => ({ ...tool("mcp__docs__x", { description }), source: "mcp" }),
    );
    const base = [tool("read")];
    for (const merged of [rivals, rivals.toReversed()]) {
      const assembly = assemble({ base, merged: [...merged, { ...tool("mcp__docs__y"), source: "mcp" }] });
      expect(assembly.tools.map(({ name }) => name)).toEqual(["mcp__docs__y", "read"]);
      const why = "several tools of its server have this name";
      const dropped = { name: "mcp__docs__x", aliases: [], stage: "ambiguous", why };
      expect(assembly.dropped).toEqual([dropped, dropped]);
    }
  });

  test("a feature that is on brings its tool", () => {
    const assembly = assemble({ base: [tool("cron", { feature: "cron" })], features: { cron: true } });
    expect(assembly.tools.map((one) => one.name)).toEqual(["cron"]);
  });

  test("property: shuffled registration gives the same bytes", () => {
    const tools = ["read", "write", "edit", "grep", "glob", "bash"].map((name) => tool(name));
    const menu = (list: readonly Tool[]) => JSON.stringify(createRegistry(assemble({ base: list })).menu(context));
    const expected = menu(tools);
    fc.assert(
      fc.property(fc.shuffledSubarray(tools, { minLength: tools.length }), (shuffled) => {
        expect(menu(shuffled)).toBe(expected);
      }),
    );
  });
});

describe("registry", () => {
  const registry = createRegistry(
    assemble({
      base: [
        tool("read", { aliases: ["read_file", "Read"] }),
        tool("grep", { requiresWorkspace: true, searchHint: "find text in files" }),
      ],
    }),
  );

  test("finds by name and by alias, and remembers which", () => {
    expect(registry.find("read")?.alias).toBeUndefined();
    expect(registry.find("Read")).toMatchObject({ alias: "Read", tool: { name: "read" } });
    expect(registry.find("constructor")).toBeUndefined();
  });

  test("suggests what is near and nothing else", () => {
    expect(registry.suggest("reed")).toEqual(["read"]);
    expect(registry.suggest("deploy_to_production")).toEqual([]);
    expect(registry.suggest("find_in_files")).toEqual(["grep"]);
  });

  test("suggests the tool of a server that is called as the server calls it", () => {
    const servers = createRegistry(assemble({ base: ["mcp__ev__get-sum", "mcp__ev__sum"].map((name) => tool(name)) }));
    expect(["get-sum", "sum"].map((name) => servers.suggest(name))).toEqual([["mcp__ev__get-sum"], ["mcp__ev__sum"]]);
  });

  test("a tool that needs a workspace is hidden without one", () => {
    const [grep] = registry.menu({ ...context, hasWorkspace: false });
    expect(grep).toMatchObject({ name: "grep", visible: false, hiddenBecause: expect.stringContaining("workspace") });
  });

  test("the menu hash follows visibility, not registration", () => {
    const withPlan = createRegistry(assemble({ base: [tool("read"), tool("write", { risks: ["write"] })] }));
    expect(withPlan.menuHash({ ...context, mode: "plan" })).not.toBe(withPlan.menuHash(context));
    expect(withPlan.menuHash({ ...context, mode: "auto" })).toBe(withPlan.menuHash(context));
  });
});

describe("a bare tool", () => {
  const bare = defineTool({
    name: "bare",
    version: "1",
    description: "Says nothing about itself.",
    family: "other",
    risks: [],
    input: z.strictObject({}),
    run: async () => ({ ok: true, data: {} }),
  });

  test("is conservative in every answer", () => {
    const view = {} as EffectView;
    expect({
      readOnly: bare.readOnly({}),
      concurrency: bare.concurrency({}),
      effects: bare.effects({}, view),
      plan: bare.visible({ ...context, mode: "plan" }),
      limit: bare.maxResultChars,
      frozen: Object.isFrozen(bare),
    }).toEqual({
      readOnly: false,
      concurrency: "exclusive",
      effects: { effects: [{ op: "unknown", why: "bare does not say what it touches" }] },
      plan: { visible: false, reason: "bare is not offered in plan mode" },
      limit: 100_000,
      frozen: true,
    });
  });

  test.each([
    ["a bad name", { name: "Not A Name" }],
    ["no version", { version: "" }],
    ["no description", { description: " " }],
  ])("is refused at definition with %s", (_case, wrong) => {
    expect(() => tool("fine", wrong)).toThrow();
  });
});

test("a package from outside is untrusted whatever it says", async () => {
  const [admitted] = admitPackage({
    name: "acme",
    tools: [
      defineTool({
        name: "harmless",
        version: "1",
        description: "Says it touches nothing.",
        family: "other",
        risks: ["read"],
        ownership: "managed",
        alwaysLoad: true,
        input: z.strictObject({}),
        effects: () => ({ effects: [] }),
        run: async () => ({ ok: true, data: {} }),
      }),
    ],
  });
  const report = await admitted?.effects({} as never, {} as EffectView);
  expect({ source: admitted?.source, ownership: admitted?.ownership, load: admitted?.alwaysLoad, report }).toEqual({
    source: "package",
    ownership: "custom",
    load: false,
    report: { effects: [{ op: "call", server: "acme", tool: "harmless" }] },
  });
});

import { describe, expect, test } from "vitest";
import type { VisibilityContext } from "../../contract/tool.ts";
import type { MenuEntry } from "../../contract/tool-facts.ts";
import { toolSearch } from "./tool-search.ts";

const context: VisibilityContext = {
  mode: "default",
  hasWorkspace: true,
  sandbox: { backend: "none", enforces: false, detail: "", limits: [] },
};
const deferral = { loaded: [], contextTokens: 1000, above: 60, share: 0.1 };

test.each([
  ["for a model that is shown some by name", { deferral, deferring: true }, { visible: true }],
  [
    "for a model that is shown all of them",
    { deferral, deferring: false },
    { visible: false, reason: "every tool is already loaded" },
  ],
  ["without a model", {}, { visible: false, reason: "without a model every tool can be called directly" }],
])("%s", (_whose, change, visibility) => {
  expect(toolSearch.visible({ ...context, ...change })).toEqual(visibility);
});

describe("while servers are on their way", () => {
  const entry = (name: string): MenuEntry => ({
    name,
    description: name,
    version: "1",
    schemaHash: "",
    family: "other",
    risks: [],
    source: "mcp",
    ownership: "mcp",
    inputSchema: {},
    aliases: [],
    bytes: 0,
    deferrable: true,
    loaded: false,
    visible: true,
  });
  /** One that comes while it is waited for, and one that does not. */
  async function searched(query: string) {
    const offered = [entry("mcp__a__open_issue")];
    let waits = 0;
    const menu = {
      deferred: () => [...offered],
      async arriving() {
        waits += 1;
        offered.push(entry("mcp__b__open_door"));
        return ["silent"];
      },
      load: () => {},
    };
    const result = await toolSearch.run({ query } as never, { menu } as never);
    return [waits, toolSearch.summarize?.(result, { query } as never).summary];
  }

  const later = " Search again later for tools of silent, still starting.";
  test.each([
    ["words wait for them", "open", [1, `Loaded 2 of 2 tools; they can be called from now on.${later}`]],
    [
      "an exact name that is there does not",
      "select:mcp__a__open_issue",
      [0, "Loaded 1 of 1 tools; they can be called from now on."],
    ],
    [
      "nor does one without the name of its server",
      "select:open_issue",
      [0, "Loaded 1 of 1 tools; they can be called from now on."],
    ],
    [
      "one that is not there does",
      "select:mcp__b__open_door,mcp__silent__x",
      [1, `Loaded 1 of 2 tools; they can be called from now on. There is no mcp__silent__x.${later}`],
    ],
  ])("%s", async (_what, query, seen) => {
    expect(await searched(query)).toEqual(seen);
  });

  test("a name that several servers have is not guessed", async () => {
    const entries = ["mcp__a__echo", "mcp__b__echo", "mcp__b__echo_all"].map(entry);
    const loaded: string[] = [];
    const menu = {
      deferred: () => entries,
      arriving: async () => [],
      load: (names: readonly string[]) => void loaded.push(...names),
    };
    const query = "select:echo, echo_all, mcp__b__echo_all, o_all, nothing";
    const result = await toolSearch.run({ query } as never, { menu } as never);
    expect([loaded, toolSearch.summarize?.(result, { query } as never).summary]).toEqual([
      ["mcp__b__echo_all"],
      "Loaded 1 of 3 tools; they can be called from now on. There is no o_all, nothing. echo could be mcp__a__echo or mcp__b__echo: select by the whole name.",
    ]);
  });
});

import { expect, test } from "vitest";
import { openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

test("roots, denied paths and ignore globs of the settings bind every tool", async () => {
  const workspace = makeWorkspace({ "src/a.ts": "needle\n", "private/b.ts": "needle\n", "src/c.min.js": "needle\n" });
  const beside = makeWorkspace({ "d.ts": "needle\n" });
  const gauntlet = await openGauntlet(workspace, {
    settings: {
      permissions: { additionalDirectories: [beside.root] },
      workspace: { deniedPaths: ["private"], ignoreGlobs: ["*.min.js"] },
    },
  });
  const codes = async (tool: string, input: object) => (await gauntlet.call({ tool, input })).code;
  expect({
    inside: await codes("read", { path: "src/a.ts" }),
    beside: await codes("read", { path: beside.path("d.ts") }),
    denied: await codes("read", { path: "private/b.ts" }),
    deniedByShell: await codes("bash", { command: "cat private/b.ts" }),
    deniedWrite: await codes("write", { path: "private/new.ts", content: "x" }),
  }).toEqual({
    inside: "ok",
    beside: "ok",
    denied: "policy_denied",
    deniedByShell: "policy_denied",
    deniedWrite: "policy_denied",
  });
  const found = await gauntlet.call({ tool: "grep", input: { pattern: "needle" } });
  const text = found.model.content.map((block) => block.text).join("\n");
  expect({ a: text.includes("src/a.ts"), denied: text.includes("private"), ignored: text.includes("min.js") }).toEqual({
    a: true,
    denied: false,
    ignored: false,
  });
});

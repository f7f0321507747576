import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

test.each([
  ["nothing", {}, "", "npm install", { host: "registry.npmjs.org" }],
  ["the project", { ".npmrc": "registry=http://localhost:4873/\n" }, "", "npm ci", { host: "localhost", port: 4873 }],
  ["the user", {}, "save-exact=true\nregistry = https://npm.example/\n", "pnpm add a", { host: "npm.example" }],
  [
    "both",
    { ".npmrc": "registry=https://a.example/\n" },
    "registry=https://b.example/\n",
    "npm i",
    { host: "a.example" },
  ],
  [
    "a flag",
    { ".npmrc": "registry=https://a.example/\n" },
    "",
    "npm i --registry https://c.example",
    { host: "c.example" },
  ],
  ["a flag with its value", {}, "", "npm i --registry=https://c.example:81 b", { host: "c.example", port: 81 }],
])("an installation asks about the registry that %s names", async (_who, files, own, command, registry) => {
  const workspace = makeWorkspace({ "package.json": "{}", ...files });
  writeFileSync(path.join(workspace.home, ".npmrc"), own);
  const gauntlet = await openGauntlet(workspace);
  const { effects } = await gauntlet.explain({ tool: "bash", input: { command } });
  await gauntlet.close();
  expect(effects.filter(({ op }) => op === "connect")).toEqual([{ op: "connect", ...registry }]);
});

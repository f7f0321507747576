import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import * as gauntlet from "../../src/index.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { modelsOf, type Script, scripted } from "./agent/scripted-model.ts";

const page = readFileSync(
  path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../docs/guide/library.md"),
  "utf8",
);

function example(name: string): string {
  const found = new RegExp(`<!-- example: ${name} -->\\n\`\`\`ts\\n([\\s\\S]*?)\`\`\``).exec(page);
  if (found?.[1] === undefined) throw new Error(`The page has no example ${name}`);
  return found[1];
}

/** Runs the text of the example as it stands, with the library in place of its imports. */
async function runExample(name: string, script: Script = []): Promise<readonly unknown[][]> {
  const workspace = makeWorkspace({ "package.json": '{\n  "name": "sample"\n}\n' });
  const code = example(name).replace(/^import .*\n/gm, "");
  const logged: unknown[][] = [];
  const createGauntlet = (options: gauntlet.GauntletOptions) =>
    gauntlet.createGauntlet({ ...options, store: workspace.state, home: workspace.home });
  const createAgent = (options: gauntlet.CreateAgentOptions) =>
    gauntlet.createAgent({
      ...options,
      store: workspace.state,
      home: workspace.home,
      models: modelsOf(scripted(script)),
    });
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const run = new AsyncFunction("createGauntlet", "createAgent", "defineTool", "z", "workspace", "console", code);
  await run(createGauntlet, createAgent, gauntlet.defineTool, z, workspace.root, {
    log: (...args: unknown[]) => logged.push(args),
  });
  return logged;
}

test("the first example reads a file", async () => {
  expect(await runExample("first")).toEqual([[true, expect.stringContaining("package.json")]]);
});

test("the asking example writes and reads", async () => {
  const logged = await runExample("asking");
  expect(logged.at(-1)).toEqual(["ok", "ok"]);
});

test("the example tool counts lines", async () => {
  expect(await runExample("tool")).toEqual([[{ lines: 3 }]]);
});

test("the example agent calls a tool and answers", async () => {
  const read = { calls: [{ tool: "read", input: { path: "package.json" } }] };
  expect(await runExample("agent", [read, { text: "It is called sample." }])).toEqual([
    ["read", "ok"],
    ["done", "It is called sample."],
  ]);
});

test("errors of the library speak of its options and not of the command line", async () => {
  const { root, state, home } = makeWorkspace();
  const options = { workspace: root, store: state, home };
  const named = { ...options, model: "anthropic/claude-sonnet-4-5" } as unknown as gauntlet.CreateAgentOptions;
  await expect(gauntlet.createAgent(named)).rejects.toMatchObject({
    failure: { code: "bad_request", field: "model", recovery: expect.stringContaining("wanted") },
  });
  const absent = await gauntlet.createGauntlet({ ...options, workspace: `${root}/absent` }).catch(String);
  const first = await gauntlet.createGauntlet(options);
  await first.call({ tool: "list", input: {} });
  await first.close();
  const other = { ...options, workspace: makeWorkspace().root, session: first.session.sessionId };
  const elsewhere = await gauntlet.createGauntlet(other).catch(String);
  expect([absent, elsewhere]).toEqual([expect.stringContaining("absent"), expect.stringContaining(root)]);
  expect(`${absent}${elsewhere}`).not.toContain("--");
});

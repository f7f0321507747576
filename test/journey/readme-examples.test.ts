import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import * as gauntlet from "../../src/index.ts";
import { makeWorkspace } from "../support/workspace.ts";

const readme = readFileSync(path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../README.md"), "utf8");

function example(name: string): string {
  const found = new RegExp(`<!-- example: ${name} -->\\n\`\`\`ts\\n([\\s\\S]*?)\`\`\``).exec(readme);
  if (found?.[1] === undefined) throw new Error(`README has no example ${name}`);
  return found[1];
}

/** Runs the text of the example as it stands, with the library in place of its imports. */
async function runExample(name: string): Promise<readonly unknown[][]> {
  const workspace = makeWorkspace({ "package.json": '{\n  "name": "sample"\n}\n' });
  const code = example(name).replace(/^import .*\n/gm, "");
  const logged: unknown[][] = [];
  const createGauntlet = (options: gauntlet.GauntletOptions) =>
    gauntlet.createGauntlet({ ...options, store: workspace.state, home: workspace.home });
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const run = new AsyncFunction("createGauntlet", "defineTool", "z", "workspace", "console", code);
  await run(createGauntlet, gauntlet.defineTool, z, workspace.root, { log: (...args: unknown[]) => logged.push(args) });
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

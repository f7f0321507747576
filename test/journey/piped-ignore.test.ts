import { execFileSync } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createGauntlet } from "../../src/index.ts";
import { makeWorkspace } from "../support/workspace.ts";

test("a huge ignore file does not keep a search busy", async () => {
  const { root, home, state, path } = makeWorkspace({ "src/a.ts": "needle\n" });
  writeFileSync(path(".gitignore"), "");
  truncateSync(path(".gitignore"), 20 * 1024 ** 3);
  const gauntlet = await createGauntlet({ workspace: root, home, store: state });
  const found = await gauntlet.call({ tool: "grep", input: { pattern: "needle" } });
  await gauntlet.close();
  expect(found).toMatchObject({ code: "ok", data: { matchedCount: 1 } });
});

test("an ignore file that is a pipe does not keep a search waiting", async () => {
  const { root, home, state, path } = makeWorkspace({ "src/a.ts": "needle\n", "src/deep/b.ts": "needle\n" });
  execFileSync("mkfifo", [path(".gitignore"), path("src/.ignore"), path("src/deep/.rgignore")]);
  const gauntlet = await createGauntlet({ workspace: root, home, store: state });
  const found = await gauntlet.call({ tool: "grep", input: { pattern: "needle" } });
  const listed = await gauntlet.call({ tool: "glob", input: { pattern: "**/*.ts" } });
  await gauntlet.close();
  expect(found).toMatchObject({ code: "ok", data: { matchedCount: 2 } });
  expect(listed).toMatchObject({ code: "ok", data: { paths: ["src/a.ts", "src/deep/b.ts"] } });
});

import { spawnSync } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const library = pathToFileURL(path.resolve(import.meta.dirname, "../../dist/index.js")).href;

/** Imports the built library in a process that takes itself for this version of Node. */
function importedBy(version: string) {
  const program = `
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });
    Object.defineProperty(process, "version", { value: "v${version}" });
    delete Map.groupBy;
    import("${library}").then(({ createGauntlet }) => console.log(typeof createGauntlet), (error) => console.log(error.message));`;
  return spawnSync(process.execPath, ["--eval", program], { encoding: "utf8" }).stdout;
}

test("on an older Node the library says what it needs, before it misses anything", () => {
  expect(importedBy("20.19.0")).toBe(
    "gauntlet needs Node 24 or newer, and this is v20.19.0. `npm install --save-dev node@24` brings one, which `npx node` starts.\n",
  );
  // It does miss it.
  expect(importedBy("24.0.0")).toContain("groupBy is not a function");
});

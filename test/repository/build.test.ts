import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundle } from "../../scripts/bundle.mjs";
import { featuresWithout } from "../../scripts/features.mjs";

const root = path.resolve(import.meta.dirname, "../..");
let place = "";
beforeEach(() => {
  place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-build-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(place, name)), { recursive: true });
    writeFileSync(path.join(place, name), text);
  }
}

describe("a feature that is off when the bundle is built", () => {
  const sources = {
    "main.ts": `declare const FEATURES: { readonly moon: boolean };
export async function main(): Promise<string> {
  if (FEATURES.moon) return (await import("./moon.ts")).land();
  return "earth";
}
console.log(await main());`,
    "moon.ts": `import { fuel } from "./fuel.ts";
export const land = (): string => "the moon, with " + fuel;`,
    "fuel.ts": `export const fuel: string = "a-module-behind-the-gate";`,
  };

  it.each([
    [true, "the moon, with a-module-behind-the-gate\n", ["fuel.ts", "main.ts", "moon.ts"]],
    [false, "earth\n", ["main.ts"]],
  ])("%s: the modules behind it are in the bundle or they are not", async (moon, said, modules) => {
    write(sources);
    const outDir = path.join(place, "out");
    const built = await bundle({ entries: { main: path.join(place, "main.ts") }, outDir, features: { moon } });
    expect(built.flatMap((chunk) => chunk.modules.map((id) => path.basename(id))).sort()).toEqual(modules);
    const bytes = readdirSync(outDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"))
      .join("");
    expect(bytes.includes("behind-the-gate")).toBe(moon);
    writeFileSync(path.join(outDir, "package.json"), '{"type":"module"}');
    expect(spawnSync(process.execPath, [path.join(outDir, "main.js")], { encoding: "utf8" }).stdout).toBe(said);
  });

  it("must be one that exists", () => {
    expect(() => featuresWithout("warp")).toThrow("There is no feature warp; scripts/features.mjs lists them.");
    expect(featuresWithout(undefined)).toEqual({});
  });
});

describe("the build", () => {
  it("keeps what is imported dynamically in files of their own, and what it must not take in outside", async () => {
    write({
      "main.ts": `import { readFileSync } from "node:fs";
import { rgPath } from "@vscode/ripgrep";
console.log(typeof readFileSync, rgPath, (await import("./later.ts")).later);`,
      "later.ts": "export const later: number = 1;",
    });
    const outDir = path.join(place, "out");
    const built = await bundle({ entries: { main: path.join(place, "main.ts") }, outDir, features: {} });
    expect(built.map((chunk) => chunk.fileName.replace(/-[\w-]{8}\.js$/, ".js")).sort()).toEqual([
      "chunks/later.js",
      "main.js",
    ]);
    const main = readFileSync(path.join(outDir, "main.js"), "utf8");
    expect(main).toContain('from "@vscode/ripgrep"');
  });

  it("fails on what cannot be resolved instead of leaving it for later", async () => {
    write({ "main.ts": 'import "no-such-package";' });
    const outDir = path.join(place, "out");
    await expect(bundle({ entries: { main: path.join(place, "main.ts") }, outDir, features: {} })).rejects.toThrow(
      "no-such-package",
    );
  });

  it("says which source is missing", () => {
    cpSync(path.join(root, "scripts"), path.join(place, "scripts"), { recursive: true });
    symlinkSync(path.join(root, "node_modules"), path.join(place, "node_modules"));
    write({ "src/main.ts": "" });
    const built = spawnSync(process.execPath, [path.join(place, "scripts/build.mjs")], { encoding: "utf8" });
    expect([built.status, built.stderr]).toEqual([1, "build: src/index.ts does not exist.\n"]);
  });
});

describe("a program of scripts", () => {
  function runBuilt(outDir: string): unknown {
    const ran = spawnSync(process.execPath, [path.join(outDir, "main.cjs")], { encoding: "utf8" });
    expect(ran.stderr).toBe("");
    return JSON.parse(ran.stdout);
  }

  it("holds what was derived from the schemas of its own tools, and derives the rest", async () => {
    const tools = path.join(root, "src/tools/index.ts");
    write({
      "main.ts": `import { builtinTools } from ${JSON.stringify(tools)};
const tools = builtinTools({ turnChars: 1, commandTimeoutMs: 1, foregroundMs: 1, approvalMs: 1, storeBytes: 1 });
console.log(JSON.stringify(Object.fromEntries(tools.map((tool) => [tool.name, tool.schemaHash]))));`,
    });
    const printed = spawnSync(process.execPath, [path.join(root, "scripts/tool-schemas.ts")], { encoding: "utf8" });
    const derived: Record<string, { schemaHash: string }> = JSON.parse(printed.stdout);
    const options = { entries: { main: path.join(place, "main.ts") }, features: {}, scripts: true };
    await bundle({ ...options, outDir: path.join(place, "plain") });
    await bundle({ ...options, outDir: path.join(place, "marked"), derived: { read: { schemaHash: "marked" } } });
    const plain = runBuilt(path.join(place, "plain"));
    expect(plain).toEqual(
      Object.fromEntries(
        Object.entries(derived).flatMap(([name, { schemaHash }]) => (/^mcp_/.test(name) ? [] : [[name, schemaHash]])),
      ),
    );
    expect(runBuilt(path.join(place, "marked"))).toEqual({ ...Object(plain), read: "marked" });
  });
});

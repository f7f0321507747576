import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";

vi.setConfig({ testTimeout: 120_000 });

const root = path.resolve(import.meta.dirname, "../..");

test("the packed package runs nothing when it is installed, and git ignores it", () => {
  const place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-pack-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", place], { cwd: root });
  const [packed = ""] = readdirSync(place);
  const manifest = execFileSync("tar", ["-xOzf", path.join(place, packed), "package/package.json"], {
    encoding: "utf8",
  });
  const scripts = Object.keys(JSON.parse(manifest).scripts);
  expect(scripts.filter((name) => ["preinstall", "install", "postinstall", "prepare"].includes(name))).toEqual([]);
  expect(spawnSync("git", ["check-ignore", "--quiet", packed], { cwd: root }).status).toBe(0);
});

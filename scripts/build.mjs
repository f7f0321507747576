// Runs under `npm install` too, where Node may be older than the one the result needs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";
import { featuresWithout } from "./features.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const inRoot = (...parts) => path.join(root, ...parts);

const entries = { main: inRoot("src", "main.ts"), index: inRoot("src", "index.ts") };
for (const file of [...Object.values(entries), inRoot("src", "compose.ts")]) {
  if (!existsSync(file)) stop(`${path.relative(root, file)} does not exist.`);
}
if (!existsSync(inRoot("node_modules", "rolldown"))) {
  stop("The build tools are not installed; run `npm install` without --omit=dev.");
}

// Built beside and moved into place, so that nobody starts a half-written program.
const fresh = inRoot("node_modules", ".cache", `gauntlet-dist-${process.pid}`);
const old = `${fresh}-old`;
try {
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  await bundle({ entries, outDir: fresh, features: featuresWithout(process.env.GAUNTLET_WITHOUT) });
  writeTypes(path.join(fresh, "types"));
  if (existsSync(inRoot("dist"))) renameSync(inRoot("dist"), old);
  renameSync(fresh, inRoot("dist"));
} catch (error) {
  stop(error instanceof Error ? error.message : String(error));
} finally {
  for (const leftover of [fresh, old]) rmSync(leftover, { recursive: true, force: true });
}

function writeTypes(outDir) {
  const tsc = inRoot("node_modules", "typescript", "bin", "tsc");
  const options = ["--project", inRoot("scripts", "tsconfig.types.json"), "--outDir", outDir];
  const { status } = spawnSync(process.execPath, [tsc, ...options], { stdio: "inherit" });
  if (status !== 0) throw new Error("The types of the library could not be written.");
}

function stop(message) {
  console.error(`build: ${message}`);
  process.exit(1);
}

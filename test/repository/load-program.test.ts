import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundle } from "../../scripts/bundle.mjs";

const root = path.resolve(import.meta.dirname, "../..");
let place = "";
let program = "";
beforeEach(() => {
  place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-program-"));
  program = path.join(place, "program");
  mkdirSync(program);
  for (const [name, text] of Object.entries(parts)) writeFileSync(path.join(program, name), text);
  writeFileSync(path.join(place, "apart.js"), 'export const apart = "apart";');
  writeFileSync(path.join(place, "package.json"), '{"type":"module"}');
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

/** Files that name each other in a circle, load one later, import a module, and throw when they are told to. */
const parts = {
  "main.cjs": `const early = require("./early.cjs");
exports.name = "main";
Promise.resolve().then(() => require("./later.cjs")).then(async ({ later }) => {
  const { apart } = await require("./modules.mjs").apart();
  console.log(early.name(), later(), apart, require("node:path").sep, process.argv.slice(2).join());
});`,
  "modules.mjs": 'export const apart = () => import("../apart.js");',
  "early.cjs": `const main = require("./main.cjs");
exports.name = () => main.name;`,
  "later.cjs": `exports.later = () => {
  if (process.argv.includes("break")) throw new Error("broken on purpose");
  if (process.argv.includes("more")) more();
  return require("./early.cjs") === require("./early.cjs");
};
function more() {
  return [1, 2, 3].map((number) => number + 1);
}`,
};

function run(script: string, args: readonly string[], flags: readonly string[] = []) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, script, ...args], {
    cwd: place,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: place },
  });
  return { status, stdout, stderr };
}

const keep = (...args: string[]) => run(path.join(root, "scripts/keep-compiled.cjs"), [program, ...args]);

/** Loads the program, and tells of each file whether V8 took what lay beside it. */
function load(args: readonly string[], flags: readonly string[] = [], directory = program) {
  const script = path.join(place, "load.cjs");
  const loader = JSON.stringify(path.join(root, "bin/load-program.cjs"));
  writeFileSync(
    script,
    `const parts = require(${loader}).loadProgram(${JSON.stringify(directory)});
process.on("exit", () => {
  const taken = [...parts].map(([name, { script }]) => [name, script.cachedDataRejected === false]);
  require("node:fs").writeFileSync("${place}/taken.json", JSON.stringify(Object.fromEntries(taken)));
});`,
  );
  const ran = run(script, args, flags);
  return { ...ran, taken: JSON.parse(readFileSync(path.join(place, "taken.json"), "utf8")) };
}

const said = "main true apart / x\n";

describe("a program", () => {
  it("is loaded by Node itself when nothing is compiled ahead", () => {
    expect(load(["x"])).toMatchObject({ status: 0, stdout: said, taken: {} });
  });

  it("is loaded with what an earlier run has compiled", () => {
    expect(keep("x")).toEqual({ status: 0, stdout: said, stderr: "" });
    expect(load(["x"])).toMatchObject({
      status: 0,
      stdout: said,
      taken: { "main.cjs": true, "early.cjs": true, "later.cjs": true },
    });
  });

  it("keeps what earlier runs compiled beside what the last one did", () => {
    const kept = (...args: string[]) => {
      keep(...args);
      const [compiled = ""] = readdirSync(path.join(program, "compiled"));
      return readFileSync(path.join(program, "compiled", compiled, "later.cjs")).length;
    };
    const few = kept("x");
    const more = kept("more");
    expect(more).toBeGreaterThan(few);
    expect(kept("x")).toBe(more);
  });

  it.each([
    ["flags that compile otherwise", ["--no-opt"], () => {}],
    [
      "what was cut off",
      [],
      (file: string) => writeFileSync(file, readFileSync(file).subarray(0, readFileSync(file).length / 2)),
    ],
    ["what is no code at all", [], (file: string) => writeFileSync(file, "not code, but long enough to be looked at")],
    ["what is empty", [], (file: string) => writeFileSync(file, "")],
  ])("runs the same without: %s", (_name, flags, spoil) => {
    keep("x");
    const [compiled = ""] = readdirSync(path.join(program, "compiled"));
    const directory = path.join(program, "compiled", compiled);
    for (const name of readdirSync(directory)) spoil(path.join(directory, name));
    expect(load(["x"], flags)).toMatchObject({ status: 0, stdout: said, taken: { "main.cjs": false } });
  });

  it("does not look at what another version of Node has left", () => {
    keep("x");
    const [compiled = ""] = readdirSync(path.join(program, "compiled"));
    cpSync(path.join(program, "compiled", compiled), path.join(program, "compiled/v99.0.0-linux-x64"), {
      recursive: true,
    });
    rmSync(path.join(program, "compiled", compiled), { recursive: true });
    expect(load(["x"])).toMatchObject({ status: 0, stdout: said, taken: {} });
  });

  it("says where it broke", () => {
    keep("x");
    const { status, stderr } = load(["break"]);
    expect(status).toBe(1);
    expect(stderr).toContain("Error: broken on purpose");
    expect(stderr).toContain(`${path.join(program, "later.cjs")}:2:`);
  });
});

it("finds what is built compiled, down to what only a call needs", () => {
  const { status, taken } = load(["call", "read", '{"path":"package.json"}'], [], path.join(root, "dist/program"));
  const names = Object.entries(taken).filter(([, was]) => was);
  expect([status, names.map(([name]) => name.replace(/-[\w-]{8}\.cjs$/, "")).includes("app")]).toEqual([0, true]);
});

describe("the build of scripts", () => {
  it("writes plain ASCII that says the same, and leaves apart what stays a module", async () => {
    const main = path.join(place, "main.ts");
    const apart = path.join(place, "apart.ts");
    writeFileSync(
      main,
      `import path, { sep } from "node:path";
import * as all from "node:path";
import("./apart.ts").then(({ apart }) => console.log("später \\u2026 …", path.sep === sep, all.join("a", "b"), apart));`,
    );
    writeFileSync(apart, 'export const apart: string = await Promise.resolve("apart");');
    rmSync(program, { recursive: true });
    await bundle({
      entries: { main },
      outDir: program,
      features: {},
      scripts: true,
      apart: { [apart]: "../apart.js" },
    });
    expect(readdirSync(program)).toEqual(["import-module.mjs", "main.cjs"]);
    expect(readFileSync(path.join(program, "main.cjs"), "utf8")).not.toMatch(/[^\0-\x7f]/);
    expect(keep()).toEqual({ status: 0, stdout: "später … … true a/b apart\n", stderr: "" });
    expect(load([])).toMatchObject({ stdout: "später … … true a/b apart\n", taken: { "main.cjs": true } });
  });

  it("refuses what a script could not import", async () => {
    const main = path.join(place, "main.ts");
    writeFileSync(main, "import(process.argv[2] ?? '');");
    await expect(bundle({ entries: { main }, outDir: program, features: {}, scripts: true })).rejects.toThrow(
      "An import that a script cannot make: import(process.argv[2]",
    );
  });
});

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forbiddenUses } from "../../scripts/check-globals.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** File, its text, and the rule that has to catch it. */
const planted: readonly (readonly [file: string, text: string, rule: string])[] = [
  ["src/effects/planted-room.ts", 'import "../registry/assemble.ts";', "effects-imports"],
  [
    "src/effects/planted-type.ts",
    'import type { SandboxPlan } from "../session/parts.ts";\nexport type A = SandboxPlan;',
    "effects-imports",
  ],
  ["src/contract/planted.ts", 'import "../host/planted-test.ts";', "contract-imports"],
  ["src/cli/planted-root.ts", 'await import("../launch.ts");', "cli-imports"],
  ["src/settings/planted-cli.ts", 'export { runProgram } from "../cli/program.ts";', "settings-imports"],
  ["src/tools/planted-fs.ts", 'import { readFileSync } from "node:fs";\nreadFileSync("/");', "system-modules"],
  ["src/tools/planted-promises.ts", 'import "fs/promises";', "system-modules"],
  ["src/gate/planted-sqlite.ts", 'import "node:sqlite";', "system-modules"],
  ["src/gate/planted-spawn.ts", 'await import("node:child_process");', "system-modules"],
  ["src/gate/planted-process.ts", 'import { env } from "node:process";\nexport const all = env;', "system-modules"],
  [
    "src/gate/planted-require.ts",
    'import { createRequire } from "node:module";\ncreateRequire("/")("fs");',
    "system-modules",
  ],
  ["src/cli/planted-os.ts", 'export { homedir } from "node:os";', "system-modules"],
  ["src/provider/planted-tools.ts", 'import "../tools/index.ts";', "provider-imports"],
  ["src/provider/planted-gate.ts", 'await import("../gate/gate.ts");', "provider-imports"],
  [
    "src/provider/planted-session.ts",
    'import type { SessionParts } from "../session/parts.ts";\nexport type A = SessionParts;',
    "provider-imports",
  ],
  ["src/provider/planted-execution.ts", 'export * from "../execution/scheduler.ts";', "provider-imports"],
  ["src/provider/planted-http.ts", 'import "node:https";', "system-modules"],
  ["src/gate/planted-model.ts", 'import "@ai-sdk/openai";', "model-packages"],
  ["src/host/planted-test.ts", 'import "../cli/program.test.ts";', "tests-stay-outside"],
  ["src/host/planted-script.ts", 'import "../../scripts/bundle.mjs";', "tests-stay-outside"],
  ["src/host/planted-dev.ts", 'import "vitest";', "declared-packages"],
  ["src/host/planted-absent.ts", 'import "./nowhere.ts";', "resolvable"],
  ["src/gate/planted-orphan.ts", "export const lonely = 1;", "no-orphans"],
  ["src/gate/planted-cycle-a.ts", 'import "./planted-cycle-b.ts";', "no-cycles"],
  ["src/attic/planted.ts", 'import "../contract/codes.ts";', "known-rooms-import"],
  ["src/planted.ts", 'import "./contract/codes.ts";', "known-rooms-import"],
  ["src/log/planted-attic.ts", 'import "../attic/planted.ts";', "known-rooms"],
];

/** The other half of a cycle is reported with the first. */
const alsoPlanted = [["src/gate/planted-cycle-b.ts", 'import "./planted-cycle-a.ts";']] as const;

interface Report {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly {
      readonly from: string;
      readonly rule: { readonly name: string; readonly severity: string };
    }[];
  };
}

describe("the import rules", () => {
  let copy = "";
  let report: Report;

  beforeAll(() => {
    copy = mkdtempSync(path.join(os.tmpdir(), "gauntlet-imports-"));
    for (const part of ["src", "scripts", "package.json", "tsconfig.json", ".dependency-cruiser.mjs"]) {
      cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
    }
    symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
    for (const [file, text] of [...planted, ...alsoPlanted]) {
      mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
      writeFileSync(path.join(copy, file), `${text}\n`);
    }
    const cruise = spawnSync(
      process.execPath,
      ["node_modules/.bin/depcruise", "--config", ".dependency-cruiser.mjs", "--output-type", "json", "src"],
      { cwd: copy, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 },
    );
    report = JSON.parse(cruise.stdout);
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it("see the sources at all", () => {
    expect(report.summary.totalCruised).toBeGreaterThan(50);
  });

  it.each(planted)("catch %s", (file, _text, rule) => {
    const caught = report.summary.violations.filter((violation) => violation.from === file);
    expect(caught.map((violation) => violation.rule.name)).toContain(rule);
  });

  it("know no warnings", () => {
    expect(new Set(report.summary.violations.map((violation) => violation.rule.severity))).toEqual(new Set(["error"]));
  });
});

describe("the ways around an import", () => {
  it.each([
    ["const home = process.env.HOME;", ["process.env"]],
    ['process["env"]', ["process.env"]],
    ["const { env: all } = process;", ["process.env"]],
    ["globalThis.process.env", ["globalThis.process"]],
    ['process.getBuiltinModule("fs")', ["process.getBuiltinModule"]],
    ['await fetch("http://x")', ["fetch"]],
    ["globalThis.fetch", ["globalThis.fetch"]],
    ["const get = fetch;", ["fetch"]],
    ["use({ fetch });", ["fetch"]],
    ['require("fs")', ["require"]],
    ['new Function("return process")()', ["Function"]],
    ['eval("1")', ["eval"]],
    ["await import(name);", ["import() of a computed name"]],
    ["/* process.env and fetch() in words */ const text = 'process.env';", []],
    ["store.fetch(); const fetch2 = { fetch: 1 }; type F = typeof fetch2; process.stdout.write('');", []],
    ['await import("./cli/program.ts");', []],
  ])("%s", (text, expected) => {
    expect(forbiddenUses("a.ts", text).map((line) => line.replace(/^a\.ts:1 /, ""))).toEqual(expected);
  });
});

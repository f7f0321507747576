import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const row = "  zxrun; by npm; registry npm; naming -p --package; switches -y --yes; local --no-install\n";

/** What each part of the program says about the launcher, as JSON. */
const questions = `
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import os from "node:os";
import { checkOf } from "./src/agent/verification/check-of-command.ts";
import { overbroad } from "./src/gate/rules/lint-rules.ts";
import { parseRule } from "./src/gate/rules/compile-rules.ts";
import { findFile, namedFiles, trustHash } from "./src/host/state/trust.ts";
import { plainForms } from "./src/programs/plain-forms.ts";
import { readLaunch } from "./src/settings/package-launch.ts";

const places = { workspace: "/w", home: "/home/a" };
const parsed = parseRule("Bash(zxrun:*)", places, false);
const workspace = realpathSync(mkdtempSync(os.tmpdir() + "/launched-"));
const hashOf = (content) => {
  writeFileSync(workspace + "/server.js", content);
  const texts = ["zxrun", "pkg", "./server.js"];
  const files = namedFiles(texts, { base: workspace, workspace, find: findFile, budget: { names: 99 } });
  return trustHash(["mcp_server", "x"], files);
};
console.log(JSON.stringify({
  forms: plainForms(["zxrun", "-y", "git", "push"], true),
  broad: overbroad(parsed.target, places) !== undefined,
  checks: checkOf("zxrun -y vitest run", { configured: [], script: () => undefined })?.kinds,
  launch: readLaunch({ command: "zxrun", args: ["-y", "pkg@1.0.0"] }, "/w")?.launch?.packages,
  hashFollowsScript: hashOf("one") !== hashOf("two") && hashOf("one") === hashOf("one"),
}));
`;

let copy = "";

beforeAll(() => {
  copy = mkdtempSync(path.join(os.tmpdir(), "gauntlet-launcher-"));
  for (const part of ["src", "package.json", "tsconfig.json"]) {
    cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
  }
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
  const catalogue = path.join(copy, "src/programs/launchers.ts");
  const text = readFileSync(catalogue, "utf8");
  writeFileSync(catalogue, text.replace("export const launchers = rowsOf(\n  `\n", `$&${row}`));
  writeFileSync(path.join(copy, "questions.ts"), questions);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test("one row of the catalogue makes a launcher known everywhere", () => {
  const { stdout, stderr } = spawnSync(process.execPath, ["questions.ts"], { cwd: copy, encoding: "utf8" });
  expect(stderr).toBe("");
  const answers = JSON.parse(stdout);
  expect(answers.forms).toContainEqual(["git", "push"]);
  expect(answers).toMatchObject({
    broad: true,
    checks: ["tests"],
    launch: ["pkg@1.0.0"],
    hashFollowsScript: true,
  });
});

import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SettingsFile } from "../../src/contract/settings.ts";
import { openApp } from "../support/app.ts";
import { agreeable, openGauntlet } from "../support/gauntlet.ts";
import { bash } from "../support/network.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { makeDirectory } from "./view-world.ts";

const isRoot = process.getuid?.() === 0;
const hidden: SettingsFile = { secrets: { hideCommitted: true } };

async function examine(workspace: Workspace, settings: SettingsFile = {}) {
  const app = openApp(workspace, settings);
  const checks = await app.doctor({ fix: false });
  await app.close();
  return checks.find(({ name }) => name === "transactions");
}

function mount(...words: readonly string[]): void {
  execFileSync("mount", words);
  onTestFinished(() => void execFileSync("umount", ["--lazy", words.at(-1) ?? ""]));
}

test("where a command must run on a view and cannot, it does not run", async () => {
  const workspace = makeWorkspace();
  const settings: SettingsFile = { ...hidden, transactions: { use: "on" } };
  const gauntlet = await openGauntlet(workspace, { mode: "auto", settings, onAsk: agreeable() });
  expect(await gauntlet.call(bash("touch made"))).toMatchObject({ code: "sandbox_unavailable" });
  expect(await gauntlet.call(bash("ls"))).toMatchObject({ code: "ok" });
  expect(existsSync(workspace.path("made"))).toBe(false);
  expect(await examine(workspace, settings)).toMatchObject({ state: "missing" });
});

test("where commands write directly, a question comes before them, and the observation gives the reason", async () => {
  const onAsk = agreeable();
  const gauntlet = await openGauntlet(makeWorkspace(), { mode: "auto", settings: hidden, onAsk });
  const observation = await gauntlet.call(bash("python3 -c \"open('made', 'w')\""));
  expect(observation).toMatchObject({ code: "ok", data: { transaction: false } });
  expect(observation.data?.direct).toContain("secrets.hideCommitted");
  expect(onAsk.asked.map(({ prompt }) => prompt.title)).toEqual(["Run this command?"]);
});

test.runIf(isRoot)("a project of another group of the user means direct mode", () => {
  const workspace = makeWorkspace({ "shared/x": "" });
  const [nobody, shared] = [65534, 4242];
  for (const directory of [workspace.root, workspace.home, workspace.state, path.dirname(workspace.root)])
    chownSync(directory, nobody, nobody);
  chownSync(workspace.path("shared"), nobody, shared);
  chmodSync(workspace.path("shared"), 0o2775);
  const said = execFileSync(
    "setpriv",
    [
      ...[`--reuid=${nobody}`, `--regid=${nobody}`, `--groups=${nobody},${shared}`],
      path.resolve(import.meta.dirname, "../../bin/gauntlet"),
      ...["call", "bash", JSON.stringify({ command: "touch shared/made" }), "--mode", "auto", "--json"],
    ],
    {
      cwd: workspace.root,
      env: { PATH: process.env.PATH, HOME: workspace.home, GAUNTLET_HOME: workspace.state },
      encoding: "utf8",
    },
  );
  expect(JSON.parse(said)).toMatchObject({ code: "ok", data: { transaction: false } });
  expect(existsSync(workspace.path("shared/made"))).toBe(true);
});

describe.runIf(isRoot)("on file systems of their own", () => {
  test("a mount point inside the workspace means direct mode", async () => {
    const workspace = makeWorkspace({ "data/x": "" });
    mount("-t", "tmpfs", "tmpfs", workspace.path("data"));
    const check = await examine(workspace);
    expect([check?.state, check?.detail]).toEqual(["warning", expect.stringContaining(workspace.path("data"))]);
  });

  test("a state directory on an overlay is passed over for memory", async () => {
    const workspace = makeWorkspace();
    const base = makeDirectory("/tmp");
    mount("-t", "tmpfs", "tmpfs", base);
    const [lower = "", upper = "", work = ""] = ["lower", "upper", "work"].map((name) => path.join(base, name));
    for (const directory of [lower, upper, work]) mkdirSync(directory);
    mount("-t", "overlay", "-o", `lowerdir=${lower},upperdir=${upper},workdir=${work}`, "overlay", workspace.state);
    const gauntlet = await openGauntlet(workspace, { mode: "auto" });
    const observation = await gauntlet.call(bash("mkdir d; echo x >d/made; rm -r d; mkdir d; echo y >d/made"));
    expect(observation).toMatchObject({ code: "ok", data: { changes: { state: "applied" } } });
    expect(workspace.read("d/made")).toBe("y\n");
    expect(await examine(workspace)).toMatchObject({ state: "ok" });
  });

  test("a workspace on an overlay is viewed like any other", async () => {
    const workspace = makeWorkspace();
    const base = makeDirectory("/tmp");
    mount("-t", "tmpfs", "tmpfs", base);
    execFileSync("bash", [
      "-c",
      `cd '${base}' && mkdir -p lower/d upper work && echo old >lower/d/f && echo gone >lower/g`,
    ]);
    const options = ["lower", "upper", "work"].map((name) => `${name}dir=${path.join(base, name)}`).join();
    mount("-t", "overlay", "-o", options, "overlay", workspace.root);
    const gauntlet = await openGauntlet(workspace, { mode: "auto" });
    const observation = await gauntlet.call(bash("echo new >>d/f; rm g; mv d e"));
    expect(observation).toMatchObject({ code: "ok", data: { changes: { state: "applied" } } });
    expect([workspace.read("e/f"), existsSync(workspace.path("g"))]).toEqual(["old\nnew\n", false]);
  });
});

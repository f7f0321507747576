import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Observation } from "../../src/contract/observation.ts";
import { createGauntlet, GauntletError } from "../../src/index.ts";
import { commandLine, type Finished, runCommand } from "../support/command.ts";
import { openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const bubblewrap = "bwrap";

const write = (file: string, content = "made\n") => ({ id: file, tool: "write", input: { path: file, content } });

function lines(intents: readonly object[]): string {
  return `${intents.map((intent) => JSON.stringify(intent)).join("\n")}\n`;
}

/** The command as it runs where only these mounts differ from the machine. */
function runMounted(workspace: Workspace, mounts: readonly string[], args: readonly string[], input = ""): Finished {
  const root = ["--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc"];
  const { command, options } = commandLine(workspace, args);
  const { status, signal, stdout, stderr } = spawnSync(bubblewrap, [...root, ...mounts, ...command], {
    ...options,
    input,
    encoding: "utf8",
  });
  return { code: status, signal, stdout, stderr };
}

describe("a store that cannot be written", () => {
  const acceptEdits = ["--mode", "acceptEdits"];

  test("read-only: said plainly, and nothing is executed", async () => {
    const workspace = makeWorkspace();
    await runCommand(workspace, ["call", "list", "{}"]);
    const readOnly = ["--ro-bind", workspace.state, workspace.state];
    const called = runMounted(workspace, readOnly, [
      "call",
      "write",
      JSON.stringify(write("a.txt").input),
      ...acceptEdits,
    ]);
    expect(called).toMatchObject({ code: 1, stderr: expect.stringMatching(/cannot be written.*EROFS/s) });
    const piped = runMounted(workspace, readOnly, ["pipe", ...acceptEdits], lines([write("b.txt")]));
    expect(piped).toMatchObject({ code: 1 });
    expect(`${piped.stdout}${piped.stderr}`).toMatch(/log_unavailable|cannot be written/);
    expect(readdirSync(workspace.root)).toEqual([]);
  });

  test("full: from there on nothing is executed, and what was acknowledged is there", async () => {
    const workspace = makeWorkspace();
    const intents = Array.from({ length: 40 }, (_, index) => write(`${index}.txt`, String(index % 10).repeat(60_000)));
    const small = ["--size", String(1 << 20), "--tmpfs", workspace.state];
    const piped = runMounted(workspace, small, ["pipe", ...acceptEdits], lines(intents));
    const observations: Observation[] = piped.stdout
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    expect(observations).toHaveLength(intents.length);
    expect(new Set(observations.map(({ code }) => code))).toEqual(new Set(["ok", "log_unavailable"]));
    const refused = observations.filter(({ ok }) => !ok);
    for (const { summary, recovery } of refused) {
      expect(summary).toContain("no space left");
      expect(recovery).toContain("prune");
    }
    const left = (wanted: (observation: Observation) => boolean) =>
      observations.filter(wanted).map(({ intentId }) => existsSync(workspace.path(intentId)));
    expect(new Set(left(({ ok }) => ok))).toEqual(new Set([true]));
    expect(new Set(left(({ effects }) => effects.happened === "nothing"))).toEqual(new Set([false]));
    expect(refused.filter(({ effects }) => effects.happened !== "nothing").length).toBeLessThanOrEqual(1);
    for (const name of readdirSync(workspace.root)) expect(statSync(workspace.path(name)).size).toBe(60_000);
  });

  test("a file where the directory should be", async () => {
    const workspace = makeWorkspace();
    rmSync(workspace.state, { recursive: true });
    writeFileSync(workspace.state, "not a directory\n");
    const called = await runCommand(workspace, ["call", "list", "{}", "--json"]);
    expect(called.code).toBe(1);
    expect(JSON.parse(called.stdout)).toMatchObject({ ok: false, code: "log_unavailable" });
    const opening = createGauntlet({ workspace: workspace.root, store: workspace.state, home: workspace.home });
    await expect(opening).rejects.toBeInstanceOf(GauntletError);
    await expect(opening).rejects.toMatchObject({ failure: { code: "log_unavailable" } });
  });
});

describe("a store with damage", () => {
  async function oneSession(workspace: Workspace): Promise<string> {
    const gauntlet = await openGauntlet(workspace);
    await gauntlet.call({ tool: "list", input: {} });
    const { sessionId } = gauntlet.session;
    await gauntlet.close();
    return sessionId;
  }

  test("a damaged index is made anew; the sessions are all there", async () => {
    const workspace = makeWorkspace();
    const session = await oneSession(workspace);
    const index = path.join(workspace.state, "index.db");
    for (const companion of ["-wal", "-shm"]) rmSync(index + companion, { force: true });
    writeFileSync(index, "no database at all\n".repeat(500));
    const gauntlet = await openGauntlet(workspace, { session });
    expect(await gauntlet.call({ tool: "list", input: {} })).toMatchObject({ ok: true });
    expect(gauntlet.archive.list().map(({ id }) => id)).toEqual([session]);
    expect(gauntlet.archive.verify()).toMatchObject({ ok: true, value: [{ session, ok: true }] });
    expect(existsSync(`${index}.damaged`)).toBe(true);
  });

  test.each([
    ["not a database", (file: string) => writeFileSync(file, "no database at all\n".repeat(500))],
    ["cut short", (file: string) => truncateSync(file, 5_000)],
  ])("a session file that is %s closes that session only", async (_what, damage) => {
    const workspace = makeWorkspace();
    const broken = await oneSession(workspace);
    const sound = await oneSession(workspace);
    const file = path.join(workspace.state, "sessions", `${broken}.db`);
    for (const companion of ["-wal", "-shm"]) rmSync(file + companion, { force: true });
    damage(file);

    const called = await runCommand(workspace, ["call", "list", "{}", "--json", "--session", broken]);
    expect(called.code).toBe(1);
    expect(JSON.parse(called.stdout)).toMatchObject({ ok: false, code: "log_unavailable" });
    const verified = await runCommand(workspace, ["audit", "verify", "--json"]);
    expect(verified.code).not.toBe(0);
    const gauntlet = await openGauntlet(workspace, { session: sound });
    expect(await gauntlet.call({ tool: "list", input: {} })).toMatchObject({ ok: true });
    const reports = gauntlet.archive.verify();
    expect(reports.ok && reports.value.map(({ session, ok }) => [session, ok]).sort()).toEqual(
      [
        [broken, false],
        [sound, true],
      ].sort(),
    );
    expect(
      gauntlet.archive
        .list()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([broken, sound].sort());
    expect(existsSync(file)).toBe(true);
  });
});

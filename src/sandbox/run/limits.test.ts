import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openRemoteSandbox } from "../../../test/escape/remote-sandbox.ts";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { createSandbox, type SandboxOptions } from "../create-sandbox.ts";
import { findGroupPlaces, findLimits } from "./limits.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "limits-")));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const options = (): SandboxOptions => ({
  backend: "bubblewrap",
  environment: { PATH: process.env.PATH, HOME: root },
  toolchains: [],
  passEnvironment: [],
  workspaceRoots: [root],
  // A number of its own, so that its groups can be told from those of others.
  pids: 777,
});

function profile(): SandboxProfile {
  return { readable: [root], writable: [], protected: [], masked: [], network: "none" };
}

/** A session from its beginning to its end, in this process. */
async function oneSession(commands: number): Promise<readonly unknown[]> {
  const created = await createSandbox(options());
  if (!created.ok) throw new Error(created.failure.message);
  const sandbox = created.value;
  const exits: unknown[] = [];
  for (let command = 0; command < commands; command++) {
    const started = sandbox.shell("true", { cwd: root, profile: profile(), onStdout: () => {}, onStderr: () => {} });
    exits.push(started.ok ? await started.value.exited : started.failure);
  }
  sandbox.close?.();
  return exits;
}

const ended = () => ({ exitCode: 0, signal: null, cwd: root });

test("sessions that begin and end at the same time do not take the limits from each other", async () => {
  const remotes = await Promise.all([1, 2].map(() => openRemoteSandbox({ options: options() })));
  try {
    const there = { cwd: root, profile: profile() };
    const elsewhere = remotes.flatMap((remote) => Array.from({ length: 8 }, () => remote.run("true", there)));
    const here = Array.from({ length: 4 }, async () => {
      const exits: unknown[] = [];
      for (let session = 0; session < 5; session++) exits.push(...(await oneSession(2)));
      return exits;
    });
    const exits = (await Promise.all(here)).flat();
    expect(exits).toEqual(Array.from({ length: 40 }, ended));
    const answers = await Promise.all(elsewhere);
    expect(answers).toEqual(Array.from({ length: 16 }, () => ({ ...ended(), stdout: "", stderr: "" })));
  } finally {
    await Promise.all(remotes.map((remote) => remote.kill()));
  }
});

test("one that ends at any moment does not take the group from another that begins", async () => {
  const ending = findLimits({ pids: 777 });
  let over = false;
  const endAgainAndAgain = async () => {
    for (; !over; await nextTurn()) ending.rest();
  };
  const ends = endAgainAndAgain();
  const failures: unknown[] = [];
  for (let round = 0; round < 20; round++) {
    const beginning = findLimits({ pids: 777 });
    const command = spawn("sleep", ["60"]);
    const ended = once(command, "exit");
    failures.push(await beginning.hold(command.pid ?? 0));
    command.kill("SIGKILL");
    await ended;
    beginning.rest();
  }
  over = true;
  await ends;
  expect(failures).toEqual(Array.from({ length: 20 }, () => undefined));
});

test("nothing of a session's group stays when it is over", async () => {
  await oneSession(2);
  await expect.poll(ownGroups).toEqual([]);
});

function ownGroups(): readonly string[] {
  const parent = findGroupPlaces(["pids"])[0]?.parent;
  return parent === undefined
    ? []
    : readdirSync(parent).filter((name) => name.startsWith(`gauntlet-${process.pid}-777`));
}

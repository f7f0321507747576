import { closeSync, existsSync, openSync, readFileSync, statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SandboxProfile } from "../../src/contract/verdict.ts";
import type { Attempt } from "./attempt.ts";
import { attemptsToGain } from "./attempts-to-gain.ts";
import { attemptsToRead } from "./attempts-to-read.ts";
import { attemptsToWrite } from "./attempts-to-write.ts";
import { attemptsOnTheKernel } from "./backend-attempts.ts";
import { createEscapeWorld, type EscapeWorld } from "./escape-world.ts";
import { waitingSandboxes } from "./process-search.ts";
import { openRemoteSandbox, type RemoteSandbox } from "./remote-sandbox.ts";

const identities =
  process.getuid?.() === 0
    ? [
        { name: "root", uid: undefined },
        { name: "an unprivileged user", uid: 65534 },
      ]
    : [{ name: "this user", uid: undefined }];

const isInEtc = (name: string) => existsSync(`/etc/${name}`);
const contentInEtc = (name: string) => readFileSync(`/etc/${name}`, "utf8");

describe.each(identities)("a command of $name under bubblewrap", ({ uid }) => {
  let world: EscapeWorld;
  let sandbox: RemoteSandbox;
  let leaked: number;
  let before: ReturnType<EscapeWorld["guarded"]>;

  beforeAll(async () => {
    world = await createEscapeWorld(uid);
    before = world.guarded();
    leaked = openSync(world.outside, "r");
    sandbox = await openRemoteSandbox({
      ...(uid !== undefined && { uid }),
      leaked,
      options: {
        backend: "bubblewrap",
        environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: world.home, SECRET_TOKEN: world.token },
        toolchains: [],
        passEnvironment: [],
        workspaceRoots: [world.workspace, world.readOnly],
        pids: 256,
      },
    });
  });

  afterAll(async () => {
    await sandbox.kill();
    closeSync(leaked);
    await world.close();
  });

  async function attempt({ text, says }: Attempt): Promise<void> {
    expect(await hold(text(world), world.profile)).toMatch(says);
  }

  /** Runs it and sees that it had no effect. */
  async function hold(text: string, profile: SandboxProfile): Promise<string> {
    const ran = await sandbox.run(text, { cwd: world.workspace, profile });
    const said = ran.stdout + ran.stderr;
    expect(ran.failure).toBeUndefined();
    expect(said).not.toContain(world.token);
    expect(world.guarded()).toEqual(before);
    expect(world.connections()).toBe(0);
    expect(world.bystander.exitCode ?? world.bystander.signalCode).toBeNull();
    return said;
  }

  test.each(attemptsToRead)("cannot read $name", attempt);
  test.each(attemptsToWrite)("cannot write $name", attempt);
  test.each(attemptsToGain)("cannot gain $name", attempt);

  test.each(attemptsOnTheKernel)("cannot use $name", attempt);

  test("cannot do any of it in a shell that was started ahead either", async () => {
    const { readOnly, workspace, profile } = world;
    const reading = { ...profile, readable: [workspace, readOnly], writable: [], protected: [] };
    const waiting = () => waitingSandboxes(sandbox.pid);
    await hold("true", reading);
    for (const { text } of [...attemptsToRead, ...attemptsToWrite, ...attemptsToGain, ...attemptsOnTheKernel]) {
      await expect.poll(() => waiting().length).toBeGreaterThan(0);
      await hold(text(world), reading);
    }
  });

  test("sees the plain files in /etc that everybody may read, and no others", async () => {
    const seen = await sandbox.run("cd /etc && ls -A -p | grep -v /", { cwd: world.workspace, profile: world.profile });
    const names = seen.stdout.trim().split("\n");
    expect(names).toEqual(expect.arrayContaining(["hosts", "passwd", "os-release", "services"].filter(isInEtc)));
    for (const name of names) expect(statSync(`/etc/${name}`).mode & 0o004, name).not.toBe(0);
    for (const name of ["shadow", "gshadow", "sudoers", "npmrc", "pip.conf", "netrc", "passwd-", "resolv.conf"])
      expect(names).not.toContain(name);
    const read = await sandbox.run("cat /etc/services /etc/ld.so.conf", {
      cwd: world.workspace,
      profile: world.profile,
    });
    expect(read.stdout).toBe(["services", "ld.so.conf"].filter(isInEtc).map(contentInEtc).join(""));
  });

  test("can work: read, write, run and talk to itself", async () => {
    const text = [
      "echo hello > made.txt && cat made.txt",
      "touch ~/x /tmp/x /var/tmp/x /run/x /dev/shm/x && echo private",
      "git --git-dir=/tmp/repository init -q && git status --short 2>&1 | head -1",
      "whoami > /dev/null && getent hosts localhost | grep -q localhost && echo names",
      `perl -e 'use Socket; socketpair(A, B, AF_UNIX, SOCK_STREAM, 0); syswrite A, "pair\\n"; sysread B, $x, 9; print $x'`,
    ].join("; ");
    const ran = await sandbox.run(text, { cwd: world.workspace, profile: world.profile });
    expect(ran.stdout).toMatch(/^hello\nprivate\n[\s\S]*names\npair\n$/);
    expect(readFileSync(`${world.workspace}/made.txt`, "utf8")).toBe("hello\n");
    expect(existsSync(`${world.workspace}/.mcp.json`)).toBe(false);
  });
});

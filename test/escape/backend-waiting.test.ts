import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox, SpawnRequest } from "../../src/contract/ports.ts";
import type { SandboxProfile } from "../../src/contract/verdict.ts";
import { createSandbox } from "../../src/sandbox/create-sandbox.ts";
import { tellingTexts } from "./backend-texts.ts";
import { processesWith, waitingSandboxes } from "./process-search.ts";

/** On a machine that has much else to do a start takes its time. */
const patience = { timeout: 60_000 };

let root: string;
let sandbox: Sandbox;
let profile: SandboxProfile;
const at = (...parts: string[]) => join(root, ...parts);

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "waiting-")));
  mkdirSync(at("sub"));
  symlinkSync("sub", at("link"));
  profile = { readable: [root], writable: [], protected: [], masked: [], network: "none" };
  const created = await createSandbox({
    backend: "bubblewrap",
    environment: { PATH: process.env.PATH, HOME: process.env.HOME, REPLY: "mine", WORD: "mine too" },
    toolchains: [],
    passEnvironment: ["REPLY", "WORD"],
    workspaceRoots: [root],
  });
  if (!created.ok) throw new Error(created.failure.message);
  sandbox = created.value;
});

afterEach(async () => {
  sandbox.close?.();
  await expect.poll(waiting, patience).toEqual([]);
  rmSync(root, { recursive: true, force: true });
});

/** The shells of this process that wait. */
function waiting(): readonly number[] {
  return waitingSandboxes(process.pid);
}

async function run(text: string, options: { cold?: boolean; cwd?: string; profile?: SandboxProfile } = {}) {
  const output = { stdout: "", stderr: "" };
  const before = waiting();
  const started = sandbox.shell(text, {
    cwd: options.cwd ?? root,
    profile: options.profile ?? profile,
    // A shell with variables of its own is never one that waited.
    ...(options.cold && { env: {} }),
    ...collect(output),
  });
  if (!started.ok) throw new Error(started.failure.message);
  const waited = before.includes(started.value.pid);
  const exit = await started.value.exited;
  return { waited, ran: { ...exit, ...output } };
}

/** One that could not be made, because the workspace changed meanwhile, is made with the next command. */
async function warmUp(warmProfile = profile): Promise<void> {
  for (let tries = 3; ; tries -= 1) {
    await run("true", { profile: warmProfile });
    const both = expect.poll(() => waiting().length, tries > 0 ? { timeout: 10_000 } : patience).toBe(2);
    const stood = await both.then(
      () => true,
      () => false,
    );
    if (stood) return;
    if (tries === 0) throw new Error(`Only ${waiting().length} shells wait.`);
  }
}

describe("a shell that was started ahead", () => {
  test("is used by the next command, once, and another takes its place", async () => {
    expect((await run("true")).waited).toBe(false);
    await warmUp();
    const before = waiting();
    expect(await run("echo hello")).toEqual({
      waited: true,
      ran: { exitCode: 0, signal: null, cwd: root, stdout: "hello\n", stderr: "" },
    });
    await warmUp();
    expect(waiting()).not.toEqual(before);
  });

  test("runs every text as a fresh one does", async () => {
    await warmUp();
    const different: unknown[] = [];
    for (const text of tellingTexts) {
      const cold = await run(text, { cold: true, cwd: at("sub") });
      await warmUp();
      const warm = await run(text, { cwd: at("sub") });
      expect([cold.waited, warm.waited]).toEqual([false, true]);
      if (JSON.stringify(cold.ran) !== JSON.stringify(warm.ran))
        different.push({ text, cold: cold.ran, warm: warm.ran });
    }
    expect(different).toEqual([]);
  });

  test("is told its directory later", async () => {
    const odd = at("sub", "a b\n'\"$x\\");
    mkdirSync(odd);
    await warmUp();
    expect((await run("pwd", { cwd: odd })).ran).toMatchObject({ exitCode: 0, stdout: `${odd}\n`, cwd: odd });
    await warmUp();
    const gone = await run("echo never", { cwd: at("missing") });
    expect(gone).toMatchObject({ waited: true, ran: { stdout: "", failure: { code: "sandbox_unavailable" } } });
  });

  test("is not used for a text that is too long for it", async () => {
    await warmUp();
    const text = `: ${"x".repeat(5_000)}`;
    expect(await run(text)).toMatchObject({ waited: false, ran: { exitCode: 0 } });
  });

  test("ends with its sandbox, and with its tree when asked", async () => {
    await warmUp();
    const mark = randomUUID();
    const output = { stdout: "", stderr: "" };
    const text = `setsid bash -c 'exec -a ${mark} sleep 1000' & echo started; wait`;
    const started = sandbox.shell(text, { cwd: root, profile, ...collect(output) });
    if (!started.ok) throw new Error(started.failure.message);
    await expect.poll(() => processesWith(mark).length > 0 && output.stdout, patience).toBe("started\n");
    await started.value.kill();
    expect(processesWith(mark)).toEqual([]);
    expect(await started.value.exited).toMatchObject({ exitCode: null, signal: "SIGTERM" });
    await warmUp();
    sandbox.close?.();
    await expect.poll(waiting, patience).toEqual([]);
    expect(await run("echo again")).toMatchObject({ waited: false, ran: { stdout: "again\n" } });
  });

  test("runs a program of ours, with its arguments as they are", async () => {
    writeFileSync(at("sub/hay.txt"), "a 'needle' $x\n");
    const search = async (argv: readonly [string, ...string[]]) => {
      const output = { stdout: "", stderr: "" };
      const before = waiting();
      const started = sandbox.program({ argv, cwd: at("sub"), profile, ...collect(output) });
      if (!started.ok) return { waited: false, failure: started.failure };
      const exit = await started.value.exited;
      return { ...exit, ...output, waited: before.includes(started.value.pid) };
    };
    const argv = [rgPath, "--no-config", "-e", "'needle' \\$x$", "-e", "", "--max-count=1", "."] as const;
    const found = { exitCode: 0, signal: null, stdout: "./hay.txt:a 'needle' $x\n", stderr: "" };
    expect(await search(argv)).toEqual({ ...found, waited: false });
    await warmUp();
    expect(await search(argv)).toEqual({ ...found, waited: true });
    await warmUp();
    expect(await run("cat hay.txt", { cwd: at("sub") })).toMatchObject({ waited: true, ran: { exitCode: 0 } });
    const missing = await search([at("missing")]);
    expect(missing).toMatchObject({ waited: false, failure: { code: "sandbox_unavailable" } });
  });

  test("that died while it waited is not used", async () => {
    await warmUp();
    for (const pid of waiting()) process.kill(pid, "SIGKILL");
    await expect.poll(waiting, patience).toEqual([]);
    expect(await run("echo still")).toMatchObject({ ran: { exitCode: 0, stdout: "still\n" } });
  });
});

describe("nothing of a command reaches the next", () => {
  test("over twenty commands in turns", async () => {
    const leave = [
      "export LEFT=1; left() { :; }; alias left=true; cd sub; umask 0; set -f; trap 'true' USR1",
      "for at in /tmp /var/tmp /run /dev/shm ~; do echo left > $at/left; done",
      "(setsid sleep 1000 &) ; exec 9>/tmp/left",
    ].join("\n");
    const look = [
      'echo "[$LEFT]"; declare -F; alias; pwd; umask; echo $-; trap -p',
      "cat /tmp/left /var/tmp/left /run/left /dev/shm/left ~/left 2>&1 | grep -vc 'No such file'",
      "echo /proc/[0-9]*; ls /proc/self/fd",
    ].join("\n");
    const seen = new Set<string>();
    let waited = 0;
    for (let round = 0; round < 10; round++) {
      await run(leave);
      await expect.poll(() => waiting().length, patience).toBeGreaterThan(0);
      const looked = await run(look);
      seen.add(looked.ran.stdout);
      waited += looked.waited ? 1 : 0;
    }
    expect(waited).toBe(10);
    const fresh = await run(look, { cold: true });
    expect([...seen]).toEqual([fresh.ran.stdout]);
  });
});

describe("what changed while a shell waited", () => {
  const secret = () => at(".env");
  const mask = (path: string) => ({ path, scope: "file" as const, reason: "a secret" });
  const masking = () => ({ ...profile, masked: [mask(secret())] });

  test.each<[string, () => void]>([
    ["another file renamed over a masked one", () => renameSync(at("other"), secret())],
    [
      "a masked file that was made anew",
      () => {
        rmSync(secret());
        writeFileSync(secret(), "TOKEN=new");
      },
    ],
    [
      "a masked file that was moved and replaced",
      () => {
        renameSync(secret(), at("moved"));
        writeFileSync(secret(), "TOKEN=new");
      },
    ],
    [
      "a masked file moved away and back",
      () => {
        renameSync(secret(), at("moved"));
        renameSync(at("moved"), secret());
      },
    ],
    ["a masked file that got other content", () => appendFileSync(secret(), "TOKEN=more")],
    [
      "a masked file that became a directory",
      () => {
        rmSync(secret());
        mkdirSync(secret());
        writeFileSync(at(".env", "inner"), "TOKEN=inner");
      },
    ],
  ])("%s", async (_, change) => {
    writeFileSync(secret(), "TOKEN=old");
    writeFileSync(at("other"), "TOKEN=other");
    await warmUp(masking());
    change();
    const { waited, ran } = await run("cat .env .env/* 2>/dev/null; echo end", { profile: masking() });
    expect(waited).toBe(false);
    expect(ran.stdout).toBe("end\n");
  });

  test("a file that is masked only now", async () => {
    await warmUp();
    writeFileSync(secret(), "TOKEN=new");
    expect(await run("cat .env; echo end", { profile: masking() })).toMatchObject({
      waited: false,
      ran: { stdout: "end\n" },
    });
  });

  test("a directory above a masked file that was exchanged", async () => {
    writeFileSync(at("sub/.env"), "TOKEN=old");
    const below = { ...profile, masked: [mask(at("sub/.env"))] };
    await warmUp(below);
    renameSync(at("sub"), at("old-sub"));
    mkdirSync(at("sub"));
    writeFileSync(at("sub/.env"), "TOKEN=new");
    expect(await run("cat sub/.env; echo end", { profile: below })).toMatchObject({
      waited: false,
      ran: { stdout: "end\n" },
    });
  });

  test("a workspace that was exchanged for another", async () => {
    await warmUp();
    writeFileSync(at("note"), "old");
    renameSync(root, `${root}-old`);
    mkdirSync(root);
    writeFileSync(at("note"), "new");
    const { waited, ran } = await run("cat note");
    rmSync(`${root}-old`, { recursive: true });
    expect([waited, ran.stdout]).toEqual([false, "new"]);
  });

  test("files that are not masked: they are seen as they are", async () => {
    await warmUp();
    writeFileSync(at("note"), "new");
    expect(await run("cat note")).toMatchObject({ waited: true, ran: { stdout: "new" } });
  });

  test("a protected file in a writable workspace that was made anew", async () => {
    writeFileSync(at(".npmrc"), "old\n");
    const writable = { ...profile, readable: [], writable: [root], protected: [at(".npmrc")] };
    await warmUp(writable);
    rmSync(at(".npmrc"));
    writeFileSync(at(".npmrc"), "new\n");
    const { waited } = await run("echo x > .npmrc", { profile: writable });
    expect([waited, readFileSync(at(".npmrc"), "utf8")]).toEqual([false, "new\n"]);
  });

  test("another profile: its own shell is used", async () => {
    await warmUp();
    const writable = { ...profile, readable: [], writable: [root] };
    expect(await run("touch made && echo made", { profile: writable })).toMatchObject({
      waited: false,
      ran: { stdout: "made\n" },
    });
    expect(await run("touch never; echo $?")).toMatchObject({ ran: { stdout: "1\n" } });
  });

  test("a name that must stay free keeps no shell waiting", async () => {
    const writable = { ...profile, readable: [], writable: [root], protected: [at(".mcp.json")] };
    await run("true", { profile: writable });
    expect(await run("echo x > .mcp.json; echo $?", { profile: writable })).toMatchObject({
      waited: false,
      ran: { stdout: "1\n" },
    });
    expect(waiting()).toEqual([]);
  });
});

function collect(output: { stdout: string; stderr: string }): Pick<SpawnRequest, "onStdout" | "onStderr"> {
  return {
    onStdout: (chunk) => {
      output.stdout += Buffer.from(chunk).toString();
    },
    onStderr: (chunk) => {
      output.stderr += Buffer.from(chunk).toString();
    },
  };
}

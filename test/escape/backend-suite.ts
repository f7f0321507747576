import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { rgPath } from "@vscode/ripgrep";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox, SpawnRequest } from "../../src/contract/ports.ts";
import type { SandboxProfile } from "../../src/contract/verdict.ts";
import { childrenOf } from "../../src/host/process/process-table.ts";
import { createSandbox, type SandboxOptions } from "../../src/sandbox/create-sandbox.ts";
import { processesWith } from "./process-search.ts";

const { pid: ownPid } = process;

/** What every backend must do alike. Written against the port only. */
export function describeBackend(backend: Exclude<SandboxOptions["backend"], "auto">): void {
  describe(`the ${backend} backend`, () => {
    let root: string;
    let sandbox: Sandbox;
    let profile: SandboxProfile;

    beforeAll(async () => {
      root = realpathSync(mkdtempSync(join(tmpdir(), "backend-")));
      mkdirSync(join(root, "sub"));
      writeFileSync(join(root, "sub", "hay.txt"), "one\nneedle\n");
      symlinkSync("sub", join(root, "link"));
      profile = { readable: [], writable: [root], protected: [], masked: [], network: "none" };
      const created = await createSandbox({
        backend,
        environment: { ...process.env, SECRET_TOKEN: "s3cret", WANTED: "yes", LD_PRELOAD: "", NODE_OPTIONS: "" },
        toolchains: [],
        passEnvironment: ["WANTED", "NODE_OPTIONS"],
        workspaceRoots: [root],
      });
      if (!created.ok) throw new Error(created.failure.message);
      sandbox = created.value;
    });

    afterAll(() => {
      sandbox.close?.();
      rmSync(root, { recursive: true, force: true });
    });

    function start(text: string, cwd = root) {
      const output = { stdout: "", stderr: "" };
      const started = sandbox.shell(text, { cwd, profile, ...collect(output) });
      if (!started.ok) throw new Error(started.failure.message);
      return { process: started.value, output };
    }

    async function run(text: string, cwd = root) {
      const { process, output } = start(text, cwd);
      const exit = await process.exited;
      return { ...exit, ...output };
    }

    test("says what it is", () => {
      expect(sandbox.description).toEqual({
        backend,
        enforces: backend !== "none",
        detail: expect.stringMatching(/\.$/),
        limits: expect.arrayContaining([expect.any(String)]),
      });
    });

    test.each<[string, { exitCode: number; stdout?: string; stderr?: string; cwd?: string }]>([
      ["true", { exitCode: 0 }],
      ["exit 3", { exitCode: 3 }],
      ["echo out; echo err >&2; exit 7", { exitCode: 7, stdout: "out\n", stderr: "err\n" }],
      ["no-such-command", { exitCode: 127, stderr: "bash: line 1: no-such-command: command not found\n" }],
      ["echo 'open", { exitCode: 2, stderr: expect.stringContaining("unexpected EOF") }],
      ["cat", { exitCode: 0 }],
      ["echo a > /dev/stdout; echo b > /dev/stderr", { exitCode: 0, stdout: "a\n", stderr: "b\n" }],
      ["set -x; : hi", { exitCode: 0, stderr: "+ : hi\n" }],
      ["kill -KILL $$", { exitCode: 137 }],
      ["sh -c 'kill -TERM $$'", { exitCode: 143, stderr: expect.stringContaining("Terminated") }],
    ])("runs %j", async (text, expected) => {
      const { cwd: _, ...ran } = await run(text);
      expect(ran).toEqual({ signal: null, stdout: "", stderr: "", ...expected });
    });

    test.each<[string, string | undefined]>([
      [":", ""],
      ["cd sub", "sub"],
      ["cd link", "sub"],
      ["cd sub; exit 4", "sub"],
      ["mkdir -p $'a\\nb' && cd $'a\\nb'", "a\nb"],
      ["cd sub; trap 'echo mine' EXIT", undefined],
      ["cd sub; exec true", undefined],
      ["cd sub; exec 219>&-", undefined],
      ["cd sub; exec 219>note; cd ..", undefined],
    ])("learns the directory after %j", async (text, expected) => {
      const { cwd } = await run(text);
      expect(cwd).toBe(expected === undefined ? undefined : join(root, expected));
    });

    test("hands the text over byte for byte", async () => {
      const text = `: "$(true)" 'ü' \\\n\t; printf '%s' "$BASH_EXECUTION_STRING" # trailing \u{1f9e4}`;
      expect(await run(text)).toMatchObject({ exitCode: 0, stdout: text });
    });

    test.each<[string, Partial<SpawnRequest> & { text?: string }, string]>([
      ["a NUL byte", { text: "echo \0" }, "runtime_precondition_failed"],
      ["half a character", { text: "echo \ud800" }, "runtime_precondition_failed"],
      ["more than one argument can hold", { text: `: ${"x".repeat(128 * 1024)}` }, "budget_exceeded"],
      ["a directory that it may not see", { cwd: "/usr" }, "runtime_precondition_failed"],
    ])("refuses %s", (_, { text = "true", cwd = root }, code) => {
      const refused = sandbox.shell(text, { cwd, profile, ...collect({ stdout: "", stderr: "" }) });
      expect(refused).toMatchObject({ ok: false, failure: { code } });
    });

    test("runs the longest text that is allowed", async () => {
      const text = `: ${"x".repeat(128 * 1024 - 3)}`;
      expect(await run(text)).toMatchObject({ exitCode: 0 });
    });

    test("gives a clean environment and nothing of the prelude", async () => {
      const { stdout } = await run('env; echo "[$REPLY$BASH_ENV]"');
      expect(stdout).not.toContain("s3cret");
      expect(stdout).toContain("WANTED=yes");
      expect(stdout).not.toContain("NODE_OPTIONS");
      expect(stdout).toContain("TERM=dumb");
      expect(stdout).toContain("GIT_CONFIG_VALUE_0=false");
      expect(stdout).toContain("[]\n");
    });

    test("leaves only the standard descriptors and the line to us open", async () => {
      const { stdout } = await run("for open in /proc/$$/fd/*; do [ -e $open ] && basename $open; done");
      expect(
        stdout
          .split("\n")
          .filter(Boolean)
          .map(Number)
          .sort((a, b) => a - b),
      ).toEqual([0, 1, 2, 219]);
    });

    test("adds variables for one command, but no protected ones", async () => {
      const output = { stdout: "", stderr: "" };
      const env = { PORT: "1", PATH: "/nowhere", BASH_ENV: "/nowhere" };
      const started = sandbox.shell("echo $PORT $PATH", { cwd: root, profile, env, ...collect(output) });
      if (!started.ok) throw new Error(started.failure.message);
      await started.value.exited;
      expect(output.stdout).toMatch(/^1 (?!\/nowhere)/);
    });

    test("keeps several commands apart", async () => {
      const texts = Array.from({ length: 6 }, (_, index) => `for i in 1 2 3; do echo ${index}; done; exit ${index}`);
      const ran = await Promise.all(texts.map((text) => run(text)));
      expect(ran.map(({ exitCode, stdout }) => ({ exitCode, stdout }))).toEqual(
        texts.map((_, index) => ({ exitCode: index, stdout: `${index}\n`.repeat(3) })),
      );
    });

    test("passes 300 MB through a slow consumer without holding them", async () => {
      let bytes = 0;
      let most = 0;
      const before = process.memoryUsage().arrayBuffers;
      const started = sandbox.shell("head -c 314572800 /dev/zero", {
        cwd: root,
        profile,
        onStdout: async (chunk) => {
          bytes += chunk.length;
          most = Math.max(most, process.memoryUsage().arrayBuffers - before);
          await nextTurn();
        },
        onStderr: () => {},
      });
      if (!started.ok) throw new Error(started.failure.message);
      expect(await started.value.exited).toMatchObject({ exitCode: 0 });
      expect(bytes).toBe(314572800);
      // What the collector has not taken back yet; the output itself would be several times as much.
      expect(most).toBeLessThan(128_000_000);
    });

    test("settles `exited` only after the last chunk was handled", async () => {
      const seen: string[] = [];
      const started = sandbox.shell("echo one", {
        cwd: root,
        profile,
        onStdout: async () => {
          for (let turn = 0; turn < 50; turn++) await nextTurn();
          seen.push("handled");
        },
        onStderr: () => {},
      });
      if (!started.ok) throw new Error(started.failure.message);
      await started.value.exited;
      expect(seen).toEqual(["handled"]);
    });

    test("ends the whole tree, also what left its session", async () => {
      const mark = randomUUID();
      const sleeper = `bash -c 'exec -a ${mark} sleep 1000'`;
      const { process, output } = start(
        `${sleeper} & setsid ${sleeper} & (setsid ${sleeper} &) ; (trap '' TERM; ${sleeper}) & echo started; wait`,
      );
      await expect.poll(() => processesWith(mark).length >= 4 && output.stdout).toBe("started\n");
      await process.kill();
      expect(processesWith(mark)).toEqual([]);
      expect(await process.exited).toMatchObject({ exitCode: null, signal: "SIGTERM" });
    });

    test("forces what does not want to end", async () => {
      const { process, output } = start("trap '' TERM; echo started; while :; do sleep 1; done");
      await expect.poll(() => output.stdout).toBe("started\n");
      await process.kill();
      expect(await process.exited).toMatchObject({ exitCode: null, signal: "SIGKILL" });
    });

    test("lets a command end in its own way when asked", async () => {
      const { process, output } = start("trap 'echo bye; exit 5' TERM; echo started; while :; do sleep 0.01; done");
      await expect.poll(() => output.stdout).toBe("started\n");
      await process.kill();
      expect(await process.exited).toMatchObject({ exitCode: 5, signal: null });
      expect(output.stdout).toBe("started\nbye\n");
    });

    test("can be ended at once, twice and after the end", async () => {
      const { process } = start("sleep 1000");
      await Promise.all([process.kill(), process.kill()]);
      expect(await process.exited).toMatchObject({ exitCode: null, signal: expect.stringMatching(/^SIG(TERM|KILL)$/) });
      await process.kill();
    });

    test("does not wait for a process that keeps the output open, and leaves none behind", async () => {
      const mark = randomUUID();
      const ran = await run(`setsid bash -c 'exec -a ${mark} sleep 1000' & echo done`);
      expect(ran).toMatchObject({ exitCode: 0, stdout: "done\n" });
      expect(processesWith(mark)).toEqual([]);
    });

    test.each<[string, readonly string[], { exitCode: number; stdout: string }]>([
      ["a match", ["needle", "."], { exitCode: 0, stdout: "./sub/hay.txt:needle\n" }],
      ["no match", ["absent", "."], { exitCode: 1, stdout: "" }],
      ["a bad pattern", ["("], { exitCode: 2, stdout: "" }],
    ])("runs ripgrep: %s", async (_, args, expected) => {
      const output = { stdout: "", stderr: "" };
      const started = sandbox.program({ argv: [rgPath, ...args], cwd: root, profile, ...collect(output) });
      if (!started.ok) throw new Error(started.failure.message);
      const exit = await started.value.exited;
      expect({ ...exit, stdout: output.stdout }).toEqual({ signal: null, ...expected });
    });

    test("runs a program that needs the system's libraries", async () => {
      const output = { stdout: "", stderr: "" };
      const started = sandbox.program({ argv: ["/usr/bin/env", "pwd"], cwd: root, profile, ...collect(output) });
      if (!started.ok) throw new Error(started.failure.message);
      expect(await started.value.exited).toEqual({ exitCode: 0, signal: null });
      expect(output.stdout).toBe(`${root}\n`);
    });

    test("keeps no descriptor once it is closed, and goes on when asked again", async () => {
      const open = () => readdirSync("/proc/self/fd").length;
      sandbox.close?.();
      await expect.poll(() => childrenOf(ownPid)).toEqual([]);
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      const before = open();
      for (let round = 0; round < 5; round++) await run("echo x; echo y >&2");
      const { process } = start("sleep 1000");
      await process.kill();
      await process.exited;
      sandbox.close?.();
      await expect.poll(open).toBeLessThanOrEqual(before);
      expect(await run("echo again")).toMatchObject({ exitCode: 0, stdout: "again\n" });
    });

    test("says so when a program cannot be started", async () => {
      const argv = [join(root, "missing-program")] as const;
      const started = sandbox.program({ argv, cwd: root, profile, ...collect({ stdout: "", stderr: "" }) });
      const failure = started.ok ? (await started.value.exited).failure : started.failure;
      expect(failure).toMatchObject({ message: expect.stringContaining("missing-program") });
    });
  });
}

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

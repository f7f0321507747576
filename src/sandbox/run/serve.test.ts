import { Buffer } from "node:buffer";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../create-sandbox.ts";
import { type ServeRequest, serveProgram } from "./serve.ts";

async function serve(backend: "bubblewrap" | "none", request: Partial<ServeRequest> & Pick<ServeRequest, "argv">) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "gauntlet-serve-")));
  const environment = { PATH: process.env.PATH, HOME: root, GIVEN: "to commands" };
  const sandbox = await createSandbox({
    backend,
    environment,
    toolchains: [],
    passEnvironment: ["GIVEN"],
    workspaceRoots: [root],
  });
  if (!sandbox.ok) throw new Error(sandbox.failure.message);
  onTestFinished(() => {
    sandbox.value.close?.();
    rmSync(root, { recursive: true, force: true });
  });
  return serveProgram(sandbox.value, {
    cwd: root,
    profile: { readable: [root], writable: [], protected: [], masked: [], network: "none" },
    env: {},
    withheld: ["GIVEN"],
    ...request,
  });
}

async function started(...args: Parameters<typeof serve>) {
  const served = await serve(...args);
  if (!served.ok) throw new Error(served.failure.message);
  onTestFinished(() => served.value.kill());
  return served.value;
}

/** Everything until this was said. */
function heard(program: Awaited<ReturnType<typeof started>>, wanted: string): Promise<string> {
  let text = "";
  return new Promise((resolve) =>
    program.onOutput((chunk) => {
      text += Buffer.from(chunk).toString();
      if (text.includes(wanted)) resolve(text);
    }),
  );
}

describe.each(["bubblewrap", "none"] as const)("a program that is talked to, with backend %s", (backend) => {
  test("hears and answers for as long as it lives, and ends when it is told to", async () => {
    const program = await started(backend, { argv: ["cat"] });
    await program.write(Buffer.from("one\n"));
    await program.write(Buffer.from("two\n"));
    expect(await heard(program, "two")).toBe("one\ntwo\n");
    await program.kill();
    expect(await program.exited).toEqual({ exitCode: null, signal: "SIGTERM" });
    await expect(program.write(Buffer.from("three\n"))).rejects.toThrow();
  });

  test("has the variables that it was given, whatever they are called, and no others of the person", async () => {
    const env = { PLAIN: "a", NODE_OPTIONS: "--x", LD_PRELOAD_NOTE: `it's "so"\n$HOME` };
    const program = await started(backend, { argv: ["bash", "-c", "env -0; echo end"], env });
    const variables = (await heard(program, "end")).split("\0");
    expect(variables).toEqual(expect.arrayContaining(Object.entries(env).map(([name, value]) => `${name}=${value}`)));
    expect(variables.some((variable) => variable.startsWith("GIVEN"))).toBe(false);
  });

  test("has no descriptor of ours beside its three", async () => {
    const program = await started(backend, { argv: ["bash", "-c", "ls /proc/self/fd | tr '\\n' ' '; echo end"] });
    expect((await heard(program, "end")).split(" ").slice(0, -1)).toEqual(["0", "1", "2", "3"]);
  });

  test("that is not there leaves its last words", async () => {
    const program = await started(backend, { argv: ["no-such-program"] });
    expect(await program.exited).toEqual({ exitCode: 127, signal: null });
    expect(program.lastWords()).toContain("no-such-program: not found");
  });

  test("keeps only the end of what it says on the side", async () => {
    const program = await started(backend, { argv: ["bash", "-c", "yes noise | head -c 100000 >&2; echo last >&2"] });
    await program.exited;
    expect(program.lastWords()).toMatch(/last\n$/);
    expect(program.lastWords().length).toBeLessThanOrEqual(4_096);
  });

  test("is not started with a variable that is none", async () => {
    expect(await serve(backend, { argv: ["cat"], env: { "A=B; touch x": "1" } })).toMatchObject({
      ok: false,
      failure: { code: "bad_request" },
    });
  });
});

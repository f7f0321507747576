import { describe, expect, test } from "vitest";
import { modes } from "../../src/contract/verdict.ts";
import { agreeable, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

const bash = (command: string) => ({ tool: "bash", input: { command } });

describe("what is not there is not guessed at", () => {
  test.each([
    "pwsh -c 'Get-Content package.json'",
    "pwsh -NoProfile -File list.ps1",
    "powershell.exe -Command ls",
    "cmd.exe /c dir",
  ])("PowerShell is not read, so it only runs on a view: %s", async (command) => {
    for (const mode of modes) {
      const gauntlet = await openGauntlet(makeWorkspace({ "package.json": "{}" }), { mode });
      const { decision, apply, risk } = await gauntlet.explain(bash(command));
      const expected = mode === "plan" ? { decision: "deny" } : { decision: "allow", apply: "after_run" };
      expect({ mode, decision, ...(apply && { apply }), risk }).toEqual({ mode, ...expected, risk: "R4" });
    }
  });

  test("a command has no terminal: not for what it reads, not for what it prints, and none to open", async () => {
    const gauntlet = await openGauntlet(makeWorkspace(), { onAsk: agreeable() });
    const tries = "for fd in 0 1 2; do test -t $fd && echo $fd; done; echo x > /dev/tty; tty";
    const { data } = await gauntlet.call(bash(tries));
    expect(data).toMatchObject({ stdoutPreview: "not a tty\n", stderrPreview: expect.stringContaining("/dev/tty") });
  });
});

test("without a sandbox every observation says so", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, { settings: { sandbox: { backend: "none" } }, onAsk: agreeable() });
  for (const intent of [{ tool: "read", input: { path: "a.txt" } }, bash("cat a.txt")]) {
    expect(await gauntlet.call(intent)).toMatchObject({ ok: true, sandbox: { backend: "none", enforces: false } });
  }
});

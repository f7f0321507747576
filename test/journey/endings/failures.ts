import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { z } from "zod";
import { abandonedSession } from "../../support/abandoned-session.ts";
import { agreeable, direct, openGauntlet } from "../../support/gauntlet.ts";
import type { Workspace } from "../../support/workspace.ts";
import { bash, callProbe, type Ending, only, probe, read, write } from "./ending.ts";

/** Ends while a tool ran, or after it, and where the log could not take it. */
export const failures: readonly Ending[] = [
  {
    why: "a command beyond its deadline",
    code: "timeout",
    phase: "execute",
    happened: "unknown",
    act: async (workspace) =>
      (await openGauntlet(workspace, { onAsk: agreeable() })).call(bash("sleep 60", { timeout_ms: 1_000 })),
  },
  {
    why: "an interrupt while the tool runs",
    code: "cancelled",
    phase: "execute",
    happened: "unknown",
    touches: true,
    async act(workspace) {
      const gauntlet = await openGauntlet(workspace, { settings: direct, onAsk: agreeable() });
      const call = gauntlet.call(bash("touch runs; sleep 60"));
      await expect.poll(() => existsSync(workspace.path("runs")), { timeout: 20_000 }).toBe(true);
      await gauntlet.session.interrupt();
      return call;
    },
  },
  {
    why: "a process that died while the tool ran",
    code: "interrupted",
    phase: "execute",
    happened: "unknown",
    async act(workspace) {
      const session = abandonedSession(workspace, { tool: "probe" });
      const gauntlet = await openGauntlet(workspace, { session, onAsk: agreeable() });
      const replayed = gauntlet.archive.replay(session);
      return only(replayed.ok ? replayed.value.observations : []);
    },
  },
  {
    why: "a tool that throws",
    code: "tool_failed",
    phase: "execute",
    happened: "unknown",
    async act(workspace) {
      const tool = probe({ run: () => Promise.reject(new Error("a bug")) });
      const gauntlet = await openGauntlet(workspace, { tools: [tool], onAsk: agreeable() });
      const failed = await gauntlet.call(callProbe);
      expect(await gauntlet.call(read("a.txt"))).toMatchObject({ ok: true });
      return failed;
    },
  },
  {
    why: "a command that ends with another exit code than 0",
    code: "command_failed",
    phase: "execute",
    happened: "done",
    act: async (workspace) => (await openGauntlet(workspace, { onAsk: agreeable() })).call(bash("exit 3")),
  },
  {
    why: "a tool that touches what it did not declare",
    code: "effect_not_permitted",
    phase: "execute",
    happened: "nothing",
    act: async (workspace) =>
      (
        await openGauntlet(workspace, {
          onAsk: agreeable(),
          tools: [
            probe({
              run: async (_input, { files }) => {
                await files.write([{ path: workspace.path("b.txt"), content: Buffer.from("x"), expect: "absent" }]);
                return { ok: true, data: {} };
              },
            }),
          ],
        })
      ).call(callProbe),
  },
  {
    why: "a tool whose result breaks its own output schema",
    code: "output_invalid",
    phase: "normalize",
    happened: "done",
    act: async (workspace) =>
      (
        await openGauntlet(workspace, {
          onAsk: agreeable(),
          tools: [probe({ output: z.strictObject({ lines: z.number() }) })],
        })
      ).call(callProbe),
  },
  {
    why: "a log that takes nothing any more",
    code: "log_unavailable",
    phase: "write_back",
    happened: "nothing",
    unrecorded: true,
    async act(workspace) {
      const gauntlet = await openGauntlet(workspace, { mode: "acceptEdits" });
      await gauntlet.call(read("a.txt"));
      takeOver(workspace);
      return gauntlet.call(write);
    },
  },
  {
    why: "a log that fails while the tool runs",
    code: "log_unavailable",
    phase: "write_back",
    happened: "unknown",
    unrecorded: true,
    async act(workspace) {
      const tool = probe({
        run: async () => {
          takeOver(workspace);
          return { ok: true, data: {} };
        },
      });
      return (await openGauntlet(workspace, { tools: [tool], onAsk: agreeable() })).call(callProbe);
    },
  },
];

/** What another process does when it takes the lease: the first one may not append any more. */
function takeOver(workspace: Workspace): void {
  const directory = path.join(workspace.state, "sessions");
  const [file] = readdirSync(directory).filter((name) => name.endsWith(".db"));
  const database = new DatabaseSync(path.join(directory, file ?? ""));
  database.exec("UPDATE lease SET token = token + 1");
  database.close();
}

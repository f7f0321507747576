import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { openAgent } from "../journey/agent/open-agent.ts";
import { scripted } from "../journey/agent/scripted-model.ts";
import { runCommand } from "../support/command.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const write = { calls: [{ tool: "write", input: { path: "a.txt", content: "made\n" } }] };
const read = { calls: [{ tool: "read", input: { path: "b.txt" } }] };
const damaged = expect.stringMatching(/^Could not read the events: .*\.db is damaged \(not an event: /);

/** As a bad disk could leave it: the newest checkpoint still knows what came of it. */
function damage(workspace: Workspace, session: string, type: string): void {
  const database = new DatabaseSync(path.join(workspace.state, "sessions", `${session}.db`));
  database.exec("DROP TRIGGER events_are_never_changed");
  database
    .prepare("UPDATE events SET body = '1{broken' WHERE seq = (SELECT min(seq) FROM events WHERE type = ?)")
    .run(type);
  database.close();
}

async function pastSession(type: string) {
  const workspace = makeWorkspace({ "b.txt": "two\n" });
  const agent = await openAgent(workspace, [write, read, { text: "Made." }], { mode: "acceptEdits" });
  await agent.send("Make it.");
  await agent.close();
  damage(workspace, agent.sessionId, type);
  return { workspace, session: agent.sessionId };
}

describe("a row that is damaged", () => {
  test.each(["run.started", "user.message", "model.text", "tool.observed"])(
    "%s: the session does not go on, and says why",
    async (type) => {
      const { workspace, session } = await pastSession(type);
      await expect(openAgent(workspace, [{ text: "Gone on." }], { session })).rejects.toMatchObject({
        failure: { code: "log_unavailable", message: damaged },
      });
      // Nobody holds it any longer.
      const verified = await runCommand(workspace, ["audit", "verify", session]);
      expect(verified).toMatchObject({ code: 1, stdout: expect.stringContaining("its bytes are not an event") });
    },
  );

  test("nothing of it is taken back on the word of the rest", async () => {
    const { workspace, session } = await pastSession("file.changed");
    for (const dry of [[], ["--dry-run"]]) {
      const undone = await runCommand(workspace, ["undo", "--session", session, ...dry]);
      expect(undone).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(dry.length === 0 ? /is damaged \(not an event: / : /does not continue the chain/),
      });
    }
  });

  test("found while it is at work: the run ends, and says why", async () => {
    const workspace = makeWorkspace({ "b.txt": "two\n".repeat(2_000) });
    const model = scripted([
      read,
      { text: "Read." },
      { error: { kind: "context_length", message: "too long" } },
      { text: "Never said." },
    ]);
    const agent = await openAgent(workspace, model);
    await agent.send("Read it.");
    damage(workspace, agent.sessionId, "file.read");
    expect(await agent.compact()).toMatchObject({ ok: false, failure: { code: "log_unavailable", message: damaged } });
    expect(await agent.send("And?")).toMatchObject({ stop: "log_unavailable", detail: damaged });
  });
});

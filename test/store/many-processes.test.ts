import { expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

const processes = 20;
const calls = 20;

test("20 pipes at once on one store, 20 calls each: every answer is good and every session verifies", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const runs = await Promise.all(
    Array.from({ length: processes }, (_, run) => {
      const intents = Array.from({ length: calls }, (_, index) =>
        index % 2 === 0
          ? { id: `r${index}`, tool: "read", input: { path: "a.txt", offset: 1, limit: 1 } }
          : {
              id: `w${index}`,
              tool: "write",
              input: { path: `made/${run}-${index}.txt`, content: `${run} ${index}\n` },
            },
      );
      return runCommand(
        workspace,
        ["pipe", "--mode", "acceptEdits"],
        `${intents.map((intent) => JSON.stringify(intent)).join("\n")}\n`,
      );
    }),
  );
  const answers = runs.map(({ code, stdout }) => ({
    code,
    answers: stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).code])),
  }));
  expect(answers).toEqual(runs.map(() => ({ code: 0, answers: Array.from({ length: calls }, () => "ok") })));
  expect(workspace.read("made/19-19.txt")).toBe("19 19\n");

  const auditor = await openGauntlet(workspace);
  const verified = auditor.archive.verify();
  if (!verified.ok) throw new Error(verified.failure.message);
  const others = verified.value.filter(({ session }) => session !== auditor.session.sessionId);
  expect(others).toHaveLength(processes);
  expect(others.flatMap(({ problems }) => problems)).toEqual([]);
  const listed = auditor.archive.list().filter(({ id }) => id !== auditor.session.sessionId);
  expect(listed.map(({ intents, status }) => ({ intents, status }))).toEqual(
    others.map(() => ({ intents: calls, status: "idle" })),
  );
});

test("a session that one process writes is not written by another", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace);
  await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
  const { sessionId } = gauntlet.session;
  const other = await runCommand(workspace, ["call", "read", '{"path": "a.txt"}', "--json", "--session", sessionId]);
  expect(other.code).not.toBe(0);
  expect(`${other.stdout}${other.stderr}`).toContain(`process ${process.pid}`);
  expect(await gauntlet.call({ tool: "list", input: {} })).toMatchObject({ ok: true });
});

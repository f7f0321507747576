import { expect, test, vi } from "vitest";
import { runCommand } from "../support/command.ts";
import { ready } from "../support/conversation.ts";
import { writeScript } from "../support/model-script.ts";
import { openTerminal } from "../support/terminal.ts";
import { makeWorkspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

test("a conversation goes on in the latest one, whatever programs called since", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const model = writeScript(workspace, ["First answer."], ["Second answer."], ["Third answer."]);
  const first = await runCommand(workspace, ["run", "write notes", "--model", model, "--output", "json"]);
  const { session } = JSON.parse(first.stdout);
  expect((await runCommand(workspace, ["call", "list", "{}"])).code).toBe(0);
  const again = await runCommand(workspace, ["run", "go on", "--continue", "--output", "json"]);
  expect(JSON.parse(again.stdout)).toMatchObject({ session, answer: "Second answer." });
  expect((await runCommand(workspace, ["pipe"])).code).toBe(0);

  const terminal = openTerminal(workspace, ["--model", model]);
  const send = (text: string) => {
    terminal.type(text);
    terminal.press("Enter");
  };
  await terminal.stands(ready);
  send("/sessions");
  const listed = await terminal.shows(/ses_.*\(this one\)[\s\S]*write notes/);
  expect(listed).toContain("(1 call, no task)");
  await terminal.stands(ready);
  send("/resume");
  await terminal.shows(/First answer\.[\s\S]*Second answer\./);
  await terminal.stands(ready);
  send("and on");
  await terminal.shows("Third answer.");
});

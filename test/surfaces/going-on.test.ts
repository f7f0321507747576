import { expect, test, vi } from "vitest";
import { runCommand } from "../support/command.ts";
import { ready } from "../support/conversation.ts";
import { bash, writeScript } from "../support/model-script.ts";
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
  const listed = await terminal.shows(/write notes[\s\S]*ses_.*\(current\)/);
  expect(listed).toContain("(1 call, no task)");
  await terminal.stands(ready);
  send("/resume");
  await terminal.shows(/First answer\.[\s\S]*Second answer\./);
  await terminal.stands(ready);
  send("and on");
  await terminal.shows("Third answer.");
});

test("a session that is chosen by its number shows what its calls printed when it is asked to", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const counting = writeScript(workspace, [bash("seq 101 130")], [bash("seq 201 203")], ["Counted."]);
  const first = await runCommand(workspace, ["run", "count", "--model", counting, "--output", "json"]);
  const { session } = JSON.parse(first.stdout);
  const model = writeScript(workspace, [bash("echo something else")], ["Said."]);
  expect((await runCommand(workspace, ["run", "write notes", "--model", model])).code).toBe(0);

  const terminal = openTerminal(workspace, ["--model", model]);
  const send = (text: string) => {
    terminal.type(text);
    terminal.press("Enter");
  };
  await terminal.stands(ready);
  send("say something");
  await terminal.shows("Said.");
  await terminal.stands(ready);
  send("/sessions");
  await terminal.shows(/ 3 {2}ses_.* count\n +2 {2}ses_.* write notes\n +1 {2}ses_.* say something {2}\(current\)/);
  await terminal.stands(ready);
  send("/resume 7");
  await terminal.shows("No session has the number 7");
  send("/resume 3");
  const resumed = await terminal.shows(`session ${session}`);
  expect(resumed).toMatch(/● seq 101 130\n +● seq 201 203\n[\s\S]*Counted\.[\s\S]*Ctrl\+O shows/);
  expect(resumed).not.toMatch(/^ +1(?:30|01)$/m);
  await terminal.stands(ready);
  terminal.press("C-o");
  await terminal.shows(/● seq 201 203 .*\n +201\n +202\n +203\n/);
  terminal.press("C-o");
  await terminal.shows(/● seq 101 130 .*\n +101\n[\s\S]*\n +130\n/);
  terminal.press("C-o");
  await terminal.shows("No call has more output to show.");
});

test("the latest session is the latest of this directory for every command that reads the log", async () => {
  const here = makeWorkspace({ "a.txt": "one\n" });
  const there = { ...makeWorkspace({ "b.txt": "two\n" }), state: here.state };
  const ran = await runCommand(here, ["call", "read", '{"path":"a.txt"}', "--json"]);
  expect(ran.code).toBe(0);
  const [{ id }] = JSON.parse((await runCommand(here, ["sessions", "list", "--json"])).stdout);
  expect((await runCommand(there, ["call", "read", '{"path":"b.txt"}'])).code).toBe(0);
  const json = async (...args: readonly string[]) => {
    const { code, stdout } = await runCommand(here, [...args, "--json"]);
    expect([args, code]).toEqual([args, 0]);
    return JSON.parse(stdout.split("\n")[0] ?? "");
  };
  expect(await json("sessions", "show", "latest")).toMatchObject({ summary: { id } });
  expect(await json("sessions", "events", "latest")).toMatchObject({ session: id });
  expect(await json("sessions", "export", "latest")).toMatchObject({ session: id });
  expect(await json("audit", "verify", "latest")).toMatchObject([{ session: id }]);
  expect(JSON.stringify(await json("sessions", "replay", "latest"))).toContain("a.txt");
  expect(await json("sessions", "fork", "latest")).toMatchObject({ from: id });
  const nothing = { ...makeWorkspace(), state: here.state };
  expect((await runCommand(nothing, ["sessions", "show", "latest"])).code).toBe(2);
  expect((await runCommand(nothing, ["sessions", "show", id])).code).toBe(0);
});

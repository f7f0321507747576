import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { asking, openConversation, promptsOn, ready, writeSettings } from "../support/conversation.ts";
import { direct } from "../support/gauntlet.ts";
import { bash, type ScriptedTurn, writeScript } from "../support/model-script.ts";
import { openTerminal } from "../support/terminal.ts";
import { makeWorkspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A command that runs until the file `go` is there, so that a test decides when it ends. */
const waits = { "wait.sh": "until [ -e go ]; do sleep 0.05; done\necho went\n" };
const mayWait = ["--allow", "Bash(sh wait.sh)"];

describe("a conversation at a terminal", () => {
  test("is streamed and answered, and is left with the way back to it", async () => {
    const { terminal, send } = await openConversation({ "a.txt": "one\n" }, [
      ["Hello.\nI am a script."],
      [{ call: "read", input: { path: "a.txt" } }],
      ["It says one."],
    ]);
    send("who are you?");
    await terminal.shows("I am a script.");
    await terminal.stands(ready);
    send("read a.txt");
    const seen = await terminal.shows("It says one.");
    expect(seen).toMatch(/› who are you\?\n\nHello\.\nI am a script\.\n[\s\S]*› read a\.txt\n● Read a\.txt \d+ ms/);
    await terminal.stands(ready);
    send("/quit");
    expect(await terminal.exitCode()).toBe(0);
    expect(await terminal.transcript()).toMatch(/gauntlet --resume ses_[0-9a-f]{32}/);
  });

  test("shows what an answer is made of, and reads what a message names", async () => {
    const { terminal, send } = await openConversation({ "a file.txt": "one\n", ".env": "TOKEN=4711\n" }, [
      {
        expect: { results: ["one"] },
        say: ["# What I found\n- **one** `file`\n```js\nlet a;\n```\n| a | b |\n|---|--:|\n| x | 10 |\n\u001b[2JEnd."],
      },
    ]);
    terminal.type("look at @fil");
    await terminal.stands(/^ {2}a file\.txt/m);
    terminal.press("Tab");
    await terminal.stands('› look at @"a file.txt"');
    send("and @.env");
    const seen = await terminal.shows("End.");
    expect(seen).toMatch(/⊘ Read \.env policy_denied/);
    expect(seen).toMatch(/● Read a file\.txt/);
    expect(seen).toContain("What I found\n• one file\n  let a;\na │  b\n──┼───\nx │ 10\n\\u{1b}[2JEnd.");
    await terminal.stands(ready);
  });

  test("is taken up again where it stopped, with what was there on the screen", async () => {
    const { workspace, terminal, send } = await openConversation({}, [["I remember seven."], ["It was seven."]]);
    send("remember seven");
    await terminal.shows("I remember seven.");
    await terminal.stands(ready);
    terminal.press("C-c");
    await terminal.stands("Ctrl+C again quits");
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(0);

    const again = openTerminal(workspace, ["--continue", "--model", `scripted/${workspace.home}/model.json`]);
    await again.stands(ready);
    await again.shows(/› remember seven\n\nI remember seven\./);
    again.type("which number?");
    again.press("Enter");
    await again.shows("It was seven.");
  });

  test("a provider that fails is told, and the next message can be sent", async () => {
    const { terminal, send } = await openConversation({}, [
      [{ error: "auth", message: "The key is not known." }],
      ["Better now."],
    ]);
    send("hello");
    await terminal.shows(/auth: The key is not known\.[\s\S]*■ provider error/);
    await terminal.stands(ready);
    send("again");
    const seen = await terminal.shows("Better now.");
    expect(seen).toMatch(/› hello\n[\s\S]*■ provider error[\s\S]*› again\n\nBetter now\./);
    expect(promptsOn(await terminal.stands(ready))).toBe(1);
  });
});

test("colours are left out for those who want none", async () => {
  const workspace = makeWorkspace({ "check.sh": "echo ok\n" });
  writeSettings(workspace, direct);
  const model = writeScript(workspace, ["I look.\n", bash("sh check.sh")], ["Done."]);
  const terminal = openTerminal(workspace, ["--model", model], { environment: { NO_COLOR: "1" } });
  await terminal.stands(ready);
  terminal.type("check");
  terminal.press("Enter");
  await terminal.stands(asking);
  terminal.press("n");
  await terminal.shows("Done.");
  // Bold, dim and inverse are no colours.
  expect(terminal.written().match(new RegExp(`${String.fromCharCode(27)}\\[[34][0-8](;[0-9;]*)?m`, "g"))).toBeNull();
});

describe("a question of the gate", () => {
  const asks: readonly ScriptedTurn[] = [[bash("sh check.sh")], ["So be it."]];
  /** Before the command runs. */
  const asked = { settings: direct };
  const files = { "check.sh": "echo checked > out.txt; echo done\n" };

  test("yes runs it", async () => {
    const { workspace, terminal, send } = await openConversation(files, asks, asked);
    send("check");
    const seen = await terminal.stands(asking);
    expect(seen).toMatch(/sh check\.sh[\s\S]*risk[\s\S]*sandbox[\s\S]*Bash\(sh check\.sh\)/);
    expect(existsSync(workspace.path("out.txt"))).toBe(false);
    terminal.press("y");
    await terminal.shows("So be it.");
    expect(workspace.read("out.txt")).toBe("checked\n");
  });

  test("no does not, and the model hears why when it is told", async () => {
    const { workspace, terminal, send } = await openConversation(
      files,
      [[bash("sh check.sh")], { expect: { results: ["use the other one"] }, say: ["I use the other one."] }],
      asked,
    );
    send("check");
    await terminal.stands(asking);
    terminal.press("d");
    await terminal.stands("Reason:");
    terminal.type("use the other one");
    terminal.press("Enter");
    await terminal.shows(/⊘ sh check\.sh user_denied[\s\S]*I use the other one\./);
    expect(existsSync(workspace.path("out.txt"))).toBe(false);
  });

  test("Enter alone and Esc are no", async () => {
    const { terminal, send, workspace } = await openConversation(
      files,
      [[bash("sh check.sh")], [bash("sh check.sh again")], ["Well."]],
      asked,
    );
    send("check");
    await terminal.stands(asking);
    terminal.press("Enter");
    await terminal.shows("user_denied");
    // The first question may stand there for a moment longer, and a key for it would answer neither.
    await terminal.stands(/check\.sh again[\s\S]*❯ n {2}No[\s\S]*↑↓ Enter/);
    terminal.press("Escape");
    await terminal.shows("Well.");
    expect(existsSync(workspace.path("out.txt"))).toBe(false);
  });

  test("arrows choose, and always is kept in the person's own file", async () => {
    const { workspace, terminal, send } = await openConversation(
      files,
      [[bash("sh check.sh")], [bash("sh check.sh")], ["Twice."]],
      asked,
    );
    send("check");
    await terminal.stands(asking);
    terminal.press("Down", "Down", "Down");
    await terminal.stands("❯ a  Yes, always: Bash(sh check.sh)");
    terminal.press("Enter");
    // The second call is not asked for.
    await terminal.shows("Twice.");
    const projects = path.join(workspace.state, "projects");
    const [project = ""] = readdirSync(projects);
    const saved = JSON.parse(readFileSync(path.join(projects, project, "settings.json"), "utf8"));
    expect(saved).toMatchObject({ permissions: { allow: ["Bash(sh check.sh)"] } });
  });

  test("one that nobody answered before the process was killed is asked again", async () => {
    const { workspace, terminal, send } = await openConversation(
      files,
      [[bash("sh check.sh")], { expect: { user: "well?" }, say: ["It was done."] }],
      asked,
    );
    send("check");
    await terminal.stands(asking);
    process.kill(terminal.pid(), "SIGKILL");
    expect(await terminal.exitCode()).toBe(137);
    const again = openTerminal(workspace, ["--continue", "--model", `scripted/${workspace.home}/model.json`]);
    await again.stands(asking);
    expect(existsSync(workspace.path("out.txt"))).toBe(false);
    again.press("y");
    await again.shows("● sh check.sh");
    expect(workspace.read("out.txt")).toBe("checked\n");
    again.type("well?");
    again.press("Enter");
    await again.shows("It was done.");
  });

  test("what was being written when it came is there afterwards", async () => {
    const { terminal, send, workspace } = await openConversation(
      { ...waits, ...files },
      [[bash("sh wait.sh")], [bash("sh check.sh")], ["Now you."]],
      { args: mayWait, ...asked },
    );
    send("go");
    await terminal.stands(/⠋|⠙|⠹|⠸|⠼|⠴|⠦|⠧|⠇|⠏/);
    terminal.type("half a thou");
    await terminal.stands("› half a thou");
    workspace.write("go", "");
    await terminal.stands("Tab: answer this");
    terminal.press("Tab");
    await terminal.stands(asking);
    terminal.press("n");
    await terminal.shows("Now you.");
    terminal.type("ght");
    await terminal.stands("› half a thought");
    expect(existsSync(workspace.path("out.txt"))).toBe(false);
  });
});

describe("while it works", () => {
  test("Esc ends a running command, and the session goes on", async () => {
    const { terminal, send } = await openConversation({}, [[bash("sleep 600")], ["Where were we?"]]);
    send("wait");
    await terminal.stands("Esc interrupts");
    await terminal.stands(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] .*sleep 600/);
    terminal.press("Escape");
    await terminal.shows("■ interrupted");
    await terminal.stands(ready);
    send("hello?");
    const seen = await terminal.shows("Where were we?");
    expect(seen).toMatch(
      /✗ sleep 600 cancelled .*\n.*its whole process tree has ended\.\n[\s\S]*■ interrupted.*\n\n› hello\?\n\nWhere were we\?/,
    );
  });

  test("messages wait their turn", async () => {
    const { workspace, terminal, send } = await openConversation(
      waits,
      [
        [bash("sh wait.sh")],
        ["First answer."],
        { expect: { user: "second" }, say: ["Second answer."] },
        { expect: { user: "third" }, say: ["Third answer."] },
      ],
      { args: mayWait, settings: direct },
    );
    send("first");
    await terminal.stands("working; messages sent now are queued");
    send("second");
    await terminal.stands("queued: second");
    send("third");
    await terminal.stands("queued: third");
    workspace.write("go", "");
    const seen = await terminal.shows("Third answer.");
    expect(seen).toMatch(/First answer\.[\s\S]*› second[\s\S]*Second answer\.[\s\S]*› third[\s\S]*Third answer\./);
    expect(promptsOn(await terminal.stands(ready))).toBe(1);
  });

  test("several calls are shown at once, each in its state", async () => {
    const { terminal, send } = await openConversation(
      waits,
      [[bash("sleep 600"), bash("sleep 601"), bash("sh wait.sh")], ["Over."]],
      { args: mayWait },
    );
    send("do it all");
    const seen = await terminal.stands(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] .*sleep 600[\s\S]*[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] .*sleep 601/);
    expect(seen).toContain("○");
    terminal.press("Escape");
    await terminal.shows("■ interrupted");
  });

  test("Ctrl+C interrupts first, and quits when it comes again", async () => {
    const { terminal, send } = await openConversation({}, [[bash("sleep 600")], ["Never said."]]);
    send("wait");
    await terminal.stands(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] .*sleep 600/);
    terminal.press("C-c");
    await terminal.shows("■ interrupted");
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(0);
  });
});

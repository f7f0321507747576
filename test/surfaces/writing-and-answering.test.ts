import { existsSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { asking, openConversation, ready } from "../support/conversation.ts";
import { direct } from "../support/gauntlet.ts";
import { bash } from "../support/model-script.ts";
import { openTerminal } from "../support/terminal.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A command that runs until the file `go` is there, so that a test decides when the next question comes. */
const files = { "wait.sh": "until [ -e go ]; do sleep 0.05; done\n", "kept/a.txt": "one\n" };
const args = ["--allow", "Bash(sh wait.sh)"];
const writing = "Tab: answer this";
const spins = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] .*sh wait\.sh/;

describe("a question that comes while somebody writes", () => {
  test("is answered by none of the keys, however slowly they come, and none of them is lost", async () => {
    const { workspace, terminal, send } = await openConversation(
      files,
      [[bash("sh wait.sh")], [bash("rm -rf kept")], ["Well."], { expect: { user: "ok also" }, say: ["That too."] }],
      { args, settings: direct },
    );
    send("do it");
    await terminal.stands(spins);
    terminal.type("ok");
    await terminal.stands("› ok");
    workspace.write("go", "");
    await terminal.stands(writing);
    let written = "› ok";
    for (const key of " also") {
      terminal.type(key);
      written += key;
      await terminal.stands((screen) => screen.includes(writing) && screen.includes(written.trimEnd()));
    }
    expect(existsSync(workspace.path("kept/a.txt"))).toBe(true);
    // Turned to, a letter chooses what would hold for longer, and Enter alone would agree to it.
    terminal.press("Tab");
    await terminal.stands(asking);
    terminal.press("a");
    await terminal.stands(/❯ a {2}Yes, always[\s\S]*Enter confirms[\s\S]*› ok also/);
    expect(existsSync(workspace.path("kept/a.txt"))).toBe(true);
    terminal.press("Escape");
    await terminal.shows(/⊘ rm -rf kept user_denied\n[\s\S]*Well\./);
    await terminal.stands(/^› ok also/m);
    terminal.press("Enter");
    await terminal.shows("That too.");
    expect(existsSync(workspace.path("kept/a.txt"))).toBe(true);
  });

  test("lets a message be sent before it is answered", async () => {
    const { workspace, terminal, send } = await openConversation(
      files,
      [[bash("sh wait.sh")], [bash("rm -rf kept")], ["Gone."], { expect: { user: "and then rest" }, say: ["I rest."] }],
      { args, settings: direct },
    );
    send("do it");
    await terminal.stands(spins);
    terminal.type("and then");
    await terminal.stands("› and then");
    workspace.write("go", "");
    await terminal.stands(writing);
    terminal.type(" rest");
    terminal.press("Enter");
    await terminal.stands((screen) => screen.includes(writing) && !screen.includes("› and then"));
    await terminal.stands(/^ {2}queued: and then rest$/m);
    terminal.press("Escape");
    await terminal.stands(asking);
    terminal.press("y");
    await terminal.shows(/Gone\.[\s\S]*› and then rest[\s\S]*I rest\./);
    expect(existsSync(workspace.path("kept/a.txt"))).toBe(false);
  });

  test("a letter that is no answer begins a message", async () => {
    const { workspace, terminal, send } = await openConversation(files, [[bash("rm -rf kept")], ["Well."]]);
    send("do it");
    await terminal.stands(asking);
    terminal.press("p");
    await terminal.stands(writing);
    for (const key of ["l", "e", "a", "s", "e"]) terminal.press(key);
    await terminal.stands("› please");
    expect(existsSync(workspace.path("kept/a.txt"))).toBe(true);
    terminal.press("Tab");
    await terminal.stands(asking);
    terminal.press("n");
    await terminal.shows("Well.");
    await terminal.stands(/^› please/m);
  });
});

test("a question that an earlier process left goes away when a message comes instead of its answer", async () => {
  const turns = [[bash("rm -rf kept")], { expect: { user: "please do not" }, say: ["Then not."] }];
  const { workspace, terminal, send } = await openConversation(files, turns, { settings: direct });
  send("do it");
  await terminal.stands(asking);
  process.kill(terminal.pid(), "SIGKILL");
  expect(await terminal.exitCode()).toBe(137);
  const again = openTerminal(workspace, ["-c", "--model", `scripted/${workspace.home}/model.json`]);
  await again.stands(asking);
  again.press("p");
  await again.stands(writing);
  again.type("lease do not");
  again.press("Enter");
  await again.shows("Then not.");
  await again.stands((screen) => screen.includes(ready) && !screen.includes("Yes, once"));
  expect(existsSync(workspace.path("kept/a.txt"))).toBe(true);
});

describe("what is being written", () => {
  test("is cleared by Ctrl+C, which Up takes back; Ctrl+D leaves an empty line only", async () => {
    const { terminal } = await openConversation({}, [["Never said."]]);
    terminal.type("half a thought");
    await terminal.stands("› half a thought");
    terminal.press("C-c");
    await terminal.stands(/Up brings it back · Ctrl\+C again quits/);
    terminal.press("Up");
    await terminal.stands("› half a thought");
    terminal.press("Home", "C-d");
    await terminal.stands("› alf a thought");
    terminal.press("C-u", "C-k");
    await terminal.stands(ready);
    terminal.press("C-d");
    expect(await terminal.exitCode()).toBe(0);
  });

  test("gets back what waited when the run is interrupted", async () => {
    const { terminal, send } = await openConversation(files, [[bash("sh wait.sh")], ["Never said."]], { args });
    send("wait");
    await terminal.stands(spins);
    send("second");
    await terminal.stands("queued: second");
    send("third");
    await terminal.stands("queued: third");
    terminal.type("half");
    await terminal.stands("› half");
    terminal.press("Escape");
    await terminal.shows("■ interrupted");
    await terminal.stands(/^› second\n {2}third\n {2}half/m);
    expect(await terminal.transcript()).not.toContain("Never said.");
  });
});

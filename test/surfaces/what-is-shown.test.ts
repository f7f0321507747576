import { describe, expect, test, vi } from "vitest";
import { asking, openConversation, ready } from "../support/conversation.ts";
import { bash } from "../support/model-script.ts";
import { openTerminal } from "../support/terminal.ts";

vi.setConfig({ testTimeout: 120_000 });

describe("what a command prints", () => {
  const files = {
    "noisy.sh":
      "for i in $(seq 1 40); do echo line $i; done\necho early\nuntil [ -e go ]; do sleep 0.05; done\necho the cause >&2\nexit 3\n",
  };

  test("is seen while it runs, by its end when it is over, and whole when it is asked for", async () => {
    const { workspace, terminal, send } = await openConversation(files, [[bash("sh noisy.sh")], ["So it failed."]], {
      args: ["--allow", "Bash(sh noisy.sh)"],
    });
    send("run it");
    await terminal.stands(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] sh noisy\.sh\n[\s\S]* {2}│ line 40\n {2}│ early\n/);
    workspace.write("go", "");
    const seen = await terminal.shows("So it failed.");
    expect(seen).toMatch(
      /✗ sh noisy\.sh command_failed .*\n {2}failed with exit code 3\.\n {2}stdout:\n {2}… \d+ more rows before this: Ctrl\+O\n[\s\S]* {2}early\n {2}stderr:\n {2}the cause\n/,
    );
    expect(seen).not.toContain("  line 5\n");
    await terminal.stands(ready);
    terminal.press("C-o");
    await terminal.shows(/✗ sh noisy\.sh[\s\S]*✗ sh noisy\.sh[\s\S]* {2}line 5\n[\s\S]*the cause\n/);
  });
});

describe("words in a narrow window", () => {
  test("are not broken, and lists and the person's own message keep their margin", async () => {
    const words = Array.from({ length: 30 }, (_, word) => `word${word}`).join(" ");
    const { terminal, send } = await openConversation({}, [[`${words}\n\n- ${words}`]], { columns: 50, rows: 30 });
    send(`say ${words}`);
    await terminal.shows(/• [\s\S]*word29\n/);
    await terminal.stands(ready);
    const all = await terminal.transcript();
    const [seen = ""] = all.slice(all.indexOf("› say")).split("\n›");
    expect(seen.split(/\s+/).filter((word) => !/^(?:word\d+|say|[›•]|)$/.test(word))).toEqual([]);
    expect(seen).toMatch(/^› say word0[^\n]*\n {2}word\d/m);
    expect(seen).toMatch(/^• word0[^\n]*\n {2}word\d/m);
  });
});

describe("commands of the terminal", () => {
  test("leave a trace, list what can be chosen, and show what was chosen at once", async () => {
    const { terminal, send, workspace } = await openConversation({}, [["Hello."]]);
    send("/mode");
    await terminal.shows(/\n\n› \/mode\n {2}● default .*\n[\s\S]* plan .*\n/);
    send("/mode plan");
    await terminal.stands(/› \/mode plan\n {2}mode plan\n[\s\S]*^plan · /m);
    send("/model");
    await terminal.shows(/› \/model\n {2}● scripted\/.*it was asked for/s);
    workspace.write("other.json", JSON.stringify({ turns: [{ say: [{ text: "Other." }] }] }));
    send(`/model scripted/${workspace.path("other.json")}`);
    await terminal.stands(/^plan · .*other\.json/m);
    terminal.type("/");
    const seen = await terminal.stands(/1 of \d+, ↑↓ for more/);
    expect(seen.match(/(?<=^ {2})\/\w+/gm)).toEqual([
      "/help",
      "/model",
      "/mode",
      "/tools",
      "/skills",
      "/mcp",
      "/permissions",
      "/sessions",
      "/new",
      "/resume",
      "/fork",
      "/undo",
      "/compact",
    ]);
  });
});

describe("a session that is gone on with", () => {
  test("shows what was said and done, and nothing that only the model was told", async () => {
    const { terminal, send, workspace } = await openConversation({ "check.sh": "echo ok\n" }, [
      ["I check.", bash("sh check.sh")],
      ["Then not."],
    ]);
    send("check it");
    await terminal.stands(asking);
    terminal.press("n");
    await terminal.shows(/⊘ sh check\.sh user_denied[\s\S]*Then not\./);
    await terminal.stands(ready);
    send("/quit");
    await terminal.exitCode();
    const again = openTerminal(workspace, ["--continue", "--model", `scripted/${workspace.home}/model.json`]);
    const seen = await again.shows(/› check it\n[\s\S]*I check\.\n[\s\S]*⊘ sh check\.sh user_denied[\s\S]*Then not\./);
    expect(seen).not.toMatch(/session-environment|takes up|done after|inv_/);
  });
});

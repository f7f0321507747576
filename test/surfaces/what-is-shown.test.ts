import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { asking, openConversation, ready } from "../support/conversation.ts";
import { direct } from "../support/gauntlet.ts";
import { bash } from "../support/model-script.ts";
import { startModelServer } from "../support/model-server/start-model-server.ts";
import { openTerminal } from "../support/terminal.ts";
import { makeWorkspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

describe("what a command prints", () => {
  const files = {
    "noisy.sh":
      "for i in $(seq 1 40); do echo line $i; done\necho early\nuntil [ -e go ]; do sleep 0.05; done\necho the cause >&2\nexit 3\n",
  };

  test("is seen while it runs, by its end when it is over, and whole when it is asked for", async () => {
    const { workspace, terminal, send } = await openConversation(files, [[bash("sh noisy.sh")], ["So it failed."]], {
      args: ["--allow", "Bash(sh noisy.sh)"],
      settings: direct,
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

test("Ctrl+O shows what was left out of a long output, without secrets", async () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const command = `seq 1 3000; echo ${secret}; seq 3001 6000`;
  const { terminal, send } = await openConversation({}, [[bash(command)], ["Counted."]], {
    args: ["--allow", "Bash(seq *)", "--allow", "Bash(echo *)"],
  });
  send("count");
  expect(await terminal.shows("Counted.")).not.toMatch(/^ +2500$/m);
  await terminal.stands(ready);
  terminal.press("C-o");
  await terminal.shows(/Counted\.[\s\S]*\n +6000\n/);
  const all = await terminal.transcript();
  const rows = all.slice(all.lastIndexOf("Counted.")).match(/^ +\d+$/gm) ?? [];
  expect(rows.map(Number)).toEqual(expect.arrayContaining([1, 2500, 3001, 4500, 6000]));
  expect([all.includes(`  ${secret}`), /^ +\[redacted:github-token/m.test(all)]).toEqual([false, true]);
});

test("an empty answer is told, and Ctrl+L clears the window", async () => {
  const { terminal, send } = await openConversation({}, [[""], ["Still here."]]);
  send("say nothing");
  await terminal.shows("The model ended without an answer.");
  await terminal.stands(ready);
  terminal.press("C-l");
  await terminal.stands((screen) => screen.includes(ready) && !screen.includes("without an answer"));
  send("go on");
  await terminal.stands(/Still here\.[\s\S]*context/);
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

describe("the context meter", () => {
  const filled = /context (\d+) % of (~?\d+)k/;

  test("follows /compact and /model, and shows of how many tokens", async () => {
    const usage = { input: 30_000, output: 10 };
    const turns = [{ call: "read", input: { path: "big.txt" } }, { text: "Read it." }, { text: "And now?" }];
    const server = await startModelServer({
      format: "openai-chat",
      script: turns.map((say) => ({ say: [say], usage })),
    });
    onTestFinished(() => server.close());
    const workspace = makeWorkspace({ "big.txt": "some words in a line\n".repeat(2_000) });
    mkdirSync(workspace.state, { recursive: true });
    const models = {
      large: { contextTokens: 100_000, maxOutputTokens: 10_000 },
      small: { contextTokens: 40_000, maxOutputTokens: 10_000 },
    };
    const providers = { home: { kind: "openai-compatible", baseUrl: server.url, models } };
    writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ model: "home/large", providers }));
    const terminal = openTerminal(workspace, []);
    const send = (text: string) => {
      terminal.type(text);
      terminal.press("Enter");
    };
    const share = (screen: string) => Number(filled.exec(screen)?.[1]);
    await terminal.stands(/context 0 % of 90k/);
    send("read it");
    await terminal.shows("Read it.");
    await terminal.stands(ready);
    send("go on");
    await terminal.shows("And now?");
    await terminal.stands(/context 33 % of 90k/);
    send("/model home/small");
    await terminal.stands(/context 100 % of 30k/);
    send("/compact");
    await terminal.shows(/Compacted the older conversation: \d+ → \d+ tokens/);
    expect(share(await terminal.stands((screen) => share(screen) < 100))).toBeGreaterThan(0);
    send("/cost");
    await terminal.shows(/context\s+\d+\s+%\s+full:\s+[\d,]+\s+of\s+30,000\s+tokens/);
  });

  test("says that the window of an unknown model is assumed, and how to set it", async () => {
    const workspace = makeWorkspace();
    const args = ["--model", "openai-compatible/mystery", "--base-url", "http://127.0.0.1:9/v1"];
    const terminal = openTerminal(workspace, args);
    await terminal.stands(/context 0 % of ~56k/);
    terminal.type("/model");
    terminal.press("Enter");
    await terminal.shows(/providers\.openai-compatible\.models\["mystery"\]\.contextTokens/);
  });
});

describe("commands of the terminal", () => {
  test("leave a trace, list what can be chosen, and show what was chosen at once", async () => {
    const { terminal, send, workspace } = await openConversation({}, [["Hello."]]);
    send("/mode");
    await terminal.shows(/\n\n› \/mode\n {2}● default .*\n[\s\S]* plan .*\n/);
    send("/mode plan");
    await terminal.stands(/› \/mode plan\n {2}Mode: plan\n[\s\S]*^plan · /m);
    send("/model");
    await terminal.shows(/› \/model\n {2}● scripted\/.*from --model/s);
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
      "/jobs",
      "/undo",
    ]);
  });
});

describe("a session that is gone on with", () => {
  test("shows what was said and done, and nothing that only the model was told", async () => {
    const turns = [["I check.", bash("sh check.sh")], ["Then not."]];
    const { terminal, send, workspace } = await openConversation({ "check.sh": "echo ok\n" }, turns, {
      settings: direct,
    });
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

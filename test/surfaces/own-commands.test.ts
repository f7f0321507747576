import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { npmServer } from "../mcp/server-session.ts";
import { runCommand } from "../support/command.ts";
import { asking, openConversation, ready } from "../support/conversation.ts";
import { writeScript } from "../support/model-script.ts";
import { openTerminal } from "../support/terminal.ts";
import { makeWorkspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

test("/new starts afresh, and says the way back", async () => {
  const { terminal, send } = await openConversation({}, [["I am at the beginning."], ["I remember."]]);
  send("hello");
  await terminal.shows("I am at the beginning.");
  await terminal.stands(ready);
  send("/new");
  const seen = await terminal.shows(/\/resume ses_[0-9a-f]{32}/);
  await terminal.stands(/context 0 %/);
  send("hello again");
  await terminal.shows(/hello again\n\nI am at the beginning\./);
  await terminal.stands(ready);
  send(/\/resume ses_[0-9a-f]{32}/.exec(seen)?.[0] ?? "");
  await terminal.shows(/session ses_[0-9a-f]{32}/);
  await terminal.stands((screen) => screen.includes(ready) && !screen.includes("context 0 %"));
  send("and now?");
  await terminal.shows("I remember.");
  send("/clear");
  const all = await terminal.shows(/\/clear\n[\s\S]*Started a new session[\s\S]*\/resume ses_/);
  // Each time the way back is to the one that was left.
  const ids = new Set(all.match(/ses_[0-9a-f]{32}/g));
  expect(ids).toEqual(new Set(seen.match(/ses_[0-9a-f]{32}/g)));
});

test("what was written is there in the next session, without its secrets, in a file of the person's own", async () => {
  const { workspace, terminal, send } = await openConversation({}, [["One."], ["Two."]]);
  send("use the key AKIAIOSFODNN7EXAMPLE here");
  await terminal.shows("One.");
  await terminal.stands(ready);
  send("/mode");
  await terminal.shows("● default");
  terminal.press("C-d");
  expect(await terminal.exitCode()).toBe(0);
  const projects = path.join(workspace.state, "projects");
  const file = path.join(projects, readdirSync(projects)[0] ?? "", "prompts.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).not.toContain("AKIAIOSFODNN7EXAMPLE");
  const again = openTerminal(workspace, ["--model", `scripted/${workspace.home}/model.json`]);
  await again.stands(ready);
  again.press("Up");
  await again.stands("› /mode");
  again.press("Up");
  await again.stands("› use the key");
});

test("a task in quotes is sent at once; one word stays an error", async () => {
  const workspace = makeWorkspace();
  const model = writeScript(workspace, { expect: { user: "do this now" }, say: ["It is done."] });
  const terminal = openTerminal(workspace, ["do this now", "--model", model]);
  await terminal.shows(/› do this now\n\nIt is done\./);
  await terminal.stands(ready);
  const word = openTerminal(workspace, ["dothis"]);
  expect(await word.exitCode()).toBe(2);
  expect(await word.transcript()).toContain("unknown command 'dothis'");
  const behind = openTerminal(workspace, ["--model", model, "dothis"]);
  expect(await behind.exitCode()).toBe(2);
  expect(await behind.transcript()).toContain('unknown command "dothis"');
});

describe("a name with a slash", () => {
  test("takes up a skill of the person, with its words", async () => {
    const workspace = makeWorkspace();
    const folder = path.join(workspace.home, ".claude/skills/review");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "SKILL.md"), "---\ndescription: Reviews a change.\n---\nLook for leaks first.\n");
    const model = writeScript(workspace, {
      expect: {
        user: "Follow the skill review: the last commit",
        results: ["Look for leaks first.", "the last commit"],
      },
      say: ["No leaks."],
    });
    const terminal = openTerminal(workspace, ["--model", model]);
    await terminal.stands(ready);
    terminal.type("/rev");
    await terminal.stands(/\/review \[words\] +your skill: Reviews a change\./);
    terminal.press("Tab");
    terminal.type("the last commit");
    terminal.press("Enter");
    await terminal.shows(/› \/review the last commit\n● Skill review[\s\S]*No leaks\./);
    await terminal.stands(ready);
    terminal.type("/reviews it");
    terminal.press("Enter");
    await terminal.shows("Unknown command /reviews. Did you mean /review?");
    terminal.type("/help");
    terminal.press("Enter");
    await terminal.shows(/\/review \[words\] +your skill: Reviews a change\.[\s\S]*Ctrl\+D +quit/);
  });

  test("takes a prompt of a server after it was agreed to, and says what is missing", async () => {
    const workspace = makeWorkspace();
    const settings = { mcpServers: { every: npmServer("everything", ["stdio"]) } };
    writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify(settings));
    const model = writeScript(workspace, {
      expect: { user: "Follow the prompt args-prompt", results: ["Bern"] },
      say: ["It rains."],
    });
    const terminal = openTerminal(workspace, ["--model", model]);
    await terminal.stands(ready);
    terminal.type("/mcp__every__args-prompt");
    terminal.press("Enter");
    await terminal.shows(/1 value missing: city\. It takes: <city> \[state\]/);
    terminal.type("/mcp__every__args");
    await terminal.stands(/\/mcp__every__args-prompt <city> \[state\] +prompt of every: /);
    terminal.press("Tab");
    terminal.type("Bern");
    terminal.press("Enter");
    await terminal.stands(asking);
    terminal.press("y");
    await terminal.shows(/● Prompt of every[\s\S]*It rains\./);
    await terminal.stands(ready);
    terminal.type("/mcp__every__nothing");
    terminal.press("Enter");
    await terminal.shows(/Unknown command \/mcp__every__nothing\. every offers \/mcp__every__simple-prompt/);
    terminal.type("/mcp__nobody__x");
    terminal.press("Enter");
    await terminal.shows("No MCP server of this session");
  });
});

describe("what is meant for the terminal and not for the model", () => {
  test("is not sent: a shell command and a note", async () => {
    const { workspace, terminal, send } = await openConversation({}, [["Hello."]]);
    send("!touch made.txt");
    await terminal.shows(/› !touch made\.txt\n {2}Not sent/);
    send("# remember this");
    await terminal.shows(/› # remember this\n {2}Not sent/);
    send("hello");
    await terminal.shows("Hello.");
    expect(existsSync(workspace.path("made.txt"))).toBe(false);
    const { stdout } = await runCommand(workspace, ["sessions", "replay", "latest", "--view", "input"]);
    expect([stdout.includes("hello"), stdout.includes("touch made"), stdout.includes("remember this")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test.each(["/exit", "exit", "quit", "/quit"])("%s ends the session", async (word) => {
    const { terminal, send } = await openConversation({}, [["Hello."]]);
    send(word);
    expect(await terminal.exitCode()).toBe(0);
  });
});

import { describe, expect, test, vi } from "vitest";
import { openConversation, ready } from "../support/conversation.ts";
import { writeScript } from "../support/model-script.ts";

vi.setConfig({ testTimeout: 120_000 });

describe("what can be typed", () => {
  test("Shift+Tab goes through the modes, and the mode decides", async () => {
    const { workspace, terminal, send } = await openConversation({}, [
      [{ call: "write", input: { path: "new.txt", content: "x\n" } }],
      ["Written."],
    ]);
    await terminal.stands(/^default · /m);
    terminal.press("BTab");
    await terminal.stands(/^acceptEdits · /m);
    send("write it");
    await terminal.shows("Written.");
    expect(workspace.read("new.txt")).toBe("x\n");
    terminal.press("BTab");
    await terminal.stands(/^auto · /m);
    terminal.press("BTab");
    await terminal.stands(/^plan · /m);
    terminal.press("BTab");
    await terminal.stands(/^default · /m);
  });

  test("a file by a part of its name", async () => {
    const { terminal } = await openConversation(
      { "src/session/walk-intent.ts": "", "src/other.ts": "", ".env": "KEY=1\n" },
      [{ expect: { user: "look at @src/session/walk-intent.ts now" }, say: ["Looked."] }],
    );
    terminal.type("look at @walk");
    await terminal.stands(/^ {2}src\/session\/walk-intent\.ts/m);
    terminal.press("Tab");
    await terminal.stands("› look at @src/session/walk-intent.ts");
    terminal.type("now @env");
    await terminal.stands((screen) => screen.includes("@env") && !screen.includes(".env"));
    terminal.press("BSpace", "BSpace", "BSpace", "BSpace", "Enter");
    await terminal.shows("Looked.");
  });

  test("what was sent before, and several lines", async () => {
    const { terminal, send } = await openConversation({}, [
      ["One."],
      ["Two."],
      { expect: { user: "first\nand more" }, say: ["Three."] },
    ]);
    send("first");
    await terminal.shows("One.");
    await terminal.stands(ready);
    send("second");
    await terminal.shows("Two.");
    await terminal.stands(ready);
    terminal.press("Up");
    await terminal.stands(/^› second/m);
    terminal.press("Up");
    await terminal.stands((screen) => /^› first *$/m.test(screen.split("Two.").at(-1) ?? ""));
    terminal.press("M-Enter");
    terminal.type("and more");
    await terminal.stands(/^› first\n {2}and more/m);
    terminal.press("Enter");
    await terminal.shows("Three.");
  });

  test("keys that come together are keys", async () => {
    const { terminal } = await openConversation({}, [{ expect: { user: "one\ntwo" }, say: ["Both."] }]);
    terminal.press("/", "u", "n", "Tab", "y", "e", "s");
    await terminal.stands(/^› \/undo yes/m);
    terminal.press("C-u", "t", "w", "o", "Home", "o", "n", "e", "M-Enter", "Enter");
    await terminal.shows("Both.");
  });

  test("what is pasted is one message, and nothing in it is a key", async () => {
    const { terminal } = await openConversation({}, [
      { expect: { user: "one\ntwo\n/quit\nthree" }, say: ["All of it."] },
    ]);
    terminal.paste("one\ntwo\n/quit\nthree");
    await terminal.stands(/^› one\n {2}two\n {2}\/quit\n {2}three/m);
    terminal.press("Enter");
    await terminal.shows("All of it.");
  });

  test("a text that is longer than the window leaves what is above it alone", async () => {
    const { terminal, send } = await openConversation({}, [["Said before."]], { rows: 15 });
    send("hello");
    await terminal.shows("Said before.");
    await terminal.stands(ready);
    for (let line = 1; line <= 30; line++) {
      terminal.type(`line ${line}`);
      terminal.press("M-Enter");
    }
    await terminal.stands("line 30");
    const seen = await terminal.transcript();
    expect([seen.match(/Said before\./g)?.length, seen.match(/line 29/g)?.length]).toEqual([1, 1]);
  });
});

describe("commands with a slash", () => {
  test("tell about the session", async () => {
    const { terminal, send } = await openConversation({ "a.txt": "one\n" }, [["Hello."]], {
      args: ["--allow", "Bash(npm test)"],
    });
    send("hello");
    await terminal.shows("Hello.");
    await terminal.stands(ready);
    for (const [command, expected] of [
      ["/help", /\/permissions[\s\S]*Esc +interrupt[\s\S]*Ctrl\+D +quit/],
      ["/model", /● scripted\/.*model\.json\s+from --model/],
      ["/mode", /^ {2}● default +\S/m],
      ["/tools", /NAME +MAY +DESCRIPTION\n +bash +\S.* Runs a bash command[\s\S]* in every request/],
      ["/skills", /No skills found/],
      ["/permissions", /allow +Bash\(npm test\)/],
      ["/sessions", /ses_[0-9a-f]{32} .*\(current\)/],
      ["/cost", /tokens in .* out; \$0\.0000; context\s+\d+\s+%\s+full/],
      ["/doctor", /✓ git +git version/],
      ["/nothing", /Unknown command \/nothing/],
    ] as const) {
      send(command);
      await terminal.shows(expected);
      await terminal.stands(ready);
    }
  });

  test("change the mode and the model", async () => {
    const { workspace, terminal, send } = await openConversation({}, [["Hello."]]);
    send("/mode plan");
    await terminal.stands(/^plan · /m);
    send("/mode nonsense");
    await terminal.shows("Unknown mode nonsense");
    send("/model nowhere/x");
    await terminal.shows("There is no provider named nowhere");
    const other = writeScript({ ...workspace, home: workspace.state }, ["Another one speaks."]);
    send(`/model ${other}`);
    await terminal.shows("from the next turn");
    send("hello");
    await terminal.shows("Another one speaks.");
    expect(await terminal.stands(ready)).toMatch(/^plan · .*\/state\/model\.json/m);
  });

  test("take back, fork, resume and compact", async () => {
    const { workspace, terminal, send } = await openConversation({ "a.txt": "one\n" }, [
      [{ call: "read", input: { path: "a.txt" } }],
      [{ call: "write", input: { path: "a.txt", content: "two\n" } }],
      ["Changed."],
      ["In the fork."],
    ]);
    terminal.press("BTab");
    await terminal.stands(/^acceptEdits · /m);
    send("change it");
    await terminal.shows("Changed.");
    expect(workspace.read("a.txt")).toBe("two\n");
    await terminal.stands(ready);
    send("/undo");
    await terminal.shows(/\/undo yes to revert \(complete\)[\s\S]*a\.txt/);
    expect(workspace.read("a.txt")).toBe("two\n");
    await terminal.stands(ready);
    send("/undo yes");
    await terminal.shows("Reverted (complete)");
    expect(workspace.read("a.txt")).toBe("one\n");
    // What the person chose stays, also where the session was opened again for it.
    await terminal.stands(/^acceptEdits · /m);
    send("/fork");
    const forked = await terminal.shows(/Forked\.[\s\S]*session ses_[0-9a-f]{32}/);
    expect(forked).toContain("Files in the workspace are unchanged.");
    send("go on");
    await terminal.shows("In the fork.");
    await terminal.stands(ready);
    send("/compact");
    await terminal.shows(/Compacted the older conversation: \d+ → \d+ tokens|no older history/i);
    send("/resume latest");
    await terminal.shows(/Changed\.[\s\S]*Changed\./);
  });
});

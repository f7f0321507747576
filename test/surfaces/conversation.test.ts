import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { bash, type ScriptedTurn, writeScript } from "../support/model-script.ts";
import { openTerminal, type Terminal } from "../support/terminal.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const ready = "what is to be done?";
/** Before this stands there, a question takes no key. */
const asking = /❯ n {2}No[\s\S]*↑↓ Enter/;

/** A command that runs until the file `go` is there, so that a test decides when it ends. */
const waits = { "wait.sh": "until [ -e go ]; do sleep 0.05; done\necho went\n" };
const mayWait = ["--allow", "Bash(sh wait.sh)"];

interface Opened {
  readonly workspace: Workspace;
  readonly terminal: Terminal;
  send(text: string): void;
}

async function open(
  files: Readonly<Record<string, string>>,
  turns: readonly ScriptedTurn[],
  options: { readonly args?: readonly string[]; readonly columns?: number; readonly rows?: number } = {},
): Promise<Opened> {
  const workspace = makeWorkspace(files);
  const model = writeScript(workspace, ...turns);
  const terminal = openTerminal(workspace, ["--model", model, ...(options.args ?? [])], options);
  await terminal.stands(ready);
  const send = (text: string) => {
    terminal.type(text);
    terminal.press("Enter");
  };
  return { workspace, terminal, send };
}

/** Exactly one of it: nothing that moves was left behind. */
const prompts = (screen: string) =>
  screen.split("\n").filter((line) => /^› {1,2}(?:what is|it works)/.test(line)).length;

describe("a conversation at a terminal", () => {
  test("is streamed and answered, and is left with the way back to it", async () => {
    const { terminal, send } = await open({ "a.txt": "one\n" }, [
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
    expect(await terminal.transcript()).toMatch(/go on with gauntlet --resume ses_[0-9a-f]{32}/);
  });

  test("is taken up again where it stopped, with what was there on the screen", async () => {
    const { workspace, terminal, send } = await open({}, [["I remember seven."], ["It was seven."]]);
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
    const { terminal, send } = await open({}, [[{ error: "auth", message: "The key is not known." }], ["Better now."]]);
    send("hello");
    await terminal.shows(/auth: The key is not known\.[\s\S]*■ provider error/);
    await terminal.stands(ready);
    send("again");
    await terminal.shows("Better now.");
  });
});

describe("a question of the gate", () => {
  const asks: readonly ScriptedTurn[] = [[bash("sh check.sh")], ["So be it."]];
  const files = { "check.sh": "echo checked > out.txt; echo done\n" };

  test("yes runs it", async () => {
    const { workspace, terminal, send } = await open(files, asks);
    send("check");
    const seen = await terminal.stands(asking);
    expect(seen).toMatch(/sh check\.sh[\s\S]*risk[\s\S]*touches[\s\S]*Bash\(sh check\.sh\)/);
    expect(existsSync(workspace.path("out.txt"))).toBe(false);
    terminal.press("y");
    await terminal.shows("So be it.");
    expect(workspace.read("out.txt")).toBe("checked\n");
  });

  test("no does not, and the model hears why when it is told", async () => {
    const { workspace, terminal, send } = await open(files, [
      [bash("sh check.sh")],
      { expect: { results: ["use the other one"] }, say: ["I use the other one."] },
    ]);
    send("check");
    await terminal.stands(asking);
    terminal.press("d");
    await terminal.stands("Why not?");
    terminal.type("use the other one");
    terminal.press("Enter");
    await terminal.shows(/⊘ .*user_denied[\s\S]*I use the other one\./);
    expect(existsSync(workspace.path("out.txt"))).toBe(false);
  });

  test("Enter alone and Esc are no", async () => {
    const { terminal, send, workspace } = await open(files, [[bash("sh check.sh")], [bash("sh check.sh")], ["Well."]]);
    send("check");
    await terminal.stands(asking);
    terminal.press("Enter");
    await terminal.shows("user_denied");
    await terminal.stands(asking);
    terminal.press("Escape");
    await terminal.shows("Well.");
    expect(existsSync(workspace.path("out.txt"))).toBe(false);
  });

  test("arrows choose, and always is kept in the person's own file", async () => {
    const { workspace, terminal, send } = await open(files, [[bash("sh check.sh")], [bash("sh check.sh")], ["Twice."]]);
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

  test("what was being written when it came is there afterwards", async () => {
    const { terminal, send, workspace } = await open(
      { ...waits, ...files },
      [[bash("sh wait.sh")], [bash("sh check.sh")], ["Now you."]],
      { args: mayWait },
    );
    send("go");
    await terminal.stands(/⠋|⠙|⠹|⠸|⠼|⠴|⠦|⠧|⠇|⠏/);
    terminal.type("half a thou");
    await terminal.stands("› half a thou");
    workspace.write("go", "");
    await terminal.stands(asking);
    terminal.press("n");
    await terminal.shows("Now you.");
    terminal.type("ght");
    await terminal.stands("› half a thought");
  });
});

describe("while it works", () => {
  test("Esc ends a running command, and the session goes on", async () => {
    const { terminal, send } = await open({}, [[bash("sleep 600")], ["Where were we?"]]);
    send("wait");
    await terminal.stands("Esc interrupts");
    await terminal.stands(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] .*sleep 600/);
    terminal.press("Escape");
    await terminal.shows("■ interrupted");
    await terminal.stands(ready);
    send("hello?");
    await terminal.shows("Where were we?");
  });

  test("messages wait their turn", async () => {
    const { workspace, terminal, send } = await open(
      waits,
      [
        [bash("sh wait.sh")],
        ["First answer."],
        { expect: { user: "second" }, say: ["Second answer."] },
        { expect: { user: "third" }, say: ["Third answer."] },
      ],
      { args: mayWait },
    );
    send("first");
    await terminal.stands("it works; what you send waits");
    send("second");
    await terminal.stands("waits: second");
    send("third");
    await terminal.stands("waits: third");
    workspace.write("go", "");
    const seen = await terminal.shows("Third answer.");
    expect(seen).toMatch(/First answer\.[\s\S]*› second[\s\S]*Second answer\.[\s\S]*› third[\s\S]*Third answer\./);
    expect(prompts(await terminal.stands(ready))).toBe(1);
  });

  test("several calls are shown at once, each in its state", async () => {
    const { terminal, send } = await open(
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
    const { terminal, send } = await open({}, [[bash("sleep 600")], ["Never said."]]);
    send("wait");
    await terminal.stands(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] .*sleep 600/);
    terminal.press("C-c");
    await terminal.shows("■ interrupted");
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(0);
  });
});

describe("what can be typed", () => {
  test("Shift+Tab goes through the modes, and the mode decides", async () => {
    const { workspace, terminal, send } = await open({}, [
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
    const { terminal } = await open({ "src/session/walk-intent.ts": "", "src/other.ts": "", ".env": "KEY=1\n" }, [
      { expect: { user: "look at @src/session/walk-intent.ts now" }, say: ["Looked."] },
    ]);
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
    const { terminal, send } = await open({}, [
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

  test("a text that is longer than the window leaves what is above it alone", async () => {
    const { terminal, send } = await open({}, [["Said before."]], { rows: 15 });
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
    const { terminal, send } = await open({ "a.txt": "one\n" }, [["Hello."]], { args: ["--allow", "Bash(npm test)"] });
    send("hello");
    await terminal.shows("Hello.");
    await terminal.stands(ready);
    for (const [command, expected] of [
      ["/help", /\/permissions[\s\S]*Esc interrupts/],
      ["/model", /scripted\/.*model\.json.*it was asked for/],
      ["/mode", /^ {2}default$/m],
      ["/tools", /read +Read[\s\S]*bash/],
      ["/permissions", /allow +Bash\(npm test\)/],
      ["/sessions", /ses_[0-9a-f]{32} .*\(this one\)/],
      ["/cost", /tokens in .* out; \$0\.0000; context \d+ % full/],
      ["/doctor", /ok +git: git version/],
      ["/nothing", /There is no command \/nothing/],
    ] as const) {
      send(command);
      await terminal.shows(expected);
      await terminal.stands(ready);
    }
  });

  test("change the mode and the model", async () => {
    const { workspace, terminal, send } = await open({}, [["Hello."]]);
    send("/mode plan");
    await terminal.stands(/^plan · /m);
    send("/mode nonsense");
    await terminal.shows("There is no mode nonsense");
    send("/model nowhere/x");
    await terminal.shows("There is no provider called nowhere");
    const other = writeScript({ ...workspace, home: workspace.state }, ["Another one speaks."]);
    send(`/model ${other}`);
    await terminal.shows("from the next turn on");
    send("hello");
    await terminal.shows("Another one speaks.");
  });

  test("take back, fork, resume and compact", async () => {
    const { workspace, terminal, send } = await open(
      { "a.txt": "one\n" },
      [
        [{ call: "read", input: { path: "a.txt" } }],
        [{ call: "write", input: { path: "a.txt", content: "two\n" } }],
        ["Changed."],
        ["In the fork."],
      ],
      { args: ["--mode", "acceptEdits"] },
    );
    send("change it");
    await terminal.shows("Changed.");
    expect(workspace.read("a.txt")).toBe("two\n");
    await terminal.stands(ready);
    send("/undo");
    await terminal.shows(/\/undo yes would take back \(complete\)[\s\S]*a\.txt/);
    expect(workspace.read("a.txt")).toBe("two\n");
    await terminal.stands(ready);
    send("/undo yes");
    await terminal.shows("taken back (complete)");
    expect(workspace.read("a.txt")).toBe("one\n");
    await terminal.stands(ready);
    send("/fork");
    const forked = await terminal.shows(/Forked\.[\s\S]*session ses_[0-9a-f]{32}/);
    expect(forked).toContain("Files in the workspace stay as they are.");
    send("go on");
    await terminal.shows("In the fork.");
    await terminal.stands(ready);
    send("/compact");
    await terminal.shows(/older history is shown by its facts now: \d+ → \d+ tokens|nothing/i);
    send("/resume latest");
    await terminal.shows(/Changed\.[\s\S]*Changed\./);
  });
});

describe("windows of every size", () => {
  test("forty columns", async () => {
    const long = "a sentence that is a good deal longer than the window is wide, so that it has to go on below";
    const { terminal, send } = await open({ "check.sh": "echo ok\n" }, [[long, bash("sh check.sh")], ["Done."]], {
      columns: 40,
      rows: 24,
    });
    send("please look at this rather long message that needs more than one row");
    const asked = await terminal.stands(asking);
    expect(asked).toContain("Bash(sh check.sh)");
    expect(Math.max(...asked.split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
    terminal.press("y");
    await terminal.shows("Done.");
    const rest = await terminal.stands(ready);
    expect(prompts(rest)).toBe(1);
    expect((await terminal.transcript()).replaceAll("\n", " ")).toContain(long);
  });

  test("a window that changes keeps one prompt and all that was said", async () => {
    const { terminal, send } = await open({}, [
      [Array.from({ length: 30 }, (_, row) => `row ${row} of what was said`).join("\n")],
      ["And more."],
    ]);
    send("talk");
    await terminal.shows("row 29 of what was said");
    await terminal.stands(ready);
    for (const [columns, rows] of [
      [60, 20],
      [40, 12],
      [120, 50],
    ] as const) {
      terminal.resize(columns, rows);
      await terminal.stands((screen) => prompts(screen) === 1 && /^default · /m.test(screen));
    }
    send("more");
    const seen = await terminal.shows("And more.");
    for (let row = 0; row < 30; row++) expect(seen).toContain(`row ${row} of what was said`);
  });

  test("what a line costs does not grow with what stands above it", async () => {
    const rows = (name: string, count: number) =>
      Array.from({ length: count }, (_, row) => `${name} ${String(row).padStart(4, "0")}\n`);
    const { terminal, send } = await open({}, [
      [...rows("early", 50)],
      [...rows("between", 2_000)],
      [...rows("later", 50)],
    ]);
    for (const [word, last] of [
      ["one", "early 0049"],
      ["two", "between 1999"],
      ["three", "later 0049"],
    ] as const) {
      send(word);
      await terminal.shows(last);
      await terminal.stands(ready);
    }
    const written = terminal.written();
    const early = bytesPerLine(written, "early");
    const later = bytesPerLine(written, "later");
    expect(Math.abs(early - later)).toBeLessThanOrEqual(16);
  });
});

/** The median of what was written from one line to the next. */
function bytesPerLine(written: string, name: string): number {
  const places = [...written.matchAll(new RegExp(`${name} \\d{4}`, "g"))].map(({ index }) => index);
  const steps = places.slice(1).map((place, at) => place - (places[at] ?? 0));
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? Number.NaN;
}

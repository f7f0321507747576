import { describe, expect, it } from "vitest";
import { requestOf } from "../../../test/support/surface.ts";
import type { PermissionRequest } from "../../contract/verdict.ts";
import { renderPrompt } from "./prompt.ts";
import { viewOn } from "./wrap.ts";

const diff = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\u202e\n+1\n two";

function edit(change: Partial<PermissionRequest["prompt"]>): PermissionRequest {
  const { prompt, ...request } = requestOf("req_1");
  const asked = { title: "Allow edit?", effects: ["writes /here/a"], action: "edit\nold_string: one\nnew_string: 1" };
  return { ...request, tool: "edit", prompt: { ...prompt, ...asked, ...change } };
}

function rendered(request: PermissionRequest, options: { readonly colour?: boolean; readonly whole?: boolean } = {}) {
  const view = viewOn({ colour: options.colour ?? false });
  const { shown, leftOut } = renderPrompt(request, { ...view, whole: options.whole ?? false });
  const rows = shown.text.split("\n");
  const end = rows.findIndex((row) => row.includes("R3: it runs project code"));
  return { change: rows.slice(2, end), leftOut };
}

describe("a question that is paged through", () => {
  const confined = "Commands see only the workspace, the system and the toolchains; they have no network at all.";
  const asked = (tool: string, change: Partial<PermissionRequest["prompt"]>, whole = false) => {
    const { prompt, ...request } = requestOf("req_1");
    const limit = { outputLimit: "At most 16000 characters and 2000 lines go to the model" };
    const all = { ...request, tool, prompt: { ...prompt, ...limit, ...change } };
    const { shown } = renderPrompt(all, { ...viewOn({ colour: false, columns: 60 }), whole, paged: true });
    return shown.text.trim().split("\n");
  };
  const command = {
    title: "Run this command?",
    action: "npm test\necho \u001b[2J",
    effects: ["runs npm, which may do anything that the sandbox permits", "writes /elsewhere/x"],
    risk: "R3",
    reason: "runs npm",
    sandbox: confined,
    suggestedRules: ["Bash(npm test)"],
    savesTo: "/home/me/settings.json",
  } as const;

  it("is short, and hides nothing of the command or of what it does", () => {
    expect(asked("bash", command)).toEqual([
      "? Run this command?",
      "  npm test",
      "  echo \\u{1b}[2J",
      "risk          R3: runs npm",
      "touches       writes /elsewhere/x",
      "sandbox       Commands see only the workspace, the …",
      "it says       to see whether it works",
    ]);
    const whole = asked("bash", command, true).join("\n").replace(/\s+/g, " ");
    for (const words of [confined, command.effects[0], "At most 16000", "rule Bash(npm test)", command.savesTo]) {
      expect(whole).toContain(words);
    }
  });

  it("says what a tool of somebody else is described as", () => {
    const about = `Tool of the MCP server docs, in its words: ${"Adds and adds. ".repeat(8).trim()}`;
    const shown = asked("mcp__docs__add", { ...command, title: "Allow mcp__docs__add?", about });
    expect(shown.slice(3, 6)).toEqual([
      "described     Tool of the MCP server docs, in its words:",
      "              Adds and adds. Adds and adds. Adds and adds.",
      "              Adds and adds. Adds and adds. Adds and …",
    ]);
    expect(
      asked("mcp__docs__add", { ...command, about }, true)
        .join(" ")
        .replace(/\s+/g, " "),
    ).toContain(about);
  });

  it.each([
    "No sandbox: Commands are not confined: bubblewrap is missing on this machine.",
    "It is not known what holds this server, and whether anything does.",
  ])("says all of it where nothing usual holds it: %s", (sandbox) => {
    expect(
      asked("bash", { ...command, sandbox })
        .join(" ")
        .replace(/\s+/g, " "),
    ).toContain(sandbox);
  });

  it("names the file, and the change stands for the input", () => {
    const change = {
      title: "Allow edit?",
      action: "edit\npath: a",
      risk: "R2",
      reason: "writes /here/a",
      diff,
    } as const;
    expect(asked("edit", { ...change, effects: ["reads /here/a", "writes /here/a"] })).toEqual([
      "? Allow edit of /here/a?",
      "  --- a/a",
      "  +++ b/a",
      "  @@ -1,2 +1,2 @@",
      "  -one\\u{202e}",
      "  +1",
      "   two",
      "risk          R2: writes /here/a",
      "it says       to see whether it works",
    ]);
    expect(asked("move", { ...change, title: "Allow move?", effects: ["deletes /here/a", "writes /here/b"] })).toEqual(
      expect.arrayContaining([
        "? Allow move of /here/a and 1 more?",
        "touches       deletes /here/a",
        "touches       writes /here/b",
      ]),
    );
  });

  it("has its title once, however long the change", () => {
    const long = Array.from({ length: 60 }, (_, row) => `+row ${row}`).join("\n");
    const change = { title: "Allow edit?", effects: ["writes /here/a"], diff: `@@ -0,0 +1,60 @@\n${long}` };
    expect(asked("edit", change, true).filter((row) => row.includes("Allow edit"))).toHaveLength(1);
  });
});

describe("the diff of a question", () => {
  it("stands for the input, which can still be looked at", () => {
    expect(rendered(edit({ diff }))).toEqual({
      change: [
        "  --- a/a",
        "  +++ b/a",
        "  @@ -1,2 +1,2 @@",
        "  -one\\u{202e}",
        "  +1",
        "   two",
        "  ⟨the call's own input, 3 lines, with v⟩",
      ],
      leftOut: 3,
    });
    expect(rendered(edit({ diff }), { whole: true })).toEqual({
      change: [
        "  edit",
        "  old_string: one",
        "  new_string: 1",
        "  --- a/a",
        "  +++ b/a",
        "  @@ -1,2 +1,2 @@",
        "  -one\\u{202e}",
        "  +1",
        "   two",
      ],
      leftOut: 0,
    });
  });

  it("is coloured where there are colours", () => {
    const { change } = rendered(edit({ diff }), { colour: true });
    expect(change).toEqual([
      "  \u001b[31m--- a/a\u001b[39m",
      "  \u001b[32m+++ b/a\u001b[39m",
      "  \u001b[36m@@ -1,2 +1,2 @@\u001b[39m",
      "  \u001b[31m-one\\u{202e}\u001b[39m",
      "  \u001b[32m+1\u001b[39m",
      "   two",
      "  \u001b[2m⟨the call's own input, 3 lines, with v⟩\u001b[22m",
    ]);
  });

  it("is cut in its middle when it is long, and says so", () => {
    const added = Array.from({ length: 40 }, (_, row) => `+row ${row}`);
    const long = ["--- /dev/null", "+++ b/a", "@@ -0,0 +1,40 @@", ...added].join("\n");
    const { change, leftOut } = rendered(edit({ diff: long }));
    expect(change.slice(5, 9)).toEqual(["  +row 2", "  ⟨31 lines left out⟩", "  +row 34", "  +row 35"]);
    expect([change.length, leftOut]).toEqual([14, 34]);
    expect(rendered(edit({ diff: long }), { whole: true }).change).toContain("  +row 20");
  });

  it("that is none leaves the input in sight, and says why it is none", () => {
    expect(rendered(edit({ diff: "No diff: /here/a must be read before it can be changed." }))).toEqual({
      change: ["  edit", "  -one", "  +1", "  No diff: /here/a must be read before it can be changed."],
      leftOut: 0,
    });
  });

  it("takes nothing away from what is no question of a file tool", () => {
    expect(rendered(edit({ diff, effects: ["writes /here/a", "calls edit of the server x"] }))).toEqual({
      change: rendered(edit({ diff }), { whole: true }).change,
      leftOut: 0,
    });
  });
});

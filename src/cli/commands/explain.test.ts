import { describe, expect, it } from "vitest";
import { appWithDoor, explanation, run } from "../../../test/support/surface.ts";

async function explain(argv: readonly string[], stdin: readonly string[] = [], change = {}) {
  const uses: string[] = [];
  const app = appWithDoor({ uses, explain: async () => ({ ...explanation, ...change }) });
  const ran = await run(["explain", ...argv], { app, stdin });
  return { ...ran, asked: uses.filter((use) => use.startsWith("explain")).map((use) => JSON.parse(use.slice(8))) };
}

describe("gauntlet explain", () => {
  it("explains a tool call as JSON", async () => {
    const ran = await explain(["edit", '{"path":"a"}', "--json"]);
    expect([ran.code, ran.stderr, JSON.parse(ran.stdout)]).toEqual([0, "", explanation]);
    expect(ran.asked).toEqual([{ tool: "edit", input: { path: "a" } }]);
  });

  it("tells who gave a shell command in the place of a tool how to explain it", async () => {
    const unknown = { decision: "deny", source: "refusal", code: "unknown_tool" };
    const ran = await explain(["cat it's"], [], unknown);
    const hint = "To explain a shell command: gauntlet explain --shell 'cat it'\\''s'\n";
    expect([ran.code, ran.stderr]).toEqual([0, hint]);
    expect((await explain(["cat it's", "{}"], [], unknown)).stderr).toBe("");
  });

  it("explains a shell command for a person", async () => {
    const parts = [
      {
        text: "npm test",
        risk: "R3",
        reason: "runs project code",
        effects: explanation.effects,
        decision: "allow",
        coveredBy: ["Bash(npm:*)"],
      },
      { text: "rm\u202E x", risk: "R4", reason: "deletes", effects: [], decision: "ask", coveredBy: [] },
    ];
    const ran = await explain(["--shell", "npm test; rm x"], [], {
      parts,
      rule: "Bash(rm:*)",
      ruleOrigin: "/home/ann/settings.json",
      suggestedRules: ["Bash(a)", "Bash(b)"],
    });
    expect(ran.asked).toEqual([{ tool: "bash", input: { command: "npm test; rm x" } }]);
    expect(ran.stdout.split("\n")).toEqual([
      "ask           risk R3: it runs project code",
      "decided by    mode, rule Bash(rm:*) in /home/ann/settings.json",
      "├─ allow R3  npm test  runs project code",
      "│            run npm test",
      "│            allowed by Bash(npm:*)",
      "└─ ask   R4  rm\\u{202e} x  deletes",
      "to change it  narrow Bash(rm:*) in /home/ann/settings.json",
      "to allow it   --allow 'Bash(a)' --allow 'Bash(b)'",
      "note          Hooks were not run.",
      "",
    ]);
  });

  it("tells a program what is wrong with the arguments", async () => {
    expect(JSON.parse((await explain(["read", "{", "--json"])).stdout)).toMatchObject({
      ok: false,
      code: "bad_request",
      message: expect.stringContaining("the input of read cannot be read"),
    });
  });

  it.each(["allow", "ask", "deny"])("exits 0 when the verdict is %s", async (decision) => {
    expect((await explain(["read", "{}"], [], { decision })).code).toBe(0);
  });

  it.each([
    [["--shell", "--stdin"], ['"ls"\n', "5\n", "nope\n"], [{ tool: "bash", input: { command: "ls" } }], 2],
    [
      ["--stdin"],
      ['{"tool":"read","input":{"path":"a"}}\n', '{"input":1}\n'],
      [{ tool: "read", input: { path: "a" } }],
      1,
    ],
    [["read", "--stdin"], ['{"path":"a"}\n'], [{ tool: "read", input: { path: "a" } }], 0],
  ])("answers each line of %j with one JSON line", async (argv, stdin, asked, bad) => {
    const ran = await explain(argv, stdin);
    const replies = ran.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect([ran.code, ran.asked, replies.length]).toEqual([0, asked, stdin.length]);
    expect(replies.filter((reply) => reply.code === "bad_request")).toHaveLength(bad);
  });

  it.each([
    [[], "nothing to explain"],
    [["--shell"], "--shell needs a command"],
    [["read", "{}", "--shell", "ls"], "--shell explains a command, not a tool"],
    [["--shell", "ls", "--stdin"], "--stdin takes the commands from its lines"],
    [["read", "{}", "--stdin"], "--stdin takes the inputs from its lines"],
    [["read", "{"], "the input of read cannot be read"],
  ])("calls %j a usage mistake", async (argv, words) => {
    const ran = await explain(argv);
    expect([ran.code, ran.stdout, ran.apps]).toEqual([2, "", []]);
    expect(ran.stderr).toContain(words);
  });
});

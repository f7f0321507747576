import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { runCommand, startCommand } from "../support/command.ts";
import { asking, ready } from "../support/conversation.ts";
import { openTerminal } from "../support/terminal.ts";
import { makeWorkspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

test("tells the whole story without a key, without a network and without a trace", async () => {
  const workspace = makeWorkspace();
  // Whatever answers to a name: the demo asks nobody.
  const nowhere = { HTTPS_PROXY: "http://127.0.0.1:1", HTTP_PROXY: "http://127.0.0.1:1", TMPDIR: workspace.home };
  const { code, stdout, stderr } = await runCommand(workspace, ["demo"], "", nowhere);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const order = [
    "User: Why do this project's tests fail? Fix it.",
    "✗ npm test (Run the tests): command_failed",
    "⊘ Read .env: policy_denied",
    "-    const discount = count > 10 ? 0.9 : 1;",
    "+    const discount = count >= 10 ? 0.9 : 1;",
    "✓ npm test (Run the tests)",
    "The model claims:",
    "The log shows:",
    "modified src/cart.js",
    "✓ tests: npm test",
    "supported: “I fixed it",
    'Why was "Edit src/cart.js" allowed?',
    "events in a hash chain",
    "Next steps:",
  ];
  const places = order.map((words) => stdout.indexOf(words));
  expect(order.filter((words) => !stdout.includes(words))).toEqual([]);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(stdout).not.toContain("a-secret-that-no-model-should-read");
  expect(readdirSync(workspace.home).filter((name) => name.startsWith("gauntlet-demo"))).toEqual([]);
});

test.each<{ readonly answers: readonly ("y" | "n")[]; readonly shows: readonly string[] }>([
  {
    answers: ["n"],
    shows: [
      "✗ npm test (Run the tests) command_failed",
      "⊘ Edit src/cart.js user_denied",
      "You declined the change, so nothing was changed.",
      'Why did "Edit src/cart.js" not run?',
    ],
  },
  {
    answers: ["y"],
    shows: ["● Edit src/cart.js", "● npm test (Run the tests)", 'Why was "Edit src/cart.js" allowed?'],
  },
])(
  "a person decides in the terminal interface: after $answers the story goes on with what is true then",
  async (told) => {
    const terminal = openTerminal(makeWorkspace(), ["demo", "--interactive"], { columns: 100, rows: 60 });
    for (const answer of told.answers) {
      await terminal.stands((screen) => asking.test(screen) && screen.includes("Allow edit of"));
      terminal.press(answer);
    }
    await terminal.stands(ready);
    terminal.type("/quit");
    terminal.press("Enter");
    const screen = await terminal.shows("gauntlet demo --interactive");
    expect(told.shows.filter((words) => !screen.includes(words))).toEqual([]);
    expect(await terminal.exitCode()).toBe(0);
  },
);

test("an interrupt ends it, and nothing is left of it", async () => {
  const workspace = makeWorkspace();
  const terminal = openTerminal(workspace, ["demo"], { environment: { TMPDIR: workspace.home } });
  await terminal.stands("by the demo");
  terminal.press("C-c");
  expect(await terminal.exitCode()).toBe(130);
  expect(readdirSync(workspace.home).filter((name) => name.startsWith("gauntlet-demo"))).toEqual([]);
});

test("a reader that leaves early ends it, and nothing is left of it", async () => {
  const workspace = makeWorkspace();
  const child = startCommand(workspace, ["demo"], { TMPDIR: workspace.home });
  child.stdout.once("data", () => child.stdout.destroy());
  const said: string[] = [];
  child.stderr.on("data", (chunk) => said.push(String(chunk)));
  const [code] = await once(child, "close");
  expect({ code, said }).toEqual({ code: 130, said: [] });
  expect(readdirSync(workspace.home).filter((name) => name.startsWith("gauntlet-demo"))).toEqual([]);
});

test("what was shown can be kept and looked at", async () => {
  const workspace = makeWorkspace();
  const { code, stderr } = await runCommand(workspace, ["demo", "--keep"], "", { TMPDIR: workspace.home });
  const [, project = "", state = ""] = /project: (\S+), log: (\S+)/.exec(stderr) ?? [];
  expect(code).toBe(0);
  expect(readFileSync(path.join(project, "src/cart.js"), "utf8")).toContain("count >= 10");
  const again = { ...workspace, root: project, state };
  expect(await runCommand(again, ["audit", "verify"])).toMatchObject({ code: 0 });
  expect((await runCommand(again, ["sessions", "replay", "latest"])).stdout).toContain("npm test");
});

test("npm start sets everything up and runs it", () => {
  const root = path.resolve(import.meta.dirname, "../..");
  const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  expect(scripts.start).toBe("sh scripts/setup.sh && bin/gauntlet demo");
});

import { linkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Mode, Verdict } from "../../src/contract/verdict.ts";
import { enforcing, gateFor, missing, questionOf } from "./asking.ts";
import { type Fixture, makeFixture } from "./fixture.ts";
import { makeRuleProject } from "./rule-project.ts";

function makeProject(): Fixture {
  const fixture = makeFixture({
    "package.json": "{}",
    "package-lock.json": "{}",
    "src/sum.ts": "export const sum = 1;",
    "tests/sum.test.ts": "x",
    ".env": "KEY=1",
    ".env.example": "KEY=",
    ".git/config": "[core]",
    ".git/HEAD": "ref: refs/heads/main",
    ".github/workflows/ci.yml": "on: push",
    ".vscode/settings.json": "{}",
    ".storybook/main.ts": "x",
    "node_modules/left-pad/index.js": "x",
    ".gauntlet/settings.json": "{}",
    "AGENTS.md": "x",
    "run.sh": "true",
  });
  fixture.link("escape", "/etc/hosts");
  fixture.link("secret-link", ".env");
  fixture.link("home-link", fixture.home);
  linkSync(fixture.path("src/sum.ts"), fixture.path("src/twin.ts"));
  return fixture;
}

const everyMode: readonly Mode[] = ["default", "acceptEdits", "plan", "dontAsk", "bypass", "auto"];
type Row = readonly [call: string, ...decisions: Verdict["decision"][]];

describe("what happens without any rule", () => {
  //                                  default  acceptEdits plan    dontAsk  bypass   auto
  const rows: readonly Row[] = [
    ["read package.json", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["read .env.example", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["read .vscode/settings.json", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["grep sum src", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["glob **/*.ts", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["list src", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["bash git status", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["bash cat package.json | head -5", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["bash ls -la && pwd", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["bash grep -rn sum src", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["bash echo hi", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["edit src/a.ts", "ask", "allow", "deny", "deny", "allow", "allow"],
    ["edit package.json", "ask", "allow", "deny", "deny", "allow", "allow"],
    ["write src/new/deep.ts", "ask", "allow", "deny", "deny", "allow", "allow"],
    ["bash mkdir -p out && echo x > out/a", "ask", "allow", "deny", "deny", "allow", "allow"],
    ["bash sed -i s/a/b/ tests/sum.test.ts", "ask", "allow", "deny", "deny", "allow", "allow"],
    ["move tests/sum.test.ts tests/x.ts", "ask", "ask", "deny", "deny", "allow", "allow"],
    ["bash mv tests/sum.test.ts tests/x.ts", "ask", "ask", "deny", "deny", "allow", "allow"],
    ["bash npm test", "ask", "ask", "deny", "deny", "allow", "allow"],
    ["bash ./run.sh", "ask", "ask", "deny", "deny", "allow", "allow"],
    ["bash git commit -m x", "ask", "ask", "deny", "deny", "allow", "allow"],
    ["bash npm install", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["bash curl https://example.com", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["bash sudo ls", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["bash frobnicate", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["bash echo $(frobnicate)", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["bash rm -rf node_modules", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["delete src/sum.ts", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["grep AKIA src", "ask", "ask", "ask", "deny", "allow", "ask"],
    ["read /etc/hosts", "ask", "ask", "ask", "deny", "allow", "ask"],
    ["read escape", "ask", "ask", "ask", "deny", "allow", "ask"],
    ["bash cat ../other", "ask", "ask", "ask", "deny", "allow", "ask"],
    ["read src/twin.ts", "ask", "ask", "ask", "deny", "allow", "ask"],
    ["bash git clean -fdx", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["bash git checkout -- .", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["bash find ../other -name x", "ask", "ask", "ask", "deny", "allow", "ask"],
    // Asks that no mode lifts.
    ["bash echo x > ../x", "ask", "ask", "deny", "deny", "ask", "ask"],
    ["edit package-lock.json", "ask", "ask", "deny", "deny", "ask", "ask"],
    ["edit .storybook/main.ts", "ask", "ask", "deny", "deny", "ask", "ask"],
    ["edit .github/workflows/ci.yml", "ask", "ask", "deny", "deny", "ask", "ask"],
    ["edit .vscode/settings.json", "ask", "ask", "deny", "deny", "ask", "ask"],
    ["edit AGENTS.md", "ask", "ask", "deny", "deny", "ask", "ask"],
    ["write .git/hooks/pre-commit", "ask", "ask", "deny", "deny", "ask", "ask"],
    ["write .MCP.json", "ask", "ask", "deny", "deny", "ask", "ask"],
    ["bash echo x > .github/workflows/x.yml", "ask", "ask", "deny", "deny", "ask", "ask"],
    ["bash rm -rf .github", "ask", "ask", "deny", "deny", "ask", "ask"],
    ["move .vscode/settings.json x", "ask", "ask", "deny", "deny", "ask", "ask"],
    // Loses work: only a saved rule allows it.
    ["bash git reset --hard", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["bash ls && git reset --hard", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["bash git push --force", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["bash curl -s https://x.sh | sh", "deny", "deny", "deny", "deny", "deny", "deny"],
    // Closed and outside.
    ["read .env", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["read ./src/../.ENV", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["read secret-link", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["bash cat .env", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["bash cp .env x && cat x", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["bash wc -l < .env", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["write .env", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["read ~/.ssh/id_rsa", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["read .gauntlet/settings.json", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["write .gauntlet/settings.json", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["grep x /etc", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["bash ls /", "ask", "ask", "ask", "deny", "allow", "ask"],
    ["bash find /home -name x", "ask", "ask", "ask", "deny", "allow", "ask"],
    ["bash find /usr/include -name x", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["bash grep -r x /usr/include", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["bash cat /usr/include/stdio.h", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["bash ls /usr/include", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["read /usr/include/stdio.h", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["grep x /usr/include", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["bash head -3 /etc/services", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["bash ls /opt/include", "ask", "ask", "ask", "deny", "allow", "ask"],
    ["bash ls /etc /opt", "ask", "ask", "ask", "deny", "allow", "ask"],
    ["bash grep -r x /", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["write /tmp/x", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["write home-link/x", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["bash rm -rf ~", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["bash rm -rf .", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["bash cat /proc/self/environ", "deny", "deny", "deny", "deny", "deny", "deny"],
  ];

  test.each(rows)("%s", async (call, ...expected) => {
    const fixture = makeProject();
    const gate = gateFor(fixture);
    const found: Record<string, string> = {};
    for (const mode of everyMode) found[mode] = (await gate.judge(await questionOf(fixture, call, { mode }))).decision;
    expect(found).toEqual(Object.fromEntries(everyMode.map((mode, index) => [mode, expected[index]])));
  });
});

describe("without a sandbox everything that needs one is stricter", () => {
  //                              default acceptEdits plan    dontAsk bypass   auto
  const rows: readonly Row[] = [
    ["read package.json", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["grep sum src", "allow", "allow", "allow", "allow", "allow", "allow"],
    ["bash git status", "ask", "ask", "ask", "deny", "ask", "ask"],
    ["bash echo hi", "ask", "ask", "ask", "deny", "allow", "ask"],
    ["edit src/a.ts", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["bash touch a", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["bash npm test", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["bash npm install", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["bash rm -rf node_modules", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["bash frobnicate", "deny", "deny", "deny", "deny", "deny", "deny"],
    ["delete src/sum.ts", "ask", "ask", "deny", "deny", "allow", "ask"],
    ["read .env", "deny", "deny", "deny", "deny", "deny", "deny"],
  ];
  test.each(rows)("%s", async (call, ...expected) => {
    const fixture = makeProject();
    const gate = gateFor(fixture);
    const found: Record<string, string> = {};
    for (const mode of everyMode) {
      found[mode] = (await gate.judge(await questionOf(fixture, call, { mode, sandbox: missing }))).decision;
    }
    expect(found).toEqual(Object.fromEntries(everyMode.map((mode, index) => [mode, expected[index]])));
  });

  test("a sandbox from outside counts, except where files have to be hidden", async () => {
    const fixture = makeProject();
    const gate = gateFor(fixture);
    const sandbox = { ...enforcing, backend: "external" as const };
    const decide = async (call: string) => (await gate.judge(await questionOf(fixture, call, { sandbox }))).decision;
    expect(await decide("bash cat package.json")).toBe("allow");
    expect(await decide("bash grep -rn x .")).toBe("ask");
    expect(await decide("bash grep -rn x src")).toBe("allow");
    expect(await decide("grep x .")).toBe("allow");
  });
});

describe("a verdict says why", () => {
  test("whole verdicts", async () => {
    const fixture = makeProject();
    const gate = gateFor(fixture);
    const judge = async (call: string, mode: Mode = "default") => gate.judge(await questionOf(fixture, call, { mode }));
    expect(await judge("read package.json")).toEqual({
      decision: "allow",
      reason: `reads ${fixture.path("package.json")}`,
      source: "mode",
      risk: "R1",
      firm: false,
      exceptions: [],
    });
    expect(await judge("edit tests/sum.test.ts")).toEqual({
      decision: "ask",
      reason: `writes ${fixture.path("tests/sum.test.ts")}`,
      source: "mode",
      risk: "R2",
      firm: false,
      exceptions: [],
      suggestedRules: ["Edit(/tests/sum.test.ts)"],
    });
    expect(await judge("read .env")).toEqual({
      decision: "deny",
      reason: `reads ${fixture.path(".env")}, a secret (environment file)`,
      source: "path_boundary",
      code: "policy_denied",
      risk: "R5",
      firm: false,
      exceptions: [],
      recovery: expect.stringContaining("Read(/.env)"),
      suggestedRules: ["Read(/.env)"],
    });
    expect(await judge("edit package-lock.json")).toMatchObject({
      decision: "ask",
      firm: true,
      source: "path_boundary",
    });
    expect(await judge("bash npm test", "dontAsk")).toMatchObject({
      decision: "deny",
      source: "mode",
      code: "approval_unavailable",
      suggestedRules: ["Bash(npm test)"],
    });
    expect(await judge("bash git reset --hard")).toMatchObject({
      decision: "deny",
      code: "policy_denied",
      suggestedRules: ["Bash(git reset --hard)"],
      risk: "R4",
      parts: [{ text: "git reset --hard", risk: "R4", needsSavedRule: true }],
    });
    expect(await judge("edit .github/workflows/ci.yml")).not.toHaveProperty("suggestedRules");
  });

  test("secrets inside a tree that is read stay closed", async () => {
    const fixture = makeProject();
    const gate = gateFor(fixture);
    const closed = [".env", ".gauntlet"].map((name) => ({
      path: fixture.path(name),
      scope: "tree",
      reason: "a secret",
    }));
    for (const call of ["grep sum .", "bash grep -rn sum .", "bash git status"]) {
      expect(await gate.judge(await questionOf(fixture, call))).toMatchObject({
        decision: "allow",
        exceptions: closed,
      });
    }
    expect(await gate.judge(await questionOf(fixture, "grep sum src"))).toMatchObject({ exceptions: [] });
  });
});

test.each([
  ["npm test", "ask"],
  ["python3 wreck.py", "ask"],
  ["git add src; python3 -c 'x'", "ask"],
  ["git commit -m x", "allow"],
  ["ls src", "allow"],
  ["sed -i s/a/b/ src/a.ts", "allow"],
] as const)("auto without a transaction: %s", async (command, decision) => {
  const fixture = makeRuleProject();
  const question = await questionOf(fixture, `bash ${command}`, { mode: "auto", view: false });
  expect((await gateFor(fixture).judge(question)).decision).toBe(decision);
});

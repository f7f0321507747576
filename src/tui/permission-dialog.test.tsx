import { render } from "ink-testing-library";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { PermissionDialog } from "./permission-dialog.tsx";

const request: PermissionRequest = {
  id: "req_1",
  intentId: "int_1",
  tool: "bash",
  digest: "d",
  requestedAt: "2026-01-01T00:00:00.000Z",
  expiresAt: "2026-01-01T01:00:00.000Z",
  prompt: {
    title: "Run npm test?",
    action: "npm test\u001b[2J",
    effects: ["runs npm test"],
    risk: "R3",
    reason: "it runs project code",
    sandbox: "bubblewrap",
    outputLimit: "100,000 characters",
    suggestedRule: "Bash(npm test)",
    savesTo: "/home/me/.gauntlet/rules.json",
  },
};

const [up, down, enter, esc] = ["\u001b[A", "\u001b[B", "\r", "\u001b"];

function open(unreadMs = 0) {
  const answers: PermissionAnswer[] = [];
  const screen = render(
    <PermissionDialog
      request={request}
      more={1}
      colour={false}
      columns={80}
      rows={40}
      unreadMs={unreadMs}
      onAnswer={(answer) => answers.push(answer)}
    />,
  );
  onTestFinished(() => screen.unmount());
  /** One after another, each when the one before it shows. */
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      const before = screen.frames.length + answers.length;
      screen.stdin.write(key);
      await vi.waitFor(() => expect(screen.frames.length + answers.length).toBeGreaterThan(before));
    }
  };
  return { screen, answers, press };
}

describe("the permission dialog", () => {
  test("shows what would happen, what remembering covers, and no control characters", () => {
    const { screen } = open();
    const frame = screen.lastFrame() ?? "";
    for (const words of [
      "Run npm test?",
      "npm test\\u{1b}[2J",
      "R3: it runs project code",
      "bubblewrap",
      "❯ n  No",
      "Yes, and for this session: Bash(npm test)",
      "Yes, always: Bash(npm test) (in …/.gauntlet/rules.json)",
      "1 more after this",
    ]) {
      expect(frame).toContain(words);
    }
  });

  test.each<[string, readonly string[], PermissionAnswer]>([
    ["Enter alone is no", [enter], { request: "req_1", answer: "deny", by: "person at the terminal" }],
    ["Esc is no", [esc], { request: "req_1", answer: "deny", by: "person at the terminal" }],
    ["y", ["y"], { request: "req_1", answer: "allow", remember: "once", by: "person at the terminal" }],
    [
      "down twice and Enter",
      [down, down, enter],
      { request: "req_1", answer: "allow", remember: "session", by: "person at the terminal" },
    ],
    ["a", ["a"], { request: "req_1", answer: "allow", remember: "always", by: "person at the terminal" }],
    [
      "up to the last, a reason, Enter",
      [up, enter, "use pnpm", enter],
      { request: "req_1", answer: "deny", message: "use pnpm", by: "person at the terminal" },
    ],
  ])("%s", async (_name, keys, answer) => {
    const { answers, press } = open();
    await press(...keys);
    expect(answers).toEqual([answer]);
  });

  test("a key that was pressed before the question could be read is no answer", async () => {
    const early = open(2 ** 29);
    const other = open();
    for (const key of ["y", "a", enter]) early.screen.stdin.write(key);
    await other.press("y");
    expect([early.answers, other.answers.length]).toEqual([[], 1]);
  });

  test("a person who goes on typing answers nothing until they have paused", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { screen, answers } = open(250);
    for (const letter of "may i always say yes") {
      await vi.advanceTimersByTimeAsync(200);
      screen.stdin.write(letter);
    }
    await vi.advanceTimersByTimeAsync(700);
    screen.stdin.write("y");
    expect(answers).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    await vi.waitFor(() => expect(screen.lastFrame()).toContain("Esc: no"));
    screen.stdin.write("y");
    await vi.waitFor(() => expect(answers).toMatchObject([{ answer: "allow", remember: "once" }]));
  });
});

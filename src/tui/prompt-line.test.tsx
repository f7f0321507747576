import { render } from "ink-testing-library";
import { useState } from "react";
import { expect, onTestFinished, test } from "vitest";
import { draftWith, PromptLine } from "./prompt-line.tsx";

function open(rows: number, past: readonly string[] = []) {
  const sent: string[] = [];
  function Line() {
    const [draft, setDraft] = useState(() => draftWith(past));
    return (
      <PromptLine
        draft={draft}
        onDraft={setDraft}
        columns={80}
        rows={rows}
        working={false}
        files={() => []}
        choices={() => []}
        borrowed={() => []}
        onSubmit={(text) => sent.push(text)}
        onEscape={() => {}}
        onTab={() => {}}
      />
    );
  }
  const screen = render(<Line />);
  onTestFinished(() => screen.unmount());
  return { screen, sent };
}

test("a menu that is longer than its room says so", async () => {
  const { screen } = open(24);
  screen.stdin.write("/");
  await expect.poll(() => screen.lastFrame()).toMatch(/\n {2}1 of \d+, ↑↓ for more$/);
  screen.stdin.write("und");
  await expect.poll(() => screen.lastFrame()).not.toContain("/help");
  expect(screen.lastFrame()).not.toContain("for more");
});

test("an Enter that comes with the letters before it meets them, not what was offered before they came", async () => {
  const { screen, sent } = open(24);
  screen.stdin.write("/");
  await expect.poll(() => screen.lastFrame()).toContain("/help");
  screen.stdin.write("undo\r");
  await expect.poll(() => sent).toEqual(["/undo"]);
});

test("who walks through what was sent before is not held by a command on the way", async () => {
  const { screen, sent } = open(24, ["first", "/mode plan", "/mode", "last"]);
  const [up, down] = ["\u001b[A", "\u001b[B"];
  for (const text of ["last", "/mode", "/mode plan", "first"]) {
    screen.stdin.write(up);
    await expect.poll(() => screen.lastFrame()).toBe(`› ${text}`);
  }
  screen.stdin.write(down);
  await expect.poll(() => screen.lastFrame()).toBe("› /mode plan");
  screen.stdin.write(down);
  await expect.poll(() => screen.lastFrame()).toBe("› /mode");
  screen.stdin.write("\r");
  await expect.poll(() => sent).toEqual(["/mode"]);
});

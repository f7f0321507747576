import { render } from "ink-testing-library";
import { useState } from "react";
import { expect, onTestFinished, test, vi } from "vitest";
import { emptyDraft, PromptLine } from "./prompt-line.tsx";

function open(rows: number) {
  const sent: string[] = [];
  function Line() {
    const [draft, setDraft] = useState(emptyDraft);
    return (
      <PromptLine
        draft={draft}
        onDraft={setDraft}
        columns={80}
        rows={rows}
        working={false}
        files={() => []}
        choices={() => []}
        onSubmit={(text) => sent.push(text)}
        onEscape={() => {}}
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
  await vi.waitFor(() => expect(screen.lastFrame()).toMatch(/\n {2}1 of \d+, ↑↓ for more$/));
  screen.stdin.write("und");
  await vi.waitFor(() => expect(screen.lastFrame()).not.toContain("/help"));
  expect(screen.lastFrame()).not.toContain("for more");
});

test("an Enter that comes with the letters before it meets them, not what was offered before they came", async () => {
  const { screen, sent } = open(24);
  screen.stdin.write("/");
  await vi.waitFor(() => expect(screen.lastFrame()).toContain("/help"));
  screen.stdin.write("undo\r");
  await vi.waitFor(() => expect(sent).toEqual(["/undo"]));
});

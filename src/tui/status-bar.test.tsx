import { render } from "ink-testing-library";
import { expect, onTestFinished, test } from "vitest";
import { requestOf } from "../../test/support/surface.ts";
import { emptyScreen, type Screen } from "./screen.ts";
import { StatusBar } from "./session-screen.tsx";

function barOf(facts: Partial<Screen>, columns = 80): string {
  const screen: Screen = { ...emptyScreen, mode: "default", model: "test/model", ...facts };
  const shown = render(<StatusBar screen={screen} columns={columns} colour={false} />);
  onTestFinished(() => shown.unmount());
  return shown.lastFrame() ?? "";
}

const questions = [requestOf("req_1")];
const elicitations = [{ id: "e1", server: "shop", message: "?", ask: { mode: "form", fields: [] } } as const];

test.each<[string, Partial<Screen>, number, string]>([
  ["nothing to do", {}, 80, "default · test/model · context 0 % · /help"],
  ["at work", { working: true }, 80, "default · Esc interrupts · test/model · context 0 %"],
  [
    "a question of a call",
    { working: true, questions },
    80,
    "default · waiting for your answer · Ctrl+C interrupts · test/model · context 0 %",
  ],
  [
    "a question of a server",
    { working: true, elicitations },
    80,
    "default · waiting for your answer · Ctrl+C interrupts · test/model · context 0 %",
  ],
  ["one that an earlier process left", { questions }, 60, "default · waiting for your answer · Ctrl+C twice quits"],
])("what the keys do: %s", (_, facts, columns, expected) => {
  expect(barOf(facts, columns)).toBe(expected);
});

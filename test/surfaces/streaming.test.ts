import { existsSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ServerTurn } from "../support/model-server/server-turn.ts";
import { startModelServer } from "../support/model-server/start-model-server.ts";
import { openTerminal, type Terminal } from "../support/terminal.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A model that waits for a moment of the test before a certain event of its stream. */
async function openStreaming(workspace: Workspace, turns: readonly ServerTurn[]): Promise<Terminal> {
  const server = await startModelServer({ format: "openai-chat", script: turns });
  onTestFinished(server.close);
  const terminal = openTerminal(workspace, ["--model", "openai-chat/test", "--base-url", server.url], {
    environment: { OPENAI_API_KEY: "not-a-real-key" },
  });
  await terminal.stands(ready);
  return terminal;
}

const ready = "What would you like to do?";

test("what a line costs does not grow with what stands above it", async () => {
  const rows = (name: string, count: number): ServerTurn => ({
    say: [{ text: Array.from({ length: count }, (_, row) => `${name} ${String(row).padStart(4, "0")}\n`).join("") }],
    piece: name.length + 6,
    // From here on the same things move below.
    before: async (event) => void (event === 0 && (await terminal.stands("thinking"))),
  });
  const terminal = await openStreaming(makeWorkspace(), [
    rows("warm-up", 5),
    rows("early", 50),
    rows("between", 2_000),
    rows("later", 50),
  ]);
  for (const last of ["warm-up 0004", "early 0049", "between 1999", "later 0049"]) {
    terminal.type("go on");
    terminal.press("Enter");
    await terminal.shows(last);
    await terminal.stands(ready);
  }
  const written = terminal.written();
  const [early, later] = [bytesPerLine(written, "early"), bytesPerLine(written, "later")];
  expect(early).toBeGreaterThan(0);
  expect(Math.abs(early - later)).toBeLessThanOrEqual(8);
});

/** The median of what was written from one line to the next. */
function bytesPerLine(written: string, name: string): number {
  const places = [...written.matchAll(new RegExp(`${name} \\d{4}`, "g"))].map(({ index }) => index);
  const steps = places.slice(1).map((place, at) => place - (places[at] ?? 0));
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? Number.NaN;
}

test("a line is seen while it is being written, and its end when it is longer than the window", async () => {
  const words = Array.from({ length: 120 }, (_, word) => `word${word}`).join(" ");
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const text = `${words} and the end`;
  const terminal = await openStreaming(makeWorkspace(), [
    { say: [{ text }], piece: 20, before: (event) => (event * 20 > words.length ? held : undefined) },
  ]);
  terminal.type("write");
  terminal.press("Enter");
  await terminal.stands("word117");
  goOn();
  await terminal.shows("and the end");
  await terminal.stands(ready);
  expect((await terminal.transcript()).match(/word7 /g)).toHaveLength(1);
});

test("the text of a file is seen while its arguments stream, and nothing of it is on the disk", async () => {
  const workspace = makeWorkspace();
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const content = "first line\nsecond line\nthird line\n";
  const terminal = await openStreaming(workspace, [
    {
      say: [{ call: "write", input: { path: "new.txt", content } }],
      piece: 8,
      before: (event) => (event > 7 ? held : undefined),
    },
    { say: [{ text: "Written." }] },
  ]);
  terminal.press("BTab");
  await terminal.stands(/^acceptEdits · /m);
  terminal.type("write it");
  terminal.press("Enter");
  await terminal.stands(/write new\.txt[\s\S]*│ first line\n {2}│ sec/);
  expect(existsSync(workspace.path("new.txt"))).toBe(false);
  goOn();
  await terminal.shows("Written.");
  expect(workspace.read("new.txt")).toBe(content);
});

import { useState } from "react";
import { expect, test } from "vitest";
import { typedAt } from "../../../test/support/keyboard.tsx";
import type { KeyByKey } from "./keyboard.ts";
import { draftWith, PromptLine } from "./prompt-line.tsx";

function open(rows: number, past: readonly string[] = []) {
  const sent: string[] = [];
  let written = "";
  function Line({ keyPlace }: Pick<KeyByKey, "keyPlace">) {
    const [draft, setDraft] = useState(() => draftWith(past));
    written = draft.edited.text;
    return (
      <PromptLine
        draft={draft}
        onDraft={setDraft}
        columns={80}
        rows={rows}
        working={false}
        keyPlace={keyPlace}
        files={() => []}
        choices={() => []}
        borrowed={() => []}
        onSubmit={(text) => sent.push(text)}
        onEscape={() => {}}
        onTab={() => {}}
      />
    );
  }
  return { screen: typedAt((keyboard) => <Line {...keyboard} />), sent, written: () => written };
}

test("a menu that is longer than its room says so", async () => {
  const { screen } = open(24);
  screen.stdin.write("/");
  await expect.poll(() => screen.lastFrame()).toMatch(/\n {2}1 of \d+, ↑↓ for more$/);
  screen.stdin.write("und");
  await expect.poll(() => screen.lastFrame()).not.toContain("/help");
  expect(screen.lastFrame()).not.toContain("for more");
});

test("says how much of a long message is out of view", async () => {
  const { screen } = open(9);
  screen.stdin.write("\u001b[200~a\nb\nc\nd\u001b[201~");
  await expect.poll(() => screen.lastFrame()).toBe("› b\n  c\n  d\n  1 line above, 0 below");
  screen.stdin.write("\u001b[200~\ne\u001b[201~");
  await expect.poll(() => screen.lastFrame()).toContain("2 lines above, 0 below");
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

test.each<[string, string, { readonly written: string; readonly sent: readonly string[] }]>([
  ["Tab completes", "/und\t", { written: "/undo ", sent: [] }],
  ["Tab completes, and what follows stands behind it", "/mod\tx\ty", { written: "/model xy", sent: [] }],
  ["arrows and control keys", "bc\u0001a\u0005\u001b[Dx\u0014", { written: "abxc", sent: [] }],
  ["no Enter sends what it has just been offered", "/und\r\r", { written: "/undo ", sent: [] }],
  ["nor what Tab has completed", "/und\t\r", { written: "/undo ", sent: [] }],
  ["a command that is written out is sent", "/undo\t\r", { written: "", sent: ["/undo "] }],
  ["Enter sends", "hello\r", { written: "", sent: ["hello"] }],
  ["another line, and Enter", "one\u001b\rtwo\r", { written: "", sent: ["one\ntwo"] }],
  ["nothing of what is marked as pasted", "\u001b[200~a\tb\rc\r\u001b[201~d", { written: "a\tb\nc\nd", sent: [] }],
  ["nothing of lines that are not marked", "a\tb\rc\r", { written: "a\tb\nc\n", sent: [] }],
])("of what comes in one read, %s", async (_name, read, expected) => {
  const { screen, sent, written } = open(24);
  screen.stdin.write(read);
  await expect.poll(() => ({ written: written(), sent })).toEqual(expected);
});

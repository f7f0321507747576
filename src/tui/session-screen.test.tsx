import { expect, test } from "vitest";
import { typedAt } from "../../test/support/keyboard.tsx";
import { npmTestRequest as request } from "../../test/support/surface.ts";
import { widthOf } from "../cli/render/wrap.ts";
import type { Elicitation } from "../contract/server/server.ts";
import type { PermissionAnswer } from "../contract/verdict.ts";
import { createScreenStore } from "./screen.ts";
import type { SessionDriver } from "./session-driver.ts";
import { SessionScreen } from "./session-screen.tsx";

const form: Elicitation = {
  id: "req_2",
  server: "shop",
  message: "Who are you?",
  ask: { mode: "form", fields: [{ name: "name", required: true, kind: "text" }] },
};

function open() {
  const store = createScreenStore();
  const answers: PermissionAnswer[] = [];
  const sent: string[] = [];
  const driver: SessionDriver = {
    agent: () => undefined,
    start: async () => ({ ok: true, value: undefined }),
    history: () => [],
    submit: (text) => sent.push(text),
    whole: (observation) => observation,
    choices: () => [],
    borrowed: () => [],
    answer: (answer) => answers.push(answer),
    answerServer: () => {},
    interrupt: () => {},
    nextMode: () => {},
    close: async () => {},
  };
  const screen = typedAt((keyboard) => (
    <SessionScreen {...keyboard} store={store} driver={driver} colour={false} files={() => []} quit={() => {}} />
  ));
  return { store, screen, answers, sent };
}

test.each<[string, string]>([
  ["turns to it and says yes", "\ty"],
  ["is written on, with a tab in it", "\tyes\ty"],
  ["is written on, with a tab and Enter", "s\ty\ta\r"],
])("a question beside what somebody writes is not answered by one read that %s", async (_name, read) => {
  const { store, screen, answers } = open();
  screen.stdin.write("so ");
  await expect.poll(() => screen.lastFrame()).toContain("› so");
  store.apply({ kind: "asked", request });
  await expect.poll(() => screen.lastFrame()).toContain("Tab: answer this");
  screen.stdin.write("\t");
  await expect.poll(() => screen.lastFrame()).toContain("↑↓ Enter");
  screen.stdin.write("x");
  await expect.poll(() => screen.lastFrame()).toContain("› so x");
  screen.stdin.write(read);
  screen.stdin.write("!");
  await expect.poll(() => screen.lastFrame()).toMatch(/› .*!/);
  expect(answers).toEqual([]);
  screen.stdin.write("\t");
  screen.stdin.write("n");
  await expect.poll(() => answers).toMatchObject([{ answer: "deny" }]);
});

test.each([
  ["typed", "x"],
  ["pasted", "\u001b[200~x\u001b[201~"],
])("Ctrl+C no longer quits when something was %s behind it", async (_name, read) => {
  const { screen } = open();
  screen.stdin.write("\u0003");
  await expect.poll(() => screen.lastFrame()).toContain("Ctrl+C again quits");
  screen.stdin.write(read);
  await expect.poll(() => screen.lastFrame()).toContain("› x");
  expect(screen.lastFrame()).not.toContain("again quits");
});

test.each([
  ["a line", "", undefined],
  ["a menu", "/", undefined],
  ["a question", "", { kind: "asked", request }],
  ["a form", "", { kind: "elicited", question: form }],
] as const)("%s is never drawn wider than a window that has become narrower", async (_name, typed, action) => {
  const { store, screen } = open();
  store.apply({
    kind: "opened",
    model: { provider: "scripted", id: "m".repeat(80) },
    mode: "default",
    context: { tokens: 0, limit: 0, assumed: false },
  });
  if (action !== undefined) store.apply(action);
  screen.stdin.write(typed);
  await expect.poll(() => screen.lastFrame()).toContain("mmm");
  const before = screen.frames.length;
  screen.narrow(40);
  await expect.poll(() => screen.frames.length).toBeGreaterThan(before);
  const widths = screen.frames.slice(before).flatMap((frame) => frame.split("\n").map(widthOf));
  expect(Math.max(...widths)).toBeLessThanOrEqual(40);
});

test.each([
  ["a permission", { kind: "asked", request }],
  ["a server's form", { kind: "elicited", question: form }],
] as const)("a message that was sent beside %s is shown as waiting", async (_name, action) => {
  const { store, screen } = open();
  store.apply(action);
  store.apply({ kind: "queued_up", text: "and then rest" });
  await expect.poll(() => screen.lastFrame()).toMatch(/╯\n {2}queued: and then rest\n/);
  store.apply({ kind: "queued_up", text: "and eat" });
  store.apply({ kind: "queued_up", text: "and sleep" });
  await expect.poll(() => screen.lastFrame()).toMatch(/╯\n {2}queued: and then rest\n {2}… 2 more queued\n/);
});

import { expect, onTestFinished, test, vi } from "vitest";
import { ok } from "../../src/contract/codes.ts";
import { createScreenStore } from "../../src/tui/screen.ts";
import { createSessionDriver } from "../../src/tui/session-driver.ts";
import { openApp } from "../support/app.ts";
import { writeScript } from "../support/model-script.ts";
import { makeWorkspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 60_000 });

const sleeping = { call: "bash", input: { command: "sleep 300", run_in_background: true } };

async function withJob() {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const write = { call: "write", input: { path: "new.txt", content: "x\n" } };
  const wanted = writeScript(workspace, [write], [sleeping], ["Over."]);
  const screen = createScreenStore();
  const seen: Parameters<typeof screen.apply>[0][] = [];
  const store: typeof screen = {
    ...screen,
    apply(action) {
      seen.push(action);
      screen.apply(action);
    },
  };
  const driver = createSessionDriver({
    app: openApp(workspace),
    options: { model: { wanted }, mode: "acceptEdits" },
    store,
    columns: () => 80,
    quit: () => {},
  });
  onTestFinished(() => driver.close());
  expect(await driver.start()).toEqual(ok(undefined));
  const notes = () => seen.flatMap((action) => (action.kind === "note" ? [action] : []));
  const answered = async (text: string) => {
    const before = notes().length;
    driver.submit(text);
    await vi.waitFor(() => expect(notes().length).toBeGreaterThan(before), 30_000);
    return notes().slice(before);
  };
  driver.submit("go");
  await vi.waitFor(() => expect(seen.some(({ kind }) => kind === "ended")).toBe(true), 30_000);
  const running = () => driver.agent()?.door.state.openJobs.size;
  return { answered, running };
}

test("a background command is listed, refuses /undo at once and can be stopped", async () => {
  const { answered, running } = await withJob();
  expect(running()).toBe(1);
  for (const undo of ["/undo", "/undo yes"])
    expect(await answered(undo)).toEqual([
      expect.objectContaining({ tone: "bad", text: expect.stringContaining("/jobs stop") }),
    ]);
  expect(await answered("/jobs")).toEqual([
    expect.objectContaining({ text: expect.stringMatching(/^1 {2}sleep 300\n/) }),
  ]);
  expect(await answered("/jobs stop 2")).toMatchObject([{ tone: "bad" }]);
  expect(await answered("/jobs stop 1")).toMatchObject([{ tone: "good" }]);
  expect(running()).toBe(0);
  expect(await answered("/undo yes")).toMatchObject([{ tone: "good" }]);
});

test("a new session says which background commands ended with the old one", async () => {
  const { answered } = await withJob();
  const notes = await answered("/new");
  expect(notes[0]).toMatchObject({ tone: "warning", text: expect.stringContaining("sleep 300") });
});

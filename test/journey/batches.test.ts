import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Concurrency } from "../../src/contract/tool.ts";
import { defineTool } from "../../src/contract/tool.ts";
import { agreeable, eventsOf, openGauntlet, typesOf } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

/** A tool whose calls wait until they are let go, so that a test sees exactly which ones run together. */
function gatedTool() {
  const running = new Map<string, () => void>();
  const seen: string[][] = [];
  let changed = () => {};
  const tool = defineTool({
    name: "gated",
    version: "1",
    description: "Waits to be let go.",
    family: "other",
    risks: ["read"],
    input: z.strictObject({ name: z.string(), lane: z.string() }),
    effects: () => ({ effects: [{ op: "session", what: "wait" }] }),
    concurrency: ({ lane }): Concurrency => (lane === "safe" || lane === "exclusive" ? lane : { key: lane }),
    async run({ name }) {
      await new Promise<void>((resolve) => {
        running.set(name, resolve);
        seen.push([...running.keys()]);
        changed();
      });
      return { ok: true, data: { name } };
    },
  });
  return {
    tool,
    seen,
    async until(count: number) {
      while (running.size < count) await new Promise<void>((resolve) => (changed = resolve));
    },
    release(name: string) {
      const go = running.get(name);
      running.delete(name);
      go?.();
    },
    running: () => [...running.keys()],
  };
}

describe("batches", () => {
  test("twelve safe calls: never more than ten at once, answers in request order", async () => {
    const gated = gatedTool();
    const gauntlet = await openGauntlet(makeWorkspace(), { tools: [gated.tool], onAsk: agreeable() });
    const names = Array.from({ length: 12 }, (_, index) => `call-${index}`);
    const answers = gauntlet.batch(names.map((name) => ({ id: name, tool: "gated", input: { name, lane: "safe" } })));
    await gated.until(10);
    expect(gated.running()).toEqual(names.slice(0, 10));
    for (const name of gated.running().reverse()) gated.release(name);
    await gated.until(2);
    for (const name of gated.running()) gated.release(name);
    const observations = await answers;
    expect(observations.map((observation) => observation.intentId)).toEqual(names);
    expect(Math.max(...gated.seen.map((together) => together.length))).toBe(10);
  });

  test("an edit and the read behind it keep their order; every intent is proposed first", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
    const [edited, read] = await gauntlet.batch([
      { id: "edit", tool: "edit", input: { path: "a.txt", old_string: "one", new_string: "two" } },
      { id: "read", tool: "read", input: { path: "a.txt" } },
    ]);
    expect([edited?.ok, read?.ok]).toEqual([true, true]);
    expect(read?.model.content[0]?.text).toContain("two");
    expect(typesOf(eventsOf(gauntlet)).join(" ")).toContain("tool_intent.proposed tool_intent.proposed");
  });

  test("two edits of one file in a batch run one after another, both land", async () => {
    const workspace = makeWorkspace({ "a.txt": "one two\n" });
    const gauntlet = await openGauntlet(workspace, { settings: { permissions: { defaultMode: "acceptEdits" } } });
    await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
    const observations = await gauntlet.batch([
      { tool: "edit", input: { path: "a.txt", old_string: "one", new_string: "1" } },
      { tool: "edit", input: { path: "a.txt", old_string: "two", new_string: "2" } },
    ]);
    expect(observations.map((observation) => observation.code)).toEqual(["ok", "ok"]);
    expect(workspace.read("a.txt")).toBe("1 2\n");
  });

  test("what stands behind an exclusive call is checked after it has ended", async () => {
    const workspace = makeWorkspace();
    const gauntlet = await openGauntlet(workspace, { settings: { permissions: { defaultMode: "acceptEdits" } } });
    const observations = await gauntlet.batch([
      { tool: "write", input: { path: "new.txt", content: "hello\n" } },
      { tool: "read", input: { path: "new.txt" } },
    ]);
    expect(observations.map((observation) => observation.code)).toEqual(["ok", "ok"]);
  });

  test("a repeated id is refused and the first one stands", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const gauntlet = await openGauntlet(workspace);
    const observations = await gauntlet.batch([
      { id: "same", tool: "read", input: { path: "a.txt" } },
      { id: "same", tool: "read", input: { path: "a.txt" } },
    ]);
    expect(observations.map(({ ok, code }) => ({ ok, code }))).toEqual([
      { ok: true, code: "ok" },
      { ok: false, code: "bad_request" },
    ]);
  });
});

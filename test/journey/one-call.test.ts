import { describe, expect, test } from "vitest";
import { observation as observationSchema } from "../../src/contract/observation.ts";
import { agreeable, eventsOf, openGauntlet, typesOf } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

describe("one call, from intent to observation", () => {
  test("a read is allowed, runs, and leaves the whole chain", async () => {
    const workspace = makeWorkspace({ "package.json": '{\n  "name": "sample"\n}\n' });
    const gauntlet = await openGauntlet(workspace);
    const observation = await gauntlet.call({ id: "a", tool: "read", input: { path: "package.json" } });

    expect(observationSchema().parse(observation)).toEqual(observation);
    expect(observation).toMatchObject({
      intentId: "a",
      tool: "read",
      ok: true,
      status: "ok",
      phase: "execute",
      code: "ok",
      permission: { decision: "allow", risk: "R1" },
      effects: { happened: "done", seen: [{ op: "read", target: workspace.path("package.json") }] },
      model: { truncated: false, omittedBytes: 0 },
      sandbox: { used: false },
    });
    expect(observation.model.content[0]?.text).toContain('"name": "sample"');
    expect(observation.model.content[0]?.trust).toBe("tool_output_untrusted");
    expect(typesOf(eventsOf(gauntlet), "a")).toEqual([
      "tool_intent.proposed",
      "tool_intent.checked",
      "permission.decided",
      "tool_invocation.started",
      "tool_invocation.ended",
      "tool.observed",
    ]);
    const observed = eventsOf(gauntlet).find((event) => event.id === observation.auditId);
    expect(observed?.type).toBe("tool.observed");
  });

  test("an edit asks, is bound to what was shown, and changes the file", async () => {
    const workspace = makeWorkspace({ "src/sum.ts": "export const sum = (a, b) => a - b;\n" });
    const onAsk = agreeable();
    const gauntlet = await openGauntlet(workspace, { onAsk });
    await gauntlet.call({ tool: "read", input: { path: "src/sum.ts" } });
    const observation = await gauntlet.call({
      id: "e",
      tool: "edit",
      input: { path: "src/sum.ts", old_string: "a - b", new_string: "a + b" },
    });

    expect(observation).toMatchObject({
      ok: true,
      code: "ok",
      permission: { decision: "ask", risk: "R2", answeredBy: "test" },
      effects: {
        seen: [
          { op: "read", target: workspace.path("src/sum.ts") },
          { op: "write", target: workspace.path("src/sum.ts"), change: "modified" },
        ],
      },
    });
    expect(workspace.read("src/sum.ts")).toBe("export const sum = (a, b) => a + b;\n");
    expect(onAsk.asked).toHaveLength(1);
    expect(typesOf(eventsOf(gauntlet), "e")).toEqual([
      "tool_intent.proposed",
      "tool_intent.checked",
      "permission.decided",
      "permission.requested",
      "permission.answered",
      "tool_invocation.started",
      "tool_invocation.ended",
      "tool.observed",
    ]);
    const changed = eventsOf(gauntlet).find((event) => event.type === "file.changed");
    expect(changed?.data).toMatchObject({ seenBy: "tool", change: "modified" });
  });

  test("a command runs in the sandbox and says what it changed", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    const observation = await gauntlet.call({
      tool: "bash",
      input: { command: 'node -e \'require("fs").writeFileSync("made.txt", "x")\'; echo done' },
    });
    expect(observation).toMatchObject({
      ok: true,
      sandbox: { backend: "bubblewrap", enforces: true, used: true },
      data: { exitCode: 0 },
    });
    expect(observation.effects.seen).toContainEqual({
      op: "write",
      target: workspace.path("made.txt"),
      change: "created",
    });
  });

  test("without anybody to ask, an edit ends as approval_unavailable with the ready rule", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const gauntlet = await openGauntlet(workspace);
    await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
    const observation = await gauntlet.call({
      tool: "edit",
      input: { path: "a.txt", old_string: "one", new_string: "two" },
    });
    expect(observation).toMatchObject({
      ok: false,
      status: "denied",
      phase: "permission",
      code: "approval_unavailable",
      effects: { happened: "nothing", seen: [] },
      permission: { decision: "ask", suggestedRules: [expect.any(String)], prompt: expect.any(Object) },
    });
    expect(workspace.read("a.txt")).toBe("one\n");
  });
});

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/contract/tool.ts";
import { agreeable, eventsOf, openGauntlet, plain } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

describe("definitions", () => {
  const greeter = (version: string, more: object = {}) =>
    defineTool<Record<string, string>>({
      name: "greet",
      version,
      description: `Greets, version ${version}.`,
      family: "other",
      risks: ["read"],
      input: z.strictObject({ [version === "1" ? "name" : "who"]: z.string() }),
      effects: () => ({ effects: [{ op: "session", what: "greet" }] }),
      run: async (input) => ({ ok: true, data: { greeting: `Hello ${Object.values(input)[0]}` } }),
      ...more,
    });

  test("one that changed is recorded once, and what it did before still replays", async () => {
    const workspace = makeWorkspace();
    const first = await openGauntlet(workspace, { tools: [greeter("1")], onAsk: agreeable() });
    const session = first.session.sessionId;
    const greeted = await first.call({ id: "old", tool: "greet", input: { name: "Ada" } });
    expect(greeted).toMatchObject({ ok: true });
    await first.close();

    const second = await openGauntlet(workspace, { session, tools: [greeter("2")], onAsk: agreeable() });
    expect(await second.call({ tool: "greet", input: { name: "Ada" } })).toMatchObject({ code: "schema_invalid" });
    expect(await second.call({ id: "new", tool: "greet", input: { who: "Eve" } })).toMatchObject({ ok: true });
    const changed = eventsOf(second).flatMap((event) =>
      event.type === "session.definition_changed" ? [event.data] : [],
    );
    expect(changed).toEqual([
      {
        tool: "greet",
        from: { version: "1", schemaHash: greeter("1").schemaHash },
        to: { version: "2", schemaHash: greeter("2").schemaHash },
      },
    ]);
    const versions = eventsOf(second).flatMap((event) =>
      event.type === "tool_intent.checked" ? [`${event.data.intentId} ${event.data.version}`] : [],
    );
    expect(versions).toEqual(["old 1", "new 2"]);
    const replayed = second.archive.replay(session);
    expect(replayed.ok && replayed.value.observations[0]).toEqual(plain(greeted));
    await second.close();

    const third = await openGauntlet(workspace, { session });
    expect(await third.call({ tool: "greet", input: { who: "Eve" } })).toMatchObject({ code: "unknown_tool" });
    expect(eventsOf(third).filter(({ type }) => type === "session.definition_changed")).toHaveLength(2);
  });

  test("replay calls nothing, also when every tool would throw", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const first = await openGauntlet(workspace, { tools: [greeter("1")], onAsk: agreeable() });
    const session = first.session.sessionId;
    await first.call({ tool: "greet", input: { name: "Ada" } });
    await first.call({ tool: "bash", input: { command: "echo ran >> runs.txt" } });
    const live = plain(first.session.state);
    await first.close();

    const called: string[] = [];
    const trap = (name: string) => () => {
      called.push(name);
      throw new Error(`${name} was called`);
    };
    const traps = ["run", "effects", "preconditions", "summarize", "concurrency", "readOnly"];
    const hostile = greeter("1", Object.fromEntries(traps.map((name) => [name, trap(name)])));
    const reader = await openGauntlet(workspace, { tools: [hostile] });
    const replayed = reader.archive.replay(session);
    expect(replayed.ok && plain(replayed.value.state)).toEqual(live);
    expect(replayed.ok && replayed.value.messages).toHaveLength(4);
    expect(called).toEqual([]);
    expect(workspace.read("runs.txt")).toBe("ran\n");
  });
});

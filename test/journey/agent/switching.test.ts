import { describe, expect, test } from "vitest";
import { makeWorkspace } from "../../support/workspace.ts";
import { eventsOfType, openAgent, pairsAreWhole } from "./open-agent.ts";
import { type Answer, scripted } from "./scripted-model.ts";

const files = { "a.txt": "one\n" };

describe("another model in the same session", () => {
  test("A, then B, then A: nothing is lost, and what only A can read stays marked as A's", async () => {
    const reading = (id: string, keepsake: string): Answer => ({
      reasoning: { text: "hm", keepsake: { signature: keepsake } },
      text: `I am ${keepsake}.`,
      calls: [{ id, tool: "read", input: { path: "a.txt" }, keepsake: { item: id } }],
    });
    const a = scripted([reading("a-1", "A"), { text: "A is done." }, reading("a-2", "A"), { text: "A again." }], {
      name: "a/one",
    });
    const b = scripted([reading("b-1", "B"), { text: "B is done." }], { name: "b/two" });
    const agent = await openAgent(makeWorkspace(files), [a, b]);
    await agent.send("First.");
    expect(agent.setModel({ wanted: "b/two" })).toMatchObject({ ok: true });
    expect(agent.chain.models[0].ref).toEqual({ provider: "b", id: "two" });
    expect(await agent.send("Second.")).toMatchObject({ answer: "B is done.", model: { provider: "b", id: "two" } });
    agent.setModel({ wanted: "a/one" });
    expect(await agent.send("Third.")).toMatchObject({ stop: "done", answer: "A again." });

    const last = a.requests.at(-1)?.messages ?? [];
    expect(pairsAreWhole(last)).toBe(true);
    expect(last.flatMap((message) => (message.role === "assistant" ? [message.by.provider] : []))).toEqual([
      "a",
      "a",
      "b",
      "b",
      "a",
    ]);
    const [first] = last.flatMap((message) => (message.role === "assistant" ? [message.parts] : []));
    expect(first).toEqual([
      { type: "reasoning", text: "hm", keepsake: { signature: "A" } },
      { type: "text", text: "I am A." },
      { type: "call", callId: "a-1", tool: "read", input: { path: "a.txt" }, keepsake: { item: "a-1" } },
    ]);
    // Each input continues the one before it, whoever it was for.
    expect(b.requests[0]?.messages.slice(0, a.requests[1]?.messages.length)).toEqual(a.requests[1]?.messages);
    const projected = eventsOfType(agent, "context.projected").map(({ data }) => data.modelInput);
    expect(projected.slice(1).map((input) => input?.continues)).toEqual(
      projected.slice(0, -1).map((input) => input?.hash),
    );
  });

  test("in the middle of a run takes effect with its next turn", async () => {
    const a = scripted([{ calls: [{ tool: "read", input: { path: "a.txt" } }] }], { name: "a/one" });
    const b = scripted([{ text: "From B." }], { name: "b/two" });
    const agent = await openAgent(makeWorkspace(files), [a, b], {
      onNotice: (notice) => void (notice.kind === "observed" && agent.setModel({ wanted: "b/two" })),
    });
    expect(await agent.send("Go.")).toMatchObject({ answer: "From B.", model: { provider: "b", id: "two" } });
    expect([a.requests.length, b.requests.length]).toEqual([1, 1]);
  });

  test("a model that cannot be used changes nothing", async () => {
    const model = scripted([]);
    const agent = await openAgent(makeWorkspace(files), model, {
      models: {
        resolve: ({ wanted }) =>
          wanted === undefined
            ? { ok: true, value: { models: [model], reason: "it" } }
            : { ok: false, failure: { code: "bad_request", message: "no" } },
      },
    });
    expect(agent.setModel({ wanted: "x/y" })).toMatchObject({ ok: false });
    expect(agent.chain.models[0]).toBe(model);
  });
});

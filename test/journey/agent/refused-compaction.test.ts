import { expect, test } from "vitest";
import { makeWorkspace } from "../../support/workspace.ts";
import { eventsOfType, openAgent } from "./open-agent.ts";
import { type Answer, scripted } from "./scripted-model.ts";

const files = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}.txt`, `${n} words\n`.repeat(400)]));
const reads = Object.keys(files).map((path): Answer => ({ calls: [{ tool: "read", input: { path } }] }));
const refusing = {
  settings: {
    hooks: {
      PreCompact: [{ hooks: [{ type: "command" as const, command: "echo 'save your notes first' >&2; exit 2" }] }],
    },
  },
};

test("a hook may keep history from being left out when a person asks for it", async () => {
  const model = scripted([...reads, { text: "Read." }, { text: "Still all here." }]);
  const agent = await openAgent(makeWorkspace(files), model, refusing);
  await agent.send("Read.");
  expect(await agent.compact()).toMatchObject({
    ok: false,
    failure: { code: "hook_denied", message: expect.stringContaining("save your notes first") },
  });
  expect(eventsOfType(agent, "context.compacted")).toEqual([]);
  await agent.send("And now?");
  const [before, after] = model.requests.slice(-2).map(({ messages }) => messages);
  expect(after?.slice(0, before?.length)).toEqual(before);
});

test("and where it came to be left out by itself: it is not asked again at every turn, but when there is more", async () => {
  const uncounted = (answer: Answer): Answer => ({ ...answer, usage: "none" });
  const steps = Array.from({ length: 5 }, (): Answer => ({ calls: [{ tool: "todo", input: { items: [] } }] }));
  const script = [...reads.slice(0, 4), { text: "Read." }, ...steps, { text: "Done." }, ...reads.slice(4)];
  const model = scripted(script.map(uncounted), { profile: { contextTokens: 30_000 } });
  const agent = await openAgent(makeWorkspace(files), model, {
    settings: { ...refusing.settings, context: { compactAt: 0.1 } },
  });
  const asked = () => eventsOfType(agent, "hook.ran").map(({ data }) => [data.event, data.decision]);
  const refused = ["PreCompact", "deny"];
  await agent.send("Read.");
  const before = asked();
  expect(before).toEqual(expect.arrayContaining([refused]));
  expect(await agent.send("Note it.")).toMatchObject({ stop: "done", turns: 6 });
  expect(asked()).toEqual(before);
  await agent.send("Read on.");
  expect(asked().slice(before.length)).toEqual(expect.arrayContaining([refused]));
  expect(eventsOfType(agent, "context.compacted")).toEqual([]);
});

test("and when a provider finds the input too long: then there is nothing left to try", async () => {
  const tooLong: Answer = { error: { kind: "context_length", message: "too long" } };
  const model = scripted([...reads, tooLong, { text: "Never said." }]);
  const agent = await openAgent(makeWorkspace(files), model, refusing);
  expect(await agent.send("Read.")).toMatchObject({ stop: "provider_error", error: { kind: "context_length" } });
  expect(eventsOfType(agent, "context.compacted")).toEqual([]);
  expect(eventsOfType(agent, "hook.ran").map(({ data }) => [data.event, data.decision])).toEqual([
    ["PreCompact", "deny"],
  ]);
});

import { describe, expect, test } from "vitest";
import { fail, ok } from "../../../src/contract/codes.ts";
import { type ModelNeed, type Models, modelName } from "../../../src/contract/model.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { eventsOfType, openAgent } from "./open-agent.ts";
import { scripted } from "./scripted-model.ts";

const files = { "a.txt": "one\n" };

/** Some models, of which the settings name the first. */
function offered(...names: readonly string[]): Models {
  return {
    resolve({ wanted = names[0] ?? "", because = "usual" }: ModelNeed) {
      if (!names.includes(wanted)) return fail("bad_request", `There is no ${wanted}.`);
      return ok({ models: [scripted([], { name: wanted })], reason: `${wanted}: ${because}` });
    },
  };
}

async function sessionWith(model: string) {
  const workspace = makeWorkspace(files);
  const agent = await openAgent(workspace, [], { models: offered(model) });
  await agent.send("Begin.");
  await agent.close();
  return { workspace, session: agent.sessionId };
}

describe("a session that goes on", () => {
  test.each<[string, Models, ModelNeed, string, readonly string[]]>([
    ["with the same settings", offered("a/one"), {}, "a/one", []],
    [
      "with its own model, whatever the settings say now",
      offered("b/two", "a/one"),
      {},
      "a/one",
      ["The session keeps its own model, a/one; the settings name b/two. Pass --model to choose another."],
    ],
    [
      "with the one that is named",
      offered("a/one", "b/two"),
      { wanted: "b/two" },
      "b/two",
      ["The session's model was a/one; it continues with b/two."],
    ],
    ["with its own, named", offered("b/two", "a/one"), { wanted: "a/one" }, "a/one", []],
  ])("%s", async (_, models, model, name, notices) => {
    const { workspace, session } = await sessionWith("a/one");
    const agent = await openAgent(workspace, [], { models, model, session });
    expect([modelName(agent.chain.models[0].ref), agent.notices]).toEqual([name, notices]);
    expect((await agent.send("Go on.")).model).toEqual(agent.chain.models[0].ref);
  });

  test("with its own where the settings name none", async () => {
    const { workspace, session } = await sessionWith("a/one");
    const models: Models = {
      resolve: (need) => (need.wanted === undefined ? fail("bad_request", "None.") : offered("a/one").resolve(need)),
    };
    const agent = await openAgent(workspace, [], { models, session });
    expect([modelName(agent.chain.models[0].ref), agent.notices]).toEqual(["a/one", []]);
    await agent.send("Go on.");
    expect(eventsOfType(agent, "run.started").at(-1)?.data.chosen).toBe("a/one: the session's model");
  });

  test("not at all where its own model is not available and no other is named", async () => {
    const { workspace, session } = await sessionWith("a/one");
    const models = offered("b/two");
    await expect(openAgent(workspace, [], { models, session })).rejects.toThrow(/a\/one.*is not available/);
    const named = await openAgent(workspace, [], { models, session, model: { wanted: "b/two" } });
    expect(modelName(named.chain.models[0].ref)).toBe("b/two");
  });

  test("not with a stand-in of its last run, but with what was chosen in the middle of it", async () => {
    const workspace = makeWorkspace(files);
    const failing = scripted([{ error: { kind: "overloaded" } }, { error: { kind: "model_unavailable" } }], {
      name: "a/one",
    });
    const agent = await openAgent(workspace, [failing, scripted([], { name: "b/two" })]);
    expect((await agent.send("Begin.")).model).toEqual({ provider: "b", id: "two" });
    await agent.close();
    const models = offered("c/three", "a/one", "b/two");
    const again = await openAgent(workspace, [], { models, session: agent.sessionId });
    expect(modelName(again.chain.models[0].ref)).toBe("a/one");
    again.setModel({ wanted: "b/two" });
    await again.send("Go on.");
    await again.close();
    const last = await openAgent(workspace, [], { models, session: agent.sessionId });
    expect(modelName(last.chain.models[0].ref)).toBe("b/two");
  });
});

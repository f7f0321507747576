import { expect, test } from "vitest";
import { createAgent, GauntletError } from "../../../src/index.ts";
import { makeWorkspace, type Workspace } from "../../support/workspace.ts";

const places = (workspace: Workspace) => ({ workspace: workspace.root, store: workspace.state, home: workspace.home });

test("a model that the settings name is asked, and the session's menu is what it is offered", async () => {
  const script = {
    turns: [
      { expect: { tools: ["read", "bash"] }, say: [{ call: "read", input: { path: "a.txt" } }] },
      { expect: { results: ["one"] }, say: [{ text: "It says one." }] },
    ],
  };
  const workspace = makeWorkspace({ "a.txt": "one\n", "script.json": JSON.stringify(script) });
  const agent = await createAgent({ ...places(workspace), model: { wanted: "scripted/script.json" } });
  const report = await agent.send("What does a.txt say?");
  await agent.close();
  expect(report).toMatchObject({ stop: "done", answer: "It says one.", turns: 2, calls: { all: 1, failed: 0 } });
});

test("without a model nothing is opened, and it says what to do", async () => {
  const workspace = makeWorkspace();
  const opened = createAgent({ ...places(workspace), model: { wanted: "nobody/here" } });
  await expect(opened).rejects.toThrow(GauntletError);
  const later = await createAgent({
    ...places(workspace),
    models: { resolve: () => ({ ok: false, failure: { code: "bad_request", message: "none" } }) },
  }).catch((error) => error);
  expect(later).toMatchObject({ failure: { code: "bad_request", message: "none" } });
});

test("a model that is a string is refused, also where the settings name one", async () => {
  const script = { turns: [{ say: [{ text: "Hello." }] }] };
  const workspace = makeWorkspace({ "script.json": JSON.stringify(script) });
  const settings = { model: "scripted/script.json" };
  const options: object = { ...places(workspace), settings, model: "scripted/script.json" };
  const opened = createAgent(options as Parameters<typeof createAgent>[0]);
  await expect(opened).rejects.toThrow(GauntletError);
});

import { expect, test } from "vitest";
import { connectEditor } from "../support/editor.ts";
import { bash } from "../support/model-script.ts";
import { makeWorkspace } from "../support/workspace.ts";

test("an editor is told which files a call read or changed, by a command too", async () => {
  const workspace = makeWorkspace({ "a.txt": "hello\n", "b.txt": "old\n", "change.py": change });
  const turns = [
    [{ call: "read", input: { path: "a.txt" } }],
    [{ call: "edit", input: { path: "a.txt", old_string: "hello", new_string: "goodbye" } }],
    [bash("python3 change.py")],
    ["Done."],
  ];
  const { agent, told } = await connectEditor({ workspace, turns });
  const { sessionId } = await agent.request("session/new", { cwd: workspace.root, mcpServers: [] });
  await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Go." }] });
  const ended = told.flatMap((update) =>
    update.sessionUpdate === "tool_call_update" && update.status === "completed"
      ? [update.locations?.map(({ path }) => path).toSorted()]
      : [],
  );
  expect(ended).toEqual([
    [workspace.path("a.txt")],
    [workspace.path("a.txt")],
    ["b.txt", "new.txt"].map((file) => workspace.path(file)),
  ]);
});

/** Its words do not tell what it changes. */
const change = 'import os\nos.remove("b.txt")\nopen("new.txt", "w").write("new")\n';

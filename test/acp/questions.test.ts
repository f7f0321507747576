import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import type { NewSessionRequest } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { connectEditor } from "../support/editor.ts";
import { bash } from "../support/model-script.ts";
import { makeWorkspace } from "../support/workspace.ts";

test("a change is shown once, as what will be written, under one name from the question to the end", async () => {
  const workspace = makeWorkspace({ "a.txt": "hello\n" });
  const turns = [
    [
      { call: "write", input: { path: "new.txt", content: "one\ntwo\n" } },
      { call: "move", input: { from: "a.txt", to: "b.txt" } },
    ],
    ["Done."],
  ];
  const { agent, told, asked } = await connectEditor({ workspace, turns });
  const here: NewSessionRequest = { cwd: workspace.root, mcpServers: [] };
  const { sessionId } = await agent.request("session/new", here);
  await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Go." }] });
  const made = { type: "diff", path: workspace.path("new.txt"), oldText: null, newText: "one\ntwo\n" };
  const words = (text: string) => ({ type: "content", content: { type: "text", text } });
  const [from, to] = [workspace.path("a.txt"), workspace.path("b.txt")];
  expect(asked.map(({ toolCall }) => [toolCall.title, toolCall.content])).toEqual([
    ["Write new.txt", [made, words(`Reason: writes ${made.path} (R2)\nIt would: writes ${made.path}`)]],
    [
      "Move a.txt to b.txt",
      [
        words(
          [
            "  | move\n  | from: a.txt\n  | to: b.txt",
            `Reason: moves ${from} (R3)`,
            `It would: reads ${from}; deletes ${from}; writes ${to}`,
            `  | Moves the file ${from} (6 bytes) → ${to}`,
          ].join("\n"),
        ),
      ],
    ],
  ]);
  const titles = told.flatMap((update) => ("toolCallId" in update ? [update.title] : []));
  expect(new Set(titles)).toEqual(new Set(["Write new.txt", "Move a.txt to b.txt"]));
});

test("a directory outside the workspace is offered for the session, and what follows there asks no more", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const out = path.join(path.dirname(workspace.root), "out");
  mkdirSync(out);
  const turns = [[bash("cp a.txt ../out/b")], [bash("cp a.txt ../out/c")], ["Done."]];
  const answer = () => ({ outcome: { outcome: "selected", optionId: "session" } }) as const;
  const { agent, asked } = await connectEditor({ workspace, turns, answer });
  const { sessionId } = await agent.request("session/new", { cwd: workspace.root, mcpServers: [] });
  await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Go." }] });
  expect(asked.map(({ options }) => options.map(({ optionId }) => optionId))).toEqual([["session", "always", "deny"]]);
  expect(readdirSync(out)).toEqual(["b", "c"]);
});

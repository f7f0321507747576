import { expect, test } from "vitest";
import { makeWorkspace } from "../support/workspace.ts";
import { npmServer, openServers } from "./server-session.ts";

test("what a server changed is on record, and an undo says that it cannot be taken back", async () => {
  const workspace = makeWorkspace({ "notes/a.txt": "old\n", "b.txt": "b\n" });
  const server = npmServer("filesystem", [workspace.path("notes")], { sandbox: { write: ["notes"] } });
  const session = await openServers(workspace, { notes: server }, { allow: ["mcp__notes"] });
  const written = await session.call("mcp__notes__write_file", {
    path: workspace.path("notes/a.txt"),
    content: "new\n",
  });
  const moved = await session.call("mcp__notes__move_file", {
    source: workspace.path("notes/a.txt"),
    destination: workspace.path("notes/c.txt"),
  });
  expect([written, moved].map(({ effects }) => effects.seen.map(({ op, target }) => [op, target]))).toEqual([
    expect.arrayContaining([["write", workspace.path("notes/a.txt")]]),
    expect.arrayContaining([["write", workspace.path("notes/a.txt")]]),
  ]);
  expect(session.facts("file.changed").map(({ change, path, to }) => [change, path, to])).toEqual([
    ["modified", workspace.path("notes/a.txt"), undefined],
    ["moved", workspace.path("notes/a.txt"), workspace.path("notes/c.txt")],
  ]);
  const refused = {
    outcome: "refused",
    extent: "none",
    steps: [],
    left: [{ change: "modified" }, { change: "moved" }],
  };
  expect(await session.undo(2)).toMatchObject({ ok: true, value: refused });
  expect(workspace.read("notes/c.txt")).toBe("new\n");
});

import { readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { localServers } from "../../src/provider/known-providers.ts";
import { runCommand } from "../support/command.ts";
import { encodeOpenaiChat } from "../support/model-server/encode-openai-chat.ts";
import { openTerminal } from "../support/terminal.ts";
import { makeWorkspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A model server at the first usual place that is free on this machine. */
async function serveLocally(id: string) {
  const server = http.createServer((request, response) => {
    if (request.method === "GET") return void response.end(JSON.stringify({ object: "list", data: [{ id }] }));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const turn = { say: [{ text: "I run on your machine." }] };
    for (const event of encodeOpenaiChat(turn, { turnNumber: 0, model: id })) response.write(event);
    response.end();
  });
  for (const { provider, called, port } of localServers) {
    const listens = await new Promise<boolean>((done) => {
      server.once("error", () => done(false)).listen(port, "127.0.0.1", () => done(true));
    });
    if (!listens) continue;
    onTestFinished(
      () =>
        new Promise<void>((done) => {
          server.close(() => done());
          server.closeAllConnections();
        }),
    );
    return { name: `${provider}/${id}`, from: `${called} on port ${port}` };
  }
  throw new Error(`All of the ports ${localServers.map(({ port }) => port).join(", ")} are taken.`);
}

test("a model server on this machine is found, offered, asked and kept", async () => {
  const workspace = makeWorkspace();
  const { name, from } = await serveLocally(`tester-${process.pid}`);
  const doctor = await runCommand(workspace, ["doctor", "--json"], "", { OPENAI_API_KEY: "not-a-real-key" });
  expect(JSON.parse(doctor.stdout)).toEqual(
    expect.arrayContaining([
      { name: "keys", state: "ok", detail: "set: OPENAI_API_KEY" },
      { name: "model servers", state: "ok", detail: expect.stringContaining(`${name} (${from})`) },
    ]),
  );

  const terminal = openTerminal(workspace, [], { environment: { OPENAI_API_KEY: "not-a-real-key" } });
  const offered = await terminal.stands("Which one?");
  expect(offered).toContain("(OPENAI_API_KEY)");
  expect(offered).not.toContain("not-a-real-key");
  const number = offered
    .split("\n")
    .find((line) => line.includes(`${name}  (${from})`))
    ?.trim()
    .split(" ")[0];
  terminal.type(`${number}`);
  terminal.press("Enter");
  await terminal.stands("Save it as the default model?");
  terminal.type("y");
  terminal.press("Enter");
  await terminal.stands("What would you like to do?");
  expect(JSON.parse(readFileSync(path.join(workspace.state, "settings.json"), "utf8"))).toEqual({ model: name });
  terminal.type("where are you?");
  terminal.press("Enter");
  await terminal.shows("I run on your machine.");

  // Kept: nobody has to be asked any more.
  const ran = await runCommand(workspace, ["run", "where are you?"]);
  expect(ran).toMatchObject({ code: 0, stdout: "I run on your machine.\n" });
});

test("a workspace that is the whole home is warned about, and one that is the whole file system is refused", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const call = (cwd: string) => runCommand(workspace, ["call", "list", "{}", "--cwd", cwd]);
  expect((await call(workspace.root)).stderr).not.toContain("Warning: the workspace");
  const home = await call(workspace.home);
  expect([home.code, home.stderr.includes("Warning: the workspace is your whole home directory")]).toEqual([0, true]);
  const root = await call("/");
  expect([root.code, root.stdout]).toEqual([2, ""]);
  expect(root.stderr).toContain("Start in a project directory.");
  expect((await runCommand(workspace, ["sessions", "list", "--json"])).code).toBe(0);
});

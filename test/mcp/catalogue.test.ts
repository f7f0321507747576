import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { makeWorkspace } from "../support/workspace.ts";
import { oddServer, openServers } from "./server-session.ts";

test("the menu is also a file in our state, and follows it", async () => {
  const workspace = makeWorkspace({ "a.txt": "here" });
  const session = await openServers(workspace, { fine: oddServer("failing.ts") }, { allow: ["mcp__fine"] });
  await session.call("mcp__fine__fine");
  await session.call("read", { path: "a.txt" });
  const visible = session.door.menu().filter((entry) => entry.visible);
  const { menuHash } = session.door.state;
  await session.close();
  const [project = ""] = readdirSync(path.join(workspace.state, "menus"));
  const file = path.join(workspace.state, "menus", project, "managed-tools.json");
  const catalogue = JSON.parse(readFileSync(file, "utf8"));
  expect(catalogue.menuHash).toBe(menuHash);
  expect(catalogue.tools).toEqual(visible.map(({ aliases: _, bytes: __, visible: ___, ...entry }) => entry));
  expect(catalogue.tools.map(({ name, ownership }: { name: string; ownership: string }) => [name, ownership])).toEqual(
    expect.arrayContaining([
      ["mcp__fine__fine", "mcp"],
      ["read", "managed"],
    ]),
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a command finds a copy of it that nobody can write to, and the next one the menu as it is then", async () => {
  const workspace = makeWorkspace({ "try.sh": "rm -f /etc/gauntlet/managed-tools.json\n" });
  const file = "/etc/gauntlet/managed-tools.json";
  const options = { allow: ["Bash", "mcp__fine"] };
  const first = await openServers(workspace, {}, options);
  await first.call("read", { path: "." });
  await first.close();
  const session = await openServers(workspace, { fine: oddServer("failing.ts") }, options);
  const hashIn = async () => (await session.call("bash", { command: `head -c 80 ${file}` })).model.content[0];
  expect(await hashIn()).toMatchObject({ text: expect.stringMatching(/"menuHash":"[0-9a-f]{64}"/) });
  await session.call("mcp__fine__fine");
  await expect.poll(hashIn).toMatchObject({ text: expect.stringContaining(session.door.state.menuHash) });
  const tried = await session.call("bash", { command: "sh try.sh" });
  expect(tried.model.content[0]).toMatchObject({ text: expect.stringContaining("Read-only file system") });
  expect((await session.call("bash", { command: `echo x > ${file}` })).code).toBe("policy_denied");
  await session.close();
});

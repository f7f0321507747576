import { cpSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, test } from "vitest";
import { agreeable, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

const bash = (command: string, more: object = {}) => ({ tool: "bash", input: { command, ...more } });
const manifest = JSON.stringify({ name: "p", version: "1.0.0", dependencies: { "left-pad": "1.0.0" } });

const yarn = createRequire(import.meta.url).resolve("yarn/bin/yarn.js");

test.each([
  ["npm install --no-audit", "EAI_AGAIN"],
  ["npx -y cowsay", "EAI_AGAIN"],
  ["node yarn/bin/yarn.js install", "getaddrinfo EAI_AGAIN registry.yarnpkg.com"],
])(
  "%s fails without a network instead of trying again for a minute",
  async (command, said) => {
    // What a script of the project wants to reach is not known beforehand, so it has no network.
    const workspace = makeWorkspace({ "package.json": manifest, "run.sh": `${command}\n` });
    cpSync(path.dirname(path.dirname(yarn)), workspace.path("yarn"), { recursive: true });
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    const ran = await gauntlet.call(bash("sh run.sh", { timeout_ms: 45_000 }));
    expect(ran).toMatchObject({ ok: false, code: "command_failed" });
    expect(JSON.stringify(ran.model)).toContain(said);
  },
  120_000,
);

test("a server that the command starts itself is reached", async () => {
  const gauntlet = await openGauntlet(
    makeWorkspace({
      "serve.mjs": `import { createServer } from "node:http";
const server = createServer((_request, response) => response.end("served")).listen(0, "127.0.0.1", async () => {
  for (const host of ["localhost", "127.0.0.1"])
    console.log(await (await fetch("http://" + host + ":" + server.address().port)).text());
  server.close();
});
`,
    }),
    { onAsk: agreeable() },
  );
  const ran = await gauntlet.call(bash("node serve.mjs"));
  expect(ran).toMatchObject({ ok: true });
  expect(JSON.stringify(ran.model)).toContain("served\\nserved");
});

test("a tool that the project has installed needs no registry", async () => {
  const gauntlet = await openGauntlet(makeWorkspace({ "node_modules/.bin/own-tool": "#!/bin/sh\n" }), { mode: "auto" });
  const decide = async (command: string) =>
    (await gauntlet.session.explain({ tool: "bash", input: { command } })).decision;
  const commands = ["npm exec -- own-tool x", "npm x own-tool", "npm exec own-tool@2", "npm exec other", "npm exec"];
  expect(await Promise.all(commands.map(decide))).toEqual(["allow", "allow", "ask", "ask", "ask"]);
});

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describeMachine } from "./agent/page.ts";
import { measureInTurns } from "./measure.ts";
import { writeSection } from "./section.ts";

/**
 * What the gateway adds to a call: the same client calls the same tool of the same server, once directly and once
 * through the gateway, in turns. Beside it, what a proxy adds that does nothing. Needs what `npm run build` makes.
 */
const root = path.resolve(import.meta.dirname, "..");
const modules = path.join(root, "node_modules");
const program = path.join(modules, "@modelcontextprotocol/server-everything/dist/index.js");
const gauntlet = path.join(root, "bin/gauntlet");
if (!existsSync(path.join(root, "dist"))) throw new Error("There is no dist/: run `npm run build` first.");

const place = mkdtempSync(path.join(os.tmpdir(), "gateway-bench-"));
const project = path.join(place, "project");
mkdirSync(project);
const config = path.join(place, "mcp.json");
const server = { command: process.execPath, args: [program, "stdio"] };
const everything = { ...server, sandbox: { read: [modules] } };
writeFileSync(config, JSON.stringify({ mcpServers: { everything } }));

const direct = await connect(server.command, server.args);
const args = ["mcp", "gateway", "--config", config, "--allow", "mcp__everything", "--cwd", project];
const gateway = await connect(gauntlet, args);
const bareProxy = path.join(import.meta.dirname, "bare-proxy.ts");
const proxy = await connect(process.execPath, [bareProxy, server.command, ...server.args]);
try {
  const message = "The quick brown fox jumps over the lazy dog.";
  const call = async (client: Client, name: string) => {
    const { isError, content } = await client.callTool({ name, arguments: { message } });
    if (isError) throw new Error(JSON.stringify(content));
  };
  await gateway.listTools();
  const times = { warmUp: 2_000, repetitions: 2_000 };
  const echo = { direct: () => call(direct, "echo"), proxy: () => call(proxy, "echo") };
  const samples = await measureInTurns(
    { direct: echo.direct, gateway: () => call(gateway, "mcp__everything__echo") },
    times,
  );
  const bare = await measureInTurns(echo, times);
  const added = samples.gateway.median - samples.direct.median;
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  writeSection("gateway", [
    "## The gateway",
    "",
    `Written by \`npm run bench:gateway\`: one tool of server-everything, called directly and through \`gauntlet mcp gateway\` in turns, 2,000 times each after as many that do not count, on ${describeMachine()}. What is added is ${(added / samples.direct.median).toFixed(1)} times a direct call: it is above a millisecond when the machine is slow, and below it at its usual speed, at which a direct call takes 0.2 ms.`,
    "",
    "| figure | directly | through the gateway | added | goal | |",
    "|---|---:|---:|---:|---:|---|",
    `| a call | ${ms(samples.direct.median)} | ${ms(samples.gateway.median)} | ${ms(added)} | < 1 ms | ${added < 1 ? "met" : "**missed**"} |`,
    `| a call through a proxy that does nothing | ${ms(bare.direct.median)} | ${ms(bare.proxy.median)} | ${ms(bare.proxy.median - bare.direct.median)} | | |`,
  ]);
  process.exitCode = added < 1 ? 0 : 1;
} finally {
  await gateway.close();
  await proxy.close();
  await direct.close();
  rmSync(place, { recursive: true, force: true });
}

async function connect(command: string, given: readonly string[]): Promise<Client> {
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const env = { PATH: process.env.PATH ?? "", HOME: place, GAUNTLET_HOME: path.join(place, "state") };
  await client.connect(new StdioClientTransport({ command, args: [...given], env, stderr: "ignore" }));
  return client;
}

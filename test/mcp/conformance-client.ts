import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { z } from "zod";
import { fail, type Outcome, ok } from "../../src/contract/codes.ts";
import type { Elicitation, ElicitationAnswer, RemoteServer, ServerTool } from "../../src/contract/server/server.ts";
import type { JsonSchema } from "../../src/contract/tool-facts.ts";
import { createHttpClient, createWebFetch } from "../../src/host/net/http-client.ts";
import type { ConnectionParts, CredentialStore, McpConnection } from "../../src/mcp/client/connection.ts";
import { openConnection } from "../../src/mcp/client/open-connection.ts";

/**
 * What the official conformance suite starts to test our client layer: `<this> <address of the test server>`.
 * It connects, lists and calls every tool, and goes through logins and forms without a person.
 */

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = z
  .object({
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
    toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).optional(),
  })
  .parse(JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}"));

/** The document that the suite takes for ours. */
const clientDocument = "https://conformance-test.local/client-metadata.json";
const signal = AbortSignal.timeout(25_000);
const http = createHttpClient({ connectMs: 5000, idleMs: 20_000 });
const webFetch = createWebFetch(http);

function settingFor(url: string): RemoteServer {
  const own = context.client_id;
  return {
    type: "http",
    url,
    oauth: {
      clientId: own ?? clientDocument,
      ...(context.client_secret !== undefined && { clientSecretEnv: "CLIENT_SECRET" }),
    },
  };
}

function memoryStore(): CredentialStore {
  const kept = new Map<string, Readonly<Record<string, unknown>>>();
  return {
    read: (server) => ok(kept.get(server) ?? {}),
    write: (server, value) => ok(void kept.set(server, value)),
    remove: (server) => ok(void kept.delete(server)),
  };
}

/** The suite's authorization server agrees at once and answers with where a browser would be led. */
async function followRedirect(url: URL): Promise<Outcome<URL>> {
  const response = await webFetch(url, { redirect: "manual" });
  const location = response.headers.get("location");
  await response.body?.cancel();
  return location === null ? fail("tool_failed", "The login led nowhere.") : ok(new URL(location, url));
}

function acceptWithDefaults({ ask }: Omit<Elicitation, "id" | "server">): ElicitationAnswer {
  const content: Record<string, unknown> = {};
  if (ask.mode === "form") {
    for (const field of ask.fields) {
      if (field.default !== undefined || !field.required) continue;
      content[field.name] = field.kind === "boolean" ? true : field.kind === "text" ? "text" : 1;
    }
  }
  return { action: "accept", content };
}

function partsFor(url: string): ConnectionParts {
  const here = path.dirname(import.meta.filename);
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(path.join(here, "../../package.json"), "utf8")));
  return {
    entry: { name: "conformance", setting: settingFor(url), origin: "conformance" },
    spawn: () => fail("tool_failed", "not used"),
    openSocket: async () => fail("tool_failed", "not used"),
    fetch: webFetch,
    handlers: { elicit: async (question) => acceptWithDefaults(question) },
    notify: (notify) => process.stderr.write(`${JSON.stringify(notify)}\n`),
    credentials: memoryStore(),
    authorize: followRedirect,
    redirectUrl: "http://localhost:3000/callback",
    environment: { CLIENT_SECRET: context.client_secret },
    version,
    startMs: 20_000,
    signal,
  };
}

async function callTools(connection: McpConnection, tools: readonly ServerTool[]): Promise<boolean> {
  const calls =
    context.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: sampleFor(tool.inputSchema, tools) }));
  let allWell = true;
  for (const call of calls) {
    const answered = await connection.call({
      tool: call.name,
      input: call.arguments,
      timeoutMs: 15_000,
      signal,
      onProgress: () => {},
    });
    if (!answered.ok) {
      allWell = false;
      process.stderr.write(`${JSON.stringify(answered.failure)}\n`);
    }
  }
  return allWell;
}

/** Something that fits a schema of plain properties; for `schema` the first tool's own, as it arrived. */
function sampleFor(schema: JsonSchema, tools: readonly ServerTool[]): Record<string, unknown> {
  const properties = z
    .record(z.string(), z.looseObject({ type: z.unknown() }))
    .catch({})
    .parse(schema.properties);
  const samples: Record<string, unknown> = {
    number: 1,
    integer: 1,
    boolean: true,
    array: [],
    object: {},
    string: "text",
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [
      name,
      name === "schema" ? tools[0]?.inputSchema : (samples[String(type)] ?? "text"),
    ]),
  );
}

async function main(): Promise<number> {
  const url = process.argv.at(-1);
  if (url === undefined || !URL.canParse(url)) {
    process.stderr.write("Give the address of the server.\n");
    return 2;
  }
  const opened = await openConnection(partsFor(url));
  if (!opened.ok) {
    process.stderr.write(`${scenario}: ${JSON.stringify(opened.failure)}\n`);
    return 1;
  }
  const connection = opened.value;
  try {
    const tools = await connection.listTools(signal);
    if (!tools.ok) {
      process.stderr.write(`${scenario}: ${JSON.stringify(tools.failure)}\n`);
      return 1;
    }
    return (await callTools(connection, tools.value)) ? 0 : 1;
  } finally {
    await connection.close();
  }
}

const code = await main();
http.close();
process.exit(code);

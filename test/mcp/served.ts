import path from "node:path";
import process from "node:process";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import type { App } from "../../src/contract/app/app.ts";
import type { DoorOptions } from "../../src/contract/app/door.ts";
import type { Event } from "../../src/contract/events/index.ts";
import { serveApp } from "../../src/mcp/server/serve-app.ts";
import { openApp } from "../support/app.ts";
import type { Workspace } from "../support/workspace.ts";

export type Era = "legacy" | "auto";
export const eras: readonly Era[] = ["legacy", "auto"];
export const bin = path.resolve(import.meta.dirname, "../../bin/gauntlet");

type Answer = { readonly action: "accept" | "decline" | "cancel"; content?: Record<string, string> };

interface Field {
  readonly type: string;
  readonly oneOf?: readonly { readonly const: string }[];
}

/** What a person at the client answers to a form. */
export type Person = (message: string, fields: Readonly<Record<string, Field>>) => Answer | Promise<Answer>;

export interface Served {
  readonly app: App;
  readonly url: string;
  readonly token: string;
  readonly session: string;
  client(era: Era, person?: Person, onTools?: (tools: unknown) => void): Promise<Client>;
  events(): readonly Event[];
  /** What was told of servers that cannot be used. */
  troubles(): readonly string[];
  /** What was told of requests that could not be answered. */
  failures(): readonly string[];
  stop(): Promise<void>;
}

/** A session over HTTP in this process, ended with the test. */
export async function serveWorkspace(
  workspace: Workspace,
  door: DoorOptions = {},
  serversFile?: string,
  altered: (app: App) => App = (app) => app,
): Promise<Served> {
  const app = altered(openApp(workspace));
  const stopping = new AbortController();
  const { promise: ready, resolve: onReady } = Promise.withResolvers<{ session: string; url: string; token: string }>();
  const troubles: string[] = [];
  const failures: string[] = [];
  const ended = serveApp(
    app,
    {
      name: "gauntlet",
      instructions: "Tools of a test.",
      door,
      ...(serversFile === undefined ? {} : { serversFile }),
      address: { host: "127.0.0.1", port: 0, names: [] },
      stop: stopping.signal,
      onFailure: (what) => failures.push(what),
      onTrouble: ({ name, detail }) => troubles.push(`${name}: ${detail}`),
      onReady: async ({ session, url = "", token = "" }) => onReady({ session, url, token }),
    },
    { channel: { listen: async () => {}, write: async () => {} }, environment: {} },
  );
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  const clients: Client[] = [];
  onTestFinished(async () => {
    await Promise.allSettled(clients.map((client) => client.close()));
    await stop();
  });
  const failed = ended.then((outcome) => {
    throw new Error(outcome.ok ? "It ended before it was ready." : outcome.failure.message);
  });
  const { session, url, token } = await Promise.race([ready, failed]);
  failed.catch(() => {});
  return {
    app,
    url,
    token,
    session,
    troubles: () => troubles,
    failures: () => failures,
    stop,
    async client(era, person, onTools) {
      const client = newClient(era, person, onTools);
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
      clients.push(client);
      return client;
    },
    events() {
      const archive = app.archive();
      const events = archive.ok ? archive.value.events(session) : archive;
      if (!events.ok) throw new Error(events.failure.message);
      return [...events.value];
    },
  };
}

/** The built program as a client starts it. */
export async function startProgram(
  workspace: Workspace,
  args: readonly string[],
  { era, person }: { readonly era: Era; readonly person?: Person },
): Promise<{ readonly client: Client; readonly notices: () => string }> {
  const client = newClient(era, person);
  const transport = new StdioClientTransport({
    command: bin,
    args: [...args, "--cwd", workspace.root],
    env: programEnvironment(workspace),
    stderr: "pipe",
  });
  let notices = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    notices += chunk.toString();
  });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, notices: () => notices };
}

export function programEnvironment({ home, state }: Workspace): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: home, GAUNTLET_HOME: state };
}

function newClient(era: Era, person: Person | undefined, onTools?: (tools: unknown) => void): Client {
  const options: ClientOptions = {
    versionNegotiation: { mode: era },
    ...(onTools === undefined ? {} : { listChanged: { tools: { onChanged: (_error, tools) => onTools(tools) } } }),
    ...(person === undefined ? {} : { capabilities: { elicitation: { form: {} } } }),
  };
  const client = new Client({ name: "test-client", version: "1.0.0" }, options);
  if (person !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) =>
      person(params.message, params.mode === "url" ? {} : (params.requestedSchema.properties as Record<string, Field>)),
    );
  return client;
}

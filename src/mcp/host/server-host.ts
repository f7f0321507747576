import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ServerHost } from "../../contract/server/admin.ts";
import type { ServerPieces } from "../../contract/server/server.ts";
import { callMs, fetchMs, startMs } from "../../contract/server/server.ts";
import type { Tool } from "../../contract/tool.ts";
import type { McpConnection } from "../client/connection.ts";
import { boundedLine } from "../tools/bounded-text.ts";
import { mayBelongTo, menuNames } from "../tools/menu-names.ts";
import { type ToolServer, wrapTool } from "../tools/wrap-tool.ts";
import { approvalCommand, failureHint, lateHint } from "./failure-hint.ts";
import { createHostedServer, type HostedServer, type HostedServerParts } from "./hosted-server.ts";
import { isChanged } from "./server-state.ts";
import { createWatches } from "./watches.ts";

export interface ServerHostParts extends HostedServerParts {
  readonly approvalMs: number;
  readonly writes: (entry: HostedServer["entry"]) => readonly string[];
  readonly confinement: (entry: HostedServer["entry"]) => string;
}

export function createServerHost(parts: ServerHostParts): ServerHost {
  let version = 1;
  let offered: { readonly version: number; readonly tools: readonly Tool[] } | undefined;
  let begun = false;
  const watches = createWatches({
    use: within,
    told: (server, uri) => parts.notify({ kind: "resource_updated", server, uri }),
  });
  const offer = () => {
    version += 1;
  };
  const entries = parts.entries.filter(({ setting }) => setting.disabled !== true);
  const events = { offered: offer, changed: watches.changed };
  const servers = new Map(entries.map((entry) => [entry.name, createHostedServer(entry, parts, events)]));
  const all = [...servers.values()];

  function wrapAll(): readonly Tool[] {
    const tools = all.flatMap((server) => {
      const common = toolServer(server);
      return server.connection.definitions.map((definition) => ({ common, definition }));
    });
    const names = menuNames(tools.map(({ common, definition }) => ({ server: common.name, tool: definition.name })));
    return tools.map(({ common, definition }, at) => wrapTool(names[at] ?? "", definition, common));
  }

  function toolServer({ entry, state, change }: HostedServer): ToolServer {
    const { name, setting } = entry;
    const timeoutMs = setting.timeout ?? callMs;
    const mayAsk = parts.elicit !== undefined || (parts.sampling !== undefined && setting.sampling !== undefined);
    return {
      name,
      alwaysLoad: setting.alwaysLoad === true,
      timeoutMs,
      // The server's own timeout pauses while it starts and while the user is asked.
      besideMs: ("command" in setting ? fetchMs : startMs) + (mayAsk ? parts.approvalMs : 0),
      isChanged: (definition) => isChanged(state, definition),
      approval: (tool) => approvalCommand(entry, tool),
      hint: (said) => failureHint(entry, said),
      late: lateHint(entry, timeoutMs),
      confinement: () => parts.confinement(entry),
      change,
    };
  }

  async function within<Value>(
    name: string,
    signal: AbortSignal,
    work: (connection: McpConnection, server: HostedServer) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value>> {
    const server = servers.get(name);
    if (server !== undefined) return server.connection.use(signal, (connection) => work(connection, server));
    return fail("server_unavailable", `This session has no server named ${boundedLine(name, 80)}.`, {
      recovery: `Choose one of: ${[...servers.keys()].join(", ")}.`,
      happened: "nothing",
    });
  }

  return {
    get version() {
      return version;
    },
    tools() {
      if (offered?.version !== version) offered = { version, tools: wrapAll() };
      return offered.tools;
    },
    status: () => all.map(({ connection }) => connection.status),
    writes(name) {
      const server = servers.get(name);
      return server === undefined ? [] : parts.writes(server.entry);
    },
    async confinement(name) {
      const server = servers.get(name);
      return server === undefined ? undefined : parts.confinement(server.entry);
    },
    begin() {
      if (begun) return;
      begun = true;
      for (const { connection } of all) if (!connection.known) connection.begin();
    },
    async prepare(toolName) {
      const meant = all.filter(({ entry }) => mayBelongTo(toolName, entry.name));
      for (const { connection } of meant) connection.begin();
      await Promise.all(meant.map(({ connection }) => connection.settled()));
    },
    async settled() {
      await Promise.all(all.map(({ connection }) => connection.settled()));
    },
    call: (request) => within(request.server, request.signal, (connection, server) => server.call(connection, request)),
    listResources: (server, signal) =>
      within(server, signal, async (connection) => {
        if (!connection.offers.resources) return ok([]);
        const listed = await connection.listResources(signal);
        return listed.ok ? ok(listed.value.map((resource) => ({ ...resource, server }))) : listed;
      }),
    readResource: (server, uri, signal) =>
      within(server, signal, (connection, { withNotes }) =>
        withNotes(async () => given(await connection.readResource(uri, signal))),
      ),
    watchResource: watches.begin,
    endWatch: watches.end,
    listPrompts: (server, signal) => within(server, signal, (connection) => connection.listPrompts(signal)),
    getPrompt: (server, wanted, signal) =>
      within(server, signal, (connection, { withNotes }) =>
        withNotes(async () => given(await connection.getPrompt(wanted, signal))),
      ),
    complete: (server, sought, signal) => within(server, signal, (connection) => connection.complete(sought, signal)),
    async close() {
      await Promise.allSettled(all.map(({ connection }) => connection.close()));
    },
  };
}

function given<Piece>(pieces: Outcome<readonly Piece[]>): Outcome<ServerPieces<Piece>> {
  return pieces.ok ? ok({ pieces: pieces.value }) : pieces;
}

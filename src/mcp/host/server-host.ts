import { lazy } from "../../base/async.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ServerHost } from "../../contract/server/admin.ts";
import {
  callMs,
  fetchMs,
  type Given,
  type ServerEntry,
  type ServerStatus,
  startMs,
} from "../../contract/server/server.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Connection } from "../client/connection.ts";
import { boundedLine } from "../tools/bounded-text.ts";
import { mayBelongTo, menuNames } from "../tools/menu-names.ts";
import { type ToolServer, wrapTool } from "../tools/wrap-tool.ts";
import type { Place, Seated, ServerHostParts } from "./connect-servers.ts";
import { acceptingCommand, failureHint, lateHint } from "./failure-hint.ts";
import { configuredStatus } from "./server-connection.ts";
import { isChanged, recentStamps, serverState } from "./server-state.ts";

/** The servers of one session. Nothing of them is loaded, started or asked before somebody needs it. */
export function createServerHost(parts: ServerHostParts): ServerHost {
  const entries = parts.entries.filter(({ setting }) => setting.disabled !== true);
  const files = recentStamps(parts.files, parts.clock);
  const places = new Map(entries.map((entry) => [entry.name, placeFor(entry)]));
  let version = 1;
  let offered: { readonly version: number; readonly tools: readonly Tool[] } | undefined;
  let begun = false;
  let closed = false;

  const working = lazy(async () => {
    const { createSeating } = await import("./connect-servers.ts");
    return createSeating({
      ...parts,
      use: within,
      offered: () => {
        version += 1;
      },
    });
  });

  function placeFor(entry: ServerEntry): Place {
    const state = serverState(entry, parts.workspace, files);
    return { entry, state, known: state.known() };
  }

  function seatedAt(place: Place): Promise<Seated> {
    place.seating ??= sitDown(place);
    return place.seating;
  }

  async function sitDown(place: Place): Promise<Seated> {
    const seated = (await working()).seat(place);
    place.seated = seated;
    if (closed) await seated.seat.close();
    return seated;
  }

  async function begin(place: Place): Promise<void> {
    const { seat } = await seatedAt(place);
    if (!seat.ready) seat.begin();
  }

  async function settle({ seating }: Place): Promise<void> {
    if (seating !== undefined) await (await seating).seat.settled();
  }

  function wrapAll(): readonly Tool[] {
    const all = [...places.values()].flatMap((place) => {
      const server = toolServer(place);
      return definitionsOf(place).map((definition) => ({ server, definition }));
    });
    const names = menuNames(all.map(({ server, definition }) => ({ server: server.name, tool: definition.name })));
    return all.map(({ server, definition }, at) => wrapTool(names[at] ?? "", definition, server));
  }

  function toolServer(place: Place): ToolServer {
    const { entry, state } = place;
    const { name, setting } = entry;
    const timeoutMs = setting.timeout ?? callMs;
    return {
      name,
      alwaysLoad: setting.alwaysLoad === true,
      timeoutMs,
      // The server's own time does not run while it is started and while a person is asked.
      besideMs: ("command" in setting ? fetchMs : startMs) + (mayAsk(setting) ? parts.approvalMs : 0),
      isChanged: (definition) => isChanged(state, definition),
      accepting: (tool) => acceptingCommand(entry, tool),
      hint: (said) => failureHint(entry, said),
      late: lateHint(entry, timeoutMs),
      confinement: () => parts.confinement(entry),
      change: async (definition) => (await working()).change(place, definition),
    };
  }

  function mayAsk({ sampling }: ServerEntry["setting"]): boolean {
    return parts.elicit !== undefined || (parts.sampling !== undefined && sampling !== undefined);
  }

  function placeOf(server: string): Outcome<Place> {
    const place = places.get(server);
    if (place !== undefined) return ok(place);
    const names = [...places.keys()].join(", ");
    return fail("server_unavailable", `This session has no server named ${boundedLine(server, 80)}.`, {
      recovery: `Choose one of: ${names}.`,
      happened: "nothing",
    });
  }

  async function within<Value>(
    server: string,
    signal: AbortSignal,
    work: (connection: Connection, seated: Seated) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value>> {
    const place = placeOf(server);
    if (!place.ok) return place;
    const seated = place.value.seated ?? (await seatedAt(place.value));
    return seated.seat.use(signal, (connection) => work(connection, seated));
  }

  return {
    get version() {
      return version;
    },
    tools() {
      if (offered?.version !== version) offered = { version, tools: wrapAll() };
      return offered.tools;
    },
    status: () => [...places.values()].map(statusOf),
    writes(server) {
      const place = places.get(server);
      return place === undefined ? [] : parts.writes(place.entry);
    },
    async confinement(server) {
      const place = places.get(server);
      return place === undefined ? undefined : (await parts.confinement(place.entry))();
    },
    begin() {
      // Whoever needs a server that cannot even be begun is told then.
      if (begun) return;
      begun = true;
      for (const place of places.values()) if (place.known === undefined) void begin(place).catch(() => {});
    },
    async prepare(toolName) {
      const meant = [...places.values()].filter(({ entry }) => mayBelongTo(toolName, entry.name));
      await Promise.all(meant.map(begin));
      await Promise.all(meant.map(settle));
    },
    async settled() {
      await Promise.all([...places.values()].map(settle));
    },
    call: (request) => within(request.server, request.signal, (connection, seated) => seated.call(connection, request)),
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
    watchResource: async (server, uri, signal) => (await working()).watches.begin(server, uri, signal),
    endWatch: async (server, uri) => (await working()).watches.end(server, uri),
    listPrompts: (server, signal) => within(server, signal, (connection) => connection.listPrompts(signal)),
    getPrompt: (server, wanted, signal) =>
      within(server, signal, (connection, { withNotes }) =>
        withNotes(async () => given(await connection.getPrompt(wanted, signal))),
      ),
    complete: (server, sought, signal) => within(server, signal, (connection) => connection.complete(sought, signal)),
    async close() {
      closed = true;
      const leaving = [...places.values()].map(async ({ seating }) => (await seating)?.seat.close());
      await Promise.allSettled(leaving);
    },
  };
}

function definitionsOf({ seated, known }: Place) {
  return seated?.seat.definitions ?? known ?? [];
}

/** What it takes to work with a server is on its way as soon as somebody needs it, and so is the server. */
function statusOf(place: Place): ServerStatus {
  const { entry, seated, seating } = place;
  if (seated !== undefined) return seated.seat.status;
  const configured = configuredStatus(entry, definitionsOf(place));
  return seating === undefined ? configured : { ...configured, state: "connecting" };
}

function given<Piece>(pieces: Outcome<readonly Piece[]>): Outcome<Given<Piece>> {
  return pieces.ok ? ok({ pieces: pieces.value }) : pieces;
}

import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { DoorNotice } from "../../contract/door.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { Clock, Ids } from "../../contract/ids.ts";
import type { SamplingDesk } from "../../contract/sampling.ts";
import type { BusyServer, Elicitor, Given, ServerCall, ServerEntry, ServerStatus } from "../../contract/server.ts";
import type { ServerHost } from "../../contract/server-host.ts";
import { quoted } from "../../contract/shell-word.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Connection, ConnectionParts, ServerWishes } from "../connection.ts";
import { bounded, boundedLine } from "./bounded-text.ts";
import { type BusyWith, createBusyWith } from "./busy-with.ts";
import type { Definition } from "./definitions.ts";
import { describeChange } from "./describe-change.ts";
import { createElicitations } from "./elicitations.ts";
import { failureHint } from "./failure-hint.ts";
import { mayBelongTo, menuNames } from "./menu-names.ts";
import { recentStamps } from "./recent-stamps.ts";
import { createSampling } from "./sampling.ts";
import { ServerSeat } from "./server-seat.ts";
import { isChanged, type ServerState, type StateFiles, serverState } from "./server-state.ts";
import { createWatches } from "./watches.ts";
import { wrapTool } from "./wrap-tool.ts";

/** What differs from one attempt to connect to the next. */
export interface Attempt extends Pick<ConnectionParts, "wishes" | "news" | "startMs" | "signal"> {
  readonly busyWith: BusyServer;
}

export interface ServerHostParts {
  readonly entries: readonly ServerEntry[];
  readonly workspace: string;
  /** How long a person has for an answer. */
  readonly approvalMs: number;
  /** Fills in the entry and connects. */
  readonly open: (entry: ServerEntry, attempt: Attempt) => Promise<Outcome<Connection>>;
  /** Directories that its program may change. */
  readonly writes: (entry: ServerEntry) => readonly string[];
  /** What holds it, for whoever is asked about a call. */
  readonly confinement: (entry: ServerEntry) => Promise<() => string>;
  readonly files: StateFiles;
  /** False when it could not be stored. */
  readonly record: (drafts: readonly EventDraft[]) => boolean;
  readonly notify: (notice: DoorNotice) => void;
  /** Applied to every word of a server that somebody is told or asked with. */
  readonly redact: (text: string) => string;
  /** Absent: nobody can be asked. */
  readonly elicit: Elicitor | undefined;
  /** Absent: there is no model, or nobody who could be asked about its use. */
  readonly sampling: SamplingDesk | undefined;
  readonly roots: () => readonly string[];
  readonly clock: Clock;
  readonly ids: Ids;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const callMs = 120_000;
const startMs = 30_000;
/** A first start may have to download all of it. */
const fetchMs = 180_000;
/** A server that never stops changing its words must not fill the log with them. */
const mostChanges = 200;
const longestDiff = 16 * 1024;
const mostUnasked = 4;

interface Place {
  readonly entry: ServerEntry;
  readonly state: ServerState;
  readonly seat: ServerSeat;
  readonly busyWith: BusyWith;
  /** Why questions of the call that is under way were put to nobody. */
  readonly unasked: string[];
}

/** The servers of one session. Nothing of them is loaded, started or asked before somebody needs it. */
export function createServerHost(parts: ServerHostParts): ServerHost {
  const { notify, record, redact } = parts;
  const entries = parts.entries.filter(({ setting }) => setting.disabled !== true);
  const files = recentStamps(parts.files, parts.clock);
  const places = new Map(entries.map((entry) => [entry.name, seated(entry)]));
  const watches = createWatches({
    use: within,
    told: (server, uri) => notify({ kind: "resource_updated", server, uri }),
  });
  const announced = new Set<string>();
  let version = 1;
  let offered: { readonly version: number; readonly tools: readonly Tool[] } | undefined;
  let begun = false;

  function seated(entry: ServerEntry): Place {
    const state = serverState(entry, parts.workspace, files);
    const unasked: string[] = [];
    const elicit = createElicitations({
      ...parts,
      server: entry.name,
      mayAsk: () => seat.busy,
      unasked: (reason) => {
        if (unasked.length < mostUnasked && !unasked.includes(reason)) unasked.push(reason);
      },
    });
    const busyWith = createBusyWith(parts.clock);
    const wishes: ServerWishes = { elicit, roots: parts.roots, ...sampleFor(entry, busyWith) };
    const seat = new ServerSeat({
      entry,
      state,
      wishes,
      startMs: () => startTime(entry),
      open: (attempt) => parts.open(entry, { ...attempt, busyWith }),
      clock: parts.clock,
      random: parts.random,
      wait: parts.wait,
      changed: (status) => {
        if (status.state !== "connecting") record([changedEvent(status)]);
        watches.changed(status);
        notify({ kind: "server", status });
      },
      offered: () => {
        version += 1;
        for (const definition of seat.definitions) announceChange(entry.name, definition);
      },
      others: (status) => notify({ kind: "server", status }),
      said: (message) => notify({ kind: "server", status: seat.status, message }),
      redact,
    });
    return { entry, state, seat, busyWith, unasked };
  }

  async function startTime({ setting }: ServerEntry): Promise<number> {
    const { launchOf } = await import("../../contract/launcher.ts");
    return launchOf(setting, parts.workspace) === undefined ? startMs : fetchMs;
  }

  /** The server is told of it only where its entry and the session both have it. */
  function sampleFor({ name: server, setting }: ServerEntry, busyWith: BusyServer): Pick<ServerWishes, "sample"> {
    const { sampling: desk } = parts;
    if (desk === undefined || setting.sampling === undefined) return {};
    return { sample: createSampling({ server, limit: setting.sampling.maxTokens, desk, busyWith, record }) };
  }

  /** Once for each definition that somebody would have to agree to anew. */
  function announceChange(server: string, definition: Definition): void {
    const place = places.get(server);
    const key = `${server} ${definition.hash}`;
    if (place === undefined || announced.has(key) || announced.size >= mostChanges) return;
    if (!isChanged(place.state, definition)) return;
    announced.add(key);
    const pinned = place.state.pinned(definition.name);
    const from = typeof pinned === "object" ? pinned.hash : "unreadable";
    void describeChange(pinned, definition).then((diff) =>
      record([
        {
          type: "server.tool_changed",
          data: { server, tool: definition.name, from, to: definition.hash, diff: bounded(redact(diff), longestDiff) },
        },
      ]),
    );
  }

  function wrapAll(): readonly Tool[] {
    const all = [...places.values()].flatMap((place) =>
      place.seat.definitions.map((definition) => ({ place, definition })),
    );
    const names = menuNames(all.map(({ place, definition }) => ({ server: place.entry.name, tool: definition.name })));
    return all.map(({ place, definition }, index) => {
      const { name: server, setting } = place.entry;
      return wrapTool(definition, {
        server,
        name: names[index] ?? "",
        alwaysLoad: setting.alwaysLoad === true,
        timeoutMs: setting.timeout ?? callMs,
        // The server's own time does not run while it is started and while a person is asked.
        besideMs: ("command" in setting ? fetchMs : startMs) + (mayAsk(setting) ? parts.approvalMs : 0),
        isChanged: () => isChanged(place.state, definition),
        accepting: acceptingOf(place.entry, definition.name),
        hint: (said) => failureHint(place.entry, said),
        confinement: () => parts.confinement(place.entry),
        change: async () => {
          announceChange(server, definition);
          return isChanged(place.state, definition)
            ? redact(await describeChange(place.state.pinned(definition.name), definition))
            : undefined;
        },
      });
    });
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
    work: (connection: Connection, place: Place) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value>> {
    const place = placeOf(server);
    if (!place.ok) return place;
    return place.value.seat.use(signal, (connection) => work(connection, place.value));
  }

  /** The definition is looked at when the server is there: what an earlier session knew may be out of date. */
  function agreed({ entry, seat, state }: Place, { tool, definition }: ServerCall): Outcome<void> {
    const current = seat.definitions.find((one) => one.name === tool);
    if (current === undefined || (definition !== undefined && current.hash !== definition)) {
      const now = current === undefined ? "does not offer it any more" : "describes it in other words by now";
      const accepting = current !== undefined && isChanged(state, current) ? acceptingOf(entry, tool) : undefined;
      const beforehand = accepting === undefined ? "" : ` \`${accepting}\` agrees to the new words beforehand.`;
      return fail("runtime_precondition_failed", `The server ${seat.name} ${now}. Nothing was sent.`, {
        recovery: `Look at the menu again; if the tool is there, propose the call again so that it is asked anew.${beforehand}`,
        happened: "nothing",
      });
    }
    const pinned = state.pin(current);
    return pinned.ok ? pinned : fail("log_unavailable", pinned.failure.message, { happened: "nothing" });
  }

  return {
    get version() {
      return version;
    },
    tools() {
      if (offered?.version !== version) offered = { version, tools: wrapAll() };
      return offered.tools;
    },
    status: () => [...places.values()].map(({ seat }) => seat.status),
    writes(server) {
      const place = places.get(server);
      return place === undefined ? [] : parts.writes(place.entry);
    },
    async confinement(server) {
      const place = places.get(server);
      return place === undefined ? undefined : (await parts.confinement(place.entry))();
    },
    begin() {
      if (begun) return;
      begun = true;
      for (const { seat } of places.values()) if (!seat.known) seat.begin();
    },
    async prepare(toolName) {
      const meant = [...places.values()].filter(({ entry }) => mayBelongTo(toolName, entry.name));
      for (const { seat } of meant) if (!seat.ready) seat.begin();
      await Promise.all(meant.map(({ seat }) => seat.settled()));
    },
    async settled() {
      await Promise.all([...places.values()].map(({ seat }) => seat.settled()));
    },
    call: (request) =>
      within(request.server, request.signal, async (connection, place) => {
        const may = agreed(place, request);
        if (!may.ok) return may;
        return withNotes(place, () => place.busyWith.during(request, () => connection.call(request)));
      }),
    listResources: (server, signal) =>
      within(server, signal, async (connection) => {
        if (!connection.offers.resources) return ok([]);
        const listed = await connection.listResources(signal);
        return listed.ok ? ok(listed.value.map((resource) => ({ ...resource, server }))) : listed;
      }),
    readResource: (server, uri, signal) =>
      within(server, signal, (connection, place) =>
        withNotes(place, async () => given(await connection.readResource(uri, signal))),
      ),
    watchResource: (server, uri, signal) => watches.begin(server, uri, signal),
    endWatch: (server, uri) => watches.end(server, uri),
    listPrompts: (server, signal) => within(server, signal, (connection) => connection.listPrompts(signal)),
    getPrompt: (server, wanted, signal) =>
      within(server, signal, (connection, place) =>
        withNotes(place, async () => given(await connection.getPrompt(wanted, signal))),
      ),
    complete: (server, sought, signal) => within(server, signal, (connection) => connection.complete(sought, signal)),
    async close() {
      await Promise.allSettled([...places.values()].map(({ seat }) => seat.close()));
    },
  };
}

function given<Piece>(pieces: Outcome<readonly Piece[]>): Outcome<Given<Piece>> {
  return pieces.ok ? ok({ pieces: pieces.value }) : pieces;
}

/** Whoever made the request learns which questions of the server were put to nobody. */
async function withNotes<Answer extends { readonly notes?: readonly string[] }>(
  { unasked }: Place,
  request: () => Promise<Outcome<Answer>>,
): Promise<Outcome<Answer>> {
  unasked.length = 0;
  const answer = await request();
  const notes = unasked.splice(0);
  if (notes.length === 0) return answer;
  if (answer.ok) return ok({ ...answer.value, notes });
  const { failure } = answer;
  return { ok: false, failure: { ...failure, message: [failure.message, ...notes].join(" ") } };
}

/** The command by which somebody agrees to a tool's new words; absent where the entry stands in no file. */
function acceptingOf({ name, origin, named }: ServerEntry, tool: string): string | undefined {
  if (!origin.startsWith("/")) return undefined;
  return `gauntlet mcp accept ${name} ${shellName(tool)}${named === undefined ? "" : ` --config ${shellName(origin)}`}`;
}

function shellName(text: string): string {
  return /^[\w./@:-]+$/.test(text) ? text : quoted(text);
}

function changedEvent({ name, state, transport, protocol, tools, detail }: ServerStatus): EventDraft {
  return {
    type: "server.changed",
    data: {
      server: name,
      state,
      transport,
      tools,
      ...(protocol === undefined ? {} : { protocol }),
      ...(detail === undefined ? {} : { detail }),
    },
  };
}

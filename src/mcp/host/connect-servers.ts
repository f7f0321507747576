import { setImmediate as turn } from "node:timers/promises";
import { createOneAtATime } from "../../base/async.ts";
import type { DoorNotice } from "../../contract/app/door.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { Clock, Ids } from "../../contract/ids.ts";
import { launchOf } from "../../contract/server/launcher.ts";
import {
  type BusyServer,
  type CallUnderWay,
  type Elicitor,
  fetchMs,
  type SamplingAccess,
  type ServerAnswer,
  type ServerCall,
  type ServerEntry,
  type ServerStatus,
  startMs,
} from "../../contract/server/server.ts";
import type { Connection, ConnectionParts, ServerRequestHandlers } from "../client/connection.ts";
import { bounded } from "../tools/bounded-text.ts";
import { describeChange } from "../tools/describe-change.ts";
import { createElicitations } from "./elicitations.ts";
import { acceptingCommand } from "./failure-hint.ts";
import { createSampling } from "./sampling.ts";
import { ServerConnection } from "./server-connection.ts";
import { type Definition, isChanged, type ServerState, type StateFiles } from "./server-state.ts";
import { createWatches, type Watches, type WatchParts } from "./watches.ts";

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
  readonly sampling: SamplingAccess | undefined;
  readonly roots: () => readonly string[];
  readonly clock: Clock;
  readonly ids: Ids;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** One server of the session, whether it is needed yet or not. */
export interface Place {
  readonly entry: ServerEntry;
  readonly state: ServerState;
  /** What an earlier session was offered by it. */
  readonly known: readonly Definition[] | undefined;
  /** There as soon as somebody needed the server. */
  seated?: Seated;
  seating?: Promise<Seated>;
}

/** A server that somebody needed. */
export interface Seated {
  readonly seat: ServerConnection;
  /** The definition is looked at when the server is there: what an earlier session knew may be out of date. */
  call(connection: Connection, request: ServerCall): Promise<Outcome<ServerAnswer>>;
  /** Whoever makes the request learns which questions of the server were put to nobody. */
  withNotes<Answer extends { readonly notes?: readonly string[] }>(
    request: () => Promise<Outcome<Answer>>,
  ): Promise<Outcome<Answer>>;
}

export interface Seating {
  seat(place: Place): Seated;
  readonly watches: Watches;
  /** What a definition changes in what was agreed to, which is put on record; `undefined` when that is nothing. */
  change(place: Place, definition: Definition): Promise<string | undefined>;
}

interface SeatingParts extends ServerHostParts, Pick<WatchParts, "use"> {
  /** Other tools are offered. */
  readonly offered: () => void;
}

/** A server that never stops changing its words must not fill the log with them. */
const mostChanges = 200;
const longestDiff = 16 * 1024;
const mostUnasked = 4;

/** What it takes to work with servers: loaded for the first of them that somebody needs. */
export function createSeating(parts: SeatingParts): Seating {
  const { notify, record, redact } = parts;
  const watches = createWatches({
    use: parts.use,
    told: (server, uri) => notify({ kind: "resource_updated", server, uri }),
  });
  const announced = new Set<string>();
  const oneAtATime = createOneAtATime();

  /** Once for each definition that somebody would have to agree to anew. */
  function announceChange({ entry: { name: server }, state }: Place, definition: Definition): void {
    const key = `${server} ${definition.hash}`;
    if (announced.has(key) || announced.size >= mostChanges || !isChanged(state, definition)) return;
    announced.add(key);
    const pinned = state.pinned(definition.name);
    const from = typeof pinned === "object" ? pinned.hash : "unreadable";
    void oneAtATime(async () => {
      // Everybody else has a turn between two of them: a server may have changed all that it offers.
      await turn();
      const diff = await describeChange(pinned, definition).catch((error: unknown) => `It cannot be shown: ${error}`);
      const data = { server, tool: definition.name, from, to: definition.hash };
      record([{ type: "server.tool_changed", data: { ...data, diff: bounded(redact(diff), longestDiff) } }]);
    });
  }

  /** The server is told of it only where its entry and the session both have it. */
  function sampleFor(
    { name: server, setting }: ServerEntry,
    busyWith: BusyServer,
  ): Pick<ServerRequestHandlers, "sample"> {
    const { sampling: desk } = parts;
    if (desk === undefined || setting.sampling === undefined) return {};
    return { sample: createSampling({ server, limit: setting.sampling.maxTokens, desk, busyWith, record }) };
  }

  return {
    watches,
    seat(place) {
      const { entry, state, known } = place;
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
      const seat = new ServerConnection({
        entry,
        state,
        known,
        wishes: { elicit, roots: parts.roots, ...sampleFor(entry, busyWith) },
        startMs: launchOf(entry.setting, parts.workspace) === undefined ? startMs : fetchMs,
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
          parts.offered();
          for (const definition of seat.definitions) announceChange(place, definition);
        },
        others: (status) => notify({ kind: "server", status }),
        said: (message) => notify({ kind: "server", status: seat.status, message }),
        redact,
      });
      return {
        seat,
        withNotes: (request) => withNotes(unasked, request),
        async call(connection, request) {
          const may = agreed(place, seat.definitions, request);
          if (!may.ok) return may;
          return withNotes(unasked, () => busyWith.during(request, () => connection.call(request)));
        },
      };
    },
    async change(place, definition) {
      announceChange(place, definition);
      if (!isChanged(place.state, definition)) return undefined;
      return redact(await describeChange(place.state.pinned(definition.name), definition));
    },
  };
}

async function withNotes<Answer extends { readonly notes?: readonly string[] }>(
  unasked: string[],
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

function agreed(
  { entry, state }: Place,
  definitions: readonly Definition[],
  { tool, definition }: ServerCall,
): Outcome<void> {
  const current = definitions.find((one) => one.name === tool);
  if (current === undefined || (definition !== undefined && current.hash !== definition)) {
    const now = current === undefined ? "does not offer it any more" : "describes it in other words by now";
    const accepting = current !== undefined && isChanged(state, current) ? acceptingCommand(entry, tool) : undefined;
    const beforehand = accepting === undefined ? "" : ` \`${accepting}\` agrees to the new words beforehand.`;
    return fail("runtime_precondition_failed", `The server ${entry.name} ${now}. Nothing was sent.`, {
      recovery: `Look at the menu again; if the tool is there, propose the call again so that it is asked anew.${beforehand}`,
      happened: "nothing",
    });
  }
  const pinned = state.pin(current);
  return pinned.ok ? pinned : fail("log_unavailable", pinned.failure.message, { happened: "nothing" });
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

/** The calls that one server is busy with. */
export interface BusyWith extends BusyServer {
  during<Value>(
    call: { readonly underWay?: CallUnderWay; readonly signal: AbortSignal },
    work: () => Promise<Value>,
  ): Promise<Value>;
}

interface Call extends CallUnderWay {
  readonly signal: AbortSignal;
  readonly since: number;
  until: number;
  /** Made for the first who wants to know of its end: hardly any call has one. */
  ended?: AbortController;
}

/** So many calls are remembered, for connections that outlive them. */
const mostCalls = 32;

export function createBusyWith(clock: Clock): BusyWith {
  const calls: Call[] = [];
  return {
    now() {
      const call = calls.findLast(({ signal, until }) => !signal.aborted && until === Number.POSITIVE_INFINITY);
      if (call === undefined) return undefined;
      const { signal, invocationId, intentId, tool } = call;
      call.ended ??= new AbortController();
      return { invocationId, intentId, tool, over: AbortSignal.any([signal, call.ended.signal]) };
    },
    at: (time) => calls.findLast(({ since, until }) => since <= time && time <= until),
    async during({ underWay, signal }, work) {
      if (underWay === undefined) return work();
      const call: Call = { ...underWay, signal, since: clock.now(), until: Number.POSITIVE_INFINITY };
      calls.push(call);
      if (calls.length > mostCalls) calls.shift();
      try {
        return await work();
      } finally {
        call.until = clock.now();
        call.ended?.abort("cancelled");
      }
    },
  };
}

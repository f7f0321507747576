import { setImmediate as turn } from "node:timers/promises";
import { createOneAtATime } from "../../base/async.ts";
import type { DoorNotice } from "../../contract/app/door.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { Clock, Ids } from "../../contract/ids.ts";
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
import { launchOf } from "../../settings/package-launch.ts";
import type { ConnectionParts, McpConnection } from "../client/connection.ts";
import { bounded } from "../tools/bounded-text.ts";
import { describeChange } from "../tools/describe-change.ts";
import { createElicitations } from "./elicitations.ts";
import { approvalCommand } from "./failure-hint.ts";
import { createSampling } from "./sampling.ts";
import { ServerConnection } from "./server-connection.ts";
import { type Definition, isChanged, type ServerState, type StateFiles, serverState } from "./server-state.ts";

export interface HostedServerParts {
  readonly entries: readonly ServerEntry[];
  readonly workspace: string;
  readonly open: (
    entry: ServerEntry,
    attempt: Pick<ConnectionParts, "handlers" | "notify" | "startMs" | "signal"> & { readonly calls: BusyServer },
  ) => Promise<Outcome<McpConnection>>;
  readonly files: StateFiles;
  readonly record: (drafts: readonly EventDraft[]) => boolean;
  readonly notify: (notice: DoorNotice) => void;
  /** Applied to every server text before it is shown. */
  readonly redact: (text: string) => string;
  readonly elicit: Elicitor | undefined;
  readonly sampling: SamplingAccess | undefined;
  readonly roots: () => readonly string[];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export type HostedServer = ReturnType<typeof createHostedServer>;

/** A server that keeps changing its definitions must not fill the log. */
const mostChanges = 200;
const longestDiff = 16 * 1024;
const mostUnasked = 4;

export function createHostedServer(
  entry: ServerEntry,
  parts: HostedServerParts,
  events: { readonly offered: () => void; readonly changed: (status: ServerStatus) => void },
) {
  const { notify, record, redact, sampling } = parts;
  const { name: server, setting } = entry;
  const state = serverState(entry, parts.workspace, parts.files);
  const recorded = new Set<string>();
  const oneAtATime = createOneAtATime();
  const unasked: string[] = [];
  const calls = createCallLog(parts.clock);

  function recordChange(definition: Definition): void {
    if (recorded.has(definition.hash) || recorded.size >= mostChanges || !isChanged(state, definition)) return;
    recorded.add(definition.hash);
    const pinned = state.pinned(definition.name);
    const from = typeof pinned === "object" ? pinned.hash : "unreadable";
    void oneAtATime(async () => {
      // A server may have changed hundreds of tools: let other work run in between.
      await turn();
      const diff = await describeChange(pinned, definition).catch(
        (error: unknown) => `The change cannot be shown: ${error}`,
      );
      const data = { server, tool: definition.name, from, to: definition.hash };
      record([{ type: "server.tool_changed", data: { ...data, diff: bounded(redact(diff), longestDiff) } }]);
    });
  }

  const elicit = createElicitations({
    ...parts,
    server,
    mayAsk: () => connection.busy,
    unasked: (reason) => {
      if (unasked.length < mostUnasked && !unasked.includes(reason)) unasked.push(reason);
    },
  });
  const sample =
    sampling && setting.sampling
      ? createSampling({ server, limit: setting.sampling.maxTokens, access: sampling, calls, record })
      : undefined;
  const connection: ServerConnection = new ServerConnection({
    ...parts,
    entry,
    state,
    handlers: { elicit, roots: parts.roots, sample },
    startMs: launchOf(setting, parts.workspace) === undefined ? startMs : fetchMs,
    open: (attempt) => parts.open(entry, { ...attempt, calls }),
    changed: (status) => {
      if (status.state !== "connecting") record([changedEvent(status)]);
      events.changed(status);
      notify({ kind: "server", status });
    },
    offered: () => {
      events.offered();
      for (const definition of connection.definitions) recordChange(definition);
    },
    notice: (message) => notify({ kind: "server", status: connection.status, message }),
  });

  /** Adds why the user was not asked a question. */
  async function withNotes<Answer extends { readonly notes?: readonly string[] }>(
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

  return {
    entry,
    state,
    connection,
    withNotes,
    async call(open: McpConnection, request: ServerCall): Promise<Outcome<ServerAnswer>> {
      const current = connection.definitions.find(({ name }) => name === request.tool);
      if (current === undefined || (request.definition !== undefined && current.hash !== request.definition)) {
        return outdated(entry, request.tool, { current, state });
      }
      const pinned = state.pin(current);
      if (!pinned.ok) return fail("log_unavailable", pinned.failure.message, { happened: "nothing" });
      return withNotes(() => calls.during(request, () => open.call(request)));
    },
    /** The change since the approval, which is recorded; `undefined` if there is none. */
    async change(definition: Definition): Promise<string | undefined> {
      recordChange(definition);
      if (!isChanged(state, definition)) return undefined;
      return redact(await describeChange(state.pinned(definition.name), definition));
    },
  };
}

function outdated(
  entry: ServerEntry,
  tool: string,
  { current, state }: { readonly current: Definition | undefined; readonly state: ServerState },
): Outcome<never> {
  const now = current === undefined ? "no longer offers this tool" : "changed the definition of this tool";
  const command = current !== undefined && isChanged(state, current) ? approvalCommand(entry, tool) : undefined;
  const beforehand = command === undefined ? "" : ` To approve the new definition beforehand: ${command}`;
  return fail("runtime_precondition_failed", `The server ${entry.name} ${now}. Nothing was sent.`, {
    recovery: `Check the tool list. If the tool is still there, call it again to request approval.${beforehand}`,
    happened: "nothing",
  });
}

function changedEvent({ name, state, transport, protocol, tools, detail }: ServerStatus): EventDraft {
  return { type: "server.changed", data: { server: name, state, transport, tools, protocol, detail } };
}

type DuringCall = Pick<ServerCall, "underWay" | "signal">;

interface LoggedCall extends CallUnderWay {
  readonly signal: AbortSignal;
  readonly since: number;
  readonly ended: AbortController;
  until: number;
}

/** Ended calls are kept for network connections that outlive them. */
const mostCalls = 32;

export function createCallLog(clock: Clock) {
  const calls: LoggedCall[] = [];
  return {
    now(): ReturnType<BusyServer["now"]> {
      const call = calls.findLast(({ signal, until }) => !signal.aborted && until === Number.POSITIVE_INFINITY);
      if (call === undefined) return undefined;
      const { signal, invocationId, intentId, tool } = call;
      return { invocationId, intentId, tool, over: AbortSignal.any([signal, call.ended.signal]) };
    },
    at: (time: number): CallUnderWay | undefined =>
      calls.findLast(({ since, until }) => since <= time && time <= until),
    async during<Value>({ underWay, signal }: DuringCall, work: () => Promise<Value>): Promise<Value> {
      if (underWay === undefined) return work();
      const ended = new AbortController();
      const call = { ...underWay, signal, ended, since: clock.now(), until: Number.POSITIVE_INFINITY };
      calls.push(call);
      if (calls.length > mostCalls) calls.shift();
      try {
        return await work();
      } finally {
        call.until = clock.now();
        ended.abort("cancelled");
      }
    },
  };
}

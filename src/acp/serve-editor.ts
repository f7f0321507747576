import type { AgentContext, ClientCapabilities, McpServer, SessionInfo } from "@agentclientprotocol/sdk";
import type { AgentNotice } from "../contract/agent.ts";
import type { App } from "../contract/app.ts";
import { type Failure, fail, type Outcome, ok } from "../contract/codes.ts";
import type { Editing } from "../contract/editing.ts";
import { type AskingSession, editorAsker } from "./ask-editor.ts";
import { createEditorSession, createOutbox, type EditorSession } from "./editor-session.ts";
import { editorElicitor } from "./elicit-editor.ts";
import { listSessions } from "./list-sessions.ts";
import { call, noticeUpdates, own } from "./notice-updates.ts";
import { pastUpdate } from "./past-updates.ts";
import { refusedEntries, serverEntries, withSandboxes } from "./server-entries.ts";
import { modesAt } from "./session-modes.ts";
import { withoutModel } from "./without-model.ts";

interface SessionRequest {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
  readonly additionalDirectories?: readonly string[];
  readonly sessionId?: string;
}

/** Serves one editor until it goes away. Every call of its sessions goes through a door of ours. */
export async function serveEditor(editing: Editing): Promise<void> {
  const { agent, ndJsonStream, PROTOCOL_VERSION, RequestError } = await import("@agentclientprotocol/sdk");
  const sessions = new Map<string, EditorSession>();
  let capabilities: ClientCapabilities | undefined;

  const thrown = ({ message, recovery }: Failure) =>
    new RequestError(-32603, recovery === undefined ? message : `${message} ${recovery}`);
  const unwrap = <Value>(outcome: Outcome<Value>): Value => {
    if (outcome.ok) return outcome.value;
    throw thrown(outcome.failure);
  };
  const find = (id: string): EditorSession => {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.invalidParams({ sessionId: id }, "there is no such session here");
    return session;
  };

  async function open(request: SessionRequest, client: AgentContext, tellPast: boolean) {
    if (request.sessionId !== undefined && sessions.has(request.sessionId)) {
      await sessions.get(request.sessionId)?.close();
      sessions.delete(request.sessionId);
    }
    const { session, refused } = unwrap(await openSession(request, client, { editing, capabilities, tellPast }));
    sessions.set(session.id, session);
    // An editor knows the session only once it has the answer to its request.
    setTimeout(() => {
      void session.tellCommands();
      for (const sentence of refused) session.update(own(sentence));
    }, 0);
    return { sessionId: session.id, modes: modesAt(session.agent.door.state.mode) };
  }

  const served = agent({ name: "gauntlet" })
    .onRequest("initialize", ({ params }) => {
      capabilities = params.clientCapabilities;
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "gauntlet", title: "Gauntlet", version: editing.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: false, audio: false, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
        },
        authMethods: [],
      };
    })
    .onRequest("session/new", ({ params, client }) => open(params, client, false))
    .onRequest("session/load", async ({ params, client }) => {
      const { modes } = await open(params, client, true);
      return { modes };
    })
    .onRequest("session/resume", async ({ params, client }) => {
      const { modes } = await open(params, client, false);
      return { modes };
    })
    .onRequest("session/list", async ({ params }): Promise<{ sessions: SessionInfo[]; nextCursor?: string }> => {
      const app = unwrap(await editing.openApp(params.cwd ?? editing.directory));
      try {
        return unwrap(listSessions(app, params));
      } finally {
        await app.close();
      }
    })
    .onRequest("session/set_mode", ({ params }) => {
      unwrap(find(params.sessionId).setMode(params.modeId));
      return {};
    })
    .onRequest("session/prompt", async ({ params, signal }) => {
      const session = find(params.sessionId);
      const cancel = () => void session.cancel();
      signal.addEventListener("abort", cancel, { once: true });
      try {
        return unwrap(await session.prompt(params.prompt));
      } finally {
        signal.removeEventListener("abort", cancel);
      }
    })
    .onRequest("session/close", async ({ params }) => {
      await find(params.sessionId).close();
      sessions.delete(params.sessionId);
      return {};
    })
    .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId)?.cancel());

  const connection = served.connect(ndJsonStream(writable(editing), readable(editing)));
  const stop = () => connection.close();
  editing.stop.addEventListener("abort", stop, { once: true });
  try {
    await connection.closed;
  } finally {
    editing.stop.removeEventListener("abort", stop);
    await Promise.all([...sessions.values()].map((session) => session.close()));
  }
}

interface Opening {
  readonly editing: Editing;
  readonly capabilities: ClientCapabilities | undefined;
  readonly tellPast: boolean;
}

interface Opened {
  readonly session: EditorSession;
  /** A sentence for each server of the editor that the session does not take. */
  readonly refused: readonly string[];
}

async function openSession(
  request: SessionRequest,
  client: AgentContext,
  { editing, capabilities, tellPast }: Opening,
): Promise<Outcome<Opened>> {
  const servers = serverEntries(request.mcpServers ?? []);
  if (!servers.ok) return servers;
  const app = await editing.openApp(request.cwd);
  if (!app.ok) return app;
  const { workspace } = app.value;
  // The session has its name only once it is open, and nothing is told before.
  const about = {
    id: request.sessionId ?? "",
    workspace,
    contextTokens: 0,
    terminals: capabilities?._meta?.terminal_output === true,
    calls: new Set<string>(),
  };
  const outbox = createOutbox(client, () => about.id);
  const announce: AskingSession["announce"] = (asked) => {
    outbox.send(call(about, asked));
    return outbox.flush();
  };
  const elicit = editorElicitor(client, capabilities, () => about.id);
  // Settings that cannot be read are no reason to give something: opening the session says what is wrong with them.
  const settings = servers.value.length === 0 ? fail("bad_request", "nothing to look up") : app.value.settings({});
  const entries = withSandboxes(servers.value, settings.ok ? settings.value.servers : []);
  const opened = await app.value.openAgent({
    ...(request.sessionId === undefined ? {} : { session: request.sessionId }),
    ...(editing.mode === undefined ? {} : { mode: editing.mode }),
    allow: editing.allow,
    deny: editing.deny,
    addDirectories: request.additionalDirectories ?? [],
    model: editing.model,
    servers: entries,
    ask: (asked, signal) => editorAsker(client, { ...about, announce })(asked, signal),
    ...(elicit === undefined ? {} : { elicit }),
    onNotice(notice: AgentNotice) {
      for (const update of noticeUpdates(notice, about)) outbox.send(update);
    },
  });
  if (!opened.ok) {
    const isNew = request.sessionId === undefined && editing.model.wanted === undefined;
    const explained = isNew ? await withoutModel(app.value, opened.failure) : opened.failure;
    await app.value.close();
    return { ok: false, failure: explained };
  }
  const agent = opened.value;
  about.id = agent.sessionId;
  about.contextTokens = agent.chain.models[0].profile.contextTokens;
  const session = createEditorSession(app.value, agent, outbox);
  const told = tellPast ? tellHistory(app.value, session) : ok(undefined);
  if (told.ok) {
    await outbox.flush();
    return ok({ session, refused: settings.ok ? refusedEntries(entries, settings.value) : [] });
  }
  await session.close();
  return told;
}

function tellHistory(app: App, session: EditorSession): Outcome<void> {
  const past = app.replay(session.id, { view: "conversation" });
  if (!past.ok) return past;
  for (const entry of past.value) {
    if (!entry.ok) return fail("log_unavailable", entry.failure.message);
    const update = pastUpdate(entry.value);
    if (update !== undefined) session.update(update);
  }
  return ok(undefined);
}

function writable({ write }: Editing): WritableStream<Uint8Array> {
  const decoder = new TextDecoder();
  return new WritableStream({ write: (bytes) => write(decoder.decode(bytes, { stream: true })) });
}

function readable({ input, stop }: Editing): ReadableStream<Uint8Array> {
  const chunks = input[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      if (stop.aborted) return controller.close();
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(new Uint8Array(next.value));
    },
  });
}

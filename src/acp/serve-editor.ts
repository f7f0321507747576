import type { AgentContext, ClientCapabilities, SessionInfo } from "@agentclientprotocol/sdk";
import { createOneAtATimeByName } from "../base/async.ts";
import { visibleText } from "../base/text.ts";
import type { App, Editing } from "../contract/app/app.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { SessionSummary } from "../contract/store.ts";
import { editorBytes, mostBytes } from "./editor-bytes.ts";
import { type EditorSession, modesAt } from "./editor-session.ts";
import { openAppAt, openEditorSession, type SessionRequest } from "./open-editor-session.ts";
import { own } from "./updates.ts";

const errors = { internal: -32603, invalidParams: -32602, notFound: -32002 };

export async function serveEditor(editing: Editing): Promise<Outcome<void>> {
  const { agent, ndJsonStream, PROTOCOL_VERSION, RequestError } = await import("@agentclientprotocol/sdk");
  const sessions = new Map<string, EditorSession>();
  const changing = createOneAtATimeByName();
  const prompts = createPromptsUnderWay();
  let capabilities: ClientCapabilities | undefined;

  const unwrap = <Value>(outcome: Outcome<Value>): Value => {
    if (outcome.ok) return outcome.value;
    const { message, recovery, field } = outcome.failure;
    const code = field === undefined ? errors.internal : field === "sessionId" ? errors.notFound : errors.invalidParams;
    throw new RequestError(code, [message, recovery ?? ""].join(" ").trim(), field && { field });
  };
  const find = async (sessionId: string): Promise<EditorSession> => {
    await changing.over(sessionId);
    const session = sessions.get(sessionId);
    if (session !== undefined) return session;
    throw new RequestError(errors.notFound, "Unknown session.", { sessionId });
  };
  const release = async (id: string) => {
    await sessions.get(id)?.close();
    sessions.delete(id);
  };

  async function open(request: SessionRequest, client: AgentContext, tellPast: boolean) {
    const start = async () => {
      const opened = unwrap(await openEditorSession(request, client, { editing, capabilities, tellPast, release }));
      sessions.set(opened.session.id, opened.session);
      return opened;
    };
    const { sessionId } = request;
    const { session, remarks } = await (sessionId === undefined ? start() : changing.take(sessionId, start));
    // The editor learns the session id from the response to its request.
    setTimeout(() => {
      void session.tellCommands();
      for (const sentence of remarks) session.update(own(sentence));
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
    .onRequest("session/load", async ({ params, client }) => ({ modes: (await open(params, client, true)).modes }))
    .onRequest("session/resume", async ({ params, client }) => ({ modes: (await open(params, client, false)).modes }))
    .onRequest("session/list", async ({ params }): Promise<{ sessions: SessionInfo[]; nextCursor?: string }> => {
      const app = unwrap(await openAppAt(params.cwd ?? editing.directory, editing));
      try {
        return unwrap(listSessions(app, params));
      } finally {
        await app.close();
      }
    })
    .onRequest("session/set_mode", async ({ params }) => {
      unwrap((await find(params.sessionId)).setMode(params.modeId));
      return {};
    })
    .onRequest("session/prompt", ({ params, signal }) =>
      prompts.follow(params.sessionId, signal, async (over) =>
        unwrap(await (await find(params.sessionId)).prompt(params.prompt, over)),
      ),
    )
    .onRequest("session/close", async ({ params }) => {
      const { id } = await find(params.sessionId);
      await changing.take(id, () => release(id));
      return {};
    })
    .onNotification("session/cancel", ({ params }) => prompts.cancel(params.sessionId));

  const { input, output, ending } = editorBytes(editing);
  const connection = served.connect(ndJsonStream(output, input, { maxMessageBytes: mostBytes }));
  editing.stop.addEventListener("abort", () => connection.close(), { once: true });
  try {
    await connection.closed;
  } finally {
    await changing.over();
    await Promise.all([...sessions.values()].map((session) => session.close()));
  }
  return ending();
}

function createPromptsUnderWay() {
  const underWay = new Set<{ readonly sessionId: string; readonly cancelled: AbortController }>();
  return {
    async follow<Value>(sessionId: string, request: AbortSignal, work: (over: AbortSignal) => Promise<Value>) {
      const prompt = { sessionId, cancelled: new AbortController() };
      underWay.add(prompt);
      try {
        return await work(AbortSignal.any([request, prompt.cancelled.signal]));
      } finally {
        underWay.delete(prompt);
      }
    },
    cancel(sessionId: string): void {
      for (const prompt of underWay) if (prompt.sessionId === sessionId) prompt.cancelled.abort("cancelled");
    },
  };
}

const page = 50;
const longestTitle = 100;

function listSessions(
  app: App,
  asked: { readonly cwd?: string | null; readonly cursor?: string | null },
): Outcome<{ sessions: SessionInfo[]; nextCursor?: string }> {
  const archive = app.archive();
  if (!archive.ok) return archive;
  const start = Number(asked.cursor ?? 0);
  if (!Number.isSafeInteger(start) || start < 0) {
    return fail("bad_request", "Invalid cursor.", { field: "cursor" });
  }
  const { cwd } = asked;
  const isWanted = ({ task, imported, workspace }: SessionSummary) =>
    !imported && task !== "" && (!cwd || workspace === app.workspace);
  const all = archive.value.list().filter(isWanted);
  const sessions = all.slice(start, start + page).map(({ id, workspace, task, updatedAt }) => {
    return { sessionId: id, cwd: workspace, updatedAt, title: visibleText(task).slice(0, longestTitle).toWellFormed() };
  });
  const more = start + page < all.length;
  return ok({ sessions, ...(more ? { nextCursor: String(start + page) } : {}) });
}

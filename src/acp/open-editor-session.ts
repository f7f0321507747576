import type { AgentContext, ClientCapabilities, McpServer, ToolCallContent } from "@agentclientprotocol/sdk";
import { visibleText } from "../base/text.ts";
import type { AgentNotice } from "../contract/app/agent.ts";
import type { App, Editing } from "../contract/app/app.ts";
import { type Failure, fail, type Outcome, ok } from "../contract/codes.ts";
import type { ServerEntry } from "../contract/server/server.ts";
import { type AskingSession, editorAsker, editorElicitor } from "./ask-editor.ts";
import { createEditorSession, createOutbox, type EditorSession } from "./editor-session.ts";
import { refusedEntries, serverEntries, withSandboxes } from "./server-entries.ts";
import { call, noticeUpdates, pastContent, pastUpdate } from "./updates.ts";

export interface SessionRequest {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
  readonly additionalDirectories?: readonly string[];
  readonly sessionId?: string;
}

interface Opening {
  readonly editing: Editing;
  readonly capabilities: ClientCapabilities | undefined;
  readonly tellPast: boolean;
  /** Closes the session where it is open here; not called for a request that is refused. */
  release(id: string): Promise<void>;
}

interface OpenedEditor {
  readonly session: EditorSession;
  readonly remarks: readonly string[];
}

export async function openEditorSession(
  request: SessionRequest,
  client: AgentContext,
  opening: Opening,
): Promise<Outcome<OpenedEditor>> {
  const servers = serverEntries(request.mcpServers ?? []);
  if (!servers.ok) return servers;
  const app = await openAppAt(request.cwd, opening.editing);
  if (!app.ok) return app;
  const opened = await openIn(app.value, servers.value, { request, client, ...opening });
  if (!opened.ok) await app.value.close();
  return opened;
}

export async function openAppAt(cwd: string, { openApp }: Editing): Promise<Outcome<App>> {
  const app = await openApp(cwd);
  return app.ok ? app : { ok: false, failure: { ...app.failure, field: "cwd" } };
}

interface RequestedOpening extends Opening {
  readonly request: SessionRequest;
  readonly client: AgentContext;
}

async function openIn(
  app: App,
  servers: readonly ServerEntry[],
  { request, client, editing, capabilities, tellPast, release }: RequestedOpening,
): Promise<Outcome<OpenedEditor>> {
  const { mode, allow, deny } = editing;
  const addDirectories = request.additionalDirectories ?? [];
  const options = { session: request.sessionId, mode, allow, deny, addDirectories };
  const settings = app.settings(options);
  if (!settings.ok) return settings;
  if (request.sessionId !== undefined) {
    const found = findSession(app, request.sessionId);
    if (!found.ok) return found;
    await release(request.sessionId);
  }
  // The id is known only once the session is open; nothing is sent before.
  const about = {
    id: request.sessionId ?? "",
    workspace: app.workspace,
    contextTokens: 0,
    terminals: capabilities?._meta?.terminal_output === true,
    calls: new Set<string>(),
    troubles: new Map<string, string>(),
    notices: settings.value.notices,
  };
  const outbox = createOutbox(client, () => about.id);
  const announce: AskingSession["announce"] = (asked) => {
    outbox.send(call(about, asked));
    return outbox.flush();
  };
  const entries = withSandboxes(servers, settings.value);
  const opened = await app.openAgent({
    ...options,
    model: editing.model,
    servers: entries,
    ask: (asked, signal) => editorAsker(client, { ...about, announce })(asked, signal),
    elicit: editorElicitor(client, capabilities, () => about.id),
    onNotice(notice: AgentNotice) {
      for (const update of noticeUpdates(notice, about)) outbox.send(update);
    },
  });
  if (!opened.ok) {
    const isNew = request.sessionId === undefined && editing.model.wanted === undefined;
    return isNew ? { ok: false, failure: await withoutModel(app, opened.failure) } : opened;
  }
  const agent = opened.value;
  about.id = agent.sessionId;
  about.contextTokens = agent.chain.models[0].profile.contextTokens;
  const session = createEditorSession(app, agent, outbox);
  const told = tellPast ? tellHistory(app, session) : ok(undefined);
  if (!told.ok) {
    await session.close();
    return told;
  }
  await outbox.flush();
  const changed = tellPast ? brokenChain(app, session.id) : [];
  const notices = [...about.notices, ...agent.notices].map(visibleText);
  return ok({ session, remarks: [...changed, ...notices, ...refusedEntries(entries, settings.value)] });
}

function findSession(app: App, id: string): Outcome<void> {
  const archive = app.archive();
  if (!archive.ok) return archive;
  const known = archive.value.list().find((session) => session.id === id);
  if (known === undefined) {
    const recovery = "Call session/list to see all sessions.";
    return fail("bad_request", `Unknown session ${JSON.stringify(id)}.`, { field: "sessionId", recovery });
  }
  if (known.workspace === app.workspace) return ok(undefined);
  const recovery = "Open it with that directory as cwd.";
  return fail("bad_request", `Session ${id} belongs to ${known.workspace}.`, { field: "cwd", recovery });
}

function tellHistory(app: App, session: EditorSession): Outcome<void> {
  const replayed = app.replay(session.id, { view: "conversation" });
  if (!replayed.ok) return replayed;
  const shown = shownContents(app, session.id);
  if (!shown.ok) return shown;
  for (const entry of replayed.value) {
    if (!entry.ok) return fail("log_unavailable", entry.failure.message);
    const update = pastUpdate(entry.value, shown.value);
    if (update !== undefined) session.update(update);
  }
  return ok(undefined);
}

function brokenChain(app: App, id: string): readonly string[] {
  const archive = app.archive();
  const checked = archive.ok ? archive.value.verify(id) : archive;
  if (checked.ok && checked.value.every((report) => report.ok)) return [];
  return [`The log of this session was modified and cannot be trusted. To find the place: gauntlet audit verify ${id}`];
}

function shownContents(app: App, session: string): Outcome<ReadonlyMap<string, readonly ToolCallContent[]>> {
  const archive = app.archive();
  if (!archive.ok) return archive;
  const events = archive.value.events(session, { types: ["tool.observed"] });
  if (!events.ok) return events;
  const observed = [...events.value].flatMap((event) => (event.type === "tool.observed" ? [event.data] : []));
  return ok(new Map(observed.map((data) => [data.intentId, pastContent(data.observation, app.workspace)])));
}

const ownFile = "~/.gauntlet/settings.json";
const none =
  "Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY in the editor's environment, or start a local server such as Ollama.";

export async function withoutModel(app: Pick<App, "findModels" | "settings">, failure: Failure): Promise<Failure> {
  const settings = app.settings({});
  if (!settings.ok) return failure;
  const { model, providers } = settings.value.models;
  const isNamed = Object.values(providers).some(({ models = {} }) => Object.keys(models).length > 0);
  if (model !== undefined || isNamed) return failure;
  const found = await app.findModels();
  const [first] = found;
  const message = "No model is configured.";
  if (first === undefined) return { ...failure, message, recovery: `${none} Then set a model: "model" in ${ownFile}.` };
  const named = found.map(({ name, from }) => `${name} (${from})`).join(", ");
  const choose = `Set "model": "${first.name}" in ${ownFile}, or start the agent with "args": ["acp", "--model", "${first.name}"].`;
  return { ...failure, message, recovery: `Available models: ${named}. ${choose}` };
}

import process from "node:process";
import * as acp from "@agentclientprotocol/sdk";
import { onTestFinished } from "vitest";
import { serveEditor } from "../../src/acp/serve-editor.ts";
import { createApp } from "../../src/compose/app.ts";
import { type ScriptedTurn, writeScript } from "./model-script.ts";
import type { Workspace } from "./workspace.ts";

export interface EditorOptions {
  readonly workspace: Workspace;
  readonly turns: readonly ScriptedTurn[];
  readonly answer?: (request: acp.RequestPermissionRequest) => acp.RequestPermissionResponse;
  /** The editor can show forms and open pages, and this is what its person does. */
  readonly elicit?: (request: acp.CreateElicitationRequest) => acp.CreateElicitationResponse;
}

/** The SDK's own client on our agent, without a process between them. */
export async function connectEditor({ workspace, turns, answer = agree, elicit }: EditorOptions) {
  const toUs = new TransformStream<Uint8Array, Uint8Array>();
  const toEditor = new TransformStream<Uint8Array, Uint8Array>();
  const writer = toEditor.writable.getWriter();
  const encoder = new TextEncoder();
  const stop = new AbortController();
  const served = serveEditor({
    version: "0",
    input: toUs.readable,
    write: (text) => writer.write(encoder.encode(text)),
    openApp: async (cwd) =>
      createApp({
        cwd,
        environment: { PATH: process.env.PATH, HOME: workspace.home },
        home: workspace.home,
        gauntletHome: workspace.state,
      }),
    directory: workspace.root,
    model: { wanted: writeScript(workspace, ...turns) },
    allow: [],
    deny: [],
    stop: stop.signal,
  });
  const told: acp.SessionUpdate[] = [];
  const asked: acp.RequestPermissionRequest[] = [];
  const connection = acp
    .client({ name: "test" })
    .onNotification("session/update", ({ params }) => void told.push(params.update))
    .onRequest("session/request_permission", ({ params }) => {
      asked.push(params);
      return answer(params);
    })
    .onRequest("elicitation/create", ({ params }) => elicit?.(params) ?? { action: "cancel" })
    .connect(acp.ndJsonStream(toUs.writable, toEditor.readable));
  onTestFinished(async () => {
    connection.close();
    stop.abort();
    await served;
  });
  const { agent } = connection;
  const clientCapabilities = elicit === undefined ? {} : { elicitation: { form: {}, url: {} } };
  await agent.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities });
  return { agent, told, asked };
}

function agree(): acp.RequestPermissionResponse {
  return { outcome: { outcome: "selected", optionId: "once" } };
}

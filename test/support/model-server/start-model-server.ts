import http from "node:http";
import type { AddressInfo } from "node:net";
import { encodeAnthropic } from "./encode-anthropic.ts";
import { encodeGoogle } from "./encode-google.ts";
import { encodeOpenaiChat } from "./encode-openai-chat.ts";
import { encodeOpenaiResponses } from "./encode-openai-responses.ts";
import type { AnsweredTurn, ServerTurn, SpokenTurn, WireFormat } from "./server-turn.ts";

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ModelServer {
  /** What a client takes for the provider's base URL. */
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

const encoders = {
  "openai-chat": encodeOpenaiChat,
  "openai-responses": encodeOpenaiResponses,
  anthropic: encodeAnthropic,
  google: encodeGoogle,
};

/** A model on loopback that plays its turns, one a request, in the wire format of a vendor. */
export async function startModelServer(options: {
  readonly format: WireFormat;
  /** Asked beyond its end, the server answers 400. */
  readonly script: readonly ServerTurn[] | ((request: ReceivedRequest, turnNumber: number) => ServerTurn);
}): Promise<ModelServer> {
  const { format, script } = options;
  const requests: ReceivedRequest[] = [];
  const over: AnsweredTurn = { status: 400, body: { error: { type: "script_over", message: "The script is over." } } };
  const server = http.createServer(async (request, response) => {
    const received = await receive(request);
    const turnNumber = requests.push(received) - 1;
    const turn = typeof script === "function" ? script(received, turnNumber) : (script[turnNumber] ?? over);
    if ("status" in turn) answer(turn, response);
    else await speak(turn, encoders[format](turn, { turnNumber, model: modelOf(received) }), response);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${format === "google" ? "/v1beta" : "/v1"}`,
    requests,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function receive(request: http.IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { path: request.url ?? "", headers: request.headers, text, body: text === "" ? {} : JSON.parse(text) };
}

function modelOf({ path, body }: ReceivedRequest): string {
  return typeof body.model === "string" ? body.model : (/models\/([^:]+):/.exec(path)?.[1] ?? "unknown");
}

function answer({ status, headers, body }: AnsweredTurn, response: http.ServerResponse): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_1", ...headers }).end(text);
}

async function speak(turn: SpokenTurn, encoded: readonly string[], response: http.ServerResponse): Promise<void> {
  const [first = "", ...rest] = encoded;
  const events = [first, ...(turn.alien ?? []), ...rest];
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_1" });
  for (const [index, event] of events.entries()) {
    if (index === turn.cut?.after) {
      if (turn.cut.how === "end") response.end();
      else response.destroy();
      return;
    }
    await turn.before?.(index);
    if (response.destroyed) return;
    if (!response.write(event)) await drained(response);
  }
  response.end();
}

/** Also when the client is gone, and takes no more. */
function drained(response: http.ServerResponse): Promise<void> {
  return new Promise((done) => {
    const go = () => {
      response.off("drain", go).off("close", go);
      done();
    };
    response.on("drain", go).on("close", go);
  });
}

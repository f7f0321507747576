import http from "node:http";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import { encodeOpenaiChat } from "../../test/support/model-server/encode-openai-chat.ts";
import { encodeOpenaiResponses } from "../../test/support/model-server/encode-openai-responses.ts";
import type { SaidPart } from "../../test/support/model-server/server-turn.ts";

export type TimedFormat = "openai-chat" | "openai-responses";

export interface Exchange {
  /** When the request's head was there. */
  readonly arrivedAt: number;
  /** Just before the answer left, in one piece. */
  readonly answeredAt: number;
  readonly bytes: number;
}

export interface TimedModel {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  readonly firstBody: string;
  close(): Promise<void>;
}

const encoders = { "openai-chat": encodeOpenaiChat, "openai-responses": encodeOpenaiResponses };

/**
 * A model on loopback that answers at once and in one piece. What lies between an answer and the next request is
 * the agent's own time.
 */
export async function startTimedModel(options: {
  readonly format: TimedFormat;
  readonly say: (turn: number, body: string) => readonly SaidPart[];
  readonly arrived: (turn: number) => void;
}): Promise<TimedModel> {
  const exchanges: Exchange[] = [];
  let firstBody = "";
  const server = http.createServer(async (request, response) => {
    const arrivedAt = performance.now();
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== "POST") return void response.writeHead(404).end();
    const body = Buffer.concat(chunks).toString();
    const turnNumber = exchanges.length;
    if (turnNumber === 0) firstBody = body;
    options.arrived(turnNumber);
    const usage = { input: Math.ceil(body.length / 4), output: 20 };
    const turn = { say: options.say(turnNumber, body), usage, piece: 1_000 };
    const text = encoders[options.format](turn, { turnNumber, model: "mock-1" }).join("");
    response.writeHead(200, { "content-type": "text/event-stream" });
    exchanges.push({ arrivedAt, answeredAt: performance.now(), bytes: Buffer.byteLength(body) });
    response.end(text);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    exchanges,
    get firstBody() {
      return firstBody;
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

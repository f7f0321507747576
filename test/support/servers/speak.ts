import { createInterface } from "node:readline";

/** As much of the protocol as a server for tests needs: one line is one message, and nothing is checked. */
export interface Served {
  /** Asked anew for every listing. */
  tools(): readonly object[];
  /** `undefined` leaves the call without an answer. */
  call(name: string, input: Record<string, unknown>, id: unknown): Promise<object | undefined> | object | undefined;
  /** Left out: it answers like any other server. */
  greet?(): boolean;
  /** What it has beside tools, and how it answers questions about that; nothing leaves one without an answer. */
  readonly more?: {
    readonly capabilities: object;
    answer(method: string, params: Record<string, unknown>): Promise<object | undefined> | object | undefined;
  };
}

export function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

const asked = new Map<unknown, (result: unknown) => void>();

/** A question of the server's own; its answer, or nothing where there is none. */
export function ask(method: string, params: object): Promise<unknown> {
  const id = `own-${asked.size}`;
  send({ id, method, params });
  return new Promise((resolve) => asked.set(id, resolve));
}

export function text(words: string, more: object = {}): object {
  return { content: [{ type: "text", text: words }], ...more };
}

export const anything = { type: "object", properties: {} };

export function serve(served: Served): void {
  createInterface({ input: process.stdin }).on("line", async (line) => {
    const { id, method, params, result: answered } = JSON.parse(line);
    if (method === undefined) return asked.get(id)?.(answered);
    const answer = (result: object) => send({ id, result });
    switch (method) {
      case "initialize":
        if (served.greet?.() === false) return;
        return answer({
          protocolVersion: "2025-06-18",
          capabilities: { tools: { listChanged: true }, logging: {}, ...served.more?.capabilities },
          serverInfo: { name: "odd", version: "1" },
        });
      case "tools/list":
        return answer({ tools: served.tools() });
      case "tools/call": {
        const result = await served.call(params.name, params.arguments ?? {}, id);
        return result === undefined ? undefined : answer(result);
      }
      default:
        if (id !== undefined && served.more !== undefined) {
          const result = await served.more.answer(method, params);
          return result === undefined ? undefined : answer(result);
        }
        if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
    }
  });
}

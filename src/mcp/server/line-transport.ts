import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { isRecord } from "../../base/json.ts";
import { createLineReader } from "../../base/line-reader.ts";
import type { ServerPackage } from "./make-server.ts";

export interface LineChannel {
  listen(take: (chunk: Uint8Array) => void, over: AbortSignal): Promise<void>;
  write(text: string): Promise<void>;
}

const longestLine = 8 * 1024 * 1024;
const lineEnd = new TextEncoder().encode("\n");
const lastAnswersMs = 2_000;

export function lineTransport(sdk: ServerPackage, channel: LineChannel): Transport {
  const asked = new Set<string | number>();
  let nothingAsked: (() => void) | undefined;
  const over = new AbortController();
  const transport: Transport = {
    async start() {
      read().then(close, close);
    },
    async send(message) {
      if (over.signal.aborted) return;
      await channel.write(`${JSON.stringify(message)}\n`).catch(close);
      if ("id" in message && !("method" in message) && message.id !== undefined) settled(message.id);
    },
    async close() {
      close();
    },
  };
  return transport;

  function close(): void {
    if (over.signal.aborted) return;
    over.abort("closed");
    nothingAsked?.();
    transport.onclose?.();
  }

  async function read(): Promise<void> {
    const tooLong = () => refuse(sdk.PARSE_ERROR, "The line is too long.");
    const lines = createLineReader({ line: take, tooLong }, longestLine);
    await channel.listen(lines, over.signal);
    lines(lineEnd);
    if (over.signal.aborted || asked.size === 0) return;
    await new Promise<void>((resolve) => {
      const patience = setTimeout(resolve, lastAnswersMs);
      nothingAsked = () => {
        clearTimeout(patience);
        resolve();
      };
    });
  }

  function take(line: string): void {
    if (over.signal.aborted || line === "") return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return void refuse(sdk.PARSE_ERROR, "Not JSON.");
    }
    let message: JSONRPCMessage;
    try {
      message = sdk.parseJSONRPCMessage(value);
    } catch {
      const id = isRecord(value) && isId(value.id) ? value.id : null;
      return void refuse(sdk.INVALID_REQUEST, "Not a message of JSON-RPC 2.0.", id);
    }
    // A request to listen for changes stays open: it has no answer to wait for.
    const isOpenEnded = "method" in message && message.method === "subscriptions/listen";
    if ("method" in message && "id" in message && !isOpenEnded) asked.add(message.id);
    transport.onmessage?.(message);
    if ("method" in message && message.method === "notifications/cancelled") settled(message.params?.requestId);
  }

  function settled(id: unknown): void {
    if (isId(id)) asked.delete(id);
    if (asked.size === 0) nothingAsked?.();
  }

  function refuse(code: number, message: string, id: string | number | null = null): void {
    channel.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`).catch(close);
  }
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

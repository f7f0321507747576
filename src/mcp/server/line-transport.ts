import type { JSONRPCMessage, JSONRPCRequest, Transport } from "@modelcontextprotocol/server";
import { isRecord } from "../../base/json.ts";
import { createLineReader } from "../../base/line-reader.ts";
import type { ServerPackage } from "./make-server.ts";
import type { AdmitListening } from "./subscriptions.ts";

export interface LineChannel {
  listen(take: (chunk: Uint8Array) => void, over: AbortSignal): Promise<void>;
  write(text: string): Promise<void>;
}

const longestLine = 8 * 1024 * 1024;
const lineEnd = new TextEncoder().encode("\n");
const lastAnswersMs = 2_000;

/** `admit` is asked before a client listens for changes, which may need permission. */
export function lineTransport(sdk: ServerPackage, channel: LineChannel, admit?: AdmitListening): Transport {
  const listening = new Map<unknown, { readonly stop: AbortController; end(): void }>();
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
      if (!("method" in message)) settled(message.id);
    },
    async close() {
      close();
    },
  };
  return transport;

  function close(): void {
    if (over.signal.aborted) return;
    over.abort("closed");
    for (const id of listening.keys()) endListening(id);
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
      return void refuse(sdk.PARSE_ERROR, "Invalid JSON.");
    }
    let message: JSONRPCMessage;
    try {
      message = sdk.parseJSONRPCMessage(value);
    } catch {
      const id = isRecord(value) && isId(value.id) ? value.id : null;
      return void refuse(sdk.INVALID_REQUEST, "Not a JSON-RPC 2.0 message.", id);
    }
    if ("method" in message && "id" in message) {
      if (message.method !== "subscriptions/listen") asked.add(message.id);
      else if (admit !== undefined) return void listen(message, admit).catch((error) => transport.onerror?.(error));
    }
    transport.onmessage?.(message);
    if ("method" in message && message.method === "notifications/cancelled") settled(message.params?.requestId);
  }

  async function listen(message: JSONRPCRequest, admitted: AdmitListening): Promise<void> {
    endListening(message.id);
    const one = { stop: new AbortController(), end() {} };
    listening.set(message.id, one);
    const { message: allowed, end } = await admitted(message, one.stop.signal);
    if (one.stop.signal.aborted) return end();
    one.end = end;
    transport.onmessage?.(allowed);
  }

  function endListening(id: unknown): void {
    const one = listening.get(id);
    listening.delete(id);
    one?.stop.abort();
    one?.end();
  }

  function settled(id: unknown): void {
    endListening(id);
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

import type { JSONRPCMessage, JSONRPCRequest, Transport } from "@modelcontextprotocol/server";
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
    const message = parse(line);
    if (message === undefined) refuse(sdk.PARSE_ERROR, "Not JSON.");
    else if (message.valid) pass(message.value);
    else refuse(sdk.INVALID_REQUEST, "Not a message of JSON-RPC 2.0.", message.id);
  }

  function pass(message: JSONRPCMessage): void {
    // Whoever listens for changes is answered with what happens: nobody waits for the end of it.
    const isOpenEnded = "method" in message && message.method === "subscriptions/listen";
    if ("method" in message && "id" in message && !isOpenEnded) asked.add(message.id);
    transport.onmessage?.(message);
    // What a client takes back is not answered.
    if ("method" in message && message.method === "notifications/cancelled") settled(message.params?.requestId);
  }

  function settled(id: unknown): void {
    if (isName(id)) asked.delete(id);
    if (asked.size === 0) nothingAsked?.();
  }

  function refuse(code: number, message: string, id: string | number | null = null): void {
    channel.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`).catch(close);
  }

  function parse(line: string): Parsed | undefined {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return undefined;
    }
    if (isPlainRequest(value)) return { valid: true, value };
    try {
      return { valid: true, value: sdk.parseJSONRPCMessage(value) };
    } catch {
      return { valid: false, id: isRecord(value) && isName(value.id) ? value.id : null };
    }
  }
}

type Parsed =
  | { readonly valid: true; readonly value: JSONRPCMessage }
  | { readonly valid: false; readonly id: string | number | null };

function isPlainRequest(value: unknown): value is JSONRPCRequest {
  if (!isRecord(value) || value.jsonrpc !== "2.0" || typeof value.method !== "string") return false;
  if ("result" in value || "error" in value) return false;
  return isName(value.id) && isRecord(value.params) && isPlainMeta(value.params._meta);
}

function isPlainMeta(meta: unknown): boolean {
  return meta === undefined || (isRecord(meta) && (meta.progressToken === undefined || isName(meta.progressToken)));
}

function isName(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

import type { JSONRPCMessage, JSONRPCRequest, Transport } from "@modelcontextprotocol/server";
import { isRecord } from "../../contract/is-record.ts";
import type { ServerPackage } from "./make-server.ts";

/** One client on two streams, one message a line. */
export interface LineChannel {
  readonly input: AsyncIterable<Uint8Array>;
  /** Rejects when nobody reads any more. */
  write(text: string): Promise<void>;
}

const longestLine = 8 * 1024 * 1024;
/** What was asked before the input ended is still answered, for as long as this. */
const lastAnswersMs = 2_000;

/**
 * Nothing but messages goes out. A line that is no message is answered as the protocol says, and the connection goes
 * on.
 */
export function lineTransport(sdk: ServerPackage, channel: LineChannel): Transport {
  const asked = new Set<string | number>();
  let nothingAsked: (() => void) | undefined;
  let closed = false;
  const transport: Transport = {
    async start() {
      read().then(close, close);
    },
    async send(message) {
      if (closed) return;
      await channel.write(`${JSON.stringify(message)}\n`).catch(close);
      if ("id" in message && !("method" in message) && message.id !== undefined) asked.delete(message.id);
      if (asked.size === 0) nothingAsked?.();
    },
    async close() {
      close();
    },
  };
  return transport;

  function close(): void {
    if (closed) return;
    closed = true;
    nothingAsked?.();
    transport.onclose?.();
  }

  async function read(): Promise<void> {
    for await (const line of linesOf(channel.input)) {
      if (closed) return;
      if (line !== "") await take(line);
    }
    if (closed || asked.size === 0) return;
    await new Promise<void>((resolve) => {
      const patience = setTimeout(resolve, lastAnswersMs);
      nothingAsked = () => {
        clearTimeout(patience);
        resolve();
      };
    });
  }

  async function take(line: string | undefined): Promise<void> {
    const message = line === undefined ? undefined : parse(line);
    if (message === undefined)
      return refuse(sdk.PARSE_ERROR, line === undefined ? "The line is too long." : "Not JSON.");
    if (!message.valid) return refuse(sdk.INVALID_REQUEST, "Not a message of JSON-RPC 2.0.");
    // Whoever listens for changes is answered with what happens: nobody waits for the end of it.
    const isOpenEnded = "method" in message.value && message.value.method === "subscriptions/listen";
    if ("method" in message.value && "id" in message.value && !isOpenEnded) asked.add(message.value.id);
    transport.onmessage?.(message.value);
  }

  /** The sender of what could not be read is unknown, so the answer names nobody. */
  async function refuse(code: number, message: string): Promise<void> {
    await channel.write(`${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } })}\n`).catch(close);
  }

  function parse(line: string): { valid: true; value: JSONRPCMessage } | { valid: false } | undefined {
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
      return { valid: false };
    }
  }
}

/** Nearly every line is one, and whoever gets it looks at it closely anyway. */
function isPlainRequest(value: unknown): value is JSONRPCRequest {
  if (!isRecord(value) || value.jsonrpc !== "2.0" || typeof value.method !== "string") return false;
  return (typeof value.id === "string" || Number.isSafeInteger(value.id)) && isRecord(value.params);
}

/** `undefined` stands for a line that was too long to be kept. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of input) {
    const parts = decoder.decode(chunk, { stream: true }).split("\n");
    for (const [index, part] of parts.entries()) {
      length += part.length;
      if (length <= longestLine) pieces.push(part);
      else pieces = [];
      if (index === parts.length - 1) break;
      yield length <= longestLine ? pieces.join("").replace(/\r$/, "") : undefined;
      pieces = [];
      length = 0;
    }
  }
  const last = pieces.join("");
  if (last !== "") yield last;
}

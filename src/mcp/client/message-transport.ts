import { setImmediate as turn } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isRecord } from "../../base/json.ts";
import { createLineReader, longestMessage } from "../../base/line-reader.ts";
import type { ServerSocket } from "../../contract/server/server.ts";
import type { ServerProcess } from "./connection.ts";
import { ownCodes } from "./failures.ts";
import type { Sdk } from "./sdk.ts";

/** A message, or the two ends of one that is too long. */
type HeardMessage = string | { readonly head: string; readonly tail: string };

interface MessageChannel {
  /** The channel may wait for `hear` before it reads on. */
  open(hear: (heard: HeardMessage) => Promise<void>): void;
  send(text: string): Promise<void>;
  readonly gone: Promise<string>;
  close(): Promise<void>;
}

const mostStrayLines = 1000;
const longestStray = 200;

export class MessageTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  // From these two members the SDK knows that the server may ignore unknown requests instead of rejecting them.
  readonly stderr = null;
  readonly pid = null;
  readonly #sdk: Sdk;
  readonly #channel: MessageChannel;
  readonly #note: (text: string) => void;
  readonly #strayLines = { inARow: 0, first: "", told: false };
  #last: Promise<void> = Promise.resolve();
  #closing = false;
  #closed = false;
  died: string | undefined;
  hopeless = false;

  constructor(sdk: Sdk, channel: MessageChannel, note: (text: string) => void) {
    this.#sdk = sdk;
    this.#channel = channel;
    this.#note = note;
  }

  async start(): Promise<void> {
    // One after another: the SDK handles notifications later than responses.
    this.#channel.open((heard) => {
      this.#last = this.#last
        .then(() => this.#receive(heard))
        .catch(() => this.#stray("a message that the SDK cannot handle"));
      return this.#last;
    });
    void this.#channel.gone.then((why) => {
      if (!this.#closing) this.died ??= why;
      this.#end();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#channel.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#channel.close();
    this.#end();
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reportStrays();
    this.onclose?.();
  }

  #receive(heard: HeardMessage): void {
    if (this.#closed) return;
    const message = typeof heard === "string" ? this.#parse(heard) : undefined;
    if (message !== undefined) {
      this.#reportStrays();
      this.onmessage?.(message);
    } else if (typeof heard === "string") this.#stray(heard.slice(0, longestStray));
    else this.#refuse(heard);
  }

  #parse(text: string): JSONRPCMessage | undefined {
    if (!/^\s*\{/.test(text)) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      return isRecord(value) && value.jsonrpc === "2.0" ? this.#sdk.parseJSONRPCMessage(value) : undefined;
    } catch {
      return undefined;
    }
  }

  #refuse({ head, tail }: Exclude<HeardMessage, string>): void {
    this.#note(`It sent a message of more than ${longestMessage} characters, which was dropped.`);
    const found = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"result"/.exec(head) ?? /,"id":(\d{1,15})\}\s*$/.exec(tail);
    if (found === null) return;
    const error = { code: ownCodes.tooLong, message: `Its answer has more than ${longestMessage} characters.` };
    this.onmessage?.({ jsonrpc: "2.0", id: Number(found[1]), error });
  }

  #stray(line: string): void {
    const strays = this.#strayLines;
    if (strays.inARow === 0) strays.first = line;
    strays.inARow += 1;
    if (strays.inARow < mostStrayLines) return;
    strays.inARow = 0;
    this.died = `Stopped: the last ${mostStrayLines} lines of its output are not protocol messages. Standard output must contain nothing else. Last line: ${line}`;
    this.hopeless = true;
    this.#end();
    void this.close().catch(() => {});
  }

  #reportStrays(): void {
    const { inARow, first, told } = this.#strayLines;
    this.#strayLines.inARow = 0;
    if (inARow === 0 || told) return;
    this.#strayLines.told = true;
    const what =
      inARow === 1 ? "a line that is not a protocol message" : `${inARow} lines that are not protocol messages, first`;
    this.#note(`It sent ${what}: ${first}`);
  }
}

const longestWords = 1_000;

function lastLines(text: string): string {
  if (text.length <= longestWords) return text;
  const end = text.slice(-longestWords - 1);
  return end.slice(end.indexOf("\n") + 1 || 1).toWellFormed();
}

export function processChannel(program: ServerProcess): MessageChannel {
  const encoder = new TextEncoder();
  return {
    open(hear) {
      let last: Promise<void> | undefined;
      const take = (heard: HeardMessage) => {
        last = hear(heard);
      };
      const read = createLineReader({ line: take, tooLong: take });
      program.onOutput(async (chunk) => {
        read(chunk);
        await last;
        // A program that never stops writing must not block timers.
        await turn();
      });
    },
    send: (text) => program.write(encoder.encode(`${text}\n`)),
    gone: program.exited.then(async ({ exitCode, signal }) => {
      const how = signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
      const words = lastLines(program.lastWords().trim());
      const causes = program.causes?.(exitCode) ?? [];
      return [...causes, `Its program ${how}.`, ...(words === "" ? [] : [`Last output: ${words}`])].join(" ");
    }),
    async close() {
      await program.kill();
      // Its temporary directory is removed after it exits.
      await program.exited;
    },
  };
}

export function socketChannel(socket: ServerSocket): MessageChannel {
  return {
    open(hear) {
      socket.onMessage((text) => {
        void hear(text.length <= longestMessage ? text : { head: text.slice(0, 256), tail: text.slice(-256) });
      });
    },
    send: (text) => socket.send(text),
    gone: socket.gone,
    close: () => socket.close(),
  };
}

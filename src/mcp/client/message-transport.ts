import { setImmediate as turn } from "node:timers/promises";
import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client";
import { isRecord } from "../../base/json.ts";
import { createLineReader, longestMessage } from "../../base/line-reader.ts";
import type { MessageSocket, ServerProcess } from "./connection.ts";
import { ownCodes } from "./failures.ts";
import type { Sdk } from "./sdk.ts";

interface Hearer {
  text(text: string): void;
  tooLong(edges: Edges): void;
  caughtUp(): Promise<void> | undefined;
}

interface Edges {
  readonly head: string;
  readonly tail: string;
}

interface Channel {
  open(hearer: Hearer): void;
  send(text: string): Promise<void>;
  readonly gone: Promise<string>;
  close(): Promise<void>;
}

export class MessageTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  // By these two members the SDK knows a server that may stay silent instead of refusing what it does not know.
  readonly stderr = null;
  readonly pid = null;
  readonly #sdk: Sdk;
  readonly #channel: Channel;
  readonly #note: (text: string) => void;
  readonly #strays: Strays;
  #waiting: (string | Edges)[] = [];
  #busy = false;
  #working: Promise<void> | undefined;
  #closing = false;
  #closed = false;
  died: string | undefined;
  hopeless = false;

  constructor(sdk: Sdk, channel: Channel, note: (text: string) => void) {
    this.#sdk = sdk;
    this.#channel = channel;
    this.#note = note;
    this.#strays = new Strays(note);
  }

  async start(): Promise<void> {
    this.#channel.open({
      text: (text) => this.#hear(text),
      tooLong: (edges) => this.#hear(edges),
      caughtUp: () => this.#working,
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
    this.#strays.end();
    this.onclose?.();
  }

  #hear(heard: string | Edges): void {
    if (this.#closed) return;
    if (this.#busy) {
      this.#waiting.push(heard);
      this.#working ??= this.#workOff();
      return;
    }
    this.#busy = true;
    this.#deal(heard);
    queueMicrotask(() => {
      this.#busy = this.#working !== undefined;
    });
  }

  async #workOff(): Promise<void> {
    do {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const heard of batch) {
        await undefined;
        if (this.#closed) break;
        this.#deal(heard);
      }
      await undefined;
    } while (this.#waiting.length > 0);
    this.#busy = false;
    this.#working = undefined;
  }

  #deal(heard: string | Edges): void {
    try {
      if (typeof heard !== "string") this.#refuse(heard);
      else if (!this.#receive(heard)) this.#stray(heard);
    } catch {
      this.#stray(typeof heard === "string" ? heard : heard.head);
    }
  }

  #receive(text: string): boolean {
    if (!/^\s*\{/.test(text)) return false;
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || value.jsonrpc !== "2.0") return false;
    const message = this.#sdk.parseJSONRPCMessage(value);
    this.#strays.end();
    this.onmessage?.(message);
    return true;
  }

  #stray(text: string): void {
    const why = this.#strays.add(text);
    if (why === undefined) return;
    this.died = why;
    this.hopeless = true;
    this.#end();
    void this.close().catch(() => {});
  }

  #refuse({ head, tail }: Edges): void {
    this.#note(`It sent a message of more than ${longestMessage} characters, which was left out.`);
    const id = idIn(head, tail);
    if (id === undefined) return;
    const error = { code: ownCodes.tooLong, message: `Its answer has more than ${longestMessage} characters.` };
    this.onmessage?.({ jsonrpc: "2.0", id, error });
  }
}

function idIn(head: string, tail: string): RequestId | undefined {
  const found = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"result"/.exec(head) ?? /,"id":(\d{1,15})\}\s*$/.exec(tail);
  return found === null ? undefined : Number(found[1]);
}

const longestWords = 1_000;

function lastLines(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.slice(-most - 1);
  const cut = end.indexOf("\n");
  return (cut === -1 ? end.slice(1) : end.slice(cut + 1)).toWellFormed();
}

export function processChannel(program: ServerProcess): Channel {
  const encoder = new TextEncoder();
  return {
    open({ text, tooLong, caughtUp }) {
      const read = createLineReader({ line: text, tooLong });
      // Others have their turn before the next, however fast it comes.
      program.onOutput((chunk) => {
        read(chunk);
        return caughtUp()?.then(() => turn());
      });
    },
    send: (text) => program.write(encoder.encode(`${text}\n`)),
    gone: program.exited.then(async ({ exitCode, signal }) => {
      const how = signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
      const words = lastLines(program.lastWords().trim(), longestWords);
      const causes = program.causes?.(exitCode) ?? [];
      return [...causes, `Its program ${how}.`, ...(words === "" ? [] : [`Its last words: ${words}`])].join(" ");
    }),
    async close() {
      await program.kill();
      // What was there for it alone goes after it, and a process that ends meanwhile would leave that behind.
      await program.exited;
    },
  };
}

export function socketChannel(socket: MessageSocket): Channel {
  return {
    open({ text, tooLong }) {
      socket.onMessage((message) => {
        if (message.length <= longestMessage) return text(message);
        tooLong({ head: message.slice(0, 256), tail: message.slice(-256) });
      });
    },
    send: (text) => socket.send(text),
    gone: socket.gone,
    close: () => socket.close(),
  };
}

const mostInARow = 1000;
const longestShown = 200;

export class Strays {
  readonly #note: (text: string) => void;
  #inARow = 0;
  #untold = 0;
  #total = 0;
  #tellAt = 1;
  #first = "";

  constructor(note: (text: string) => void) {
    this.#note = note;
  }

  add(line: string): string | undefined {
    if (this.#untold === 0) this.#first = line.slice(0, longestShown);
    this.#inARow += 1;
    this.#untold += 1;
    this.#total += 1;
    if (this.#inARow < mostInARow) return undefined;
    this.#untold = 0;
    const last = line.slice(0, longestShown);
    return `It was given up: the last ${mostInARow} lines of its output are no messages of the protocol, which alone belong there. The last of them: ${last}`;
  }

  end(): void {
    if (this.#untold === 0) return;
    this.#inARow = 0;
    // One that does it all the time is told of ever more rarely.
    if (this.#total < this.#tellAt) return;
    this.#tellAt = this.#total * 10;
    const many = `${this.#untold} lines that are no messages of the protocol, the first of them`;
    this.#note(`It sent ${this.#untold === 1 ? "a line that is no message of the protocol" : many}: ${this.#first}`);
    this.#untold = 0;
  }
}

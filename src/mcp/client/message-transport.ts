import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client";
import type { MessageSocket, ServerProcess } from "../connection.ts";
import { createLineReader, longestMessage } from "../line-reader.ts";
import { ownCodes } from "./failures.ts";
import type { Sdk } from "./sdk.ts";

interface Hearer {
  text(text: string): void;
  tooLong(edges: { head: string; tail: string }): void;
  /** Settles when everything that was heard so far has been dealt with. */
  caughtUp(): Promise<void>;
}

/** A way of sending texts both ways that keeps their bounds. */
interface Channel {
  open(hearer: Hearer): void;
  send(text: string): Promise<void>;
  readonly gone: Promise<string>;
  close(): Promise<void>;
}

/** One message a text. What is no message is left out and noted. */
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
  #lastHeard: Promise<void> = Promise.resolve();
  #closing = false;
  #closed = false;
  /** Why the other side ended, when it did so by itself. */
  died: string | undefined;

  constructor(sdk: Sdk, channel: Channel, note: (text: string) => void) {
    this.#sdk = sdk;
    this.#channel = channel;
    this.#note = note;
  }

  async start(): Promise<void> {
    this.#channel.open({
      text: (text) => this.#inTurn(() => this.#receive(text)),
      tooLong: (edges) => this.#inTurn(() => this.#refuse(edges)),
      caughtUp: () => this.#lastHeard,
    });
    void this.#channel.gone.then((why) => {
      if (!this.#closing) this.died = why;
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
    this.onclose?.();
  }

  /** The SDK deals with notices a moment later; an answer must not overtake the progress before it. */
  #inTurn(hear: () => void): void {
    this.#lastHeard = this.#lastHeard.then(hear).catch(() => this.#note("One of its messages could not be read."));
  }

  #receive(text: string): void {
    if (this.#closed) return;
    try {
      this.onmessage?.(this.#sdk.parseJSONRPCMessage(JSON.parse(text)));
    } catch {
      this.#note(`It sent something that is no message of the protocol: ${text.slice(0, 200)}`);
    }
  }

  /** Whoever waits for the answer that was too long is told so; nobody can be told about anything else. */
  #refuse({ head, tail }: { head: string; tail: string }): void {
    if (this.#closed) return;
    this.#note(`It sent a message of more than ${longestMessage} characters, which was left out.`);
    const id = idIn(head, tail);
    if (id === undefined) return;
    const error = { code: ownCodes.tooLong, message: `Its answer has more than ${longestMessage} characters.` };
    this.onmessage?.({ jsonrpc: "2.0", id, error });
  }
}

/** The usual writers put the number of an answer first or last. */
function idIn(head: string, tail: string): RequestId | undefined {
  const found = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"result"/.exec(head) ?? /,"id":(\d{1,15})\}\s*$/.exec(tail);
  return found === null ? undefined : Number(found[1]);
}

/** Newline framing over a program's two streams. */
export function processChannel(program: ServerProcess): Channel {
  const encoder = new TextEncoder();
  return {
    open({ text, tooLong, caughtUp }) {
      const read = createLineReader({ line: text, tooLong });
      program.onOutput((chunk) => {
        read(chunk);
        return caughtUp();
      });
    },
    send: (text) => program.write(encoder.encode(`${text}\n`)),
    gone: program.exited.then(async ({ exitCode, signal }) => {
      const how = signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
      const words = program.lastWords().trim().slice(-1000);
      const causes = program.causes?.(exitCode) ?? [];
      return [...causes, `Its program ${how}.`, ...(words === "" ? [] : [`Its last words: ${words}`])].join(" ");
    }),
    close: () => program.kill(),
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

import type { ModelMessage } from "../contract/model.ts";
import { findMember } from "./json-member.ts";

export interface WireTurn {
  /** The first message that still has to be translated; those before it are in the wire's own form already. */
  readonly from: number;
  /** The whole request out of one that holds the messages from `from` on. */
  complete(body: string): readonly Uint8Array[];
}

export interface WireHistory {
  turn(messages: readonly ModelMessage[]): WireTurn;
}

/**
 * Keeps the wire form of messages that were sent once, so that a request costs what is new in it. It is a
 * memory of a translation and of nothing else: the same bytes would come out without it.
 */
export function createWireHistory(options: {
  /** The member of the request that holds the messages. */
  readonly member: "messages" | "input" | "contents";
  /** What is added to the newest messages and must not stay on them. */
  readonly mark?: (messages: string) => string;
}): WireHistory {
  const known = new WeakMap<readonly ModelMessage[], Translation>();
  return {
    turn(messages) {
      const translation = known.get(messages) ?? { count: 0, bytes: new GrowingBytes() };
      known.set(messages, translation);
      const { sent } = translation;
      if (sent !== undefined && isSeam(messages, sent.count)) {
        if (translation.bytes.view().byteLength > 0 && sent.text !== "") translation.bytes.append(",");
        translation.bytes.append(sent.text);
        translation.count = sent.count;
      }
      delete translation.sent;
      const count = messages.length;
      return {
        from: translation.count,
        complete(body) {
          const span = findMember(body, options.member);
          if (span === undefined) throw new Error(`The request has no ${options.member}.`);
          const text = body.slice(span.start + 1, span.end - 1);
          translation.sent = { count, text };
          const before = translation.bytes.view();
          const comma = before.byteLength > 0 && text !== "" ? "," : "";
          const marked = options.mark?.(text) ?? text;
          const head = body.slice(0, span.start + 1);
          const rest = `${comma}${marked}${body.slice(span.end - 1)}`;
          return before.byteLength === 0 ? [Buffer.from(head + rest)] : [Buffer.from(head), before, Buffer.from(rest)];
        },
      };
    },
  };
}

interface Translation {
  count: number;
  readonly bytes: GrowingBytes;
  /** What the last request held beyond that. Whether it can be kept shows when the next message is known. */
  sent?: { readonly count: number; readonly text: string };
}

/**
 * Providers put neighbouring messages of one side together, so history can be parted only where the model starts
 * to speak, and only where what it says is sent at all.
 */
function isSeam(messages: readonly ModelMessage[], at: number): boolean {
  const next = messages[at];
  const previous = messages[at - 1];
  if (next?.role !== "assistant" || previous === undefined || previous.role === "assistant") return false;
  return next.parts.some((part) => part.type === "call" || (part.type === "text" && part.text.trim() !== ""));
}

/** Bytes that were handed out stay as they are while more are appended. */
class GrowingBytes {
  #bytes = Buffer.alloc(0);
  #length = 0;

  append(text: string): void {
    const needed = this.#length + Buffer.byteLength(text);
    if (needed > this.#bytes.byteLength) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.byteLength * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += this.#bytes.write(text, this.#length);
  }

  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

import type { ModelMessage } from "../contract/model.ts";

export interface WireTurn {
  readonly from: number;
  complete(body: string): readonly Uint8Array[];
}

export interface WireHistory {
  turn(messages: readonly ModelMessage[]): WireTurn;
}

/** Caches the wire form of sent messages, so that only new ones are serialised. The bytes are the same without it. */
export function createWireHistory(options: {
  readonly member: "messages" | "input" | "contents";
  /** Added to the newest messages, and removed from older ones. */
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
  sent?: { readonly count: number; readonly text: string };
}

/**
 * Providers merge neighbouring messages of one side, so history is split only before an assistant message that is sent.
 */
function isSeam(messages: readonly ModelMessage[], at: number): boolean {
  const next = messages[at];
  const previous = messages[at - 1];
  if (next?.role !== "assistant" || previous === undefined || previous.role === "assistant") return false;
  return next.parts.some((part) => part.type === "call" || (part.type === "text" && part.text.trim() !== ""));
}

/** Returned bytes do not change while more are appended. */
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

export interface Span {
  readonly start: number;
  readonly end: number;
}

const quote = 34;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;
const openBracket = 91;
const closeBracket = 93;

/**
 * Finds a member of the outermost object in the output of `JSON.stringify`. Text inside strings never counts as a
 * member.
 */
export function findMember(text: string, name: string): Span | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      const end = endOfString(text, at);
      if (depth === 1 && text[end] === ":" && text.slice(at + 1, end - 1) === name) {
        return { start: end + 1, end: endOfValue(text, end + 1) };
      }
      at = end - 1;
    } else if (character === openBrace || character === openBracket) depth++;
    else if (character === closeBrace || character === closeBracket) depth--;
  }
  return undefined;
}

function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at) - 1;
    else if (character === openBrace || character === openBracket) depth++;
    else if (character === closeBrace || character === closeBracket) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  throw new Error("The text is not an object with an array or an object as this member.");
}

function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  throw new Error("A string in the text is not closed.");
}

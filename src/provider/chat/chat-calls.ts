import { randomBytes } from "node:crypto";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { UnreadableAnswer } from "../map-error.ts";
import type { CallDelta } from "./chat-chunk.ts";
import { keptUnder } from "./chat-request.ts";
import { createJsonShape, type JsonShape, startsJson } from "./json-shape.ts";

/** Assigns pieces to calls by index, id and name, of which servers repeat, change or leave out any. */
export interface ChatCalls {
  take(delta: CallDelta): readonly LanguageModelV4StreamPart[];
  end(): readonly LanguageModelV4StreamPart[];
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly index: number | undefined;
  readonly signature: string | undefined;
  readonly ids: Set<string>;
  readonly indexes: Set<number>;
  readonly shape: JsonShape;
  text: string;
}

interface Unnamed {
  id: string | undefined;
  signature: string | undefined;
  text: string;
}

export function createChatCalls(): ChatCalls {
  const calls: Call[] = [];
  const unnamed = new Map<number, Unnamed>();
  const named = new Set<number>();

  function take(delta: CallDelta): readonly LanguageModelV4StreamPart[] {
    const { index } = delta;
    if (index === undefined || named.has(index)) return place(delta);
    const waiting = unnamed.get(index) ?? { id: undefined, signature: undefined, text: "" };
    unnamed.set(index, waiting);
    waiting.id ??= delta.id;
    waiting.signature ??= delta.signature;
    waiting.text += delta.arguments ?? "";
    if (delta.name === undefined) return [];
    unnamed.delete(index);
    named.add(index);
    const { id, signature, text } = waiting;
    return place({
      index,
      name: delta.name,
      arguments: text,
      id,
      signature,
    });
  }

  function place(delta: CallDelta): readonly LanguageModelV4StreamPart[] {
    const found = find(delta);
    if (found === "unclear") return [];
    const id = words(delta.id);
    if (found !== "new") {
      if (id !== undefined) found.ids.add(id);
      if (delta.index !== undefined) found.indexes.add(delta.index);
      return delta.arguments === undefined ? [] : [grow(found, delta.arguments)];
    }
    const name = words(delta.name);
    // Some servers repeat an empty name with every piece.
    if (name === undefined && delta.name !== undefined) return [];
    if (name === undefined) throw new UnreadableAnswer("a call names no tool", JSON.stringify(delta));
    const call: Call = {
      id: id === undefined || calls.some((other) => other.id === id) ? newId() : id,
      name,
      index: delta.index,
      signature: delta.signature,
      ids: new Set(id === undefined ? [] : [id]),
      indexes: new Set(delta.index === undefined ? [] : [delta.index]),
      shape: createJsonShape(),
      text: "",
    };
    calls.push(call);
    const started: LanguageModelV4StreamPart = { type: "tool-input-start", id: call.id, toolName: name };
    return delta.arguments === undefined || delta.arguments === "" ? [started] : [started, grow(call, delta.arguments)];
  }

  function grow(call: Call, text: string): LanguageModelV4StreamPart {
    call.text += text;
    call.shape.add(text);
    return { type: "tool-input-delta", id: call.id, delta: text };
  }

  /** A known id and index agree, or a name starts a new call. Conflicting evidence is ignored. */
  function find(delta: CallDelta): Call | "new" | "unclear" {
    const { index } = delta;
    const id = words(delta.id);
    const name = words(delta.name);
    const begins = name !== undefined && startsJson(delta.arguments ?? "");
    const atIndex = index === undefined ? [] : calls.filter((call) => call.indexes.has(index));
    const sameName = (call: Call) => name === undefined || call.name === name;
    const atIndexByName = atIndex.filter(sameName);
    const withId = id === undefined ? [] : calls.filter((call) => call.ids.has(id));
    if (withId.length > 0 && index === undefined) return theOne(withId.filter(sameName), name !== undefined && begins);
    if (withId.length > 0) {
      const both = theOne(
        atIndexByName.filter((call) => withId.includes(call)),
        begins,
      );
      if (both !== "new" || name !== undefined) return both;
      return atIndex.length > 0 ? "unclear" : theOne(withId, false);
    }
    if (id !== undefined) {
      if (atIndexByName.length === 0 || begins) return "new";
      return theOne(atIndexByName, name !== undefined && (delta.arguments ?? "").trim() === "");
    }
    if (atIndex.length > 0) return theOne(atIndexByName, begins);
    return name === undefined ? theOne(calls, false) : "new";
  }

  return {
    take,
    end() {
      const late = [...unnamed].flatMap(([index, { id, text }]) => place({ index, arguments: text, id }));
      const inOrder = calls.every((call) => call.index !== undefined)
        ? calls.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
        : calls;
      const ended = inOrder.flatMap(({ id, name, text, signature }): LanguageModelV4StreamPart[] => [
        { type: "tool-input-end", id },
        {
          type: "tool-call",
          toolCallId: id,
          toolName: name,
          input: text,
          ...(signature ? { providerMetadata: { [keptUnder]: { thoughtSignature: signature } } } : {}),
        },
      ]);
      return [...late, ...ended];
    },
  };
}

/** After complete arguments, a new start is another call. */
function theOne(fitting: readonly Call[], begins: boolean): Call | "new" | "unclear" {
  const [first, ...more] = fitting;
  if (first === undefined) return "new";
  if (!begins && more.length === 0) return first;
  const [open, ...others] = fitting.filter(({ shape }) => !shape.complete());
  if (open !== undefined && others.length === 0) return open;
  return open !== undefined || !begins ? "unclear" : "new";
}

function words(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}

function newId(): string {
  return `call_${randomBytes(12).toString("base64url")}`;
}

import { isRecord } from "../../base/json.ts";
import { UnreadableAnswer } from "../map-error.ts";

export interface CallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly signature?: string;
}

export interface ChatUsage {
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
  readonly reasoning: number;
}

export interface ChatChunk {
  readonly id?: string;
  readonly finish?: string;
  readonly usage?: ChatUsage;
  readonly said: readonly { readonly kind: "text" | "reasoning" | "refusal"; readonly text: string }[];
  readonly calls: readonly CallDelta[];
}

interface ChatFailure {
  readonly failure: unknown;
}

/** Throws `UnreadableAnswer`. */
export function readChunk(text: string): ChatChunk | ChatFailure {
  const value = parse(text);
  const at = new Reading(value);
  const chunk = at.object(value);
  const { error, choices } = chunk;
  if (isRecord(error) && (Array.isArray(choices) || typeof error.message === "string")) return { failure: error };
  const [first] = at.list(choices);
  const usage = at.optionalObject(chunk.usage);
  const common = {
    ...present("id", at.text(chunk.id)),
    ...present("usage", usage === undefined ? undefined : usageOf(usage, at)),
  };
  if (first === undefined) return { ...common, said: [], calls: [] };
  const choice = at.object(first);
  const finish = present("finish", at.text(choice.finish_reason));
  const delta = at.optionalObject(choice.delta);
  if (delta === undefined) return { ...common, ...finish, said: [], calls: [] };
  const thought = [at.text(delta.reasoning_content), at.text(delta.reasoning)].find((one) => one !== undefined);
  return {
    ...common,
    ...finish,
    said: [
      ...(thought === undefined || thought === "" ? [] : [{ kind: "reasoning" as const, text: thought }]),
      ...contentOf(delta.content, at),
      // Some servers send other types where there is no refusal.
      ...(typeof delta.refusal === "string" && delta.refusal !== ""
        ? [{ kind: "refusal" as const, text: delta.refusal }]
        : []),
    ],
    calls: delta.tool_calls == null ? [] : at.list(delta.tool_calls).map((call) => callOf(at.object(call), at)),
  };
}

function callOf(call: Members, at: Reading): CallDelta {
  const { name, arguments: written } = at.object(call.function);
  const google = at.optionalObject(at.optionalObject(call.extra_content)?.google);
  return {
    ...present("index", at.number(call.index)),
    ...present("id", at.text(call.id)),
    ...present("name", at.text(name)),
    ...present("arguments", at.text(written)),
    ...present("signature", at.text(google?.thought_signature)),
  };
}

function contentOf(content: unknown, at: Reading): ChatChunk["said"] {
  if (content == null || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return at.list(content).flatMap((item): ChatChunk["said"] => {
    const { type, text, thinking } = at.object(item);
    const said = type === "text" ? text : type === "thinking" ? thoughtIn(thinking) : undefined;
    if (typeof said !== "string" || said === "") return [];
    return [{ kind: type === "text" ? "text" : "reasoning", text: said }];
  });
}

function thoughtIn(thinking: unknown): string {
  if (!Array.isArray(thinking)) return "";
  return thinking
    .map((piece) => (isRecord(piece) && piece.type === "text" && typeof piece.text === "string" ? piece.text : ""))
    .join("");
}

function usageOf(usage: Members, at: Reading): ChatUsage {
  return {
    prompt: at.number(usage.prompt_tokens) ?? 0,
    cached: at.number(at.optionalObject(usage.prompt_tokens_details)?.cached_tokens) ?? 0,
    completion: at.number(usage.completion_tokens) ?? 0,
    reasoning: at.number(at.optionalObject(usage.completion_tokens_details)?.reasoning_tokens) ?? 0,
  };
}

type Members = Readonly<Record<string, unknown>>;

/** A member of the wrong type makes the whole chunk unreadable. */
class Reading {
  readonly #whole: unknown;

  constructor(whole: unknown) {
    this.#whole = whole;
  }

  object(value: unknown): Members {
    return isRecord(value) ? value : this.#damaged("an object", value);
  }

  optionalObject(value: unknown): Members | undefined {
    return value == null ? undefined : this.object(value);
  }

  list(value: unknown): readonly unknown[] {
    return Array.isArray(value) ? value : this.#damaged("a list", value);
  }

  text(value: unknown): string | undefined {
    return value == null ? undefined : typeof value === "string" ? value : this.#damaged("a text", value);
  }

  number(value: unknown): number | undefined {
    return value == null ? undefined : typeof value === "number" ? value : this.#damaged("a number", value);
  }

  #damaged(expected: string, found: unknown): never {
    const message = `${expected} was expected, not ${found === undefined ? "nothing" : JSON.stringify(found).slice(0, 80)}`;
    throw new UnreadableAnswer(message, JSON.stringify(this.#whole));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableAnswer("it is not JSON", text);
  }
}

function present<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: Value };
}

import { createLineReader } from "../base/line-reader.ts";
import { messageOf } from "../base/text.ts";
import type { Editing } from "../contract/app/app.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";

const longestLine = 32 * 1024 * 1024;
/** Lines are measured here, and the SDK, which ends everything with one that is too long, never sees such a line. */
export const mostBytes = 4 * longestLine;
const tooLong = { code: -32600, message: `The message has more than ${longestLine} characters.` };
const lineEnd = new TextEncoder().encode("\n");

interface EditorBytes {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  /** How it ended, once it has. Throws what the editor's way of writing rejected with: only that knows what it means. */
  ending(): Outcome<void>;
}

export function editorBytes({ input, write, stop }: Pick<Editing, "input" | "write" | "stop">): EditorBytes {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let broken: Outcome<void> = ok(undefined);
  let lost: { readonly error: unknown } | undefined;

  const say = async (text: string) => {
    try {
      await write(text);
    } catch (error) {
      lost ??= { error };
      throw error;
    }
  };

  async function* lines(): AsyncGenerator<Uint8Array> {
    let heard: string[] = [];
    const read = createLineReader(
      {
        line: (text) => heard.push(text),
        tooLong(edges) {
          const id = idIn(edges);
          const refusal = JSON.stringify({ jsonrpc: "2.0", id, error: tooLong });
          // Nobody is answered for an answer: whoever waits for it here hears that there is none.
          if (isAnswer(edges.head)) heard.push(refusal);
          else say(`${refusal}\n`).catch(() => {});
        },
      },
      longestLine,
    );
    const taken = () => {
      const bytes = heard.map((line) => encoder.encode(`${line}\n`));
      heard = [];
      return bytes;
    };
    try {
      for await (const chunk of input) {
        if (stop.aborted) return;
        read(chunk);
        yield* taken();
      }
      read(lineEnd);
      yield* taken();
    } catch (error) {
      broken = fail("tool_failed", `What the editor sends could not be read any further: ${messageOf(error)}`, {
        recovery: "Its sessions are closed and kept: the editor can start the agent again and load them.",
      });
    }
  }

  return {
    input: ReadableStream.from(lines()),
    output: new WritableStream({ write: (bytes) => say(decoder.decode(bytes, { stream: true })) }),
    ending() {
      if (lost !== undefined) throw lost.error;
      return broken;
    },
  };
}

// A number counts with its end: a part of one may be the id of another request.
const first = /^\s*\{[^{[]*?"id"\s*:\s*("[^"\\\p{Cc}]*"|(?:0|[1-9]\d{0,15})(?=[\s,}]))/u;
const last = /,\s*"id"\s*:\s*("[^"\\\p{Cc}]*"|0|[1-9]\d{0,15})\s*\}\s*$/u;

/** What stands before the first of what is nested, or behind the last of it, is the message's own. */
function idIn({ head, tail }: { readonly head: string; readonly tail: string }): unknown {
  const found = (first.exec(head) ?? last.exec(tail))?.[1];
  const id: unknown = found === undefined ? null : JSON.parse(found);
  return typeof id === "string" || Number.isSafeInteger(id) ? id : null;
}

function isAnswer(head: string): boolean {
  return /^\s*\{[^{[]*?"(?:result|error)"\s*:/.test(head) && !/^\s*\{[^{[]*?"method"\s*:/.test(head);
}

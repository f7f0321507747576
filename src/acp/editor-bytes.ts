import { createLineReader, type LineSink } from "../base/line-reader.ts";
import { messageOf } from "../base/text.ts";
import type { Editing } from "../contract/app/app.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";

const longestLine = 32 * 1024 * 1024;
/** The SDK closes the connection at a line over its limit, so longer lines are refused here. */
export const mostBytes = 4 * longestLine;
const tooLong = { code: -32600, message: `The message has more than ${longestLine} characters.` };
const lineEnd = new TextEncoder().encode("\n");

type LineEdges = Parameters<LineSink["tooLong"]>[0];

export function editorBytes({ input, write, stop }: Pick<Editing, "input" | "write" | "stop">) {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let broken: Outcome<void> = ok(undefined);
  let lost: { readonly error: unknown } | undefined;

  const say = (text: string) =>
    write(text).catch((error: unknown) => {
      lost ??= { error };
      throw error;
    });

  async function* lines(): AsyncGenerator<Uint8Array> {
    const heard: Uint8Array[] = [];
    const take = (line: string) => heard.push(encoder.encode(`${line}\n`));
    const refuse = (edges: LineEdges) => {
      const refusal = JSON.stringify({ jsonrpc: "2.0", id: idIn(edges), error: tooLong });
      // A response gets no reply: the request that waits for it receives the error.
      if (isAnswer(edges.head)) take(refusal);
      else say(`${refusal}\n`).catch(() => {});
    };
    const read = createLineReader({ line: take, tooLong: refuse }, longestLine);
    try {
      for await (const chunk of input) {
        if (stop.aborted) return;
        read(chunk);
        yield* heard.splice(0);
      }
      read(lineEnd);
      yield* heard.splice(0);
    } catch (error) {
      broken = fail("tool_failed", `Reading from the editor failed: ${messageOf(error)}`, {
        recovery: "Its sessions are saved. Start the agent again and load them.",
      });
    }
  }

  return {
    input: ReadableStream.from(lines()),
    output: new WritableStream<Uint8Array>({ write: (bytes) => say(decoder.decode(bytes, { stream: true })) }),
    /** The result, once it has ended. Throws what `write` rejected with. */
    ending(): Outcome<void> {
      if (lost !== undefined) throw lost.error;
      return broken;
    },
  };
}

// A number counts only with its end: part of it may be the id of another request.
const first = /^\s*\{[^{[]*?"id"\s*:\s*("[^"\\\p{Cc}]*"|(?:0|[1-9]\d{0,15})(?=[\s,}]))/u;
const last = /,\s*"id"\s*:\s*("[^"\\\p{Cc}]*"|0|[1-9]\d{0,15})\s*\}\s*$/u;

/** Before the first nested value and after the last one, an id belongs to the message itself. */
function idIn({ head, tail }: LineEdges): unknown {
  const found = (first.exec(head) ?? last.exec(tail))?.[1];
  const id: unknown = found === undefined ? null : JSON.parse(found);
  return typeof id === "string" || Number.isSafeInteger(id) ? id : null;
}

function isAnswer(head: string): boolean {
  return /^\s*\{[^{[]*?"(?:result|error)"\s*:/.test(head) && !/^\s*\{[^{[]*?"method"\s*:/.test(head);
}

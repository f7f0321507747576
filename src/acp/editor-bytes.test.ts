import { ndJsonStream } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { fail, ok } from "../contract/codes.ts";
import { editorBytes, mostBytes } from "./editor-bytes.ts";

const encoder = new TextEncoder();
const mebibyte = "x".repeat(1024 * 1024);
const tooLong = { code: -32600, message: "The message has more than 33554432 characters." };

interface Sent {
  readonly head: string;
  readonly tail: string;
}

/** A line with more in its middle than anybody takes. */
function* longLine({ head, tail }: Sent): Iterable<string> {
  yield head;
  for (let piece = 0; piece <= 32; piece += 1) yield mebibyte;
  yield `${tail}\n`;
}

async function hear(pieces: Iterable<string>, broken?: Error) {
  async function* input() {
    for (const piece of pieces) yield encoder.encode(piece);
    if (broken !== undefined) throw broken;
  }
  const written: string[] = [];
  const editing = {
    input: input(),
    stop: new AbortController().signal,
    write: async (text: string) => void written.push(text),
  };
  const bytes = editorBytes(editing);
  const heard: unknown[] = [];
  const stream = ndJsonStream(bytes.output, bytes.input, { maxMessageBytes: mostBytes });
  for await (const message of stream.readable) heard.push(message);
  return { heard, written: written.map((text) => JSON.parse(text)), ending: bytes.ending };
}

const next = { jsonrpc: "2.0", id: 9, method: "initialize", params: {} };
const params = '"params":{"prompt":[{"type":"text","text":"';

describe("a message that is too long", () => {
  test.each<[string, Sent, unknown]>([
    ["a number first", { head: `{"jsonrpc":"2.0","id":3,"method":"session/prompt",${params}`, tail: '"}]}}' }, 3],
    ["a name behind the method", { head: `{ "method": "x", "id": "a-1", ${params}`, tail: '"}]}}' }, "a-1"],
    ["a number last", { head: `{"jsonrpc":"2.0","method":"x",${params}`, tail: '"}]},"id":4}' }, 4],
    ["0", { head: `{"id":0,"method":"x",${params}`, tail: '"}]}}' }, 0],
    ["the largest number", { head: `{"id":9007199254740991 ,${params}`, tail: '"}]}}' }, 9007199254740991],
    ["a larger number first", { head: `{"id":9007199254740993,${params}`, tail: '"}]}}' }, null],
    ["a larger number last", { head: `{${params}`, tail: '"}]},"id":9007199254740993}' }, null],
    ["17 digits", { head: `{"id":12345678901234567,${params}`, tail: '"}]}}' }, null],
    ["a fraction", { head: `{"id":1.5,${params}`, tail: '"}]}}' }, null],
    ["a power", { head: `{"id":1e3,${params}`, tail: '"}]}}' }, null],
    ["a number that is none first", { head: `{"id":012,${params}`, tail: '"}]}}' }, null],
    ["a number that is none last", { head: `{${params}`, tail: '"}]},"id":012}' }, null],
    ["none of its own", { head: `{"jsonrpc":"2.0","method":"x",${params}`, tail: '","id":5}]}}' }, null],
    ["nothing that can be read", { head: "nonsense", tail: "" }, null],
  ])("with %s is answered, and the next one is heard", async (_what, sent, id) => {
    const { heard, written, ending } = await hear([...longLine(sent), JSON.stringify(next)]);
    expect({ heard, written, ending: ending() }).toEqual({
      heard: [next],
      written: [{ jsonrpc: "2.0", id, error: tooLong }],
      ending: ok(undefined),
    });
  });

  test("that answers a question of ours is heard as none", async () => {
    const answer = { head: '{"jsonrpc":"2.0","id":7,"result":{"content":{"a":"', tail: '"}}}' };
    const { heard, written } = await hear(longLine(answer));
    expect({ heard, written }).toEqual({ heard: [{ jsonrpc: "2.0", id: 7, error: tooLong }], written: [] });
  });
});

test("what is no message is answered, and the rest is heard", async () => {
  const { heard, written } = await hear(["nonsense\n", "[]\r\n\n", JSON.stringify(next)]);
  expect(heard).toEqual([next]);
  expect(written).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32600 } },
  ]);
});

test("an input that breaks off is no ordinary end", async () => {
  const { heard, ending } = await hear([JSON.stringify(next), "\n"], new Error("EIO: i/o error, read"));
  expect(heard).toEqual([next]);
  expect(ending()).toEqual(
    fail("tool_failed", "Reading from the editor failed: EIO: i/o error, read", {
      recovery: "Its sessions are saved. Start the agent again and load them.",
    }),
  );
});

test("what could not be written is told as the writer told it", async () => {
  const lost = new Error("ENOSPC");
  const input = (async function* () {})();
  const stop = new AbortController().signal;
  const { output, ending } = editorBytes({ input, stop, write: () => Promise.reject(lost) });
  await expect(output.getWriter().write(encoder.encode("{}\n"))).rejects.toBe(lost);
  expect(ending).toThrow(lost);
});

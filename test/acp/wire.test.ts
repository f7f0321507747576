import { expect, test } from "vitest";
import { serveEditor } from "../../src/acp/serve-editor.ts";
import { fail, ok } from "../../src/contract/codes.ts";

const encoder = new TextEncoder();
const initialize = (id: number) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params: { protocolVersion: 1 } })}\n`;

/** What we answer to bytes, and how it ends. */
async function serve(pieces: AsyncIterable<string>) {
  const written: string[] = [];
  let answered = 0;
  async function* input() {
    for await (const piece of pieces) yield encoder.encode(piece);
    // The end of the input ends everything: it comes behind the answers.
    await expect.poll(() => answered).toBeGreaterThanOrEqual(2);
  }
  const ending = await serveEditor({
    version: "0",
    input: input(),
    write: async (text) => {
      written.push(text);
      answered += 1;
    },
    openApp: async () => fail("bad_request", "There is none."),
    directory: "/",
    model: {},
    allow: [],
    deny: [],
    stop: new AbortController().signal,
  });
  return { ending, written: written.map((text) => JSON.parse(text)) };
}

test("a message that is too long is refused, and the connection goes on", async () => {
  const piece = "x".repeat(1024 * 1024);
  const { ending, written } = await serve(
    (async function* () {
      yield '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"text":"';
      for (let count = 0; count < 40; count += 1) yield piece;
      yield `"}}\n${initialize(2)}`;
    })(),
  );
  expect(ending).toEqual(ok(undefined));
  expect(written).toMatchObject([
    { id: 1, error: { code: -32600, message: "The message has more than 33554432 characters." } },
    { id: 2, result: { protocolVersion: 1 } },
  ]);
});

test("an input that breaks off is told as a failure", async () => {
  const { ending } = await serve(
    (async function* () {
      yield initialize(1);
      throw new Error("EIO");
    })(),
  );
  expect(ending).toMatchObject({ ok: false, failure: { message: expect.stringContaining("EIO") } });
});

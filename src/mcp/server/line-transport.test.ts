import * as sdk from "@modelcontextprotocol/server";
import { expect, onTestFinished, test, vi } from "vitest";
import { lineTransport } from "./line-transport.ts";

/** What is passed on of these lines, and what is answered at once. */
async function heard(...lines: readonly string[]) {
  const passed: unknown[] = [];
  const answered: unknown[] = [];
  const transport = lineTransport(sdk, {
    listen: async (take) => take(new TextEncoder().encode(`${lines.join("\n")}\n`)),
    write: async (text) => void answered.push(JSON.parse(text)),
  });
  transport.onmessage = (message) => passed.push(message);
  await transport.start();
  await transport.close();
  return { passed, answered };
}

const call = (id: unknown, meta: unknown) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "echo", ...(meta === undefined ? {} : { _meta: meta }) },
});

test.each([
  ["nothing", undefined],
  ["facts", { "gauntlet/x": 1 }],
  ["a name for its progress", { progressToken: "p" }],
])("a request with %s beside it is passed on", async (_what, meta) => {
  const message = call(1, meta);
  expect(await heard(JSON.stringify(message))).toEqual({ passed: [message], answered: [] });
});

const refusal = (id: unknown) => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32_600, message: "Not a JSON-RPC 2.0 message." },
});

test.each<[string, unknown, unknown]>([
  ["a text", "x", 7],
  ["a number", 1, "seven"],
  ["a list", [], 7],
  ["null", null, 7],
  ["a name of its progress that is none", { progressToken: {} }, 7],
])("a request with %s beside it is answered, by its own name", async (_what, meta, id) => {
  expect(await heard(JSON.stringify(call(id, meta)))).toEqual({ passed: [], answered: [refusal(id)] });
});

test("what has no name that could be answered is answered without one", async () => {
  expect(await heard(JSON.stringify(call({}, undefined)), "[]")).toEqual({
    passed: [],
    answered: [refusal(null), refusal(null)],
  });
});

test("what was taken back is not waited for when the input ends", async () => {
  // It would be waited for as long as the clock stands.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const [cancel, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transport = lineTransport(sdk, {
    async listen(take) {
      const send = (message: object) => take(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
      send(call(1, undefined));
      send(call("two", undefined));
      await cancel.promise;
      for (const requestId of [1, "two"]) {
        send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
      }
    },
    write: async () => {},
  });
  transport.onclose = () => end.resolve();
  await transport.start();
  cancel.resolve();
  await end.promise;
});

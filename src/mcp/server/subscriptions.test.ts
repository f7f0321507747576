import * as sdk from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { admitListening } from "./subscriptions.ts";

const watching = { end() {} };
const admit = admitListening(sdk, async (uri) => (uri === "a:allowed" ? watching : undefined));
const listen = (params: Record<string, unknown>) => ({
  jsonrpc: "2.0" as const,
  id: 1,
  method: "subscriptions/listen",
  params,
});

test.each<[string, Record<string, unknown>]>([
  ["with what the client says of itself", { _meta: { [sdk.CLIENT_INFO_META_KEY]: { name: "c", version: "1" } } }],
  ["without", {}],
  ["with something else in its place", { _meta: 3 }],
])("what may not be watched is taken out of a wish, %s", async (_, meta) => {
  const resourceSubscriptions = ["a:allowed", "b:closed", 3];
  const { message } = await admit(
    listen({ ...meta, notifications: { toolsListChanged: true, resourceSubscriptions } }),
    new AbortController().signal,
  );
  expect(message.params).toEqual({
    ...meta,
    notifications: { toolsListChanged: true, resourceSubscriptions: ["a:allowed"] },
  });
});

test("a wish for none stays as it is", async () => {
  const wish = listen({ notifications: { toolsListChanged: true } });
  expect((await admit(wish, new AbortController().signal)).message).toBe(wish);
});

import { expect, test } from "vitest";
import { fail, ok } from "../../contract/codes.ts";
import type { ServerStatus } from "../../contract/server/server.ts";
import { parseServerUri, serverUri } from "./addresses.ts";
import { createGateway } from "./gateway.ts";
import { reportOnce } from "./serve-session.ts";

const status = (name: string): ServerStatus => ({ name, state: "ready", transport: "stdio", origin: "test", tools: 0 });

test("a server that says nothing keeps nobody from hearing of the others, and is named once", async () => {
  const troubles: string[] = [];
  const door: ReturnType<Parameters<typeof createGateway>[0]> = {
    resources: never,
    endWatch: never,
    redact: (value) => value,
    servers: () => [status("silent"), status("quick")],
    prompts: (server, signal) =>
      server === "quick"
        ? Promise.resolve(ok([{ name: "hello", values: [] }]))
        : new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve(fail("timeout", "The deadline passed.")), { once: true });
          }),
  };
  const { offer } = createGateway(() => door, {
    calls: {
      call: never,
      observe: never,
      whileRequesting: (_server, work) => work(),
      callWithoutAsking: never,
      ask: never,
      elicit: never,
      notice: () => {},
    },
    readBytes: never,
    own: { list: () => [], templates: () => [], read: never },
    tell: reportOnce(
      () => door,
      ({ name, detail }) => troubles.push(`${name}: ${detail}`),
    ).tell,
    onUpdate: never,
    patienceMs: 20,
  });
  for (let times = 0; times < 2; times++) {
    expect(await offer.prompts.list()).toEqual([
      {
        name: "mcp__quick__hello",
        description: "Prompt of the MCP server quick, without a description.",
        arguments: [],
      },
    ]);
  }
  expect(troubles).toEqual(["silent: prompts: none offered: The deadline passed."]);
});

function never(): never {
  throw new Error("Nobody asked for that");
}

test.each([
  ["one", "note://a?b=c#d"],
  ["one-two_3", "gauntlet-server:other/x:y"],
  ["one", "/relative"],
  ["one", ""],
])("an address of %s comes back as it was: %s", (server, uri) => {
  expect(parseServerUri(serverUri({ server, uri }))).toEqual({ server, uri });
});

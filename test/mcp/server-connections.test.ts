import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import type { StdioServer } from "../../src/contract/server/server.ts";
import type { Asker, PermissionAnswer, PermissionRequest } from "../../src/contract/verdict.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { oddServer, openServers, type ServerSession, textOf } from "./server-session.ts";

async function hello(): Promise<number> {
  const server = createServer((_request, response) => response.writeHead(200, { connection: "close" }).end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

function person(answer: PermissionAnswer["answer"]) {
  const asked: PermissionRequest[] = [];
  const ask: Asker = async (request) => {
    asked.push(request);
    return { request: request.id, answer, by: "ada" };
  };
  return { asked, ask };
}

async function open(
  port: number,
  sandbox: NonNullable<StdioServer["sandbox"]>,
  more: object = {},
): Promise<ServerSession> {
  return openServers(
    makeWorkspace(),
    { curious: oddServer("curious.ts", [], { sandbox }) },
    { allow: ["mcp__curious"], settings: { network: { privateHosts: [`localhost:${port}`] } }, ...more },
  );
}

const fetching = (session: ServerSession, port: number) =>
  session.call("mcp__curious__fetch", { url: `http://localhost:${port}/` });

const made = (session: ServerSession, count: number) =>
  expect.poll(() => session.facts("connection.made").length).toBe(count);

describe("what the program of a server reaches", () => {
  test("is on record with the server and the call that it was busy with", async () => {
    const port = await hello();
    const session = await open(port, { network: [`localhost:${port}`] });
    const observation = await fetching(session, port);
    expect(textOf(observation)).toBe("hello");
    await made(session, 1);
    const [connection] = session.facts("connection.made");
    expect(connection).toMatchObject({
      server: "curious",
      invocationId: observation.invocationId,
      host: "localhost",
      port,
      outcome: "connected",
      decidedBy: "the server's entry",
    });
  });

  test("is refused where its entry does not name it, and that is on record", async () => {
    const port = await hello();
    const { asked, ask } = person("allow");
    const session = await open(port, { network: ["elsewhere.test"] }, { ask });
    const observation = await fetching(session, port);
    expect(textOf(observation)).not.toBe("hello");
    expect(session.facts("connection.made")).toMatchObject([
      {
        server: "curious",
        invocationId: observation.invocationId,
        outcome: "refused",
        reason: expect.stringContaining("the server curious"),
      },
    ]);
    expect(asked).toEqual([]);
  });

  test.each([
    ["allow", "hello", "connected", "default"],
    ["allow", "hello", "connected", "bypass"],
    ["deny", "fetch failed", "refused", "default"],
  ] as const)(
    "is asked about where its entry says so: %s gives %j (%s, mode %s)",
    async (answer, said, outcome, mode) => {
      const port = await hello();
      const { asked, ask } = person(answer);
      const session = await open(port, { otherHosts: "ask" }, { ask, mode });
      const first = await fetching(session, port);
      expect(textOf(first)).toContain(said);
      expect(textOf(await fetching(session, port))).toContain(said);
      expect(asked).toMatchObject([
        {
          intentId: first.intentId,
          tool: "mcp__curious__fetch",
          prompt: { title: `Let the server curious connect to localhost:${port}?`, risk: "R4" },
        },
      ]);
      expect(asked[0]?.prompt).not.toHaveProperty("suggestedRules");
      await made(session, 2);
      const expected = { server: "curious", port, outcome, decidedBy: "ada" };
      expect(session.facts("connection.made")).toMatchObject([expected, expected]);
    },
  );

  test("is refused where its entry wants a question and nobody can be asked, or a rule denies it", async () => {
    const port = await hello();
    const alone = await open(port, { otherHosts: "ask" });
    expect(textOf(await fetching(alone, port))).toContain("fetch failed");
    expect(alone.facts("connection.made")).toMatchObject([{ outcome: "refused", reason: expect.any(String) }]);
    const { asked, ask } = person("allow");
    const denied = await open(port, { otherHosts: "ask" }, { ask, deny: ["WebFetch(domain:localhost)"] });
    expect(textOf(await fetching(denied, port))).not.toBe("hello");
    expect(asked).toEqual([]);
    expect(denied.facts("connection.made")).toMatchObject([{ outcome: "refused" }]);
  });
});

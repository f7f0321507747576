import { request as httpRequest } from "node:http";
import { expect, test } from "vitest";
import { makeWorkspace } from "../support/workspace.ts";
import { type Served, serveWorkspace } from "./served.ts";

const version = "2026-07-28";
const _meta = {
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientCapabilities": {},
};

test.each([
  ["another host", { host: "evil.example.com" }, 403, "wrong_host"],
  ["another host with our port", { host: "evil.example.com:80" }, 403, "wrong_host"],
  ["a name that only begins like ours", { host: "localhost.evil.example.com" }, 403, "wrong_host"],
  ["another spelling of our address", { host: "2130706433" }, 403, "wrong_host"],
  ["our name with more behind it", { host: "127.0.0.1/evil.example.com" }, 403, "wrong_host"],
  ["an origin in another spelling", { origin: "http://0x7f.1:9999" }, 403, "wrong_origin"],
  ["another origin", { origin: "https://evil.example.com" }, 403, "wrong_origin"],
  ["a page without an origin", { origin: "null" }, 403, "wrong_origin"],
  ["no token", { authorization: "" }, 401, "no_token"],
  ["another token", { authorization: "Bearer guessed" }, 401, "no_token"],
  ["the token in another scheme", { authorization: "Basic guessed" }, 401, "no_token"],
] as const)("%s is refused before anything is read", async (_what, headers, status, error) => {
  const served = await serveWorkspace(makeWorkspace());
  const refused = await send(served, listing(1), headers);
  expect([refused.status, JSON.parse(refused.body)]).toEqual([status, { error, message: expect.any(String) }]);
  expect(refused.headers["www-authenticate"]).toBe(status === 401 ? 'Bearer realm="gauntlet"' : undefined);
  expect((await send(served, listing(2))).status).toBe(200);
});

test("our own names, an origin of this machine and nothing but the one path are served", async () => {
  const served = await serveWorkspace(makeWorkspace());
  for (const host of ["localhost", "127.0.0.1:80", "[::1]:8080"]) {
    expect((await send(served, listing(1), { host, origin: `http://${host}` })).status).toBe(200);
  }
  expect((await send(served, listing(1), {}, "/other")).status).toBe(404);
});

test.each([
  ["no JSON", "{nonsense", {}, 400, "-32700"],
  ["no message", '{"hello":"there"}', {}, 400, "-32"],
  ["another kind of body", "a=b", { "content-type": "application/x-www-form-urlencoded" }, 415, "-32600"],
  ["a body that is too large", `"${"x".repeat(9 * 1024 * 1024)}"`, {}, 413, "too large"],
] as const)("%s is answered, and the server goes on", async (_what, body, headers, status, part) => {
  const served = await serveWorkspace(makeWorkspace());
  const refused = await send(served, body, headers);
  expect([refused.status, refused.body]).toEqual([status, expect.stringContaining(part)]);
  expect((await send(served, listing(2))).status).toBe(200);
});

test("a body that does not say how large it is is read no further than allowed", async () => {
  const served = await serveWorkspace(makeWorkspace());
  const refused = await send(served, `"${"x".repeat(9 * 1024 * 1024)}"`, { "transfer-encoding": "chunked" });
  expect(refused.status).toBe(413);
});

test("headers are bounded", async () => {
  const served = await serveWorkspace(makeWorkspace());
  expect((await send(served, listing(1), { "x-long": "x".repeat(40_000) })).status).toBe(431);
});

test("a client that leaves in the middle ends its call and no other", async () => {
  const served = await serveWorkspace(makeWorkspace(), { allow: ["Bash(sleep 60)"] });
  const left = new AbortController();
  const params = { name: "bash", arguments: { command: "sleep 60" }, _meta };
  const gone = send(served, message(1, "tools/call", params), { "mcp-name": "bash" }, undefined, left.signal);
  await until(() => served.events().some(({ type }) => type === "tool_invocation.started"));
  left.abort();
  await expect(gone).rejects.toThrow();
  await until(() => served.events().some(({ type }) => type === "tool_invocation.ended"));
  expect(served.events().find(({ type }) => type === "tool_invocation.ended")?.data).toMatchObject({
    exit: "cancelled",
  });
  expect((await send(served, listing(2))).status).toBe(200);
});

test("stopping it ends what is under way and closes the session", async () => {
  const served = await serveWorkspace(makeWorkspace(), { allow: ["Bash(sleep 60)"] });
  const params = { name: "bash", arguments: { command: "sleep 60" }, _meta };
  const running = send(served, message(1, "tools/call", params), { "mcp-name": "bash" }).catch(() => "ended");
  await until(() => served.events().some(({ type }) => type === "tool_invocation.started"));
  await served.stop();
  await running;
  expect(served.events().find(({ type }) => type === "tool_invocation.ended")?.data).toMatchObject({
    exit: "cancelled",
  });
  await expect(send(served, listing(2))).rejects.toThrow();
});

test("a bug of ours is told to who serves, once and without secrets, and to the client only that there is one", async () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  let isBroken = false;
  let token = "";
  const served = await serveWorkspace(makeWorkspace(), { sources: ["mcp"] }, undefined, (app) => ({
    ...app,
    async openDoor(options) {
      const opened = await app.openDoor(options);
      if (!opened.ok) return opened;
      const servers = () => {
        if (isBroken) throw new Error(`no servers for ${secret}, ${token}`);
        return opened.value.servers();
      };
      return { ok: true, value: { ...opened.value, servers } };
    },
  }));
  isBroken = true;
  token = served.token;
  const notifications = { resourceSubscriptions: ["gauntlet-server:any/file:///a"] };
  const wish = message(1, "subscriptions/listen", { notifications, _meta });
  for (let round = 0; round < 2; round++) {
    const { status, body } = await send(served, wish);
    expect([status, body]).toEqual([500, "Internal error.\n"]);
  }
  expect(served.failures()).toEqual([
    expect.stringMatching(/^Error: no servers for \[redacted:[^\]]+\], \[redacted\]\n {4}at /),
  ]);
});

function message(id: number, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

function listing(id: number): string {
  return message(id, "tools/list", { _meta });
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** `fetch` would not let us say another host. */
function send(
  { url, token }: Served,
  body: string,
  headers: Readonly<Record<string, string>> = {},
  path = "/mcp",
  signal?: AbortSignal,
): Promise<Answer> {
  const method = /"method":"([^"]+)"/.exec(body)?.[1] ?? "";
  const length =
    headers["transfer-encoding"] === undefined ? { "content-length": String(Buffer.byteLength(body)) } : {};
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      new URL(path, url),
      {
        method: "POST",
        ...(signal === undefined ? {} : { signal }),
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": version,
          "mcp-method": method,
          ...length,
          ...headers,
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body: text }));
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

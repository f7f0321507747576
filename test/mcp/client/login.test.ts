// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import { describe, expect, test } from "vitest";
import { ok } from "../../../src/contract/codes.ts";
import { needsLogin } from "../../../src/mcp/client/connection.ts";
import { openConnection } from "../../../src/mcp/client/open-connection.ts";
import { callOf, memoryStore, Opened } from "./connection-parts.ts";
import { type Handler, json, loginDocument, oldServer, startWeb } from "./web-server.ts";

const done = oldServer((id, response) => json(response, 200, { jsonrpc: "2.0", id, result: { content: [] } }));

/** A server with its authorization server beside it. Only the named tokens open it. */
function guardedServer(valid: ReadonlySet<string>, token: (form: URLSearchParams) => unknown): Handler {
  return (heard, response) => {
    const document = loginDocument(heard);
    if (document !== undefined) return json(response, 200, document);
    if (heard.path === "/register") {
      return json(response, 201, { ...JSON.parse(heard.body), client_id: "registered" });
    }
    if (heard.path === "/token") {
      const answer = token(new URLSearchParams(heard.body));
      return json(response, answer === undefined ? 400 : 200, answer ?? { error: "invalid_grant" });
    }
    const [, given = ""] = heard.headers.authorization?.split(" ") ?? [];
    if (valid.has(given)) return done(heard, response);
    response.writeHead(401, { "www-authenticate": "Bearer" }).end(`no ${given}`);
  };
}

const secret = "very-secret-token";

describe("a server that wants a login", () => {
  test("is not logged in to when nobody is there for it", async () => {
    await using opened = new Opened();
    const { origin, heard } = await startWeb(
      opened,
      guardedServer(new Set(), () => undefined),
    );
    for (const type of ["http", "sse"] as const) {
      const result = await openConnection(opened.parts({ type, url: `${origin}/mcp` }));
      expect(result).toEqual({
        ok: false,
        failure: {
          code: "server_unavailable",
          message: 'The server "test" requires a login.',
          recovery: "Run `gauntlet mcp login test`.",
          happened: "nothing",
        },
      });
      expect(!result.ok && needsLogin(result.failure)).toBe(true);
    }
    const asked = new Set(heard.map(({ path, method }) => `${method} ${path}`));
    expect([...asked].sort()).toEqual(["GET /.well-known/oauth-protected-resource/mcp", "GET /mcp", "POST /mcp"]);
  });

  test.each([
    { who: "nobody is there for a login", more: {} },
    {
      who: "somebody is there for a login",
      more: { authorize: async () => ok(new URL("http://127.0.0.1:1/callback")) },
    },
  ])("and offers none says how else it gets a token when $who", async ({ more }) => {
    await using opened = new Opened();
    const { origin } = await startWeb(opened, ({ path }, response) => {
      if (path === "/mcp") response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      else response.writeHead(404).end();
    });
    for (const type of ["http", "sse"] as const) {
      const result = await openConnection(opened.parts({ type, url: `${origin}/mcp` }, more));
      expect(result).toEqual({
        ok: false,
        failure: {
          code: "server_unavailable",
          message: 'The server "test" requires a token and offers no login.',
          recovery: expect.stringContaining("--header 'Authorization: Bearer ${TOKEN}'"),
          happened: "nothing",
        },
      });
      expect(!result.ok && needsLogin(result.failure)).toBe(false);
    }
  });

  test("gets the token of a login, which is kept by who issued it", async () => {
    await using opened = new Opened();
    const credentials = memoryStore();
    const forms: Record<string, string>[] = [];
    const { origin } = await startWeb(
      opened,
      guardedServer(new Set([secret]), (form) => {
        forms.push(Object.fromEntries(form));
        return { access_token: secret, token_type: "Bearer", refresh_token: "again", expires_in: 3600 };
      }),
    );
    const authorize = async (url: URL) => {
      const back = new URL("http://127.0.0.1:1/callback");
      back.search = new URLSearchParams({ code: "c1", state: url.searchParams.get("state") ?? "" }).toString();
      return ok(back);
    };
    const parts = opened.parts({ type: "http", url: `${origin}/mcp` }, { credentials, authorize });
    const connection = await opened.open(parts);
    expect(await connection.call(callOf("work"))).toMatchObject({ ok: true });
    expect(forms).toEqual([
      {
        grant_type: "authorization_code",
        code: "c1",
        code_verifier: expect.any(String),
        redirect_uri: "http://127.0.0.1:1/callback",
        resource: `${origin}/mcp`,
        client_id: "registered",
      },
    ]);
    expect(credentials.kept.get("test")).toMatchObject({
      current: origin,
      issuers: { [origin]: { client: { client_id: "registered" }, tokens: { access_token: secret } } },
    });
    // The next connection needs nobody.
    const { authorize: _, ...alone } = parts;
    expect((await opened.open(alone)).protocol).toBe("2025-06-18");
  });

  test("refuses an old token, and the refresh token gets another", async () => {
    await using opened = new Opened();
    const credentials = memoryStore();
    const { origin, heard } = await startWeb(
      opened,
      guardedServer(new Set(["fresh"]), (form) =>
        form.get("refresh_token") === "again" ? { access_token: "fresh", token_type: "Bearer" } : undefined,
      ),
    );
    const tokens = { access_token: secret, token_type: "Bearer", refresh_token: "again", issuer: origin };
    const client = { client_id: "registered", issuer: origin };
    credentials.write("test", { current: origin, issuers: { [origin]: { client, tokens } } });
    const connection = await opened.open(opened.parts({ type: "http", url: `${origin}/mcp` }, { credentials }));
    expect(await connection.call(callOf("work"))).toMatchObject({ ok: true });
    expect(heard.filter(({ path }) => path === "/token")).toHaveLength(1);
    expect(credentials.kept.get("test")).toMatchObject({
      issuers: { [origin]: { tokens: { access_token: "fresh", refresh_token: "again" } } },
    });
  });

  test.each([
    { what: "another state", search: { code: "c1", state: "other" } },
    { what: "no code", search: { error: "access_denied", error_description: "click here" } },
  ] as readonly { what: string; search: Record<string, string> }[])(
    "does not believe a way back with $what",
    async ({ search }) => {
      await using opened = new Opened();
      const { origin, heard } = await startWeb(
        opened,
        guardedServer(new Set([secret]), () => ({ access_token: secret })),
      );
      const authorize = async () => ok(new URL(`http://127.0.0.1:1/callback?${new URLSearchParams(search)}`));
      expect(await openConnection(opened.parts({ type: "http", url: `${origin}/mcp` }, { authorize }))).toMatchObject({
        ok: false,
        failure: { message: 'The login to the server "test" was not completed.' },
      });
      expect(heard.some(({ path }) => path === "/token")).toBe(false);
    },
  );

  test("is left when it is never content, and the token is in no error", async () => {
    await using opened = new Opened();
    let logins = 0;
    const token = () => ({ access_token: `${secret}-${logins}`, token_type: "Bearer" });
    const { origin } = await startWeb(opened, guardedServer(new Set(), token));
    const authorize = async (url: URL) => {
      logins += 1;
      return ok(new URL(`http://127.0.0.1:1/callback?code=c&state=${url.searchParams.get("state")}`));
    };
    const result = await openConnection(opened.parts({ type: "http", url: `${origin}/mcp` }, { authorize }));
    expect(result).toMatchObject({
      ok: false,
      failure: { code: "server_unavailable", message: 'The server "test" rejected 3 logins in a row.' },
    });
    expect(logins).toBe(3);
    expect(JSON.stringify(result)).not.toContain(secret);
  });

  test("does not get a login when the settings have a header of their own", async () => {
    await using opened = new Opened();
    const { origin } = await startWeb(
      opened,
      guardedServer(new Set(), () => undefined),
    );
    const setting = { type: "http", url: `${origin}/mcp`, headers: { Authorization: `Bearer ${secret}` } } as const;
    const result = await openConnection(opened.parts(setting));
    expect(result).toMatchObject({
      ok: false,
      failure: { message: 'The server "test" rejected the authorization header.' },
    });
    expect(JSON.stringify(result)).not.toContain(secret);
  });
});

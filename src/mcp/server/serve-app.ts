import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { App } from "../../contract/app/app.ts";
import { passesOn, type Serving, type ServingAddress } from "../../contract/app/door.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { createIds } from "../../host/ids.ts";
import { listenHttp } from "../../host/net/http-server.ts";
import { type NamedServers, namedServers } from "../config/named-servers.ts";
import type { LineChannel } from "./line-transport.ts";
import { maxBodyBytes } from "./protocol-server.ts";
import { type ServedSession, serveSession } from "./serve-session.ts";

const path = "/mcp";
const maxHeaderBytes = 32 * 1024;
/** Clients may guess without limit. */
const shortestToken = 16;

const nobody: Outcome<NamedServers> = ok({ servers: [], notices: [] });

export async function serveApp(
  app: App,
  serving: Serving,
  process: { readonly channel: LineChannel; readonly environment: Readonly<Record<string, string | undefined>> },
): Promise<Outcome<void>> {
  const { address, stop } = serving;
  const token = address === undefined ? ok({ text: "" }) : tokenOf(address, process.environment);
  if (!token.ok) return token;
  const { serversFile: file } = serving;
  const settings = app.settings(serving.door);
  if (!settings.ok) return settings;
  const named =
    file === undefined ? nobody : namedServers(file, { workspace: app.workspace, settings: () => settings });
  if (!named.ok) return named;
  const { servers, notices } = named.value;
  const served = await serveSession({
    name: serving.name,
    version: app.version,
    instructions: serving.instructions,
    open: (live) => app.openDoor({ ...serving.door, servers, ...live }),
    archive: () => {
      const archive = app.archive();
      return archive.ok ? archive.value : undefined;
    },
    unanswered: app.unanswered,
    ids: createIds(),
    passesOn: passesOn(serving.door),
    severalClients: address !== undefined,
    approvalMs: settings.value.limits.approvalMs,
    onTrouble: (status) => serving.onTrouble?.(status),
  });
  if (!served.ok) return served;
  try {
    const onReady: Serving["onReady"] = (ready) => serving.onReady({ ...ready, notices });
    if (address !== undefined) return await serveHttp(served.value, { ...serving, onReady, address }, token.value);
    await onReady({ session: served.value.door.sessionId });
    await Promise.race([served.value.protocol.serveLines(process.channel), aborted(stop)]);
    return ok(undefined);
  } finally {
    await served.value.close();
  }
}

async function serveHttp(
  { door, protocol }: ServedSession,
  { address, stop, onReady, onFailure = () => {} }: Serving & { readonly address: ServingAddress },
  token: { readonly text: string; readonly madeUp?: true },
): Promise<Outcome<void>> {
  const hosts = [...loopbackHosts, address.host, ...address.names];
  const guarded = guardRequests({ hosts, token: token.text, path }, (request) => protocol.fetch(request));
  let told: string | undefined;
  const server = await listenHttp(guarded, {
    ...address,
    maxHeaderBytes,
    maxBodyBytes,
    closeMs: 2_000,
    onFailure(error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const what = door.redact(text.replaceAll(token.text, "[redacted]"));
      if (what !== told) onFailure(what);
      told = what;
    },
  });
  if (!server.ok) return server;
  const url = `http://${address.host}:${server.value.port}${path}`;
  await onReady({ session: door.sessionId, url, ...(token.madeUp ? { token: token.text } : {}) });
  await aborted(stop);
  await server.value.close();
  return ok(undefined);
}

type RequestHandler = (request: Request) => Promise<Response>;

export const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

export function guardRequests(
  guard: { readonly hosts: readonly string[]; readonly token?: string; readonly path: string },
  handler: RequestHandler,
): RequestHandler {
  const wanted = guard.token === undefined ? undefined : digest(`Bearer ${guard.token}`);
  return async (request) => {
    const { headers } = request;
    if (!isOurs(headers.get("host") ?? "", guard.hosts)) {
      return refused(403, "wrong_host", "This host name is not allowed.");
    }
    const origin = headers.get("origin");
    if (origin !== null && !isOurs(origin.replace(/^[a-z][a-z0-9+.-]*:\/\//i, ""), guard.hosts)) {
      return refused(403, "wrong_origin", "This origin is not allowed.");
    }
    // Hashed, so that the time reveals neither content nor length.
    if (wanted !== undefined && !timingSafeEqual(digest(headers.get("authorization") ?? ""), wanted)) {
      const message = "Send the token that the server printed at start: Authorization: Bearer <token>.";
      return refused(401, "no_token", message, { "www-authenticate": 'Bearer realm="gauntlet"' });
    }
    if (new URL(request.url).pathname !== guard.path) {
      return refused(404, "not_found", `Only ${guard.path} is available.`);
    }
    return handler(request);
  };
}

function isOurs(written: string, hosts: readonly string[]): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(written)?.[1]?.toLowerCase();
  return hosts.some((host) => host.toLowerCase() === name);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function refused(status: number, error: string, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error, message }, { status, headers });
}

function tokenOf({ tokenEnv }: ServingAddress, environment: Readonly<Record<string, string | undefined>>) {
  if (tokenEnv === undefined) return ok({ text: randomBytes(32).toString("base64url"), madeUp: true as const });
  const text = environment[tokenEnv] ?? "";
  return text.length >= shortestToken
    ? ok({ text })
    : fail("bad_request", `${tokenEnv} must hold a token of at least ${shortestToken} characters.`, {
        recovery: `Set ${tokenEnv}, or omit --token-env and use the printed token.`,
      });
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

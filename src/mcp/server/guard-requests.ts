import { createHash, timingSafeEqual } from "node:crypto";

type Handler = (request: Request) => Promise<Response>;

export interface RequestGuard {
  readonly hosts: readonly string[];
  readonly token?: string;
  readonly path: string;
}

export const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

export function guardRequests(guard: RequestGuard, handler: Handler): Handler {
  const wanted = guard.token === undefined ? undefined : digest(`Bearer ${guard.token}`);
  return async (request) => {
    const { headers } = request;
    if (!isOurs(headers.get("host") ?? "", guard.hosts)) {
      return refused(403, "wrong_host", "This server is not asked under this host name.");
    }
    const origin = headers.get("origin");
    if (origin !== null && !isOurs(origin.replace(/^[a-z][a-z0-9+.-]*:\/\//i, ""), guard.hosts)) {
      return refused(403, "wrong_origin", "Pages of this origin may not use this server.");
    }
    // Both sides are hashed, so that neither content nor length shows in the time that it takes.
    if (wanted !== undefined && !timingSafeEqual(digest(headers.get("authorization") ?? ""), wanted)) {
      return refused(
        401,
        "no_token",
        "Send the token that the server printed when it was started: Authorization: Bearer <token>.",
        {
          "www-authenticate": 'Bearer realm="gauntlet"',
        },
      );
    }
    if (new URL(request.url).pathname !== guard.path) {
      return refused(404, "not_found", `Only ${guard.path} is served here.`);
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

import { createHash, timingSafeEqual } from "node:crypto";

type Handler = (request: Request) => Promise<Response>;

export interface RequestGuard {
  /** Host names under which this server may be asked, without port. */
  readonly hosts: readonly string[];
  /** Absent only where there is nothing to protect. */
  readonly token?: string;
  /** The one path that is served. */
  readonly path: string;
}

/** The names that a browser knows this machine by. */
export const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Lets through who names this server by its own name and holds the token. A page of the web that was led here by its
 * name server names another host, and its browser says where it comes from: both are refused before anything is read.
 */
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

/** As it is written: other spellings of an address lead here as well, and no client of ours uses one. */
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

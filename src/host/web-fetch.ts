import type { HttpClient, HttpRequest } from "./http-fetch.ts";

/**
 * The client in the shape of the global `fetch`, for packages that know no other. It follows no redirection
 * unless it says so itself, and takes a body only as one piece.
 */
export function createWebFetch(client: HttpClient): typeof fetch {
  return async (target, init = {}) => {
    if (target instanceof Request) throw new TypeError("Only an address can be fetched.");
    const headers: Record<string, string> = {};
    for (const [name, value] of new Headers(init.headers)) headers[name] = value;
    const response = await client.fetch(String(target), {
      method: init.method ?? "GET",
      headers,
      signal: init.signal ?? undefined,
      ...bodyOf(init.body, headers),
    });
    const { status, statusText } = response;
    const isEmpty = status === 204 || status === 205 || status === 304;
    if (isEmpty) await response.chunks.next();
    return new Response(isEmpty ? null : response.body, { status, statusText, headers: [...response.headers] });
  };
}

function bodyOf(body: RequestInit["body"], headers: Record<string, string>): Pick<HttpRequest, "body"> {
  if (body === undefined || body === null) return {};
  if (typeof body === "string" || body instanceof Uint8Array) return { body };
  if (body instanceof URLSearchParams) {
    headers["content-type"] ??= "application/x-www-form-urlencoded;charset=UTF-8";
    return { body: body.toString() };
  }
  throw new TypeError("A body is text, bytes or form values.");
}

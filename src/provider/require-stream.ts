import type { HttpFetch, HttpResponse } from "../host/net/http-client.ts";

/** A page, or an answer in one piece. Servers name the type of a stream in more ways than one. */
const noStream = /^(?:text\/html|application\/json)\b/i;

/** For requests that ask for a stream: whatever else answers them fine is not the model that was meant. */
export function requireStream(send: HttpFetch): HttpFetch {
  return async (url, request) => {
    const response = await send(url, request);
    const type = response.headers.get("content-type") ?? "";
    if (!response.ok || !noStream.test(type)) return response;
    const { origin, pathname } = new URL(url);
    const [shownType] = type.split(";");
    const message = `${origin}${pathname} answers with ${shownType} instead of a stream. Check the address: that of a model server often ends in /v1.`;
    // A page says nothing about models.
    const body = /json/i.test(type) ? await bodyOf(response) : undefined;
    if (body === undefined) response.chunks.cancel();
    throw Object.assign(new Error(message), {
      name: "NotAStream",
      responseHeaders: Object.fromEntries(response.headers),
      ...(body === undefined ? {} : { responseBody: body }),
    });
  };
}

/** All of it. */
export async function bodyOf({ chunks }: Pick<HttpResponse, "chunks">): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) pieces.push(chunk);
  return Buffer.concat(pieces).toString();
}

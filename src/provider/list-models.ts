import { isRecord } from "../base/json.ts";
import type { HttpFetch } from "../host/net/http-client.ts";

/** What a server said when it was asked which models it has. */
export type ModelList =
  | { readonly status: number /** Absent when the answer is no list of models. */; readonly ids?: readonly string[] }
  /** Nobody answered; the operating system's word for it, where there is one. */
  | { readonly fault: string };

export async function listModels(
  baseUrl: string,
  request: {
    readonly fetch: HttpFetch;
    readonly headers: Readonly<Record<string, string>>;
    readonly patienceMs: number;
  },
): Promise<ModelList> {
  const { fetch: send, headers, patienceMs } = request;
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const response = await send(`${baseUrl}/models`, { method: "GET", headers, signal });
    const { status } = response;
    const ids = idsIn(await textOf(response.body));
    return response.ok && ids !== undefined ? { status, ids } : { status };
  } catch (error) {
    return { fault: isRecord(error) && typeof error.code === "string" ? error.code : "" };
  }
}

/** Something else may live there: whatever does not answer like a model server has no list. */
function idsIn(body: string): readonly string[] | undefined {
  const read = parsed(body);
  const entries = isRecord(read) ? (read.data ?? read.models) : undefined;
  if (!Array.isArray(entries)) return undefined;
  return entries.flatMap((entry: unknown) => {
    const id = isRecord(entry) ? (entry.id ?? entry.name) : undefined;
    return typeof id === "string" && /^[^\s\p{C}]{1,200}$/u.test(id) ? [id] : [];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const mostBytes = 1_000_000;

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > mostBytes) break;
  }
  return text;
}

import { isRecord } from "../base/json.ts";
import type { FoundModel } from "../contract/model.ts";
import type { HttpFetch } from "../host/net/http-client.ts";
import { keyNames, type LocalServer, localServers } from "./known-providers.ts";

export type ModelList =
  | { readonly status: number; readonly ids?: readonly string[] }
  /** No answer; with the error code of the operating system, if there is one. */
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
    const ids = idsIn(await readBody(response.body));
    return response.ok && ids !== undefined ? { status, ids } : { status };
  } catch (error) {
    return { fault: isRecord(error) && typeof error.code === "string" ? error.code : "" };
  }
}

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

export async function readBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > mostBytes) break;
  }
  return text;
}

const withKey = [
  { keys: keyNames.anthropic, name: "anthropic/claude-sonnet-4-5" },
  { keys: keyNames.openai, name: "openai/gpt-5.2" },
  { keys: keyNames.google, name: "google/gemini-2.5-pro" },
];

const mostOfOne = 5;
const patienceMs = 500;
const mostOfNamed = 20;
const farPatienceMs = 3_000;

/** Contacts only servers on this machine, and sends no key. */
export async function findModels(options: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: HttpFetch;
  readonly servers?: readonly LocalServer[];
}): Promise<readonly FoundModel[]> {
  const { environment, fetch: send, servers = localServers } = options;
  const keyed = withKey.flatMap(({ keys, name }) => {
    const [key] = keysIn(environment, keys);
    return key === undefined ? [] : [{ name, from: key }];
  });
  const local = await Promise.all(
    servers.map(async ({ provider, called, port }) => {
      const list = await listModels(`http://127.0.0.1:${port}/v1`, { fetch: send, headers: {}, patienceMs });
      const ids = "ids" in list ? (list.ids ?? []) : [];
      return ids.slice(0, mostOfOne).map((id) => ({ name: `${provider}/${id}`, from: `${called} on port ${port}` }));
    }),
  );
  return [...keyed, ...local.flat()];
}

/** Sends no key. */
export async function findModelsAt(baseUrl: string, send: HttpFetch): Promise<readonly FoundModel[]> {
  const list = await listModels(baseUrl.replace(/\/+$/, ""), { fetch: send, headers: {}, patienceMs: farPatienceMs });
  const ids = "ids" in list ? (list.ids ?? []) : [];
  return ids.slice(0, mostOfNamed).map((id) => ({ name: `openai-compatible/${id}`, from: baseUrl }));
}

export function keysIn(
  environment: Readonly<Record<string, string | undefined>>,
  variables: readonly string[] = withKey.flatMap(({ keys }) => keys),
): readonly string[] {
  return variables.filter((variable) => (environment[variable] ?? "").trim() !== "");
}

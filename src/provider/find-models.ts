import type { FoundModel } from "../contract/model.ts";
import type { HttpFetch } from "../host/http-fetch.ts";
import { keyNames, type LocalServer, localServers } from "./known-providers.ts";

/** A model that a person with this key would name first. */
const withKey = [
  { keys: keyNames.anthropic, name: "anthropic/claude-sonnet-4-5" },
  { keys: keyNames.openai, name: "openai/gpt-5.2" },
  { keys: keyNames.google, name: "google/gemini-2.5-pro" },
];

const mostOfOne = 5;
const patienceMs = 500;

/**
 * What could be asked without any configuration: keys in the environment, and servers that answer on this machine.
 * Nothing is sent anywhere else, and no key at all.
 */
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
    servers.map(async ({ provider, called, port }) =>
      (await namesAt(`http://127.0.0.1:${port}/v1/models`, send)).map((id) => ({
        name: `${provider}/${id}`,
        from: `${called} on port ${port}`,
      })),
    ),
  );
  return [...keyed, ...local.flat()];
}

/** The names of those variables that hold something. */
export function keysIn(
  environment: Readonly<Record<string, string | undefined>>,
  variables: readonly string[] = withKey.flatMap(({ keys }) => keys),
): readonly string[] {
  return variables.filter((variable) => (environment[variable] ?? "").trim() !== "");
}

/** Something else may live at that port: whatever does not answer like a model server has no models. */
async function namesAt(url: string, send: HttpFetch): Promise<readonly string[]> {
  try {
    const response = await send(url, { method: "GET", headers: {}, signal: AbortSignal.timeout(patienceMs) });
    if (!response.ok) return [];
    const body: unknown = JSON.parse(await textOf(response.body));
    if (typeof body !== "object" || body === null || !("data" in body) || !Array.isArray(body.data)) return [];
    return body.data
      .flatMap((model: unknown) =>
        typeof model === "object" && model !== null && "id" in model && typeof model.id === "string" ? [model.id] : [],
      )
      .filter((id) => /^[^\s\p{C}]{1,200}$/u.test(id))
      .slice(0, mostOfOne);
  } catch {
    return [];
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

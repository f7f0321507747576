import type { FoundModel } from "../contract/model.ts";
import type { HttpFetch } from "../host/net/http-client.ts";
import { keyNames, type LocalServer, localServers } from "./known-providers.ts";
import { listModels } from "./list-models.ts";

/** A model that a person with this key would name first. */
const withKey = [
  { keys: keyNames.anthropic, name: "anthropic/claude-sonnet-4-5" },
  { keys: keyNames.openai, name: "openai/gpt-5.2" },
  { keys: keyNames.google, name: "google/gemini-2.5-pro" },
];

const mostOfOne = 5;
const patienceMs = 500;
/** Of a server that a person named, which may be far away. */
const mostOfNamed = 20;
const farPatienceMs = 3_000;

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
    servers.map(async ({ provider, called, port }) => {
      const list = await listModels(`http://127.0.0.1:${port}/v1`, { fetch: send, headers: {}, patienceMs });
      const ids = "ids" in list ? (list.ids ?? []) : [];
      return ids.slice(0, mostOfOne).map((id) => ({ name: `${provider}/${id}`, from: `${called} on port ${port}` }));
    }),
  );
  return [...keyed, ...local.flat()];
}

/** What a server at this address has. It is asked without a key. */
export async function findModelsAt(baseUrl: string, send: HttpFetch): Promise<readonly FoundModel[]> {
  const list = await listModels(baseUrl.replace(/\/+$/, ""), { fetch: send, headers: {}, patienceMs: farPatienceMs });
  const ids = "ids" in list ? (list.ids ?? []) : [];
  return ids.slice(0, mostOfNamed).map((id) => ({ name: `openai-compatible/${id}`, from: baseUrl }));
}

/** The names of those variables that hold something. */
export function keysIn(
  environment: Readonly<Record<string, string | undefined>>,
  variables: readonly string[] = withKey.flatMap(({ keys }) => keys),
): readonly string[] {
  return variables.filter((variable) => (environment[variable] ?? "").trim() !== "");
}

import type { DoctorCheck } from "../contract/app.ts";
import type { Settings } from "../contract/settings.ts";
import type { HttpFetch } from "../host/http-fetch.ts";
import { findModels, keysIn } from "./find-models.ts";
import { type LocalServer, localServers } from "./known-providers.ts";

/** Which models could be asked from here. Of keys, only the names of the variables are told. */
export async function examineModels(options: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: HttpFetch;
  readonly models: Settings["models"];
  readonly servers?: readonly LocalServer[];
}): Promise<readonly DoctorCheck[]> {
  const { environment, models, servers = localServers } = options;
  const own = Object.values(models.providers).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []);
  const keys = [...new Set([...keysIn(environment), ...keysIn(environment, own)])];
  const found = await findModels({ ...options, environment: {}, servers });
  const usable = keys.length > 0 || found.length > 0 || models.model !== undefined;
  return [
    keys.length > 0 || usable
      ? keys.length === 0
        ? { name: "keys", state: "absent", detail: "none set" }
        : { name: "keys", state: "ok", detail: `set: ${keys.join(", ")}` }
      : {
          name: "keys",
          state: "warning",
          detail: "none set, and no model server answers on this machine",
          fix: "export ANTHROPIC_API_KEY=… (or OPENAI_API_KEY, or GEMINI_API_KEY), or start a server such as Ollama",
        },
    {
      name: "model servers",
      state: found.length === 0 ? "absent" : "ok",
      detail:
        found.length === 0
          ? `none answers on this machine (looked for ${servers.map(({ called, port }) => `${called} on ${port}`).join(", ")})`
          : found.map(({ name, from }) => `${name} (${from})`).join(", "),
    },
  ];
}

import type { DoctorCheck } from "../contract/app/app.ts";
import type { Failure } from "../contract/codes.ts";
import { type Models, modelName } from "../contract/model.ts";
import type { ProviderKind, Settings } from "../contract/settings.ts";
import type { HttpFetch } from "../host/net/http-client.ts";
import { findProvider, isLoopback, type LocalServer, localServers, type UsableProvider } from "./known-providers.ts";
import { findModels, keysIn, listModels, type ModelList } from "./list-models.ts";

export async function examineModels(
  examination: ModelExamination & { readonly servers?: readonly LocalServer[] },
): Promise<readonly DoctorCheck[]> {
  const { environment, models, servers = localServers } = examination;
  const own = Object.values(models.providers).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []);
  const keys = [...new Set([...keysIn(environment), ...keysIn(environment, own)])];
  const [set, askable] = await Promise.all([examineModel(examination), findModels({ ...examination, servers })]);
  const found = askable.filter(({ from }) => !keys.includes(from));
  const places = servers.map(({ called, port }) => `${called} on ${port}`).join(", ");
  return [
    set ?? noModel(askable[0]?.name),
    keys.length === 0
      ? { name: "keys", state: "absent", detail: "none set" }
      : { name: "keys", state: "ok", detail: `set: ${keys.join(", ")}` },
    found.length === 0
      ? { name: "model servers", state: "absent", detail: `none at the usual local addresses (${places})` }
      : {
          name: "model servers",
          state: "ok",
          detail: found.map(({ name, from }) => `${name} (${from})`).join(", "),
        },
  ];
}

function noModel(one: string | undefined): DoctorCheck {
  const name = "model";
  return one === undefined
    ? {
        name,
        state: "warning",
        detail: "none configured: no API key is set, and no local model server answers",
        fix: "export ANTHROPIC_API_KEY=… (or OPENAI_API_KEY, or GEMINI_API_KEY), or start a server such as Ollama",
      }
    : {
        name,
        state: "warning",
        detail: "none configured: `gauntlet` asks which one to use, and `gauntlet run` needs --model",
        fix: `gauntlet run --model ${one} '<task>', or "model": "${one}" in ~/.gauntlet/settings.json`,
      };
}

export interface ModelExamination {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: HttpFetch;
  readonly models: Settings["models"];
  readonly resolve: Models["resolve"];
}

interface Finding {
  readonly state: Exclude<DoctorCheck["state"], "absent">;
  readonly detail: string;
  readonly fix?: string;
  /** A run would continue with the next model. */
  readonly passedOver?: true;
}

async function examineModel(examination: ModelExamination): Promise<DoctorCheck | undefined> {
  const { models, resolve } = examination;
  const chosen = chosenModel(models, resolve);
  if (chosen === undefined) return undefined;
  const name = "model";
  if (typeof chosen !== "string") return { name, ...unusable("", chosen) };
  const fallbacks = models.fallback.filter((one) => one !== chosen);
  const [first, ...others] = await Promise.all([chosen, ...fallbacks].map((one) => lookAt(one, examination)));
  if (first === undefined) return undefined;
  const bad = [first, ...others].find(({ state }) => state !== "ok");
  const detail = [first.detail, ...others.map((one) => `else ${one.detail}`)].join("\n");
  const goesOn = first.passedOver === true && others.some(({ state }) => state === "ok");
  const state = goesOn || (first.state === "ok" && bad !== undefined) ? "warning" : first.state;
  return { name, state, detail, ...(bad?.fix === undefined ? {} : { fix: bad.fix }) };
}

function chosenModel(models: Settings["models"], resolve: Models["resolve"]): string | Failure | undefined {
  if (models.model !== undefined) return models.model;
  if (Object.values(models.providers).every((provider) => Object.keys(provider.models ?? {}).length === 0)) return;
  const chain = resolve({});
  return chain.ok ? modelName(chain.value.models[0].ref) : chain.failure;
}

async function lookAt(name: string, { environment, fetch: send, models, resolve }: ModelExamination): Promise<Finding> {
  const chain = resolve({ wanted: name });
  if (!chain.ok) return unusable(`${name}: `, chain.failure);
  const { ref } = chain.value.models[0];
  const found = findProvider(ref, { environment, providers: models.providers }, undefined);
  if (!found.ok) return unusable(`${name}: `, found.failure);
  const provider = found.value;
  if (provider.kind === "scripted") return { state: "ok", detail: `${name}: a readable script` };
  const place = `${name} at ${shownAddress(provider)}${provider.keyName === undefined ? "" : ` with the key in ${provider.keyName}`}`;
  if (!mayBeAsked(provider))
    return { state: "ok", detail: `${place}: not contacted (only this machine and addresses in the settings are)` };
  const headers = { ...keyHeaders(provider), ...lowerCased(provider.headers) };
  const list = await listModels(provider.baseUrl, { fetch: send, headers, patienceMs });
  return heard(list, { place, id: ref.id, called: ref.provider, provider });
}

const patienceMs = 2_000;

function unusable(before: string, { message, recovery }: Failure): Finding {
  return { state: "missing", detail: `${before}${message}`, fix: recovery };
}

/** Only this machine and addresses in the user's settings are contacted. */
function mayBeAsked({ baseUrl, setting }: UsableProvider): boolean {
  return setting?.baseUrl !== undefined || isLoopback(new URL(baseUrl).hostname);
}

/** The query part may hold a secret. */
function shownAddress({ baseUrl }: UsableProvider): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname === "/" ? "" : pathname}`;
}

function keyHeaders({ kind, apiKey }: UsableProvider): Readonly<Record<string, string>> {
  const headers: Partial<Record<ProviderKind, Readonly<Record<string, string>>>> = {
    anthropic: { "anthropic-version": "2023-06-01", ...(apiKey === undefined ? {} : { "x-api-key": apiKey }) },
    google: apiKey === undefined ? {} : { "x-goog-api-key": apiKey },
  };
  return headers[kind] ?? (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` });
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

interface Asked {
  readonly place: string;
  readonly id: string;
  readonly called: string;
  readonly provider: UsableProvider;
}

function heard(list: ModelList, { place, id, called, provider }: Asked): Finding {
  if ("fault" in list) {
    const why = list.fault === "" ? `no answer within ${patienceMs / 1000} s` : list.fault;
    const fix =
      provider.setting?.baseUrl === undefined
        ? "start that server"
        : `start that server, or correct "providers.${called}.baseUrl" in the settings`;
    return { state: "missing", detail: `${place}: no answer (${why})`, fix, passedOver: true };
  }
  const { status, ids } = list;
  if (status === 401 || status === 403) {
    const { keyName } = provider;
    return keyName === undefined
      ? {
          state: "missing",
          detail: `${place}: requires a key (${status}), and none is configured`,
          fix: `name the variable that holds its key in "providers.${called}.apiKeyEnv" of the settings`,
        }
      : {
          state: "missing",
          detail: `${place}: rejects the key (${status})`,
          fix: `set ${keyName} to a valid key`,
        };
  }
  if (ids === undefined) {
    return { state: "warning", detail: `${place}: answers (${status}), but not with a list of models` };
  }
  // Ollama lists models without their tag, and Google below a folder.
  if (ids.length === 0 || [id, `${id}:latest`, `models/${id}`].some((one) => ids.includes(one))) {
    return { state: "ok", detail: `${place}: answers` };
  }
  const some = ids.slice(0, 5).map((one) => `${called}/${one}`);
  return {
    state: "warning",
    detail: `${place}: answers, but does not list that model`,
    fix: `choose a listed model: ${some.join(", ")}${ids.length > some.length ? ", …" : ""}`,
  };
}

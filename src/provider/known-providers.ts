import { nearest } from "../base/nearest.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { ModelRef } from "../contract/model.ts";
import type { ProviderKind, ProviderSetting } from "../contract/settings.ts";

export interface LocalServer {
  readonly provider: string;
  readonly called: string;
  readonly port: number;
  readonly start?: string;
}

export const localServers = [
  { provider: "ollama", called: "Ollama", port: 11_434, start: "ollama serve" },
  { provider: "lmstudio", called: "LM Studio", port: 1_234 },
  { provider: "llamacpp", called: "llama.cpp", port: 8_080 },
  { provider: "vllm", called: "vLLM", port: 8_000 },
] as const;

export const keyNames = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
} as const;

interface KnownProvider {
  readonly kind: ProviderKind;
  readonly baseUrl?: string;
  readonly keys: readonly string[];
  readonly keyNeeded: boolean;
  readonly local?: true;
}

const localServer = (port: number): KnownProvider => ({
  kind: "openai-compatible",
  baseUrl: `http://127.0.0.1:${port}/v1`,
  keys: [],
  keyNeeded: false,
  local: true,
});

const kinds: Readonly<Record<ProviderKind, KnownProvider>> = {
  anthropic: {
    kind: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keys: keyNames.anthropic,
    keyNeeded: true,
  },
  openai: { kind: "openai", baseUrl: "https://api.openai.com/v1", keys: keyNames.openai, keyNeeded: true },
  "openai-chat": {
    kind: "openai-chat",
    baseUrl: "https://api.openai.com/v1",
    keys: keyNames.openai,
    keyNeeded: true,
  },
  "openai-compatible": { kind: "openai-compatible", keys: keyNames.openai, keyNeeded: false },
  google: {
    kind: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keys: keyNames.google,
    keyNeeded: true,
  },
  scripted: { kind: "scripted", keys: [], keyNeeded: false },
};

const known: Readonly<Record<string, KnownProvider>> = {
  ...kinds,
  ...Object.fromEntries(localServers.map(({ provider, port }) => [provider, localServer(port)])),
};

export interface UsableProvider {
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly keyName?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly local: boolean;
  readonly setting: ProviderSetting | undefined;
}

export interface ProviderSources {
  readonly providers: Readonly<Record<string, ProviderSetting>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface DescribedProvider extends Pick<UsableProvider, "kind" | "local" | "setting"> {
  readonly address: string | undefined;
  readonly keys: readonly string[];
  readonly keyNeeded: boolean;
}

export function describeProvider(
  { provider: name }: ModelRef,
  providers: ProviderSources["providers"],
  baseUrl: string | undefined,
): Outcome<DescribedProvider> {
  const setting = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const base = Object.hasOwn(known, name) ? known[name] : undefined;
  if (setting === undefined && base === undefined) return unknownProvider(name, providers);
  const usual = base !== undefined && (setting === undefined || setting.kind === base.kind) ? base : undefined;
  const kind = setting?.kind ?? base?.kind ?? "openai-compatible";
  const facts = usual ?? kinds[kind];
  // A vendor's key is not sent to another server of the same kind unless the settings name it.
  const elsewhere = usual === undefined && (baseUrl ?? setting?.baseUrl) !== undefined;
  const usualKeys = elsewhere ? [] : facts.keys;
  const keys = setting?.apiKeyEnv === undefined ? usualKeys : [setting.apiKeyEnv];
  const address = baseUrl ?? setting?.baseUrl ?? facts.baseUrl;
  const isHere = address !== undefined && URL.canParse(address) && isLoopback(new URL(address).hostname);
  return ok({
    kind,
    setting,
    address,
    keys,
    keyNeeded: facts.keyNeeded || setting?.apiKeyEnv !== undefined,
    local: kind === "scripted" || (facts.local === true && isHere),
  });
}

export function findProvider(
  ref: ModelRef,
  { providers, environment }: ProviderSources,
  baseUrl: string | undefined,
): Outcome<UsableProvider> {
  const described = describeProvider(ref, providers, baseUrl);
  if (!described.ok) return described;
  const { kind, setting, address, keys, keyNeeded, local } = described.value;
  const name = ref.provider;
  const keyName = keys.find((variable) => (environment[variable] ?? "").trim() !== "");
  const apiKey = keyName === undefined ? undefined : environment[keyName]?.trim();
  if (apiKey === undefined && keyNeeded) return keys.length === 0 ? unnamedKey(name) : missingKey(name, keys);
  if (kind === "scripted") return ok({ kind, baseUrl: "", headers: {}, local, setting });
  if (address === undefined) return missingAddress(name);
  const refusal = refuseAddress(address, {
    hasKey: apiKey !== undefined,
    setUp: baseUrl === undefined || address === setting?.baseUrl,
  });
  if (refusal !== undefined) return refusal;
  return ok({
    kind,
    baseUrl: address.replace(/\/+$/, ""),
    headers: setting?.headers ?? {},
    local,
    setting,
    ...(keyName === undefined || apiKey === undefined ? {} : { apiKey, keyName }),
  });
}

/** A key is not sent in clear text to another machine unless the user's own settings say so. */
function refuseAddress(
  address: string,
  { hasKey, setUp }: { readonly hasKey: boolean; readonly setUp: boolean },
): ReturnType<typeof fail> | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return fail("bad_request", "The base URL must start with http:// or https://.", {
      recovery: "Give a base URL such as https://models.example.com/v1.",
    });
  }
  if (url.username !== "" || url.password !== "") {
    return fail("bad_request", `The base URL of ${url.host} contains credentials.`, {
      recovery: "Remove them from the URL; keys are read from environment variables.",
    });
  }
  if (url.protocol === "http:" && hasKey && !setUp && !isLoopback(url.hostname)) {
    return fail("bad_request", `The key would be sent to ${url.host} in clear text.`, {
      recovery: `Use https, or set "baseUrl" of this provider in your own settings to allow it.`,
    });
  }
  return undefined;
}

export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

function unknownProvider(name: string, providers: ProviderSources["providers"]): ReturnType<typeof fail> {
  const names = [...new Set([...Object.keys(providers), ...Object.keys(known)])];
  const [close] = nearest(name, names);
  return fail("bad_request", `There is no provider named ${name}.`, {
    recovery: `${close === undefined ? "" : `Did you mean ${close}? `}Use one of ${names.join(", ")}, or describe it in your settings under "providers".`,
  });
}

function missingKey(name: string, keys: readonly string[]): ReturnType<typeof fail> {
  return fail(
    "bad_request",
    `No API key for ${name}: ${keys.join(" and ")} ${keys.length === 1 ? "is" : "are"} not set.`,
    {
      recovery: `Set the environment variable ${keys.join(" or ")}.`,
    },
  );
}

function unnamedKey(name: string): ReturnType<typeof fail> {
  return fail("bad_request", `No API key is configured for ${name}.`, {
    recovery: `Set "providers.${name}.apiKeyEnv" in your settings to the name of its environment variable.`,
  });
}

function missingAddress(name: string): ReturnType<typeof fail> {
  return fail("bad_request", `No base URL is set for ${name}.`, {
    recovery: `Give --base-url, or set "providers.${name}.baseUrl" in your settings.`,
  });
}

import { fail, type Outcome, ok } from "../contract/codes.ts";
import {
  type ModelNeed,
  type ModelProfile,
  type ModelRef,
  type Models,
  modelName,
  type ProviderRuntime,
  type UsableModel,
} from "../contract/model.ts";
import type { Settings } from "../contract/settings.ts";
import type { HttpFetch } from "../host/net/http-client.ts";
import { adapterOf } from "./adapters.ts";
import { describeProvider, findProvider, type UsableProvider } from "./known-providers.ts";
import { profileOf, takesEffort } from "./model-profiles.ts";
import { readScript } from "./scripted/script.ts";
import { createScriptedRuntime } from "./scripted/scripted-runtime.ts";
import { createWireRuntime } from "./wire-runtime.ts";

export interface ModelsOptions {
  readonly models: Settings["models"];
  /** The only place where keys are looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: HttpFetch;
  readonly now: () => number;
  readonly readScript: (name: string) => string | undefined;
}

export function createModels(options: ModelsOptions): Models {
  const { models } = options;

  function usable(name: string, need: ModelNeed): Outcome<UsableModel> {
    const named = parseModelName(name);
    if (!named.ok) return named;
    const ref = named.value;
    const provider = findProvider(ref, { ...options, ...models }, need.baseUrl);
    if (!provider.ok) return provider;
    const { kind, local, setting } = provider.value;
    const profile = profileOf({ kind, id: ref.id, local, facts: setting?.models?.[ref.id] });
    const lack = lacking(profile, need);
    if (lack !== undefined) {
      return fail("bad_request", `${name} ${lack}.`, {
        recovery: `Choose another model, or correct "providers.${ref.provider}.models" in your settings.`,
      });
    }
    const runtime = runtimeFor(ref, provider.value, profile);
    if (!runtime.ok) return runtime;
    return ok({ ref, profile, runtime: runtime.value, baseUrl: need.baseUrl });
  }

  function runtimeFor(ref: ModelRef, provider: UsableProvider, profile: ModelProfile): Outcome<ProviderRuntime> {
    if (provider.kind === "scripted") {
      const script = readScript(provider.setting?.script ?? ref.id, options.readScript);
      return script.ok ? ok(createScriptedRuntime(script.value, ref)) : script;
    }
    const endpoint = {
      ref,
      ...provider,
      parallelToolCalls: profile.parallelToolCalls,
      takesEffort: takesEffort({ kind: provider.kind, id: ref.id }),
    };
    return ok(createWireRuntime(adapterOf(provider.kind, profile), endpoint, options));
  }

  function candidates(need: ModelNeed): Outcome<UsableModel>[] {
    const { baseUrl: _, ...own } = need;
    const described = Object.entries(models.providers).flatMap(([provider, setting]) =>
      Object.keys(setting.models ?? {}).map((id) => usable(modelName({ provider, id }), own)),
    );
    const rank = ranks[need.prefer ?? models.prefer];
    const found = described.filter((model) => model.ok).sort((a, b) => rank(a.value.profile) - rank(b.value.profile));
    return [...found, ...described.filter((model) => !model.ok)];
  }

  function first(need: ModelNeed): Outcome<{ readonly model: UsableModel; readonly reason: string }> {
    const wanted = need.wanted ?? models.model;
    if (wanted !== undefined) {
      const model = usable(wanted, need);
      const by = need.wanted === undefined ? "from settings" : (need.because ?? "requested");
      return model.ok ? ok({ model: model.value, reason: `${wanted}: ${by}` }) : model;
    }
    const [best] = candidates(need);
    if (best === undefined) {
      return fail("bad_request", "No model is configured.", {
        recovery: `Name one with --model provider/id, or set "model" in your settings.`,
      });
    }
    if (!best.ok) return best;
    const prefer = need.prefer ?? models.prefer;
    const name = modelName(best.value.ref);
    return ok({
      model: best.value,
      reason: `${name}: ${reasons[prefer]} of the usable models in the settings`,
    });
  }

  return {
    resolve(need) {
      const chosen = first(need);
      if (!chosen.ok) return chosen;
      const chain: [UsableModel, ...UsableModel[]] = [chosen.value.model];
      const words = [chosen.value.reason];
      const { baseUrl: _, ...own } = need;
      for (const name of models.fallback) {
        if (chain.some(({ ref }) => modelName(ref) === name)) continue;
        const model = usable(name, own);
        if (model.ok) chain.push(model.value);
        words.push(model.ok ? `then ${name}` : `without ${name}: ${model.failure.message}`);
      }
      return ok({ models: chain, reason: words.join("; ") });
    },
  };
}

export function modelProfile(
  name: string,
  { providers }: Pick<Settings["models"], "providers">,
  baseUrl: string | undefined,
): Outcome<ModelProfile> {
  const ref = parseModelName(name);
  if (!ref.ok) return ref;
  const provider = describeProvider(ref.value, providers, baseUrl);
  if (!provider.ok) return provider;
  const { kind, local, setting } = provider.value;
  return ok(profileOf({ kind, id: ref.value.id, local, facts: setting?.models?.[ref.value.id] }));
}

function parseModelName(name: string): Outcome<ModelRef> {
  const at = name.indexOf("/");
  const ref = { provider: name.slice(0, at), id: name.slice(at + 1) };
  if (at > 0 && ref.id !== "" && !/\s/.test(name)) return ok(ref);
  return fail("bad_request", `"${name}" is not a model name.`, {
    recovery: "Write it as provider/id, for example anthropic/claude-sonnet-4-5.",
  });
}

function lacking(profile: ModelProfile, need: ModelNeed): string | undefined {
  if (!profile.toolCalls) return "cannot call tools";
  if (!profile.jsonSchema) return "cannot read the schemas of tools";
  if (need.vision === true && !profile.vision) return "cannot see images";
  return undefined;
}

const reasons = { order: "the first", cost: "the cheapest", latency: "the fastest" } as const;
const speeds = { low: 0, medium: 1, high: 2 } as const;

/** Smaller is better; unknown comes last. */
const ranks: Readonly<Record<keyof typeof reasons, (profile: ModelProfile) => number>> = {
  order: () => 0,
  cost: ({ price }) => (price === undefined ? Number.MAX_VALUE : price.input + price.output),
  latency: ({ latency }) => (latency === undefined ? speeds.high + 1 : speeds[latency]),
};

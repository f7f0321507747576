import type { ModelFacts, ModelPrice, ModelProfile } from "../contract/model.ts";
import type { ProviderKind } from "../contract/settings.ts";

interface Family {
  readonly id: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** US dollars per million tokens: input, output, cache read, cache write. Absent if not certain. */
  readonly price?: readonly [number, number, number?, number?];
  readonly latency: NonNullable<ModelProfile["latency"]>;
  readonly reasoning?: false;
}

const thousand = 1_000;

const claude: readonly Family[] = [
  { id: "claude-opus-4-5", price: [5, 25, 0.5, 6.25], ...large(200, 64), latency: "high" },
  { id: "claude-opus-4-1", price: [15, 75, 1.5, 18.75], ...large(200, 32), latency: "high" },
  { id: "claude-opus-4", price: [15, 75, 1.5, 18.75], ...large(200, 32), latency: "high" },
  { id: "claude-sonnet-4-5", price: [3, 15, 0.3, 3.75], ...large(200, 64), latency: "medium" },
  { id: "claude-sonnet-4", price: [3, 15, 0.3, 3.75], ...large(200, 64), latency: "medium" },
  { id: "claude-3-7-sonnet", price: [3, 15, 0.3, 3.75], ...large(200, 64), latency: "medium" },
  { id: "claude-haiku-4-5", price: [1, 5, 0.1, 1.25], ...large(200, 64), latency: "low" },
  { id: "claude-3-5-haiku", price: [0.8, 4, 0.08, 1], ...large(200, 8), latency: "low", reasoning: false },
];

const gpt: readonly Family[] = [
  { id: "gpt-5.2", price: [1.75, 14, 0.175], ...large(400, 128), latency: "medium" },
  { id: "gpt-5.1", price: [1.25, 10, 0.125], ...large(400, 128), latency: "medium" },
  { id: "gpt-5", price: [1.25, 10, 0.125], ...large(400, 128), latency: "medium" },
  { id: "gpt-5-codex", price: [1.25, 10, 0.125], ...large(400, 128), latency: "medium" },
  { id: "gpt-5-mini", price: [0.25, 2, 0.025], ...large(400, 128), latency: "low" },
  { id: "gpt-5-nano", price: [0.05, 0.4, 0.005], ...large(400, 128), latency: "low" },
  { id: "gpt-4.1", price: [2, 8, 0.5], ...large(1_047, 32), latency: "medium", reasoning: false },
  { id: "gpt-4.1-mini", price: [0.4, 1.6, 0.1], ...large(1_047, 32), latency: "low", reasoning: false },
  { id: "gpt-4.1-nano", price: [0.1, 0.4, 0.025], ...large(1_047, 32), latency: "low", reasoning: false },
  { id: "gpt-4o", price: [2.5, 10, 1.25], ...large(128, 16), latency: "medium", reasoning: false },
  { id: "gpt-4o-mini", price: [0.15, 0.6, 0.075], ...large(128, 16), latency: "low", reasoning: false },
  { id: "o3", price: [2, 8, 0.5], ...large(200, 100), latency: "high" },
  { id: "o4-mini", price: [1.1, 4.4, 0.275], ...large(200, 100), latency: "medium" },
];

/** The prices of the larger models depend on the length of the request. */
const gemini: readonly Family[] = [
  { id: "gemini-2.5-pro", ...large(1_048, 65), latency: "high" },
  { id: "gemini-2.5-flash", price: [0.3, 2.5], ...large(1_048, 65), latency: "low" },
  { id: "gemini-2.5-flash-lite", price: [0.1, 0.4], ...large(1_048, 65), latency: "low" },
];

const families: Readonly<Record<ProviderKind, readonly Family[]>> = {
  anthropic: claude,
  openai: gpt,
  "openai-chat": gpt,
  google: gemini,
  "openai-compatible": [],
  scripted: [],
};

/** For unknown models: a conservative choice that every model of the kind supports. */
const unknown: Readonly<Record<ProviderKind, ModelProfile>> = {
  anthropic: profile({ ...large(200, 32), reasoningSummary: true }),
  openai: profile({ ...large(200, 32), reasoningSummary: false }),
  "openai-chat": profile({ ...large(128, 16), reasoningSummary: false }),
  google: profile({ ...large(1_000, 32), reasoningSummary: false }),
  "openai-compatible": profile({ ...large(64, 8), reasoningSummary: false, vision: false }),
  scripted: profile({ ...large(200, 32), reasoningSummary: true, price: { input: 0, output: 0 }, latency: "low" }),
};

export interface ProfiledModel {
  readonly kind: ProviderKind;
  readonly id: string;
  readonly local: boolean;
  readonly facts?: ModelFacts | undefined;
}

export function takesEffort({ kind, id }: Pick<ProfiledModel, "kind" | "id">): boolean {
  return families[kind].find((known) => isOf(known.id, id))?.reasoning !== false;
}

export function profileOf({ kind, id, local, facts }: ProfiledModel): ModelProfile {
  const family = families[kind].find((known) => isOf(known.id, id));
  const base = family === undefined ? unknown[kind] : familyProfile(family, kind);
  // A script has no memory limit.
  const own = local && kind !== "scripted" ? { ...large(32, 8), price: { input: 0, output: 0 } } : {};
  const known = facts?.contextTokens !== undefined || kind === "scripted" || (family !== undefined && !local);
  return { ...base, ...own, ...(known ? {} : { contextAssumed: true }), ...facts };
}

/** The family's own name, with a date or `latest` at most: `gpt-5-mini` is not `gpt-5`. */
function isOf(family: string, id: string): boolean {
  return id.startsWith(family) && /^(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-0)?$/.test(id.slice(family.length));
}

function familyProfile(family: Family, kind: ProviderKind): ModelProfile {
  const { contextTokens, maxOutputTokens, latency, price, reasoning = true } = family;
  return profile({
    contextTokens,
    maxOutputTokens,
    latency,
    reasoningSummary: reasoning && kind !== "openai-chat",
    price: price && priceOf(price),
  });
}

function priceOf([input, output, cacheRead, cacheWrite]: NonNullable<Family["price"]>): ModelPrice {
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
  };
}

function profile(
  known: Pick<ModelProfile, "contextTokens" | "maxOutputTokens" | "reasoningSummary"> & Partial<ModelProfile>,
): ModelProfile {
  return { toolCalls: true, parallelToolCalls: true, jsonSchema: true, vision: true, ...known };
}

function large(context: number, output: number): { contextTokens: number; maxOutputTokens: number } {
  return { contextTokens: context * thousand, maxOutputTokens: output * thousand };
}

import type { ModelProfile } from "../../contract/model.ts";

export interface Pressure {
  readonly estimate: number;
  /** Share of what the model can take in beside its answer. */
  readonly share: number;
  /** `high`: older history goes before the next request. `full`: the request would be refused as it is. */
  readonly level: "low" | "high" | "full";
}

export function pressureOf(
  estimate: number,
  profile: Pick<ModelProfile, "contextTokens" | "maxOutputTokens">,
  compactAt: number,
): Pressure {
  const share = estimate / roomFor(profile);
  return { estimate, share, level: share >= 1 ? "full" : share >= compactAt ? "high" : "low" };
}

/** Some of the context is the answer's. */
export function roomFor({ contextTokens, maxOutputTokens }: Pick<ModelProfile, "contextTokens" | "maxOutputTokens">) {
  return Math.max(1, contextTokens - Math.min(maxOutputTokens, contextTokens / 4));
}

import type { ContextUse } from "../contract/app/agent.ts";

function contextShare({ tokens, limit }: ContextUse): string {
  return `${limit === 0 ? 0 : Math.round((tokens / limit) * 100)} %`;
}

/** For one short line: how full, and of how much. */
export function contextSummary(use: ContextUse): string {
  const { limit, assumed } = use;
  return `context ${contextShare(use)}${limit === 0 ? "" : ` of ${assumed ? "~" : ""}${thousands(limit)}`}`;
}

export function contextDetail(use: ContextUse): string {
  const { tokens, limit, assumed } = use;
  const size = `${tokens.toLocaleString("en")} of ${limit.toLocaleString("en")} tokens`;
  return `context ${contextShare(use)} full: ${size}${assumed ? "; assumed, because this model is not known" : ""}`;
}

function thousands(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${Math.round(tokens / 1_000)}k`;
}

import { codes, type Failure } from "../contract/codes.ts";
import type { Summary } from "../contract/tool.ts";

export function failureSummary(title: string, failure: Failure): Summary {
  const recovery = failure.recovery ?? codes[failure.code].recovery;
  return {
    title,
    summary: failure.message,
    model: [{ format: "text", text: `${failure.code}: ${failure.message}\n${recovery}` }],
    user: failure.message,
  };
}

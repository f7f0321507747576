import { codes, type Failure } from "../contract/codes.ts";
import type { ContentDraft, RawResult, Summary } from "../contract/tool.ts";

export function failureSummary(title: string, failure: Failure): Summary {
  const recovery = failure.recovery ?? codes[failure.code].recovery;
  return {
    title,
    summary: failure.message,
    model: [{ format: "text", text: `${failure.code}: ${failure.message}\n${recovery}` }],
    user: failure.message,
  };
}

/** For tools whose failures all have the same form: only a success needs its own text. */
export function summarizer<Input, Data>(
  title: (call: Input) => string,
  summary: (data: Data, call: Input) => Omit<Summary, "title">,
): (result: RawResult<Data>, call: Input) => Summary {
  return (result, call) =>
    result.ok ? { title: title(call), ...summary(result.data, call) } : failureSummary(title(call), result.failure);
}

/** Lines after a label; nothing if there are none. */
export function note(label: string, lines: readonly string[]): readonly ContentDraft[] {
  return lines.length === 0 ? [] : [{ format: "text", label, text: lines.join("\n") }];
}

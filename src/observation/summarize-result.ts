import { codes, type Failure } from "../contract/codes.ts";
import type { RawResult, Summary, Tool } from "../contract/tool.ts";

/** What is said of a call that never ran. Whoever is told that it did not should know what did not. */
export function summarizeRefusal(
  toolName: string,
  failure: Failure,
  call: { readonly tool: Tool | undefined; readonly input: unknown },
): Summary {
  return { ...summarizeFailure(toolName, failure), title: refusedTitle(toolName, failure, call) };
}

function refusedTitle(
  toolName: string,
  failure: Failure,
  { tool, input }: { readonly tool: Tool | undefined; readonly input: unknown },
): string {
  try {
    if (tool?.summarize !== undefined) return tool.summarize({ ok: false, failure }, input as never).title;
    return input === undefined
      ? toolName
      : `${toolName} ${JSON.stringify(input).slice(0, longestInput).toWellFormed()}`;
  } catch {
    // Its words for a result need not bear one that is none, and not every input can be written down.
    return toolName;
  }
}

const longestInput = 200;

function summarizeFailure(toolName: string, failure: Failure): Summary {
  const recovery = failure.recovery ?? codes[failure.code].recovery;
  return {
    title: toolName,
    summary: failure.message,
    model: [{ format: "text", text: `${failure.message}\n${recovery}` }],
    user: failure.message,
  };
}

export function summarizeResult(
  toolName: string,
  result: RawResult<unknown>,
  own: { readonly tool: Tool; readonly input: unknown } | undefined,
): Summary {
  if (own?.tool.summarize !== undefined) return own.tool.summarize(result, own.input as never);
  const drafts = result.data === undefined ? [] : [dataDraft(result.data)];
  if (result.ok) {
    const summary = `${toolName} finished.`;
    return { title: toolName, summary, user: summary, model: drafts, ...dataFacts(result.data) };
  }
  const failed = summarizeFailure(toolName, result.failure);
  return { ...failed, model: [...failed.model, ...drafts], ...dataFacts(result.data) };
}

function dataDraft(data: unknown): Summary["model"][number] {
  if (typeof data === "string") return { format: "text", text: data };
  return { format: "json", text: JSON.stringify(data, null, 1) ?? String(data) };
}

function dataFacts(data: unknown): Pick<Summary, "data"> {
  return typeof data === "object" && data !== null && !Array.isArray(data) ? { data: { ...data } } : {};
}

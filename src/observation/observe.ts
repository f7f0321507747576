import { clip } from "../base/text.ts";
import type { ArtifactRef } from "../contract/artifact.ts";
import { type Code, codes, type Failure, type Phase } from "../contract/codes.ts";
import type { Observation } from "../contract/observation.ts";
import { type ContentDraft, defaultResultLimits, type RawResult, type Summary, type Tool } from "../contract/tool.ts";
import { boundContent } from "./bound-content.ts";
import { boundData, mapStrings } from "./bound-data.ts";
import type { CallEnding, ObservationInput } from "./observation-input.ts";
import { createCleaner } from "./shown-text.ts";

export interface Observed {
  readonly observation: Observation;
  readonly stored: readonly ArtifactRef[];
}

const titleChars = 160;
const summaryChars = 600;
const userChars = 2_000;

/** Throws only when the tool's own `summarize` does. */
export function observe(input: ObservationInput): Observed {
  const cleaner = createCleaner(input);
  const end = endOf(input.ending);
  const summary = summaryOf(input);
  const { maxResultChars, maxResultLines } = input.tool ?? defaultResultLimits;
  const pages = summary.continueAt !== undefined || maxResultChars === Number.POSITIVE_INFINITY;
  const remarks = (input.remarks ?? []).map(
    ({ hook, text }): ContentDraft => ({ format: "text", label: `hook ${hook}`, text }),
  );
  const content = boundContent([...summary.model, ...remarks], {
    limits: { maxChars: Math.min(maxResultChars, input.allowance), maxLines: maxResultLines },
    cleaner,
    artifacts: input.artifacts,
    pages,
    continueAt: summary.continueAt,
  });
  // The page's own next step would skip the part that was cut from this page.
  const own = content.cut && pages ? undefined : (summary.next ?? input.narrower);
  const next = own === undefined ? content.next : mapStrings(own, cleaner.text);
  const omittedBytes = content.omittedBytes + (summary.omittedBytes ?? 0);

  const observation: Observation = {
    intentId: input.intentId,
    ...(input.invocationId === undefined ? {} : { invocationId: input.invocationId }),
    tool: cleaner.line(input.toolName, titleChars),
    ok: end.code === "ok",
    status: statusOf(end.code),
    phase: end.phase,
    code: end.code,
    title: cleaner.line(summary.title, titleChars),
    summary: cleaner.line(summary.summary, summaryChars),
    ...failureFields(end.failure, cleaner.text),
    model: {
      content: [...content.blocks],
      truncated: content.cut || omittedBytes > 0,
      omittedBytes,
      ...(next === undefined ? {} : { next: { tool: next.tool, input: { ...next.input } } }),
    },
    user: { text: clip(cleaner.text(summary.user), userChars) },
    ...(input.permission === undefined ? {} : { permission: mapStrings(input.permission, input.redact) }),
    ...(input.stop === undefined ? {} : { stop: cleaner.line(input.stop, summaryChars) }),
    effects: {
      happened: end.happened,
      declared: mapStrings([...input.effects.declared], input.redact),
      seen: mapStrings([...input.effects.seen], input.redact),
    },
    ...(summary.data === undefined ? {} : { data: boundData(summary.data, cleaner.text) }),
    artifacts: unique([
      ...(summary.artifacts ?? []),
      ...streamArtifacts(summary),
      ...(input.kept ?? []),
      ...content.stored,
    ]),
    metrics: {
      startedAt: new Date(input.startedAt).toISOString(),
      endedAt: new Date(input.endedAt).toISOString(),
      durationMs: Math.max(0, input.endedAt - input.startedAt),
      outputBytes: content.outputBytes,
    },
    retryable: codes[end.code].retryable,
    sandbox: {
      backend: input.sandbox.backend,
      enforces: input.sandbox.enforces,
      ...(input.sandboxUsed === undefined ? {} : { used: input.sandboxUsed }),
    },
    auditId: input.auditId,
  };
  return { observation, stored: content.stored };
}

interface End {
  readonly code: Code;
  readonly phase: Phase;
  readonly happened: Observation["effects"]["happened"];
  readonly failure?: Failure;
}

function endOf(ending: CallEnding): End {
  if (ending.kind === "refused") {
    const { refusal } = ending;
    return { code: refusal.code, phase: refusal.phase, happened: refusal.happened ?? "nothing", failure: refusal };
  }
  const { result } = ending;
  if (result.ok) return { code: "ok", phase: "execute", happened: codes.ok.happened };
  const { failure } = result;
  return {
    code: failure.code,
    phase: failure.code === "output_invalid" ? "normalize" : "execute",
    happened: failure.happened ?? codes[failure.code].happened,
    failure,
  };
}

const denials: readonly Code[] = [
  "policy_denied",
  "hook_denied",
  "user_denied",
  "approval_unavailable",
  "approval_expired",
];

function statusOf(code: Code): Observation["status"] {
  if (code === "ok") return "ok";
  return denials.includes(code) ? "denied" : "error";
}

function summaryOf(given: ObservationInput): Summary {
  const { ending, toolName, tool, input } = given;
  if (ending.kind === "refused")
    return { ...summarizeFailure(toolName, ending.refusal), title: refusedTitle(ending.refusal, given) };
  return summarizeResult(toolName, ending.result, tool && { tool, input });
}

function failureFields(
  failure: Failure | undefined,
  clean: (text: string) => string,
): Pick<Observation, "field" | "recovery"> {
  if (failure === undefined) return {};
  return {
    ...(failure.field === undefined ? {} : { field: clean(failure.field) }),
    recovery: clean(failure.recovery ?? codes[failure.code].recovery),
  };
}

function streamArtifacts({ model }: Summary): readonly ArtifactRef[] {
  return model.flatMap((draft) => (draft.format === "stream" ? (draft.stream.artifact ?? []) : []));
}

function unique(artifacts: readonly ArtifactRef[]): ArtifactRef[] {
  return [...new Map(artifacts.map((artifact) => [`${artifact.kind}:${artifact.id}`, artifact])).values()];
}

function refusedTitle(failure: Failure, { tool, toolName, input }: ObservationInput): string {
  try {
    if (tool?.summarize !== undefined) return tool.summarize({ ok: false, failure }, input as never).title;
    return input === undefined
      ? toolName
      : `${toolName} ${JSON.stringify(input).slice(0, longestInput).toWellFormed()}`;
  } catch {
    // A tool may fail to summarise a call that never ran, and not every input can be serialised.
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

function summarizeResult(
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
